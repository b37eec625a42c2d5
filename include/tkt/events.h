/* SPDX-License-Identifier: MIT */
/*
 * tkt/events.h - event counts per lock (TKT_EVENTS)
 *
 * Off, they cost nothing.  On, the slow path adds to counters; the fast path
 * never does, so a lock that nobody waits for costs the same either way.
 *
 * The lock has no place for counters.  They live in a table, one weak symbol
 * of default visibility, tkt_x_event_slots, shared by all translation units:
 * a lock that is waited for claims one of TKT_X_EVENT_SLOTS slots by its
 * address, and gives it back in tkt_lock_destroy.  Locks beyond that, and the
 * last words of destroyed ones, share one more slot.  Counters are atomic,
 * and wrap at the width of unsigned long.  Each event is counted once;
 * longest_room is exact for a lock with a slot of its own, unless another lock
 * is destroyed in the instant when this one claims it.
 */
#ifndef TKT_EVENTS_H
#define TKT_EVENTS_H

#include "atomic.h"
#include "lock_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Name, how it adds up, meaning.  `room` counts who is in the room now, and
 * serves to find longest_room.
 */
#define TKT_EVENT_LIST(X)                                             \
	X(queued, SUM, "threads that entered the waiting room")       \
	X(handed_over, SUM, "headships passed from waiter to waiter") \
	X(window_spins, SUM, "times a ticket was not served at once") \
	X(left, SUM, "threads that got the lock by way of the room")  \
	X(longest_room, MAX, "most threads in the waiting room at once")

enum tkt_x_event {
#define TKT_X_ENUM(name, kind, meaning) TKT_X_EV_##name,
	TKT_EVENT_LIST(TKT_X_ENUM)
#undef TKT_X_ENUM
	TKT_X_EV_COUNT
};

struct tkt_events {
#define TKT_X_FIELD(name, kind, meaning) unsigned long name; /* meaning */
	TKT_EVENT_LIST(TKT_X_FIELD)
#undef TKT_X_FIELD
};

#define TKT_X_ZERO(name, kind, meaning) 0,
/* clang-format off */
#define TKT_X_NO_EVENTS { TKT_EVENT_LIST(TKT_X_ZERO) }
/* clang-format on */

/* Locks that can have counters of their own, and places for each one's. */
#define TKT_X_EVENT_SLOTS 256u
#define TKT_X_EVENT_PROBES 8u

struct tkt_x_event_slot {
	const tkt_lock_t *lock; /* NULL: free */
	unsigned long room;	/* waiters in the room now */
	unsigned long count[TKT_X_EV_COUNT];
} __attribute__((aligned(128)));

/* The slot after the last is the one that the rest share. */
extern struct tkt_x_event_slot tkt_x_event_slots[TKT_X_EVENT_SLOTS + 1];
__attribute__((weak, visibility("default"))) struct tkt_x_event_slot
	tkt_x_event_slots[TKT_X_EVENT_SLOTS + 1];

/* The lock's slot, or NULL. */
static inline struct tkt_x_event_slot *tkt_x_event_find(const tkt_lock_t *l)
{
	for (uint32_t i = 0; i < TKT_X_EVENT_PROBES; i++) {
		struct tkt_x_event_slot *s =
			&tkt_x_event_slots[(tkt_x_hash(l) + i) %
					   TKT_X_EVENT_SLOTS];

		if (TKT_LOAD(&s->lock, TKT_RELAXED) == l)
			return s;
	}
	return NULL;
}

/* The lock's slot, a new one if need be, or the shared one. */
static inline struct tkt_x_event_slot *tkt_x_event_claim(const tkt_lock_t *l)
{
	struct tkt_x_event_slot *s = tkt_x_event_find(l);

	for (uint32_t i = 0; !s && i < TKT_X_EVENT_PROBES; i++) {
		struct tkt_x_event_slot *at =
			&tkt_x_event_slots[(tkt_x_hash(l) + i) %
					   TKT_X_EVENT_SLOTS];
		const tkt_lock_t *seen = NULL;

		if (TKT_CAS(&at->lock, &seen, l, TKT_RELAXED, TKT_RELAXED) ||
		    seen == l)
			s = at;
	}
	return s ? s : &tkt_x_event_slots[TKT_X_EVENT_SLOTS];
}

static inline void tkt_x_event_max(unsigned long *max, unsigned long value)
{
	unsigned long seen = TKT_LOAD(max, TKT_RELAXED);

	while (seen < value &&
	       !TKT_CAS(max, &seen, value, TKT_RELAXED, TKT_RELAXED))
		TKT_RELAX();
}

static inline void tkt_x_count(const tkt_lock_t *l, enum tkt_x_event event)
{
	struct tkt_x_event_slot *s = tkt_x_event_claim(l);
	unsigned long room;

	TKT_FETCH_ADD(&s->count[event], 1ul, TKT_RELAXED);
	if (event == TKT_X_EV_queued) {
		room = TKT_FETCH_ADD(&s->room, 1ul, TKT_RELAXED) + 1;
		tkt_x_event_max(&s->count[TKT_X_EV_longest_room], room);
	} else if (event == TKT_X_EV_left) {
		TKT_FETCH_ADD(&s->room, 0ul - 1, TKT_RELAXED);
	}
}

static inline void tkt_x_events_add(struct tkt_events *to,
				    const struct tkt_x_event_slot *s)
{
#define TKT_X_SUM(a, b) ((a) + (b))
#define TKT_X_MAX(a, b) ((a) > (b) ? (a) : (b))
#define TKT_X_ADD(name, kind, meaning)                                         \
	to->name = TKT_X_##kind(to->name, TKT_LOAD(&s->count[TKT_X_EV_##name], \
						   TKT_RELAXED));
	TKT_EVENT_LIST(TKT_X_ADD)
#undef TKT_X_ADD
#undef TKT_X_SUM
#undef TKT_X_MAX
}

/*
 * The counts of one lock since it was first waited for, or zeros.  Any thread,
 * any time; exact once nobody uses the lock.
 */
static inline struct tkt_events tkt_events_read(const tkt_lock_t *l)
{
	struct tkt_events e = TKT_X_NO_EVENTS;
	const struct tkt_x_event_slot *s = tkt_x_event_find(l);

	if (s)
		tkt_x_events_add(&e, s);
	return e;
}

/* The counts of all locks together, destroyed ones included. */
static inline struct tkt_events tkt_events_total(void)
{
	struct tkt_events e = TKT_X_NO_EVENTS;

	for (uint32_t i = 0; i <= TKT_X_EVENT_SLOTS; i++)
		tkt_x_events_add(&e, &tkt_x_event_slots[i]);
	return e;
}

/* Gives the slot of a lock that ends back. */
static inline void tkt_x_events_forget(const tkt_lock_t *l)
{
	struct tkt_x_event_slot *const rest =
		&tkt_x_event_slots[TKT_X_EVENT_SLOTS];
	struct tkt_x_event_slot *s = tkt_x_event_find(l);

	if (!s)
		return;
	for (int i = 0; i < TKT_X_EV_COUNT; i++) {
		const unsigned long n =
			TKT_XCHG(&s->count[i], 0ul, TKT_RELAXED);

		if (i == TKT_X_EV_longest_room)
			tkt_x_event_max(&rest->count[i], n);
		else
			TKT_FETCH_ADD(&rest->count[i], n, TKT_RELAXED);
	}
	TKT_STORE(&s->room, 0ul, TKT_RELAXED);
	TKT_STORE(&s->lock, (const tkt_lock_t *)NULL, TKT_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_EVENTS_H */
