/* SPDX-License-Identifier: MIT */
/*
 * src/locks/peer_ck.c - spin locks of ConcurrencyKit
 *
 * The library's own inline functions, as it ships them, behind the table: what
 * its users get.  Their accesses are assembly of its own, which no back end but
 * the native ones can carry out, and ThreadSanitizer cannot see.
 */
#include <tkt/atomic.h>

#include <ck_spinlock.h>

#include "lock_mem.h"
#include "lock_ops.h"

/* Of two locks that are one word, or two, and need nothing per thread. */
#define CK_PLAIN(id, ck)                                                      \
	static const char *id##_init(void *lock, const struct lock_params *p) \
	{                                                                     \
		(void)p;                                                      \
		ck##_init(lock);                                              \
		return NULL;                                                  \
	}                                                                     \
	static inline void id##_lock(ck##_t *l, union lock_ctx *ctx)          \
	{                                                                     \
		(void)ctx;                                                    \
		ck##_lock(l);                                                 \
	}                                                                     \
	static inline void id##_unlock(ck##_t *l, union lock_ctx *ctx)        \
	{                                                                     \
		(void)ctx;                                                    \
		ck##_unlock(l);                                               \
	}                                                                     \
	static bool id##_trylock(void *lock, union lock_ctx *ctx)             \
	{                                                                     \
		(void)ctx;                                                    \
		return ck##_trylock((ck##_t *)lock);                          \
	}

CK_PLAIN(peer_fas, ck_spinlock_fas)
CK_PLAIN(peer_ticket, ck_spinlock_ticket)

LOCK_OPS(peer_fas, ck_spinlock_fas_t, .name = "ck-fas",
	 .summary = "ConcurrencyKit's fetch-and-store (test-and-set) lock",
	 .traits = LOCK_CROSS_UNLOCK, .init = peer_fas_init,
	 .trylock = peer_fas_trylock);
LOCK_OPS(peer_ticket, ck_spinlock_ticket_t, .name = "ck-ticket",
	 .summary = "ConcurrencyKit's ticket lock",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = peer_ticket_init,
	 .trylock = peer_ticket_trylock);

/* The queue's tail; the node is the ctx. */
struct peer_mcs {
	struct ck_spinlock_mcs *tail;
};

_Static_assert(sizeof(struct ck_spinlock_mcs) <= LOCK_CTX_BYTES,
	       "fits the ctx");

static const char *peer_mcs_init(void *lock, const struct lock_params *params)
{
	(void)params;
	ck_spinlock_mcs_init(&((struct peer_mcs *)lock)->tail);
	return NULL;
}

static inline void peer_mcs_lock(struct peer_mcs *l, union lock_ctx *ctx)
{
	ck_spinlock_mcs_lock(&l->tail, (void *)ctx->bytes);
}

static inline void peer_mcs_unlock(struct peer_mcs *l, union lock_ctx *ctx)
{
	ck_spinlock_mcs_unlock(&l->tail, (void *)ctx->bytes);
}

static bool peer_mcs_trylock(void *lock, union lock_ctx *ctx)
{
	return ck_spinlock_mcs_trylock(&((struct peer_mcs *)lock)->tail,
				       (void *)ctx->bytes);
}

LOCK_OPS(peer_mcs, struct peer_mcs, .name = "ck-mcs",
	 .summary = "ConcurrencyKit's MCS queue lock",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = peer_mcs_init,
	 .trylock = peer_mcs_trylock);

/* The ctx says which node is the thread's: each unlock changes it. */
struct peer_clh {
	struct ck_spinlock_clh *tail;
};

struct peer_clh_ctx {
	struct ck_spinlock_clh *node;
};

static const char *peer_clh_init(void *lock, const struct lock_params *params)
{
	struct ck_spinlock_clh *node = lock_mem_alloc(sizeof(*node));

	(void)params;
	if (!node)
		return "ck-clh: out of memory";
	ck_spinlock_clh_init(&((struct peer_clh *)lock)->tail, node);
	return NULL;
}

static void peer_clh_destroy(void *lock)
{
	lock_mem_free(((struct peer_clh *)lock)->tail);
}

static bool peer_clh_ctx_init(union lock_ctx *ctx)
{
	struct peer_clh_ctx *c = (void *)ctx->bytes;

	c->node = lock_mem_alloc(sizeof(*c->node));
	return c->node;
}

static void peer_clh_ctx_destroy(union lock_ctx *ctx)
{
	lock_mem_free(((struct peer_clh_ctx *)(void *)ctx->bytes)->node);
}

static inline void peer_clh_lock(struct peer_clh *l, union lock_ctx *ctx)
{
	struct peer_clh_ctx *c = (void *)ctx->bytes;

	ck_spinlock_clh_lock(&l->tail, c->node);
}

static inline void peer_clh_unlock(struct peer_clh *l, union lock_ctx *ctx)
{
	struct peer_clh_ctx *c = (void *)ctx->bytes;

	(void)l;
	ck_spinlock_clh_unlock(&c->node);
}

LOCK_OPS(peer_clh, struct peer_clh, .name = "ck-clh",
	 .summary = "ConcurrencyKit's CLH queue lock",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = peer_clh_init,
	 .destroy = peer_clh_destroy, .ctx_init = peer_clh_ctx_init,
	 .ctx_destroy = peer_clh_ctx_destroy);

/* Slots for as many threads as will come, next to each other as it has them. */
struct peer_anderson_ctx {
	ck_spinlock_anderson_thread_t *slot;
};

_Static_assert(sizeof(ck_spinlock_anderson_t) <= LOCK_ALIGN, "fits the line");

static const char *peer_anderson_init(void *lock,
				      const struct lock_params *params)
{
	ck_spinlock_anderson_thread_t *slots;
	unsigned int n = 1;

	while (n < params->max_threads)
		n *= 2;
	slots = lock_mem_alloc(n * sizeof(*slots));
	if (!slots)
		return "ck-anderson: out of memory";
	ck_spinlock_anderson_init(lock, slots, n);
	return NULL;
}

static void peer_anderson_destroy(void *lock)
{
	lock_mem_free(((ck_spinlock_anderson_t *)lock)->slots);
}

static inline void peer_anderson_lock(ck_spinlock_anderson_t *l,
				      union lock_ctx *ctx)
{
	struct peer_anderson_ctx *c = (void *)ctx->bytes;

	ck_spinlock_anderson_lock(l, &c->slot);
}

static inline void peer_anderson_unlock(ck_spinlock_anderson_t *l,
					union lock_ctx *ctx)
{
	struct peer_anderson_ctx *c = (void *)ctx->bytes;

	ck_spinlock_anderson_unlock(l, c->slot);
}

LOCK_OPS(peer_anderson, ck_spinlock_anderson_t, .name = "ck-anderson",
	 .summary = "ConcurrencyKit's array lock",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = peer_anderson_init,
	 .destroy = peer_anderson_destroy);
