/* SPDX-License-Identifier: MIT */
/*
 * tkt/lockref.h - a lock and the reference count beside it, in one word
 *
 * A reference count that a lock protects is nearly always changed by one and
 * nothing else.  Taking the lock for that costs two atomic operations, and
 * waiting; and each waiter that watches the lock takes the line away from the
 * one who counts.  The known answer (Torvalds and Long, Linux 3.12, 2013) puts
 * the two into one word of 64 bits: while the lock is free, lock and count are
 * looked at and the count is changed by one compare-and-swap.  Whoever holds
 * the lock still finds that the count stands still, since nobody else changes
 * it then, but for the lock.
 *
 * Here the lock is a ticket lock of 16-bit tickets, so order of arrival holds
 * among those who take the lock, and an operation on the count is one
 * compare-and-swap that gives up after TKT_LOCKREF_TRIES failures and takes
 * the lock for its change.  Unbounded, such a loop can starve a thread that is
 * far from the memory.  From the first that takes the lock on, the others find
 * it held and queue as well, until there is nobody left: under that rush this
 * is a ticket lock, with one atomic operation for change and unlock together.
 *
 * Tickets are in the top half: `next` uppermost, so that its overflow falls
 * off the word.  That of `owner` would reach `next`, but the holder, who alone
 * adds to it, knows when, and takes it off in the same addition.  The word is
 * always accessed as a whole: 64-bit atomics are needed, which 32-bit targets
 * may have to link libatomic for.
 *
 * There is no room for flags or a policy, and a sleeper could not be found:
 * waiters spin or yield.  Which of the two is a compile-time choice,
 * TKT_LOCKREF_WAIT: any get or put may have to wait, and a parameter in each
 * of them would be in everybody's way.  As nobody sleeps, translation units
 * may differ in it.
 *
 * Assumptions: at most 2^15 threads use one lockref at once (the debug build
 * checks it); at most 2^31 - 2 references.  A count that reaches 2^31 - 1, or
 * would fall below zero, stays at 2^31 - 1 for good, so that the mistake leaks
 * an object rather than free it under its users; the debug build aborts.
 *
 * When not to use it: where the lock is held often or long, for then it is
 * only a ticket lock with a crowded line; where there are more waiters than
 * CPUs; where references come and go on many CPUs and the count is seldom
 * looked at (percpu_ref.h).  Nothing here tells Valgrind about the lock.
 *
 * State: (o, n, c): ticket o is served, n is the next, c references; o = n
 * means free.  D marks the dead, whom get_not_dead and get_not_zero refuse.
 *
 *	 63       48 47      32 31 30           0
 *	+-----------+----------+--+--------------+
 *	|   next    |  owner   |D |    count     |
 *	+-----------+----------+--+--------------+
 *
 *	get: (o,o,c) -> (o,o,c+1)     lock:   (o,n,c) -> (o,n+1,c)
 *	put: (o,o,c) -> (o,o,c-1)     unlock: (o,n,c) -> (o+1,n,c)
 */
#ifndef TKT_LOCKREF_H
#define TKT_LOCKREF_H

#include "annotate.h"
#include "atomic.h"
#include "lockref_types.h"
#include "wait.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes *l a free lockref with `count` references; nobody uses it yet. */
static inline void tkt_lockref_init(tkt_lockref_t *l, uint32_t count)
{
	TKT_STORE(&l->word, (uint64_t)(count & TKT_LOCKREF_MAX), TKT_RELAXED);
}

/* How many references there are.  A glance, unless the caller has the lock. */
static inline uint32_t tkt_lockref_count(const tkt_lockref_t *l)
{
	return tkt_x_lr_count(TKT_LOAD(&l->word, TKT_RELAXED));
}

/* Whether it is marked dead, which it then stays.  A glance, as above. */
static inline bool tkt_lockref_is_dead(const tkt_lockref_t *l)
{
	return TKT_LOAD(&l->word, TKT_RELAXED) & TKT_X_LR_DEAD;
}

/* Whether somebody holds the lock or waits for it.  A glance. */
static inline bool tkt_lockref_is_locked(const tkt_lockref_t *l)
{
	return !tkt_x_lr_free(TKT_LOAD(&l->word, TKT_RELAXED));
}

/* Waits until `ticket` is served. */
TKT_X_SLOW void tkt_lockref_spin(const tkt_lockref_t *l, uint32_t ticket)
{
	uint64_t seen;

	if (TKT_LOCKREF_WAIT == TKT_WAIT_SPIN) {
		/* LR2: pairs with LR4 and LR5, as LR1 does */
		TKT_AWAIT(&l->word, now, tkt_x_lr_owner(now) == ticket,
			  TKT_ACQUIRE);
		return;
	}
	for (;;) {
		struct tkt_x_spin spin = { 0, 0 };

		do {
			/* LR3: pairs with LR4 and LR5, as LR1 does */
			seen = TKT_LOAD(&l->word, TKT_ACQUIRE);
			if (tkt_x_lr_owner(seen) == ticket)
				return;
			TKT_RELAX();
		} while (tkt_x_spin_more(&spin));
		TKT_YIELD(&l->word, seen);
	}
}

/*
 * Takes the lock, waiting for it in order of arrival.  Acquires: sees all
 * that was done before earlier unlocks, gets and puts.  Not by its holder.
 */
static inline void tkt_lockref_lock(tkt_lockref_t *l)
	TKT_TSA_ACQUIRE(*l) TKT_TSA_OFF;
static inline void tkt_lockref_lock(tkt_lockref_t *l)
{
	/*
	 * LR1: pairs with LR4 and LR5.  All changes of the word are
	 * read-modify-writes, so this sees every release before it, not only
	 * the last.  (o,n,c) -> (o,n+1,c)
	 */
	const uint64_t old =
		TKT_FETCH_ADD(&l->word, TKT_X_LR_NEXT, TKT_ACQUIRE);
	const uint32_t ticket = tkt_x_lr_next(old);

	tkt_x_lr_check(
		l, ((ticket - tkt_x_lr_owner(old)) & 0xffff) < TKT_X_LR_THREADS,
		"more threads than half the tickets");
	if (TKT_X_UNLIKELY(tkt_x_lr_owner(old) != ticket))
		tkt_lockref_spin(l, ticket);
}

/*
 * Takes the lock if it is free; returns whether it did.  Never waits: it may
 * fail although the lock is free, when others change the count all the time.
 * Acquires if it returns true; a failed try changes nothing.
 */
static inline bool tkt_lockref_trylock(tkt_lockref_t *l)
	TKT_TSA_TRY_ACQUIRE(true, *l) TKT_TSA_OFF;
static inline bool tkt_lockref_trylock(tkt_lockref_t *l)
{
	uint64_t word = TKT_LOAD(&l->word, TKT_RELAXED);

	for (int i = 0; i <= TKT_LOCKREF_TRIES && tkt_x_lr_free(word); i++) {
		/* LR6: pairs with LR4 and LR5, as LR1 does */
		if (TKT_CAS(&l->word, &word, word + TKT_X_LR_NEXT, TKT_ACQUIRE,
			    TKT_RELAXED))
			return true;
	}
	return false;
}

/* Unlocks and adds `delta`, as tkt_x_lr_delta() returned it, to the count. */
TKT_X_INLINE void tkt_x_lr_unlock(tkt_lockref_t *l, uint64_t word,
				  uint64_t delta)
{
	uint64_t add = TKT_X_LR_OWNER + delta;

	tkt_x_lr_check(l, !tkt_x_lr_free(word), "unlocked, but not locked");
	/* Nobody else changes owner: its overflow can be taken off at once. */
	if (TKT_X_UNLIKELY(tkt_x_lr_owner(word) == 0xffff))
		add -= TKT_X_LR_NEXT;
	/*
	 * LR5: pairs with LR1, LR2, LR3, LR4 and LR6.  What the holder did
	 * must be seen by the next, and by whoever finds the lock free.
	 * (o,n,c) -> (o+1,n,c+delta)
	 */
	TKT_FETCH_ADD(&l->word, add, TKT_RELEASE);
}

/* Gives the lock up, by whichever thread.  Releases. */
static inline void tkt_lockref_unlock(tkt_lockref_t *l)
	TKT_TSA_RELEASE(*l) TKT_TSA_OFF;
static inline void tkt_lockref_unlock(tkt_lockref_t *l)
{
	tkt_x_lr_unlock(l, TKT_LOAD(&l->word, TKT_RELAXED), 0);
}

/* How the attempt without the lock ended. */
enum tkt_x_lr_end {
	TKT_X_LR_DONE,
	TKT_X_LR_REFUSED,
	TKT_X_LR_HELD, /* or others were faster too often */
};

/*
 * Tries `op` by compare-and-swap; *left is the new count if it is done.
 * Refuses only by a word that showed the lock free: the holder of the lock
 * may be about to change its mind.
 */
TKT_X_INLINE enum tkt_x_lr_end
tkt_x_lr_swap(tkt_lockref_t *l, enum tkt_x_lr_op op, uint32_t *left)
{
	uint64_t word = TKT_LOAD(&l->word, TKT_RELAXED);

	for (int i = 0; i < TKT_LOCKREF_TRIES; i++) {
		uint64_t wanted;

		if (!tkt_x_lr_free(word))
			return TKT_X_LR_HELD;
		if (!tkt_x_lr_applies(op, word))
			return TKT_X_LR_REFUSED;
		wanted = word + tkt_x_lr_delta(l, op, word);
		*left = tkt_x_lr_count(wanted);
		/*
		 * LR4: pairs with LR1, LR2, LR3, LR4, LR5 and LR6.  As if the
		 * lock had been taken and given up: without acquire a get
		 * could see less than the last holder did, and who drops the
		 * last reference less than the other users; without release,
		 * that one could not see what this user did.
		 * (o,o,c) -> (o,o,c+delta)
		 */
		if (TKT_CAS(&l->word, &word, wanted, TKT_ACQ_REL, TKT_RELAXED))
			return TKT_X_LR_DONE;
	}
	return TKT_X_LR_HELD;
}

/*
 * `op` by way of the lock; keep: if it does not apply, return with the lock
 * held.
 */
TKT_X_SLOW bool tkt_lockref_locked_op(tkt_lockref_t *l, enum tkt_x_lr_op op,
				      bool keep, uint32_t *left)
{
	uint64_t word, delta = 0;
	bool applies;

	tkt_lockref_lock(l);
	/* The count stands still now; only `next` can move. */
	word = TKT_LOAD(&l->word, TKT_RELAXED);
	applies = tkt_x_lr_applies(op, word);
	if (applies)
		delta = tkt_x_lr_delta(l, op, word);
	*left = tkt_x_lr_count(word + delta);
	if (applies || !keep)
		tkt_x_lr_unlock(l, word, delta);
	return applies;
}

/* One way or the other; returns whether `op` applied. */
TKT_X_INLINE bool tkt_x_lr_do(tkt_lockref_t *l, enum tkt_x_lr_op op,
			      uint32_t *left)
{
	const enum tkt_x_lr_end end = tkt_x_lr_swap(l, op, left);

	if (TKT_X_LIKELY(end == TKT_X_LR_DONE))
		return true;
	return end == TKT_X_LR_HELD &&
	       tkt_lockref_locked_op(l, op, false, left);
}

/*
 * The operations on the count.  Each waits if the lock is held by another
 * thread, so none may be called by its holder, and is ordered as if it had
 * taken the lock and given it up: acquires and releases.
 */

/* One more reference.  The caller has one, or knows that there is one. */
static inline void tkt_lockref_get(tkt_lockref_t *l)
{
	uint32_t left;

	(void)tkt_x_lr_do(l, TKT_X_LR_GET, &left);
}

/* One more unless there is none, or it is dead; returns whether. */
static inline bool tkt_lockref_get_not_zero(tkt_lockref_t *l)
{
	uint32_t left;

	return tkt_x_lr_do(l, TKT_X_LR_GET_NOT_ZERO, &left);
}

/* One more, be it the first, unless it is dead; returns whether. */
static inline bool tkt_lockref_get_not_dead(tkt_lockref_t *l)
{
	uint32_t left;

	return tkt_x_lr_do(l, TKT_X_LR_GET_NOT_DEAD, &left);
}

/*
 * Drops the caller's reference; returns how many are left.  Whoever gets 0
 * has seen all that the other users did.
 */
static inline uint32_t tkt_lockref_put(tkt_lockref_t *l)
{
	uint32_t left;

	(void)tkt_x_lr_do(l, TKT_X_LR_PUT, &left);
	return left;
}

/* Drops the caller's reference unless it is the last; returns whether. */
static inline bool tkt_lockref_put_not_zero(tkt_lockref_t *l)
{
	uint32_t left;

	return tkt_x_lr_do(l, TKT_X_LR_PUT_NOT_LAST, &left);
}

/*
 * Drops the caller's reference and returns true, unless it is the last: then
 * returns false with the lock held, and the reference still there.  So there
 * is no moment at which the count is zero and the lock free, unless the caller
 * makes it so.
 */
static inline bool tkt_lockref_put_or_lock(tkt_lockref_t *l)
	TKT_TSA_TRY_ACQUIRE(false, *l) TKT_TSA_OFF;
static inline bool tkt_lockref_put_or_lock(tkt_lockref_t *l)
{
	uint32_t left;

	return tkt_x_lr_swap(l, TKT_X_LR_PUT_NOT_LAST, &left) ==
		       TKT_X_LR_DONE ||
	       tkt_lockref_locked_op(l, TKT_X_LR_PUT_NOT_LAST, true, &left);
}

/*
 * For the holder of the lock.  Relaxed: unlock releases them.
 */

/* One more reference. */
static inline void tkt_lockref_get_locked(tkt_lockref_t *l)
	TKT_TSA_REQUIRES(*l);
static inline void tkt_lockref_get_locked(tkt_lockref_t *l)
{
	const uint64_t word = TKT_LOAD(&l->word, TKT_RELAXED);

	TKT_FETCH_ADD(&l->word, tkt_x_lr_delta(l, TKT_X_LR_GET, word),
		      TKT_RELAXED);
}

/* One less; returns how many are left. */
static inline uint32_t tkt_lockref_put_locked(tkt_lockref_t *l)
	TKT_TSA_REQUIRES(*l);
static inline uint32_t tkt_lockref_put_locked(tkt_lockref_t *l)
{
	const uint64_t word = TKT_LOAD(&l->word, TKT_RELAXED);
	const uint64_t delta = tkt_x_lr_delta(l, TKT_X_LR_PUT, word);

	TKT_FETCH_ADD(&l->word, delta, TKT_RELAXED);
	return tkt_x_lr_count(word + delta);
}

/* From here on get_not_dead and get_not_zero refuse.  The count stays. */
static inline void tkt_lockref_mark_dead(tkt_lockref_t *l) TKT_TSA_REQUIRES(*l);
static inline void tkt_lockref_mark_dead(tkt_lockref_t *l)
{
	TKT_FETCH_OR(&l->word, (uint64_t)TKT_X_LR_DEAD, TKT_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_LOCKREF_H */
