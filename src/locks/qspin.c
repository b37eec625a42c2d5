/* SPDX-License-Identifier: MIT */
/*
 * src/locks/qspin.c - the queued spin lock that Linux adopted in 2015
 *
 * Written from the description of the design (Zijlstra and Long, "qspinlock",
 * merged in Linux 4.2): a queue lock in one word, which needs no node at
 * unlock and none at all for the first waiter.
 *
 * State (tail, pending, locked):
 *
 *	locked	 the lock is held; cleared by the holder alone
 *	pending	 a first waiter spins on the word itself, without a node.  Also
 *		 set for a moment by an arrival that finds out it is too late
 *	tail	 last node of a queue like that of MCS, 0 if empty
 *
 * A new thread takes a free lock, (0,0,0) -> (0,0,1); else, if nobody waits,
 * sets pending and spins until locked clears; else queues and spins on its
 * own node.  The head of the queue polls the word until locked and pending
 * are both clear, takes the lock, and makes its successor the head.  So the
 * word is polled by two waiters at most, and the node is dead before the
 * critical section begins.
 *
 *	        lock        lock          lock            lock
 *	(0,0,0) ---> (0,0,1) ---> (0,1,1) ---> (n,1,1) ---> (m,1,1)
 *	   ^            |            |            |            |
 *	   |  unlock    |            | unlock     | unlock     | unlock
 *	   +------------+   (0,0,1)<-(0,1,0)  (n,0,1)<-(n,1,0) ...
 *
 *	(n,0,0) -> (0,0,1)  by the head n, if it is the last in the queue
 *	(m,0,0) -> (m,0,1)  by any other head
 *
 * Differences from the kernel's, which keeps all in 32 bits:
 *
 *  - tail is the node's address, not CPU and nesting level: in user space
 *    nobody is bound to a CPU.  The word is as wide as a pointer, and a node's
 *    alignment leaves the low bits to the flags.
 *  - The kernel clears locked by storing the byte, sets it by the same, and
 *    exchanges the half that holds the tail.  An accessor here may not touch
 *    part of a word that others swap as a whole, so unlock is an atomic and,
 *    on x86-64 a second locked instruction, which about doubles the cost of
 *    an uncontended pair; and tail is exchanged by a compare-and-swap loop,
 *    as the kernel does for 16384 CPUs and more.
 *  - No second try for the lock just before queueing.
 *
 * Limits: as for any queue lock, a preempted waiter stops those behind it.
 */
#include <tkt/atomic.h>

#include "lock_ops.h"

#define QSPIN_LOCKED ((uintptr_t)1)
#define QSPIN_PENDING ((uintptr_t)2)
#define QSPIN_FLAGS (QSPIN_LOCKED | QSPIN_PENDING)

/*
 * How many spin hints an arrival grants the step (0,1,0) -> (0,0,1), so as
 * not to queue for its sake.  The waiter in that step may be preempted, so
 * there must be an end.  The kernel's value on x86.
 */
#ifndef QSPIN_PENDING_HINTS
#define QSPIN_PENDING_HINTS 512
#endif

struct qspin_node {
	struct qspin_node *next; /* successor, once it has linked itself */
	uint32_t head;		 /* 1 when we are the head of the queue */
};

struct qspin {
	uintptr_t word;
};

_Static_assert(sizeof(struct qspin_node) <= LOCK_CTX_BYTES, "node fits ctx");
_Static_assert(LOCK_ALIGN > QSPIN_FLAGS, "flags fit below a node's address");

/*
 * (t,p,l) -> (node,p,l), returns t as a node.  The loop ends unless others
 * change the word each time.
 */
static struct qspin_node *qspin_swap_tail(struct qspin *l,
					  struct qspin_node *node)
{
	uintptr_t old = TKT_LOAD(&l->word, TKT_RELAXED);

	/*
	 * X1: pairs with itself.  Releases our node's fields to our successor,
	 * whose link must come after our next = NULL; acquires the same of the
	 * predecessor.
	 */
	while (!TKT_CAS_WEAK(&l->word, &old,
			     (uintptr_t)node | (old & QSPIN_FLAGS), TKT_ACQ_REL,
			     TKT_RELAXED))
		;
	return (struct qspin_node *)(old & ~QSPIN_FLAGS);
}

/* Takes the lock as the head of the queue; returns the new head or NULL. */
static struct qspin_node *qspin_take_as_head(struct qspin *l,
					     struct qspin_node *node)
{
	/*
	 * A1: pairs with R1; else we miss what the last holder wrote.  Nobody
	 * but us can take the lock from (t,0,0): the others see a tail.
	 */
	uintptr_t word =
		TKT_AWAIT(&l->word, w, !(w & QSPIN_FLAGS), TKT_ACQUIRE);

	/* (node,0,0) -> (0,0,1) */
	if (word == (uintptr_t)node &&
	    TKT_CAS(&l->word, &word, QSPIN_LOCKED, TKT_RELAXED, TKT_RELAXED))
		return NULL;
	/*
	 * (t,p,0) -> (t,p,1).  Either somebody has queued behind us, or an
	 * arrival has raised pending, will see the tail, and queue.
	 */
	(void)TKT_FETCH_OR(&l->word, QSPIN_LOCKED, TKT_RELAXED);
	/* A2: pairs with R2, so that head = 0 precedes our head = 1. */
	return TKT_AWAIT(&node->next, n, n, TKT_ACQUIRE);
}

static void qspin_queue(struct qspin *l, union lock_ctx *ctx)
{
	struct qspin_node *node = (void *)ctx->bytes, *prev, *next;

	TKT_NODE_BIRTH(node);
	TKT_STORE(&node->next, NULL, TKT_RELAXED);
	TKT_STORE(&node->head, 0, TKT_RELAXED);
	prev = qspin_swap_tail(l, node);
	if (prev) {
		/* R2: pairs with A2. */
		TKT_STORE(&prev->next, node, TKT_RELEASE);
		/* A3: pairs with R3; the old head is done with our node. */
		TKT_AWAIT(&node->head, h, h, TKT_ACQUIRE);
	}
	next = qspin_take_as_head(l, node);
	TKT_NODE_DEATH(node);
	/* R3: pairs with A3. */
	if (next)
		TKT_STORE(&next->head, 1, TKT_RELEASE);
}

/* The lock was not free: becomes the pending waiter, or queues. */
static __attribute__((noinline, cold)) void qspin_slow(struct qspin *l,
						       union lock_ctx *ctx)
{
	uintptr_t word = TKT_LOAD(&l->word, TKT_RELAXED);

	for (int i = 0; word == QSPIN_PENDING && i < QSPIN_PENDING_HINTS; i++) {
		TKT_RELAX();
		word = TKT_LOAD(&l->word, TKT_RELAXED);
	}
	if (word & ~QSPIN_LOCKED) {
		qspin_queue(l, ctx);
		return;
	}
	/*
	 * A4: pairs with R1, when the lock is found free here; else we miss
	 * what the last holder wrote.  (t,p,l) -> (t,1,l)
	 */
	word = TKT_FETCH_OR(&l->word, QSPIN_PENDING, TKT_ACQUIRE);
	if (word & ~QSPIN_LOCKED) {
		/* Others wait: undo, unless the bit was another's. */
		if (!(word & QSPIN_PENDING))
			(void)TKT_FETCH_AND(&l->word, ~QSPIN_PENDING,
					    TKT_RELAXED);
		qspin_queue(l, ctx);
		return;
	}
	/* A5: pairs with R1; else we miss what the last holder wrote. */
	if (word & QSPIN_LOCKED)
		TKT_AWAIT(&l->word, w, !(w & QSPIN_LOCKED), TKT_ACQUIRE);
	/* (t,1,0) -> (t,0,1): one addition moves the bit. */
	(void)TKT_FETCH_ADD(&l->word, QSPIN_LOCKED - QSPIN_PENDING,
			    TKT_RELAXED);
}

/* (0,0,0) -> (0,0,1), or the slow path. */
static inline void qspin_lock(struct qspin *l, union lock_ctx *ctx)
{
	uintptr_t free_word = 0;

	/* A6: pairs with R1; else we miss what the last holder wrote. */
	if (!TKT_CAS(&l->word, &free_word, QSPIN_LOCKED, TKT_ACQUIRE,
		     TKT_RELAXED))
		qspin_slow(l, ctx);
}

/* (0,0,0) -> (0,0,1) */
static bool qspin_trylock(void *lock, union lock_ctx *ctx)
{
	struct qspin *l = lock;
	uintptr_t word = TKT_LOAD(&l->word, TKT_RELAXED);

	(void)ctx;
	/* A7: as A6. */
	return !word &&
	       TKT_CAS(&l->word, &word, QSPIN_LOCKED, TKT_ACQUIRE, TKT_RELAXED);
}

/* (t,p,1) -> (t,p,0) */
static inline void qspin_unlock(struct qspin *l, union lock_ctx *ctx)
{
	(void)ctx;
	/* R1: pairs with A1, A4 to A7: hands over what this holder wrote. */
	(void)TKT_FETCH_AND(&l->word, ~QSPIN_LOCKED, TKT_RELEASE);
}

static const char *qspin_init(void *lock, const struct lock_params *params)
{
	(void)params;
	*(struct qspin *)lock = (struct qspin){ 0 };
	return NULL;
}

LOCK_OPS(qspin, struct qspin, .name = "qspin",
	 .summary = "Linux's queued spin lock, but unlock is an atomic AND",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = qspin_init,
	 .trylock = qspin_trylock);
