/* SPDX-License-Identifier: MIT */
/*
 * src/locks/ticket.c - the plain ticket lock, and one with back-off
 *
 * Take a number, wait until it is served (Reed and Kanodia 1979, Mellor-
 * Crummey and Scott 1991).  State (owner, next); free when they are equal.
 * Fair, two words, nothing faster with one or two threads; but each release
 * takes the line from every waiter, so that the cost of a hand-over grows with
 * their number.  At most 2^32 - 1 threads.
 *
 * With proportional back-off (Mellor-Crummey and Scott 1991, and a patch for
 * Linux by van Riel, 2013) waiters look at owner less often the further they
 * are from it.  The waiter next in line polls all the time; one with d others
 * before it pauses for d times a guess at how long one holder keeps the lock.
 * The line moves less while waiters pause, but a guess that is too long leaves
 * the lock idle at each hand-over, and no guess fits all critical sections:
 * what a queue lock does without one.
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

struct ticket {
	uint32_t owner; /* ticket being served; only the holder writes it */
	uint32_t next;	/* next ticket to hand out */
};

/* (o, n) -> (o, n + 1), then waits for owner == n. */
static inline void ticket_lock(struct ticket *l, union lock_ctx *ctx)
{
	const uint32_t mine = TKT_FETCH_ADD(&l->next, 1, TKT_RELAXED);

	(void)ctx;
	/* A1: pairs with R1; else we miss what the last holder wrote. */
	TKT_AWAIT(&l->owner, o, o == mine, TKT_ACQUIRE);
}

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
static inline void ticket_backoff_lock(struct ticket *l, union lock_ctx *ctx)
{
	const uint32_t mine = TKT_FETCH_ADD(&l->next, 1, TKT_RELAXED);
	uint32_t owner;

	(void)ctx;
	/* A2: pairs with R1, as A1 does. */
	while ((owner = TKT_LOAD(&l->owner, TKT_ACQUIRE)) != mine)
		backoff_pause(mine - owner);
}

/* (o, n) -> (o + 1, n) */
static inline void ticket_unlock(struct ticket *l, union lock_ctx *ctx)
{
	const uint32_t owner = TKT_LOAD(&l->owner, TKT_RELAXED);

	(void)ctx;
	/* R1: pairs with A1 to A3; hands over what this holder wrote. */
	TKT_STORE(&l->owner, owner + 1, TKT_RELEASE);
}

/*
 * (n, n) -> (n, n + 1).  Both words at once: with a swap of next alone, a
 * thread stopped before it for a whole turn of the tickets would take a lock
 * that is held.
 */
static bool ticket_trylock(void *lock, union lock_ctx *ctx)
{
	struct ticket *l = lock;
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);

	(void)ctx;
	if (TKT_LOAD(&l->owner, TKT_RELAXED) != next)
		return false;
	/* A3: pairs with R1, as A1 does. */
	return TKT_CAS_PAIR(&l->owner, next, next, next, next + 1, TKT_ACQUIRE);
}

static const char *ticket_init(void *lock, const struct lock_params *params)
{
	(void)params;
	*(struct ticket *)lock = (struct ticket){ 0, 0 };
	return NULL;
}

LOCK_OPS(ticket, struct ticket, .name = "ticket",
	 .summary = "plain ticket lock",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = ticket_init,
	 .trylock = ticket_trylock);

LOCK_OPS_WITH(ticket_backoff, struct ticket, ticket_backoff_lock, ticket_unlock,
	      .name = "ticket-backoff",
	      .summary = "ticket lock, pauses in proportion to the distance",
	      .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = ticket_init,
	      .trylock = ticket_trylock);
