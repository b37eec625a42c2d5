/* SPDX-License-Identifier: MIT */
/*
 * tkt/debug.h - finding misuse (TKT_DEBUG)
 *
 * Unlocking a free lock, locking one again in the same thread, destroying one
 * that is held or waited for: each aborts, after one line on standard error
 * that names the lock's address, the fault, the calling thread and the holder.
 *
 * The lock keeps its 16 bytes, so who holds it is noted in a table beside it:
 * one weak symbol of default visibility, tkt_x_held, shared by all translation
 * units.  An entry is written only by the lock's holder.  It names the ticket
 * it was made for, so that one left behind (another translation unit, built
 * without TKT_DEBUG, unlocked) is recognised as out of date.  Thread and ticket
 * are one word, cleared before the unlock, so a thread never finds its own name
 * there after it has unlocked.  When the few places where a lock's entry may be
 * are taken, the lock goes without: relocking is then not found, and messages
 * say "unknown".
 *
 * A thread that locks, leaves the unlocking to another, and locks again before
 * that has happened is taken for one that locks twice.
 */
#ifndef TKT_DEBUG_H
#define TKT_DEBUG_H

#include <stdio.h>
#include <stdlib.h>

#include "atomic.h"
#include "lock_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Locks held at once that can be known, and places where one can be known. */
#define TKT_X_HELD_SLOTS 4096u
#define TKT_X_HELD_PROBES 16u

struct tkt_x_held {
	const tkt_lock_t *lock; /* NULL: free */
	uint64_t who;		/* thread << 32 | ticket served; 0: nobody */
};

extern struct tkt_x_held tkt_x_held[TKT_X_HELD_SLOTS];
__attribute__((
	weak,
	visibility("default"))) struct tkt_x_held tkt_x_held[TKT_X_HELD_SLOTS];

static inline int tkt_x_thread(void)
{
	return (int)syscall(SYS_gettid);
}

static inline struct tkt_x_held *tkt_x_held_at(const tkt_lock_t *l,
					       uint32_t probe)
{
	return &tkt_x_held[(tkt_x_hash(l) + probe) % TKT_X_HELD_SLOTS];
}

/* The lock's entry, or NULL. */
static inline struct tkt_x_held *tkt_x_held_find(const tkt_lock_t *l)
{
	for (uint32_t i = 0; i < TKT_X_HELD_PROBES; i++) {
		struct tkt_x_held *h = tkt_x_held_at(l, i);

		if (TKT_LOAD(&h->lock, TKT_RELAXED) == l)
			return h;
	}
	return NULL;
}

/* The thread that holds the lock as far as the table knows, 0: unknown. */
static inline int tkt_x_holder(const tkt_lock_t *l)
{
	struct tkt_x_held *h = tkt_x_held_find(l);
	const uint32_t owner = TKT_LOAD(&l->owner, TKT_RELAXED);
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);

	const uint64_t who = h ? TKT_LOAD(&h->who, TKT_RELAXED) : 0;

	if (!((next ^ owner) & TKT_X_TICKETS) || (uint32_t)who != owner)
		return 0;
	return (int)(who >> 32);
}

/* Reports the fault, with the lock's holder (0: unknown), and aborts. */
__attribute__((noinline, cold, noreturn, unused)) static void
tkt_x_fault(const tkt_lock_t *l, const char *fault, int holder)
{
	char name[32] = "unknown";

	if (holder)
		snprintf(name, sizeof(name), "thread %d", holder);
	fprintf(stderr, "tkt: lock %p: %s (by thread %d; holder: %s)\n",
		(const void *)l, fault, tkt_x_thread(), name);
	abort();
}

static inline void tkt_x_debug_want(const tkt_lock_t *l)
{
	const int self = tkt_x_thread();

	if (tkt_x_holder(l) == self)
		tkt_x_fault(l, "locked again by the thread that holds it",
			    self);
}

static inline void tkt_x_debug_taken(const tkt_lock_t *l)
{
	struct tkt_x_held *h = tkt_x_held_find(l);

	for (uint32_t i = 0; !h && i < TKT_X_HELD_PROBES; i++) {
		struct tkt_x_held *at = tkt_x_held_at(l, i);
		const tkt_lock_t *expected = NULL;

		/* D1: pairs with D2 of the entry's last user */
		if (TKT_CAS(&at->lock, &expected, l, TKT_ACQUIRE, TKT_RELAXED))
			h = at;
	}
	if (!h)
		return;
	TKT_STORE(&h->who,
		  (uint64_t)tkt_x_thread() << 32 |
			  TKT_LOAD(&l->owner, TKT_RELAXED),
		  TKT_RELAXED);
}

static inline void tkt_x_debug_release(const tkt_lock_t *l)
{
	struct tkt_x_held *h = tkt_x_held_find(l);
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);

	if (!((next ^ TKT_LOAD(&l->owner, TKT_RELAXED)) & TKT_X_TICKETS))
		tkt_x_fault(l, "unlocked, but not locked", 0);
	if (h) {
		TKT_STORE(&h->who, UINT64_C(0), TKT_RELAXED);
		/* D2: pairs with D1; else the word above could be the next's */
		TKT_STORE(&h->lock, (const tkt_lock_t *)NULL, TKT_RELEASE);
	}
}

static inline void tkt_x_debug_destroy(const tkt_lock_t *l)
{
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);
	const uint32_t owner = TKT_LOAD(&l->owner, TKT_RELAXED);

	if (TKT_LOAD(&l->tail, TKT_RELAXED) & ~TKT_X_FULL)
		tkt_x_fault(l, "destroyed while waited for", tkt_x_holder(l));
	if ((next ^ owner) & TKT_X_TICKETS)
		tkt_x_fault(l, "destroyed while held", tkt_x_holder(l));
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_DEBUG_H */
