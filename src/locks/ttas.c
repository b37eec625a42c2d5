/* SPDX-License-Identifier: MIT */
/*
 * src/locks/ttas.c - test-and-test-and-set with exponential back-off
 *
 * Reads until the lock looks free, then exchanges; who loses that race pauses
 * for twice as long as the last time, up to a limit (Rudolph and Segall 1984;
 * Anderson 1990 for the back-off).  Waiters share the line while the lock is
 * held; the stampede is at the release.  Unfair: a back-off long enough to
 * help is long enough to starve.
 *
 * State: 0 free, 1 held.
 */
#include <tkt/atomic.h>

#include "lock_ops.h"

/*
 * Pause after the first and after the last lost race, in spin hints of 3 to
 * 40 ns: from about one transfer of a line to about what 16 threads need to
 * take a short lock once each.
 */
#define TTAS_HINTS_MIN 4u
#define TTAS_HINTS_MAX 256u

struct ttas {
	uint32_t held;
};

/* 0 -> 1 */
static inline void ttas_lock(struct ttas *l, union lock_ctx *ctx)
{
	unsigned int pause = TTAS_HINTS_MIN;

	(void)ctx;
	for (;;) {
		TKT_AWAIT(&l->held, h, !h, TKT_RELAXED);
		/* A1: pairs with R1; else we miss the last holder's writes. */
		if (!TKT_XCHG(&l->held, 1, TKT_ACQUIRE))
			return;
		for (unsigned int i = 0; i < pause; i++)
			TKT_RELAX();
		if (pause < TTAS_HINTS_MAX)
			pause *= 2;
	}
}

static bool ttas_trylock(void *lock, union lock_ctx *ctx)
{
	struct ttas *l = lock;

	(void)ctx;
	if (TKT_LOAD(&l->held, TKT_RELAXED))
		return false;
	/* A2: pairs with R1, as A1 does. */
	return !TKT_XCHG(&l->held, 1, TKT_ACQUIRE);
}

/* 1 -> 0 */
static inline void ttas_unlock(struct ttas *l, union lock_ctx *ctx)
{
	(void)ctx;
	/* R1: pairs with A1, A2; hands over what this holder wrote. */
	TKT_STORE(&l->held, 0, TKT_RELEASE);
}

static const char *ttas_init(void *lock, const struct lock_params *params)
{
	(void)params;
	*(struct ttas *)lock = (struct ttas){ 0 };
	return NULL;
}

LOCK_OPS(ttas, struct ttas, .name = "ttas",
	 .summary = "test-and-test-and-set, exponential back-off",
	 .traits = LOCK_CROSS_UNLOCK, .init = ttas_init,
	 .trylock = ttas_trylock);
