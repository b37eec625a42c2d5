/* SPDX-License-Identifier: MIT */
/*
 * tkt/probes.h - static tracing probes (TKT_PROBES)
 *
 * A probe is a no-operation in the code and a note in the program's file that
 * says where it is and which registers hold its arguments (the format of
 * SystemTap, <sys/sdt.h>).  perf, bpftrace, SystemTap and gdb put a trap there
 * while they trace; perf-scripts/probes.sh does it for you.
 *
 * The provider is tkt.  Each probe has two arguments, the address of the lock
 * and its depth: how many threads hold a ticket or wait in the room, the
 * calling one included if it does.  Depth is a glance: it adds up numbers that
 * are not read at the same moment, and a head that already has its ticket is
 * in both until it is served.
 *
 *  tkt:ticket_wait  a ticket is not served at once
 *  tkt:queue_enter  joined the waiting room
 *  tkt:queue_head   became head of the room
 *  tkt:acquired     has the lock, having waited or not
 *
 * A wait lasts from the first of a thread's other probes to its tkt:acquired.
 *
 * Off, all of it vanishes.  On, but not traced, an acquisition costs a look at
 * the tickets more, and a waiter in addition what TKT_EVENTS costs, which
 * knows how many are in the room; for a lock that has no slot of its own there,
 * depth counts tickets only.  No semaphore guards the arguments: <sys/sdt.h>
 * has semaphores for all probes of a translation unit or for none, and yours
 * may be among them.
 */
#ifndef TKT_PROBES_H
#define TKT_PROBES_H

#include "config.h"

#if TKT_PROBES

#if !__has_include(<sys/sdt.h>)
#error "tkt: TKT_PROBES needs <sys/sdt.h> (Debian: systemtap-sdt-dev)"
#endif
#ifdef TKT_EVENT_HOOK
#error "tkt: TKT_PROBES and TKT_EVENT_HOOK exclude each other"
#endif

#include <sys/sdt.h>

#include "annotate.h"
#include "atomic.h"
#include "events.h"
#include "lock_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Event of TKT_EVENT_LIST, and the probe that fires just after it is counted.
 * Events that are not here have none.
 */
#define TKT_PROBE_LIST(X)            \
	X(window_spins, ticket_wait) \
	X(queued, queue_enter)

/* Those that no event stands for (hooks.h). */
#define TKT_X_PROBE_LIST(X) \
	X(none, queue_head) \
	X(none, acquired)

/* If a user's own probes have semaphores, ours must; nobody looks at them. */
#ifdef _SDT_HAS_SEMAPHORES
#define TKT_X_SEMAPHORE(event, name)                 \
	static unsigned short tkt_##name##_semaphore \
		__attribute__((section(".probes"), unused));
TKT_PROBE_LIST(TKT_X_SEMAPHORE)
TKT_X_PROBE_LIST(TKT_X_SEMAPHORE)
#undef TKT_X_SEMAPHORE
#endif

/* Waiters in the room of l now, as far as the counters know. */
TKT_X_SLOW uint32_t tkt_x_probe_room(const tkt_lock_t *l)
{
	const struct tkt_x_event_slot *s = tkt_x_event_find(l);

	return s ? (uint32_t)TKT_LOAD(&s->room, TKT_RELAXED) : 0;
}

TKT_X_INLINE uint32_t tkt_x_probe_depth(const tkt_lock_t *l)
{
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED) & TKT_X_TICKETS;
	const int32_t out = (int32_t)(next - TKT_LOAD(&l->owner, TKT_RELAXED));
	uint32_t depth = out > 0 ? (uint32_t)out / TKT_X_STEP : 0;

	if (TKT_LOAD(&l->tail, TKT_RELAXED) & ~TKT_X_FULL)
		depth += tkt_x_probe_room(l);
	return depth;
}

/*
 * Fires probe `name`.  STAP_PROBE2 passes an empty list on to a macro of its
 * own, which -Wpedantic of clang sees.
 */
#ifdef __clang__
#define TKT_X_QUIET_BEGIN                \
	_Pragma("clang diagnostic push") \
		_Pragma("clang diagnostic ignored \"-Wpedantic\"")
#define TKT_X_QUIET_END _Pragma("clang diagnostic pop")
#else
#define TKT_X_QUIET_BEGIN
#define TKT_X_QUIET_END
#endif
#define TKT_X_PROBE(l, name)                                     \
	do {                                                     \
		TKT_X_QUIET_BEGIN                                \
		STAP_PROBE2(tkt, name, l, tkt_x_probe_depth(l)); \
		TKT_X_QUIET_END                                  \
	} while (0)

/* Fires the probe of a constant event, if it has one. */
TKT_X_INLINE void tkt_x_probe_event(const tkt_lock_t *l, enum tkt_x_event event)
{
	switch ((int)event) {
#define TKT_X_CASE(event, name)       \
	case TKT_X_EV_##event:        \
		TKT_X_PROBE(l, name); \
		break;
		TKT_PROBE_LIST(TKT_X_CASE)
#undef TKT_X_CASE
	default:
		break;
	}
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_PROBES */

#endif /* TKT_PROBES_H */
