/* SPDX-License-Identifier: MIT */
/*
 * src/locks/ticket_backoff.c - ticket lock with proportional back-off
 *
 * The ticket lock of ticket.c, whose waiters look at owner less often the
 * further they are from it (proportional back-off: Mellor-Crummey and Scott
 * 1991, and a patch for Linux by van Riel, 2013).  The waiter next in line polls
 * all the time; one with d others before it pauses for d times a guess at how
 * long one holder keeps the lock.  The line moves less while waiters pause,
 * but a guess that is too long leaves the lock idle at each hand-over, and no
 * guess fits all critical sections: what a queue lock does without one.
 */
#include <tkt/atomic.h>

#include "lock_ops.h"

/*
 * Pause per waiter before us, in spin hints (TKT_RELAX).  It must not exceed
 * one short critical section and its hand-over, 100 to 200 ns on current
 * machines; a hint is 3 to 40 ns.  4 hints are 12 to 160 ns, so a waiter wakes
 * early rather than late.
 */
#ifndef BACKOFF_HINTS
#define BACKOFF_HINTS 4
#endif

struct ticket_backoff {
	uint32_t owner; /* ticket being served; only the holder writes it */
	uint32_t next;	/* next ticket to hand out */
};

/* Pauses as fits a waiter that is `distance` tickets behind the holder. */
static inline void backoff_pause(uint32_t distance)
{
	uint32_t hints = (distance - 1) * BACKOFF_HINTS;

	do {
		TKT_RELAX();
	} while (hints-- > 0);
}

/*
 * (o, n) -> (o, n + 1), then waits for owner == n.  Not an await: this lock is
 * about when the word is looked at.
 */
static inline void ticket_backoff_lock(struct ticket_backoff *l,
				       union lock_ctx *ctx)
{
	const uint32_t mine = TKT_FETCH_ADD(&l->next, 1, TKT_RELAXED);
	uint32_t owner;

	(void)ctx;
	/* A1: pairs with R1; else we miss what the last holder wrote. */
	while ((owner = TKT_LOAD(&l->owner, TKT_ACQUIRE)) != mine)
		backoff_pause(mine - owner);
}

/* (o, n) -> (o + 1, n) */
static inline void ticket_backoff_unlock(struct ticket_backoff *l,
					 union lock_ctx *ctx)
{
	const uint32_t owner = TKT_LOAD(&l->owner, TKT_RELAXED);

	(void)ctx;
	/* R1: pairs with A1, A2; hands over what this holder wrote. */
	TKT_STORE(&l->owner, owner + 1, TKT_RELEASE);
}

/* (n, n) -> (n, n + 1) */
static bool ticket_backoff_trylock(void *lock, union lock_ctx *ctx)
{
	struct ticket_backoff *l = lock;
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);

	(void)ctx;
	if (TKT_LOAD(&l->owner, TKT_RELAXED) != next)
		return false;
	/* A2: pairs with R1, as A1 does. */
	return TKT_CAS_PAIR(&l->owner, next, next, next, next + 1, TKT_ACQUIRE);
}

static const char *ticket_backoff_init(void *lock,
				       const struct lock_params *params)
{
	(void)params;
	*(struct ticket_backoff *)lock = (struct ticket_backoff){ 0, 0 };
	return NULL;
}

LOCK_OPS(ticket_backoff, struct ticket_backoff, .name = "ticket-backoff",
	 .summary = "ticket lock, pauses in proportion to the distance",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = ticket_backoff_init,
	 .trylock = ticket_backoff_trylock);
