/* SPDX-License-Identifier: MIT */
/* src/locks/tkt_mutex.c - the library's adaptive mutex */
#include "lock_ops.h"

#include <tkt/mutex_types.h>

#if TKT_EVENTS
enum {
#define EVENT(name, meaning) EV_##name,
	TKT_MUTEX_EVENT_LIST(EVENT)
#undef EVENT
	EV_COUNT
};

/* Of all mutexes of this table. */
static uint64_t counts[EV_COUNT];

#define TKT_MUTEX_EVENT_HOOK(m, name) \
	((void)(m),                   \
	 (void)TKT_FETCH_ADD(&counts[EV_##name], UINT64_C(1), TKT_RELAXED))
#endif

#include <tkt/mutex.h>

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

#if TKT_EVENTS
static struct lock_events adaptive_events(void)
{
	return (struct lock_events){
		.queued = TKT_LOAD(&counts[EV_queued], TKT_RELAXED),
		.parked = TKT_LOAD(&counts[EV_parked], TKT_RELAXED)
	};
}
#define ADAPTIVE_EVENTS adaptive_events
#else
#define ADAPTIVE_EVENTS NULL
#endif

LOCK_OPS(adaptive, tkt_mutex_t, .name = "tkt-mutex",
	 .summary = "the library's mutex: waiters spin while the owner runs",
	 .traits = LOCK_SLEEPS, .init = adaptive_init,
	 .destroy = adaptive_destroy, .trylock = adaptive_trylock,
	 .events = ADAPTIVE_EVENTS);
