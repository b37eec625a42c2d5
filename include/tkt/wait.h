/* SPDX-License-Identifier: MIT */
/*
 * tkt/wait.h - how a waiter passes the time
 *
 * The protocol (slowpath.h) decides what a thread waits for; this file, by
 * the lock's policy, what it does meanwhile:
 *
 *  TKT_WAIT_SPIN   polls, and never gives up the CPU.  For threads that do
 *                  not outnumber the CPUs and are not preempted.
 *  TKT_WAIT_YIELD  polls for TKT_SPIN_NS, then offers the CPU to others
 *                  (sched_yield), and so on in turn.  Finishes whatever the
 *                  number of threads, but yields to anybody, not to the
 *                  thread it waits for: with many more threads than CPUs it
 *                  is slow.
 *
 * Both keep the order of the protocol.  Nobody sleeps here, so nothing needs
 * to be woken: what ends a wait is the store to the location waited on.
 */
#ifndef TKT_WAIT_H
#define TKT_WAIT_H

#include "annotate.h"
#include "atomic.h"
#include "lock_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A waiter in the waiting room, on its own stack.  One thread spins on state,
 * its own; others write the node twice at most: next by the successor, state
 * by the predecessor.
 */
struct tkt_node {
	struct tkt_node *next; /* successor, NULL until it has linked itself */
	uint32_t state;	       /* TKT_X_WAITING, then TKT_X_HEAD */
} __attribute__((aligned(TKT_NODE_ALIGN)));

#define TKT_X_WAITING UINT32_C(0)
#define TKT_X_HEAD UINT32_C(1)

/*
 * Counts the polls of one spin of at most TKT_SPIN_NS.  tkt_x_spin_more()
 * says whether to poll once more; it looks at the clock every TKT_SPIN_POLLS
 * calls only, and not before the first batch is over.
 */
struct tkt_x_spin {
	uint64_t until;
	uint32_t polls;
};

TKT_X_INLINE bool tkt_x_spin_more(struct tkt_x_spin *s)
{
	uint64_t now;

	if (++s->polls % TKT_SPIN_POLLS)
		return true;
	if (!TKT_SPIN_NS)
		return false;
	now = TKT_CLOCK_NS();
	if (!s->until)
		s->until = now + TKT_SPIN_NS;
	return now < s->until;
}

/*
 * Waits until *p == v (equal) or *p != v (!equal), by the rules of `wait`.
 * The load that ends the wait is an acquire.
 */
TKT_X_INLINE void tkt_x_wait(const uint32_t *p, uint32_t v, bool equal,
			     uint32_t wait)
{
	uint32_t seen;

	if (wait == TKT_WAIT_SPIN) {
		/*
		 * W1: pairs with R1, H1, RW2, RW3 or RW5, as the caller's wait
		 * does
		 */
		TKT_AWAIT(p, now, (now == v) == equal, TKT_ACQUIRE);
		return;
	}
	for (;;) {
		struct tkt_x_spin spin = { 0, 0 };

		do {
			/* W2: as W1 */
			seen = TKT_LOAD(p, TKT_ACQUIRE);
			if ((seen == v) == equal)
				return;
			TKT_RELAX();
		} while (tkt_x_spin_more(&spin));
		TKT_YIELD(p, seen);
	}
}

/*
 * Waits for the successor, which has already swapped itself into tail, to
 * link itself: a handful of instructions, unless it was preempted there.
 */
TKT_X_INLINE struct tkt_node *tkt_x_wait_link(struct tkt_node *n, uint32_t wait)
{
	struct tkt_node *next;

	if (wait == TKT_WAIT_SPIN) {
		/* W3: pairs with L1 */
		return TKT_AWAIT(&n->next, now, now != NULL, TKT_ACQUIRE);
	}
	for (;;) {
		struct tkt_x_spin spin = { 0, 0 };

		do {
			/* W4: pairs with L1 */
			next = TKT_LOAD(&n->next, TKT_ACQUIRE);
			if (next)
				return next;
			TKT_RELAX();
		} while (tkt_x_spin_more(&spin));
		TKT_YIELD(&n->next, next);
	}
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_WAIT_H */
