/* SPDX-License-Identifier: MIT */
/*
 * tkt/hooks.h - what debugging, event counts and Valgrind need to hear
 *
 * The lock calls these at fixed points.  Each vanishes with its switch
 * (config.h).  A program that wants the events of events.h in a way of its own
 * defines TKT_EVENT_HOOK(l, name) in its configuration header.
 */
#ifndef TKT_HOOKS_H
#define TKT_HOOKS_H

#include "atomic.h"
#include "lock_types.h"

#if TKT_DEBUG
#include "debug.h"
#endif
#if TKT_EVENTS
#include "events.h"
#endif
#if TKT_PROBES
#include "probes.h"
#endif
#if TKT_VALGRIND
#include "valgrind.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* TKT_X_EVENT(l, name): event `name` of TKT_EVENT_LIST happened to lock l. */
#if defined(TKT_EVENT_HOOK)
#define TKT_X_EVENT(l, name) TKT_EVENT_HOOK(l, name)
#elif TKT_PROBES
#define TKT_X_EVENT(l, name) \
	(tkt_x_count(l, TKT_X_EV_##name), tkt_x_probe_event(l, TKT_X_EV_##name))
#elif TKT_EVENTS
#define TKT_X_EVENT(l, name) tkt_x_count(l, TKT_X_EV_##name)
#else
#define TKT_X_EVENT(l, name) ((void)(l))
#endif

/*
 * TKT_X_ASSERT, TKT_X_ASSERT_DEEP: invariants of the lock itself, checked from
 * TKT_DEBUG 1 and 2 on.  They always compile, and are evaluated only then.
 */
#if TKT_DEBUG
#define TKT_X_ASSERT_AT(level, l, cond)                                \
	do {                                                           \
		if ((level) <= TKT_DEBUG && !(cond))                   \
			tkt_x_fault(l, "invariant broken: " #cond, 0); \
	} while (0)
#else
#define TKT_X_ASSERT_AT(level, l, cond) \
	((void)sizeof((l) != NULL), (void)sizeof(cond))
#endif
#define TKT_X_ASSERT(l, cond) TKT_X_ASSERT_AT(1, l, cond)
#define TKT_X_ASSERT_DEEP(l, cond) TKT_X_ASSERT_AT(2, l, cond)

/* The caller is about to look at the lock, for whatever purpose. */
static inline void tkt_x_look(const tkt_lock_t *l)
{
#if TKT_VALGRIND
	tkt_x_valgrind_look(l, sizeof(*l));
#endif
	(void)l;
}

/* The caller is about to wait for the lock without limit. */
static inline void tkt_x_want(const tkt_lock_t *l)
{
	tkt_x_look(l);
#if TKT_DEBUG
	tkt_x_debug_want(l);
#endif
}

/* The caller has just taken the lock. */
static inline void tkt_x_taken(const tkt_lock_t *l)
{
#if TKT_DEBUG
	tkt_x_debug_taken(l);
#endif
#if TKT_VALGRIND
	tkt_x_valgrind_taken(l);
#endif
#if TKT_PROBES
	TKT_X_PROBE(l, acquired);
#endif
	(void)l;
}

/* The caller has become head of the room. */
static inline void tkt_x_headed(const tkt_lock_t *l)
{
#if TKT_PROBES
	TKT_X_PROBE(l, queue_head);
#endif
	(void)l;
}

/* The caller is about to unlock. */
static inline void tkt_x_release(const tkt_lock_t *l)
{
	tkt_x_look(l);
#if TKT_DEBUG
	tkt_x_debug_release(l);
#endif
#if TKT_VALGRIND
	tkt_x_valgrind_release(l);
#endif
}

/* The lock's life begins, or ends. */
static inline void tkt_x_init(const tkt_lock_t *l)
{
	tkt_x_look(l);
}

static inline void tkt_x_destroy(const tkt_lock_t *l)
{
	tkt_x_look(l);
#if TKT_DEBUG
	tkt_x_debug_destroy(l);
#endif
#if TKT_EVENTS
	tkt_x_events_forget(l);
#endif
#if TKT_VALGRIND
	tkt_x_valgrind_destroy(l, sizeof(*l));
#endif
}

static inline void tkt_x_node_birth(void *node, size_t size)
{
#if TKT_VALGRIND
	tkt_x_valgrind_ignore(node, size);
#endif
	(void)node;
	(void)size;
}

static inline void tkt_x_node_death(void *node, size_t size)
{
#if TKT_VALGRIND
	tkt_x_valgrind_forget(node, size);
#endif
	(void)node;
	(void)size;
}

/* A node's life begins, before its first access, or ends, after the last. */
#define TKT_X_NODE_BIRTH(n) \
	(TKT_NODE_BIRTH(n), tkt_x_node_birth((n), sizeof(*(n))))
#define TKT_X_NODE_DEATH(n) \
	(TKT_NODE_DEATH(n), tkt_x_node_death((n), sizeof(*(n))))

#ifdef __cplusplus
}
#endif

#endif /* TKT_HOOKS_H */
