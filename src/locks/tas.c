/* SPDX-License-Identifier: MIT */
/*
 * src/locks/tas.c - the naive test-and-set lock
 *
 * Exchanges until it gets the zero.  Each attempt takes the line from the
 * holder and from everyone else, so it is the worst there is under contention,
 * and unfair: who is near the holder's cache wins.  Here as the lower bound.
 *
 * State: 0 free, 1 held.
 */
#include <tkt/atomic.h>

#include "lock_ops.h"

struct tas {
	uint32_t held;
};

/*
 * 0 -> 1.  Not an await: that would read between the exchanges, which is what
 * ttas does and this lock does not.
 */
static inline void tas_lock(struct tas *l, union lock_ctx *ctx)
{
	(void)ctx;
	/* A1: pairs with R1; else we miss what the last holder wrote. */
	while (TKT_XCHG(&l->held, 1, TKT_ACQUIRE))
		TKT_RELAX();
}

static bool tas_trylock(void *lock, union lock_ctx *ctx)
{
	struct tas *l = lock;

	(void)ctx;
	if (TKT_LOAD(&l->held, TKT_RELAXED))
		return false;
	/* A2: pairs with R1, as A1 does. */
	return !TKT_XCHG(&l->held, 1, TKT_ACQUIRE);
}

/* 1 -> 0 */
static inline void tas_unlock(struct tas *l, union lock_ctx *ctx)
{
	(void)ctx;
	/* R1: pairs with A1, A2; hands over what this holder wrote. */
	TKT_STORE(&l->held, 0, TKT_RELEASE);
}

static const char *tas_init(void *lock, const struct lock_params *params)
{
	(void)params;
	*(struct tas *)lock = (struct tas){ 0 };
	return NULL;
}

LOCK_OPS(tas, struct tas, .name = "tas",
	 .summary = "test-and-set: exchanges until it succeeds",
	 .traits = LOCK_CROSS_UNLOCK, .init = tas_init, .trylock = tas_trylock);
