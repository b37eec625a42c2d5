/* SPDX-License-Identifier: MIT */
/*
 * src/locks/mcs.c - the list-based queue lock of Mellor-Crummey and Scott
 *
 * "Algorithms for scalable synchronization on shared-memory multiprocessors",
 * ACM TOCS 9(1), 1991.  Each waiter spins on its own node; the holder finds
 * its successor through its own node's link, so the node lives as long as the
 * lock is held: here in the ctx, which must stay in place meanwhile.
 *
 * State: tail = NULL, free; tail = a, a holds and nobody waits; tail = z with
 * a -> b -> .. z, a holds.  A link may be missing for the moment between the
 * exchange of tail and the store to the predecessor's next.
 *
 * One line moves per hand-over whatever the number of waiters.  Costs an
 * exchange and a compare-and-swap when uncontended, about twice a ticket lock.
 */
#include <tkt/atomic.h>

#include "lock_ops.h"

struct mcs_node {
	struct mcs_node *next; /* successor, once it has linked itself */
	uint32_t wait;	       /* 1 until the predecessor hands over */
};

struct mcs {
	struct mcs_node *tail;
};

_Static_assert(sizeof(struct mcs_node) <= LOCK_CTX_BYTES, "node fits the ctx");

static inline struct mcs_node *mcs_node_init(union lock_ctx *ctx)
{
	struct mcs_node *node = (void *)ctx->bytes;

	TKT_NODE_BIRTH(node);
	TKT_STORE(&node->next, NULL, TKT_RELAXED);
	TKT_STORE(&node->wait, 1, TKT_RELAXED);
	return node;
}

/* tail: z -> node; then z -> node linked, and wait for the hand-over. */
static inline void mcs_lock(struct mcs *l, union lock_ctx *ctx)
{
	struct mcs_node *node = mcs_node_init(ctx);
	/*
	 * X1: pairs with X1, X2 and R2.  Releases the node's fields to the
	 * next arrival, whose link must come after our next = NULL; acquires
	 * the same of the predecessor, or, finding NULL, what R2 released.
	 */
	struct mcs_node *prev = TKT_XCHG(&l->tail, node, TKT_ACQ_REL);

	if (!prev)
		return;
	/* R1: pairs with A2, A3, so that wait = 1 precedes their wait = 0. */
	TKT_STORE(&prev->next, node, TKT_RELEASE);
	/* A1: pairs with R3; else we miss what the last holder wrote. */
	TKT_AWAIT(&node->wait, w, !w, TKT_ACQUIRE);
}

/* tail: NULL -> node */
static bool mcs_trylock(void *lock, union lock_ctx *ctx)
{
	struct mcs *l = lock;
	struct mcs_node *none = NULL, *node;

	if (TKT_LOAD(&l->tail, TKT_RELAXED))
		return false;
	node = mcs_node_init(ctx);
	/* X2: pairs with X1 and R2, as X1 does. */
	if (TKT_CAS(&l->tail, &none, node, TKT_ACQ_REL, TKT_RELAXED))
		return true;
	TKT_NODE_DEATH(node);
	return false;
}

/* tail: node -> NULL, or hands over to node->next. */
static inline void mcs_unlock(struct mcs *l, union lock_ctx *ctx)
{
	struct mcs_node *node = (void *)ctx->bytes, *mine = node;
	/* A2: pairs with R1. */
	struct mcs_node *next = TKT_LOAD(&node->next, TKT_ACQUIRE);

	if (!next) {
		/* R2: pairs with X1, X2: hands over what this holder wrote. */
		if (TKT_CAS(&l->tail, &mine, NULL, TKT_RELEASE, TKT_RELAXED)) {
			TKT_NODE_DEATH(node);
			return;
		}
		/* A3: pairs with R1.  Somebody is about to link. */
		next = TKT_AWAIT(&node->next, n, n, TKT_ACQUIRE);
	}
	TKT_NODE_DEATH(node);
	/* R3: pairs with A1: hands over what this holder wrote. */
	TKT_STORE(&next->wait, 0, TKT_RELEASE);
}

static const char *mcs_init(void *lock, const struct lock_params *params)
{
	(void)params;
	*(struct mcs *)lock = (struct mcs){ NULL };
	return NULL;
}

LOCK_OPS(mcs, struct mcs, .name = "mcs",
	 .summary = "MCS queue lock: each waiter spins on its own node",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = mcs_init,
	 .trylock = mcs_trylock);
