/* SPDX-License-Identifier: MIT */
/*
 * src/locks/busted.c - no lock at all: the negative control
 *
 * Excludes nobody and orders nothing, on purpose: a stress test that passes
 * with it tests nothing.  It writes a word as a lock would, so that it costs
 * about as much, but never looks at it.  It does not crash by itself; what it
 * is supposed to protect may.
 */
#include <tkt/atomic.h>

#include "lock_ops.h"

struct busted {
	uint32_t held;
};

static inline void busted_lock(struct busted *l, union lock_ctx *ctx)
{
	(void)ctx;
	TKT_STORE(&l->held, 1, TKT_RELAXED);
}

static inline void busted_unlock(struct busted *l, union lock_ctx *ctx)
{
	(void)ctx;
	TKT_STORE(&l->held, 0, TKT_RELAXED);
}

static bool busted_trylock(void *lock, union lock_ctx *ctx)
{
	busted_lock(lock, ctx);
	return true;
}

static const char *busted_init(void *lock, const struct lock_params *params)
{
	(void)params;
	*(struct busted *)lock = (struct busted){ 0 };
	return NULL;
}

LOCK_OPS(busted, struct busted, .name = "busted",
	 .summary = "excludes nobody: the negative control",
	 .traits = LOCK_CROSS_UNLOCK | LOCK_BROKEN, .init = busted_init,
	 .trylock = busted_trylock);
