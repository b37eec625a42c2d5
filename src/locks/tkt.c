/* SPDX-License-Identifier: MIT */
/* src/locks/tkt.c - the library's own lock: its default, and by policy */
#include <tkt.h>

#include "lock_ops.h"

static inline void lib_lock(tkt_lock_t *l, union lock_ctx *ctx)
{
	(void)ctx;
	tkt_lock(l);
}

static inline void lib_unlock(tkt_lock_t *l, union lock_ctx *ctx)
{
	(void)ctx;
	tkt_unlock(l);
}

static bool lib_trylock(void *lock, union lock_ctx *ctx)
{
	(void)ctx;
	return tkt_trylock((tkt_lock_t *)lock);
}

static void lib_destroy(void *lock)
{
	tkt_lock_destroy((tkt_lock_t *)lock);
}

/*
 * Initialises with the given wait and threshold, either of which may be left
 * to `policy`.
 */
static const char *init_policy(void *lock, const struct lock_params *params,
			       enum tkt_policy policy)
{
	const struct tkt_policy_info info = tkt_policy_describe(policy);
	uint32_t wait = info.wait, threshold = info.threshold;
	int found = (int)policy;

	if (params->wait == LOCK_WAIT_SPIN)
		wait = TKT_WAIT_SPIN;
	else if (params->wait == LOCK_WAIT_YIELD)
		wait = TKT_WAIT_YIELD;
	else if (params->wait != LOCK_WAIT_DEFAULT)
		return "wait must be spin or yield";
	if (params->threshold == LOCK_THRESHOLD_INF)
		threshold = TKT_THRESHOLD_INF;
	else if (params->threshold != LOCK_THRESHOLD_DEFAULT)
		threshold = params->threshold;
	if (wait != info.wait || threshold != info.threshold)
		found = tkt_policy_find(wait, threshold);
	if (found < 0)
		return "threshold must be 1, 2, 4, 8, 16 or inf";
	tkt_lock_init_policy((tkt_lock_t *)lock, (enum tkt_policy)found);
	return NULL;
}

#if TKT_EVENTS
static struct lock_events lib_events(void)
{
	return (struct lock_events){ .queued = tkt_events_total().queued };
}
#define LIB_EVENTS lib_events
#else
#define LIB_EVENTS NULL
#endif

#define LIB_TRAITS (LOCK_CROSS_UNLOCK | LOCK_THRESHOLD | LOCK_WAIT)

/* One entry of the table; all share the code above. */
#define LIB_OPS(id, lock_name, text, policy)                                   \
	static const char *id##_init(void *lock,                               \
				     const struct lock_params *params)         \
	{                                                                      \
		return init_policy(lock, params, policy);                      \
	}                                                                      \
	LOCK_OPS_WITH(id, tkt_lock_t, lib_lock, lib_unlock, .name = lock_name, \
		      .summary = text, .traits = LIB_TRAITS,                   \
		      .init = id##_init, .destroy = lib_destroy,               \
		      .trylock = lib_trylock, .events = LIB_EVENTS)

LIB_OPS(lib_default, "tkt", "ticket window and waiting room, default policy",
	TKT_POLICY_DEFAULT);
LIB_OPS(lib_spin, "tkt-spin", "the same, never gives up the CPU",
	TKT_POLICY_SPIN);
LIB_OPS(lib_yield, "tkt-yield", "the same, spins, then yields the CPU",
	TKT_POLICY_YIELD);
