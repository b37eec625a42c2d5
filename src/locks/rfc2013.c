/* SPDX-License-Identifier: MIT */
/*
 * src/locks/rfc2013.c - the auto-queued ticket lock proposed in 2013
 *
 * Written from the description of McKenney's RFC for Linux (2013), as the
 * design that this project sets out from: a ticket lock that, when a waiter
 * finds itself exactly N tickets behind, attaches a queue to itself and drops
 * it when the lock is idle.  All waiters keep their tickets throughout.
 *
 * State (h, q, t): h the ticket served, t the next to hand out, q the queued
 * bit.  Tickets are 16 bits wide and step by 2; bit 0 of h is q.
 *
 *	(h, q, t) -> (h, q, t+2)    arrival: fetch-add
 *	(h, 0, t) -> (h+2, 0, t)    release in ticket mode: fetch-add
 *	(h, 0, t) -> (h, 1, t)      the waiter with ticket h+2N attaches a queue
 *	(h, 1, t) -> (h+2, 1, t)    release in queue mode, t != h+2
 *	(h, 1, h+2) -> (h+2, 0, h+2)  release when idle: detaches the queue
 *
 * A queue head comes from a static table, found by hashing the lock's address
 * and probing on.  Its `ref` goes 0 -> lock|1 (reserved: being set up) -> lock
 * -> lock|1 (being taken down) -> 0.  With the table full the lock stays in
 * ticket mode.  A waiter that sees q appends an element, which lives on its
 * stack, and spins on that.  Elements are not in order of tickets, so the
 * releaser searches for that of the ticket it is about to serve.
 *
 * Who may touch what: appending is open to all waiters; walking and unlinking
 * is for the lock's holder.  Hence the search comes before the fetch-add: after
 * it the next holder may be searching too.  The one element touched after the
 * fetch-add is the one whose thread waits for just that.
 *
 * The waiter that is served next may be unknown to the queue: it has not seen
 * q, or has not finished appending.  The releaser saves the ticket in
 * `head_ticket` before it searches, and takes it out if the search succeeds.
 * A waiter that has appended and finds its own ticket there watches h; once
 * served, it finds out from head_ticket whether its element was found (then
 * its wake-up is on the way) or is its own to unlink:
 *
 *	releaser of t-2               waiter with ticket t
 *	head_ticket = t               appends its element
 *	fence (F1)                    fence (F2)
 *	searches the queue            reads head_ticket
 *
 * At least one sees the other.  A holder that did not see q in time serves its
 * successor blindly; that can only be the ticket after the one served when q
 * was set, so the queue head starts with that one in head_ticket.
 *
 * Why a queue head cannot vanish under a waiter: q is cleared together with a
 * check that no ticket is out (h and t swapped as a pair), so not while anybody
 * waits.  And a holder, or waiter, that has seen q finds the queue head in the
 * table, if need be after waiting for the one thread that still sets it up.
 *
 * Deviations from the description: the search precedes the fetch-add (above);
 * an idle release is one pair swap rather than a fetch-add and a swap; the
 * 16-bit counters are the upper halves of 32-bit words, so that they can be
 * swapped as a pair; the reserved value carries the lock's address, so that
 * one can wait for it.  Not repaired, as they are what is measured: queue heads
 * share cache lines, elements are not aligned, and the threshold is hit by
 * equality only.  Limits: at most 32767 threads.
 */
#include <stdlib.h>

#include <tkt/atomic.h>

#include "lock_ops.h"

#define RFC2013_STEP (UINT32_C(2) << 16) /* from one ticket to the next */
#define RFC2013_QUEUED (UINT32_C(1) << 16)
#define RFC2013_NO_TICKET 1u /* equals no ticket: those end in 17 zeros */
#define RFC2013_THREADS_MAX 32767u
#define RFC2013_THRESHOLD 16u

/*
 * Queue heads, for all locks together.  A lock has one only while more than N
 * threads use it, so this many serve 1000 threads at the default threshold.
 */
#ifndef RFC2013_QUEUES
#define RFC2013_QUEUES 64u
#endif

/* A waiter in the queue; on its stack. */
struct rfc2013_elem {
	struct rfc2013_elem *next;
	uint32_t ticket;
	uint32_t go; /* 1: served */
};

struct rfc2013_queue {
	uintptr_t ref; /* which lock's: see above */
	struct rfc2013_elem *first;
	struct rfc2013_elem **last; /* the last link: &first or a next */
	uint32_t head_ticket;	    /* next to be served, unless found */
};

struct rfc2013 {
	uint32_t head;	/* h and q; h changed by the holder alone */
	uint32_t tail;	/* t */
	uint32_t reach; /* N tickets, or RFC2013_NO_TICKET for never */
};

static struct rfc2013_queue rfc2013_table[RFC2013_QUEUES];

/* Which slot to look at first. */
static unsigned int rfc2013_hash(const struct rfc2013 *l)
{
	const uint64_t spread = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / phi */

	return (unsigned int)(((uint64_t)(uintptr_t)l * spread) >> 32) %
	       RFC2013_QUEUES;
}

/*
 * The queue head of a lock.  The caller holds the lock or a ticket, and has
 * seen q with acquire, and so (R1) finds no older state of the table.  Waits
 * for a thread that sets the queue head up, or tries to take it down.
 */
static struct rfc2013_queue *rfc2013_find(const struct rfc2013 *l)
{
	const uintptr_t ref = (uintptr_t)l, reserved = ref | 1;
	const unsigned int start = rfc2013_hash(l);

	for (unsigned int i = 0; i < RFC2013_QUEUES; i++) {
		struct rfc2013_queue *q =
			&rfc2013_table[(start + i) % RFC2013_QUEUES];
		uintptr_t seen = TKT_LOAD(&q->ref, TKT_RELAXED);

		if (seen == reserved)
			seen = TKT_AWAIT(&q->ref, r, r != reserved,
					 TKT_RELAXED);
		if (seen == ref)
			return q;
	}
	abort(); /* q without a queue head: memory is corrupt */
}

/* A free slot of the table, reserved: 0 -> lock|1.  NULL if there is none. */
static struct rfc2013_queue *rfc2013_reserve(const struct rfc2013 *l)
{
	const unsigned int start = rfc2013_hash(l);

	for (unsigned int i = 0; i < RFC2013_QUEUES; i++) {
		struct rfc2013_queue *q =
			&rfc2013_table[(start + i) % RFC2013_QUEUES];
		uintptr_t none = 0;

		if (TKT_LOAD(&q->ref, TKT_RELAXED))
			continue;
		/* A1: pairs with R2, R6: the last user is done with it. */
		if (TKT_CAS(&q->ref, &none, (uintptr_t)l | 1, TKT_ACQUIRE,
			    TKT_RELAXED))
			return q;
	}
	return NULL;
}

/* (h, 0, t) -> (h, 1, t) by a waiter that is N behind, if h still holds. */
static void rfc2013_attach(struct rfc2013 *l, uint32_t head)
{
	struct rfc2013_queue *q = rfc2013_reserve(l);

	if (!q)
		return;
	TKT_STORE(&q->first, NULL, TKT_RELAXED);
	TKT_STORE(&q->last, &q->first, TKT_RELAXED);
	TKT_STORE(&q->head_ticket, head + RFC2013_STEP, TKT_RELAXED);
	/*
	 * R1: pairs with A8, A9, A11: who sees q sees the reserved slot, which
	 * rfc2013_find must not miss, and what is in it.  No ABA: we hold a
	 * ticket, so h cannot come round.
	 */
	if (TKT_CAS(&l->head, &head, head | RFC2013_QUEUED, TKT_RELEASE,
		    TKT_RELAXED))
		/* lock|1 -> lock */
		TKT_STORE(&q->ref, (uintptr_t)l, TKT_RELAXED);
	else
		/* R2: pairs with A1.  lock|1 -> 0 */
		TKT_STORE(&q->ref, 0, TKT_RELEASE);
}

/*
 * The element with that ticket, unlinked, or NULL.  Holder only.  Waits for
 * waiters that have exchanged `last` and not yet stored the link: beyond such a
 * gap there may be the one that is searched for.
 */
static struct rfc2013_elem *rfc2013_take(struct rfc2013_queue *q,
					 uint32_t ticket)
{
	struct rfc2013_elem **link = &q->first, **end, *e, *next;

	for (;; link = &e->next) {
		/* A2: pairs with R4; else e's fields may be not yet set. */
		e = TKT_LOAD(link, TKT_ACQUIRE);
		if (!e && TKT_LOAD(&q->last, TKT_RELAXED) == link)
			return NULL;
		/* A3: as A2. */
		if (!e)
			e = TKT_AWAIT(link, p, p, TKT_ACQUIRE);
		if (TKT_READ(&e->ticket) == ticket)
			break;
	}
	/* A4: as A2, for the next in the queue. */
	next = TKT_LOAD(&e->next, TKT_ACQUIRE);
	TKT_STORE(link, next, TKT_RELAXED);
	end = &e->next;
	/* R3: pairs with X1: *link = NULL precedes the next one's store. */
	if (!next && !TKT_CAS(&q->last, &end, link, TKT_RELEASE, TKT_RELAXED)) {
		/* A5: as A2.  Somebody is about to link behind e. */
		next = TKT_AWAIT(&e->next, p, p, TKT_ACQUIRE);
		TKT_STORE(link, next, TKT_RELAXED);
	}
	return e;
}

/* Waits in the queue until ticket `mine` is served. */
static __attribute__((noinline, cold)) void rfc2013_do_spin(struct rfc2013 *l,
							    uint32_t mine)
{
	struct rfc2013_queue *q = rfc2013_find(l);
	struct rfc2013_elem e, **link;

	TKT_NODE_BIRTH(&e);
	TKT_STORE(&e.next, NULL, TKT_RELAXED);
	TKT_WRITE(&e.ticket, mine);
	TKT_STORE(&e.go, 0, TKT_RELAXED);
	/*
	 * X1: pairs with X1 and R3.  Releases e.next = NULL to the next
	 * arrival, whose link must come after it; acquires the same, or what R3
	 * released.
	 */
	link = TKT_XCHG(&q->last, &e.next, TKT_ACQ_REL);
	/* R4: pairs with A2 to A5. */
	TKT_STORE(link, &e, TKT_RELEASE);
	/* F2: pairs with F1. */
	TKT_FENCE_SC();
	if (TKT_LOAD(&q->head_ticket, TKT_RELAXED) == mine) {
		/* A6: pairs with R7, R9: served; and found, or not? */
		TKT_AWAIT(&l->head, h, (h & ~RFC2013_QUEUED) == mine,
			  TKT_ACQUIRE);
		if (TKT_LOAD(&q->head_ticket, TKT_RELAXED) == mine) {
			(void)rfc2013_take(q, mine);
			TKT_NODE_DEATH(&e);
			return;
		}
	}
	/* A7: pairs with R8; else we miss what the last holder wrote. */
	TKT_AWAIT(&e.go, go, go, TKT_ACQUIRE);
	TKT_NODE_DEATH(&e);
}

/* Waits for ticket `mine`, in whichever mode the lock is. */
static __attribute__((noinline, cold)) void
rfc2013_spin_pass(struct rfc2013 *l, uint32_t mine, uint32_t head)
{
	while ((head & ~RFC2013_QUEUED) != mine) {
		if (head & RFC2013_QUEUED) {
			rfc2013_do_spin(l, mine);
			return;
		}
		if (mine - head == l->reach)
			rfc2013_attach(l, head);
		/* A8: pairs with R5, R7, R9 if served, with R1 if q is set. */
		head = TKT_AWAIT(&l->head, h, h != head, TKT_ACQUIRE);
	}
}

/* (h, q, t) -> (h, q, t+2), then waits for h == t. */
static inline void rfc2013_lock(struct rfc2013 *l, union lock_ctx *ctx)
{
	/*
	 * A12: pairs with R5.  A ticket taken after the queue was detached must
	 * not go with an older h that has q set: nobody serves that queue.
	 */
	const uint32_t mine =
		TKT_FETCH_ADD(&l->tail, RFC2013_STEP, TKT_ACQUIRE);
	/* A9: as A8. */
	const uint32_t head = TKT_LOAD(&l->head, TKT_ACQUIRE);

	(void)ctx;
	if ((head & ~RFC2013_QUEUED) != mine)
		rfc2013_spin_pass(l, mine, head);
}

/*
 * (h, 0, h) -> (h, 0, h+2).  A free lock has no queue, because the release that
 * leaves it free detaches it.
 */
static bool rfc2013_trylock(void *lock, union lock_ctx *ctx)
{
	struct rfc2013 *l = lock;
	const uint32_t tail = TKT_LOAD(&l->tail, TKT_RELAXED);

	(void)ctx;
	if (TKT_LOAD(&l->head, TKT_RELAXED) != tail)
		return false;
	/* A10: pairs with R5 and R9, as A8 does. */
	return TKT_CAS_PAIR(&l->head, tail, tail, tail, tail + RFC2013_STEP,
			    TKT_ACQUIRE);
}

/* (h, 1, h+2) -> (h+2, 0, h+2), unless somebody has taken a ticket. */
static bool rfc2013_detach(struct rfc2013 *l, struct rfc2013_queue *q,
			   uint32_t head, uint32_t next)
{
	/*
	 * The slot stops to be ours before q clears: from then on a new queue
	 * head may be set up for this lock, and two would be found.
	 */
	TKT_STORE(&q->ref, (uintptr_t)l | 1, TKT_RELAXED);
	/*
	 * R5: pairs with A8 to A10 and A12: hands over what this holder wrote.
	 */
	if (TKT_CAS_PAIR(&l->head, head, next, next, next, TKT_RELEASE)) {
		/* R6: pairs with A1.  The lock may be gone by now. */
		TKT_STORE(&q->ref, 0, TKT_RELEASE);
		return true;
	}
	TKT_STORE(&q->ref, (uintptr_t)l, TKT_RELAXED);
	return false;
}

/* Release in queue mode: serves the next ticket, or detaches the queue. */
static __attribute__((noinline, cold)) void rfc2013_do_wake(struct rfc2013 *l,
							    uint32_t head)
{
	const uint32_t next = (head & ~RFC2013_QUEUED) + RFC2013_STEP;
	struct rfc2013_queue *q = rfc2013_find(l);
	struct rfc2013_elem *e;

	if (TKT_LOAD(&l->tail, TKT_RELAXED) == next &&
	    rfc2013_detach(l, q, head, next))
		return;
	TKT_STORE(&q->head_ticket, next, TKT_RELAXED);
	/* F1: pairs with F2. */
	TKT_FENCE_SC();
	e = rfc2013_take(q, next);
	if (e)
		TKT_STORE(&q->head_ticket, RFC2013_NO_TICKET, TKT_RELAXED);
	/* R7: pairs with A6, A8, A9: hands over what this holder wrote. */
	(void)TKT_FETCH_ADD(&l->head, RFC2013_STEP, TKT_RELEASE);
	/* R8: pairs with A7, likewise.  e's thread cannot leave before. */
	if (e)
		TKT_STORE(&e->go, 1, TKT_RELEASE);
}

static inline void rfc2013_unlock(struct rfc2013 *l, union lock_ctx *ctx)
{
	/* A11: pairs with R1, if q is set. */
	const uint32_t head = TKT_LOAD(&l->head, TKT_ACQUIRE);

	(void)ctx;
	if (head & RFC2013_QUEUED)
		rfc2013_do_wake(l, head);
	else
		/* R9: pairs with A6, A8 to A10, as R7 does. */
		(void)TKT_FETCH_ADD(&l->head, RFC2013_STEP, TKT_RELEASE);
}

static const char *rfc2013_init(void *lock, const struct lock_params *params)
{
	uint32_t reach = params->threshold;

	if (params->max_threads > RFC2013_THREADS_MAX)
		return "rfc2013: at most 32767 threads";
	if (reach == LOCK_THRESHOLD_DEFAULT)
		reach = RFC2013_THRESHOLD;
	if (reach == LOCK_THRESHOLD_INF)
		reach = RFC2013_NO_TICKET;
	else if (reach <= RFC2013_THREADS_MAX)
		reach *= RFC2013_STEP;
	else
		return "rfc2013: threshold 1 to 32767, or inf";
	*(struct rfc2013 *)lock = (struct rfc2013){ 0, 0, reach };
	return NULL;
}

LOCK_OPS(rfc2013, struct rfc2013, .name = "rfc2013",
	 .summary = "the auto-queued ticket lock proposed for Linux in 2013",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK | LOCK_THRESHOLD,
	 .init = rfc2013_init, .trylock = rfc2013_trylock);
