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
 * without TKT_DEBUG, unlocked) is recognised as out of date.  When the few
 * places where a lock's entry may be are taken, the lock goes without:
 * relocking is then not found, and messages say "unknown".
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

#define TKT_X_HELD_SLOTS 4096u
#define TKT_X_HELD_PROBES 16u

struct tkt_x_held {
	const tkt_lock_t *lock; /* NULL: free */
	uint32_t ticket;	/* being served when the entry was made */
	int thread;
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

	if (!h || !((next ^ owner) & TKT_X_TICKETS) ||
	    TKT_LOAD(&h->ticket, TKT_RELAXED) != owner)
		return 0;
	return TKT_LOAD(&h->thread, TKT_RELAXED);
}

/* Reports the fault and aborts. */
__attribute__((noinline, cold, noreturn, unused)) static void
tkt_x_fault(const tkt_lock_t *l, const char *fault)
{
	const int holder = tkt_x_holder(l);
	char name[32] = "unknown";

	if (holder)
		snprintf(name, sizeof(name), "thread %d", holder);
	fprintf(stderr, "tkt: lock %p: %s (by thread %d; holder: %s)\n",
		(const void *)l, fault, tkt_x_thread(), name);
	abort();
}

static inline void tkt_x_debug_want(const tkt_lock_t *l)
{
	if (tkt_x_holder(l) == tkt_x_thread())
		tkt_x_fault(l, "locked again by the thread that holds it");
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
	TKT_STORE(&h->ticket, TKT_LOAD(&l->owner, TKT_RELAXED), TKT_RELAXED);
	TKT_STORE(&h->thread, tkt_x_thread(), TKT_RELAXED);
}

static inline void tkt_x_debug_release(const tkt_lock_t *l)
{
	struct tkt_x_held *h = tkt_x_held_find(l);
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);

	if (!((next ^ TKT_LOAD(&l->owner, TKT_RELAXED)) & TKT_X_TICKETS))
		tkt_x_fault(l, "unlocked, but not locked");
	if (h) {
		/* D2: pairs with D1 */
		TKT_STORE(&h->lock, (const tkt_lock_t *)NULL, TKT_RELEASE);
	}
}

static inline void tkt_x_debug_destroy(const tkt_lock_t *l)
{
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);
	const uint32_t owner = TKT_LOAD(&l->owner, TKT_RELAXED);

	if (TKT_LOAD(&l->tail, TKT_RELAXED) & ~TKT_X_FULL)
		tkt_x_fault(l, "destroyed while waited for");
	if ((next ^ owner) & TKT_X_TICKETS)
		tkt_x_fault(l, "destroyed while held");
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_DEBUG_H */
