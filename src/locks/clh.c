/* SPDX-License-Identifier: MIT */
/*
 * src/locks/clh.c - the queue lock of Craig, Landin and Hagersten
 *
 * Craig, TR 93-02-02, University of Washington, 1993; Magnusson, Landin and
 * Hagersten, IPPS 1994.  The queue is implicit: each waiter exchanges its node
 * into tail and spins on the node it got, its predecessor's.  A release is one
 * store to the own node; the node that was waited on is then nobody else's, so
 * the ctx takes it over for its next acquisition.
 *
 * State: tail -> node; free when that node is not busy.  The lock starts with
 * a dummy node that is not busy, and always owns the node tail points to, so
 * that the number of nodes is one per ctx and one per lock throughout.
 *
 * No try-lock: to look at the node behind tail, one would have to keep it from
 * changing hands, or from being freed with its ctx, meanwhile.
 */
#include <tkt/atomic.h>

#include "lock_mem.h"
#include "lock_ops.h"

struct clh_node {
	uint32_t busy; /* its enqueuer waits or holds */
};

struct clh {
	struct clh_node *tail;
};

struct clh_ctx {
	struct clh_node *mine; /* to enqueue, or enqueued */
	struct clh_node *pred; /* waited on; ours after the release */
};

_Static_assert(sizeof(struct clh_ctx) <= LOCK_CTX_BYTES, "fits the ctx");

/* tail: p -> mine, then waits until p is not busy. */
static inline void clh_lock(struct clh *l, union lock_ctx *ctx)
{
	struct clh_ctx *c = (void *)ctx->bytes;

	TKT_STORE(&c->mine->busy, 1, TKT_RELAXED);
	/*
	 * X1: pairs with itself.  Releases busy = 1 to the next arrival, which
	 * must not see the node's last life; acquires the same of the
	 * predecessor.
	 */
	c->pred = TKT_XCHG(&l->tail, c->mine, TKT_ACQ_REL);
	/* A1: pairs with R1; else we miss what the last holder wrote. */
	TKT_AWAIT(&c->pred->busy, b, !b, TKT_ACQUIRE);
}

static inline void clh_unlock(struct clh *l, union lock_ctx *ctx)
{
	struct clh_ctx *c = (void *)ctx->bytes;
	struct clh_node *mine = c->mine;

	(void)l;
	c->mine = c->pred;
	/* R1: pairs with A1: hands over what this holder wrote. */
	TKT_STORE(&mine->busy, 0, TKT_RELEASE);
}

static struct clh_node *clh_node_new(void)
{
	struct clh_node *node = lock_mem_alloc(sizeof(*node));

	if (node) {
		TKT_NODE_BIRTH(node);
		TKT_STORE(&node->busy, 0, TKT_RELAXED);
	}
	return node;
}

static void clh_node_free(struct clh_node *node)
{
	TKT_NODE_DEATH(node);
	lock_mem_free(node);
}

static const char *clh_init(void *lock, const struct lock_params *params)
{
	struct clh *l = lock;

	(void)params;
	l->tail = clh_node_new();
	return l->tail ? NULL : "clh: out of memory";
}

static void clh_destroy(void *lock)
{
	clh_node_free(((struct clh *)lock)->tail);
}

static bool clh_ctx_init(union lock_ctx *ctx)
{
	struct clh_ctx *c = (void *)ctx->bytes;

	c->mine = clh_node_new();
	return c->mine;
}

static void clh_ctx_destroy(union lock_ctx *ctx)
{
	clh_node_free(((struct clh_ctx *)(void *)ctx->bytes)->mine);
}

LOCK_OPS(clh, struct clh, .name = "clh",
	 .summary = "CLH queue lock: each waiter spins on its predecessor's",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = clh_init,
	 .destroy = clh_destroy, .ctx_init = clh_ctx_init,
	 .ctx_destroy = clh_ctx_destroy);
