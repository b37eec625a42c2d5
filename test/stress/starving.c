/* SPDX-License-Identifier: MIT */
/*
 * starving.c - a lock that excludes and does nothing else well
 *
 * The negative control of the check of fairness: whoever finds it held looks
 * again after a nap, each twice as long as the one before, while the holder
 * comes back at once.  Not in the table of locks.
 */
#include "starving.h"
#include "stress.h"

#define NAP_US 300u
#define NAP_MAX_US 100000u

struct starving {
	uint32_t held;
};

static inline void starving_lock(struct starving *l, union lock_ctx *ctx)
{
	unsigned int us = NAP_US;

	(void)ctx;
	/* Pairs with the store of unlock. */
	while (TKT_XCHG(&l->held, 1u, TKT_ACQUIRE)) {
		stress_nap(us);
		us = us < NAP_MAX_US / 2 ? us * 2 : NAP_MAX_US;
	}
}

static inline void starving_unlock(struct starving *l, union lock_ctx *ctx)
{
	(void)ctx;
	TKT_STORE(&l->held, 0u, TKT_RELEASE);
}

static const char *starving_init(void *lock, const struct lock_params *params)
{
	(void)params;
	*(struct starving *)lock = (struct starving){ 0 };
	return NULL;
}

LOCK_OPS(starving, struct starving, .name = "starving",
	 .summary = "excludes, and starves", .init = starving_init);

const struct lock_ops *starving_lock_ops(void)
{
	return &LOCK_SYM(starving);
}
