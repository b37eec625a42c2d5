/* SPDX-License-Identifier: MIT */
/* src/locks/tkt_mutex.c - the library's adaptive mutex */
#include <tkt/mutex.h>

#include "lock_ops.h"

static inline void adaptive_lock(tkt_mutex_t *l, union lock_ctx *ctx)
{
	(void)ctx;
	tkt_mutex_lock(l);
}

static inline void adaptive_unlock(tkt_mutex_t *l, union lock_ctx *ctx)
{
	(void)ctx;
	tkt_mutex_unlock(l);
}

static bool adaptive_trylock(void *lock, union lock_ctx *ctx)
{
	(void)ctx;
	return tkt_mutex_trylock((tkt_mutex_t *)lock);
}

static const char *adaptive_init(void *lock, const struct lock_params *params)
{
	(void)params;
	tkt_mutex_init((tkt_mutex_t *)lock);
	return NULL;
}

static void adaptive_destroy(void *lock)
{
	tkt_mutex_destroy((tkt_mutex_t *)lock);
}

LOCK_OPS(adaptive, tkt_mutex_t, .name = "tkt-mutex",
	 .summary = "the library's mutex: waiters spin while the owner runs",
	 .traits = LOCK_SLEEPS, .init = adaptive_init,
	 .destroy = adaptive_destroy, .trylock = adaptive_trylock);
