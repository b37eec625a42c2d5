/* SPDX-License-Identifier: MIT */
/*
 * tkt/treelock.h - locks for the nodes of a tree: spin or block, in flavours
 *
 * Whoever walks down a tree holds a node's lock for a moment, mostly, but now
 * and then has to wait for a disk with the lock in hand.  Btrfs had a lock of
 * its own for that, and in 2011 it was proposed to replace it by a mutex whose
 * waiters spin.  Both are here, behind one set of calls, so that they can be
 * compared.
 *
 *  DFL         the old lock.  A spin lock and a blocking bit: before its owner
 *              blocks it raises the bit and lets the spin lock go.  Waiters
 *              take the spin lock, look at the bit, and if it is up let go
 *              again, watch the bit for up to TKT_TREELOCK_SPINS turns, less
 *              if a reschedule is due, and then sleep, exclusively: one is
 *              woken at a time.
 *  DFL_NOSPIN  the same without the watch, to show what that saves.
 *  SIMPLE      a mutex with owner spinning; blocking needs no call, and the
 *              calls for it do nothing.
 *  SPIN        SIMPLE, and its tries spin while the owner runs, for a failed
 *              try mostly means unlock and start over.
 *  SPIN2       SPIN, and lock tries so first, too, which skips the preemption
 *              point that mutex_lock begins with (TKT_MUTEX_RESCHED).
 *
 * What differs from the old lock: sleepers wait on the word that has the bit,
 * and are counted in it, so that any unlock, not only one of a blocking owner,
 * knows whether to wake the next.  Whoever is queued on a futex counts as
 * woken when it is picked, whether it slept already or was about to; that is
 * the old lock's own wake-up function, which always counted as a wake-up.
 *
 * Order: none, between threads that come and those that sleep; DFL's spinners
 * are in the order of tkt_lock, the rest in that of the mutex.
 *
 * When not to use it: where nobody blocks inside (use tkt_lock), or most do
 * (use tkt_mutex).  Not recursive.  Unlock by the thread that locked.
 *
 * Classes: locks of one tree are taken from the root down and from left to
 * right.  Each call that takes one says which class it has there,
 * TKT_TREELOCK_CLASS(level below the root, place among siblings); the debug
 * build aborts when a thread waits for a lock while it holds one of the same
 * class or a higher one.  Tries do not wait, so they are free of that rule.
 * State outside the lock, with TKT_DEBUG: the classes that a thread holds, one
 * weak thread-local symbol, tkt_x_classes.
 *
 * State of DFL: (s,0) the owner spins; (-,b) it blocks; (-,0) free.  A waiter
 * that looks makes it (s,b) for a moment.
 *
 *	        lock               set_blocking
 *	(-,0) --------> (s,0) <-------------------> (-,b)
 *	  ^               |       clear_blocking      |
 *	  +---------------+---------------------------+  unlock, wakes one
 */
#ifndef TKT_TREELOCK_H
#define TKT_TREELOCK_H

#include <stdio.h>
#include <stdlib.h>

#include "annotate.h"
#include "atomic.h"
#include "mutex.h"
#include "treelock_dfl.h"

#ifdef __cplusplus
extern "C" {
#endif

enum tkt_treelock_flavour {
	TKT_TREELOCK_DFL,
	TKT_TREELOCK_DFL_NOSPIN,
	TKT_TREELOCK_SIMPLE,
	TKT_TREELOCK_SPIN,
	TKT_TREELOCK_SPIN2,
	TKT_TREELOCK_FLAVOURS
};

typedef struct TKT_TSA_CAPABILITY("treelock") tkt_treelock_s {
	union {
		struct tkt_x_t dfl;
		tkt_mutex_t mutex;
	} u;
	uint32_t flavour; /* constant from initialisation on */
	uint32_t held_as; /* class; written by the owner */
} tkt_treelock_t;

/* Levels 0 (the root) to 15, places 0 to 3. */
#define TKT_TREELOCK_CLASS(level, place) ((level)*4u + (place))
#define TKT_TREELOCK_CLASSES 64u

#if TKT_DEBUG
/* How many locks of each class the calling thread holds. */
extern __thread unsigned char tkt_x_classes[TKT_TREELOCK_CLASSES];
__attribute__((weak, visibility("default"))) __thread unsigned char
	tkt_x_classes[TKT_TREELOCK_CLASSES];
#endif

/* Reports the fault and aborts. */
__attribute__((noinline, cold, noreturn, unused)) static void
tkt_x_t_fault(const tkt_treelock_t *l, const char *fault)
{
	fprintf(stderr, "tkt: tree lock %p: %s\n", (const void *)l, fault);
	abort();
}

TKT_X_INLINE bool tkt_x_t_is_mutex(const tkt_treelock_t *l)
{
	return l->flavour >= TKT_TREELOCK_SIMPLE;
}

/* The caller is about to wait for a lock of that class. */
TKT_X_INLINE void tkt_x_t_want(const tkt_treelock_t *l, unsigned int as)
{
#if TKT_DEBUG
	if (as >= TKT_TREELOCK_CLASSES)
		tkt_x_t_fault(l, "no such class");
	for (unsigned int c = as; c < TKT_TREELOCK_CLASSES; c++)
		if (tkt_x_classes[c])
			tkt_x_t_fault(l, "waited for against the order of "
					 "classes");
#endif
	(void)l;
	(void)as;
}

TKT_X_INLINE void tkt_x_t_taken(tkt_treelock_t *l, unsigned int as)
{
	TKT_WRITE(&l->held_as, as);
#if TKT_DEBUG
	if (as >= TKT_TREELOCK_CLASSES)
		tkt_x_t_fault(l, "no such class");
	tkt_x_classes[as]++;
#endif
}

/*
 * Makes *l a free lock of that flavour; before anybody else knows of it.  The
 * flavour is the lock's for life.
 */
static inline void tkt_treelock_init(tkt_treelock_t *l,
				     enum tkt_treelock_flavour flavour)
{
	l->flavour = (uint32_t)flavour;
	l->held_as = 0;
	if (tkt_x_t_is_mutex(l)) {
		tkt_mutex_init(&l->u.mutex);
	} else {
		tkt_lock_init(&l->u.dfl.spin);
		TKT_STORE(&l->u.dfl.word, UINT32_C(0), TKT_RELAXED);
	}
}

/* Ends the lock's life.  It must be free, with nobody waiting. */
static inline void tkt_treelock_destroy(tkt_treelock_t *l)
{
	if (tkt_x_t_is_mutex(l))
		tkt_mutex_destroy(&l->u.mutex);
	else
		tkt_lock_destroy(&l->u.dfl.spin);
}

/*
 * Takes the lock, as one of class `as`, waiting as the flavour does.  Acquires.
 * Not by the thread that holds it.
 */
static inline void tkt_treelock_lock(tkt_treelock_t *l, unsigned int as)
	TKT_TSA_ACQUIRE(*l) TKT_TSA_OFF;
static inline void tkt_treelock_lock(tkt_treelock_t *l, unsigned int as)
{
	tkt_x_t_want(l, as);
	if (!tkt_x_t_is_mutex(l)) {
		tkt_lock(&l->u.dfl.spin);
		if (TKT_X_UNLIKELY(!tkt_x_t_mine(&l->u.dfl)))
			tkt_t_lock(&l->u.dfl, l->flavour == TKT_TREELOCK_DFL);
	} else if (l->flavour != TKT_TREELOCK_SPIN2 ||
		   !tkt_mutex_tryspin(&l->u.mutex, UINT64_MAX)) {
		tkt_mutex_lock(&l->u.mutex);
	}
	tkt_x_t_taken(l, as);
}

/*
 * Tries once, in the flavours SPIN and SPIN2 for as long as the owner runs;
 * returns whether it has the lock.  Acquires if so.  Never sleeps.
 */
static inline bool tkt_treelock_try(tkt_treelock_t *l, unsigned int as)
	TKT_TSA_TRY_ACQUIRE(true, *l) TKT_TSA_OFF;
static inline bool tkt_treelock_try(tkt_treelock_t *l, unsigned int as)
{
	if (!(l->flavour < TKT_TREELOCK_SIMPLE ? tkt_x_t_try(&l->u.dfl)
	      : l->flavour == TKT_TREELOCK_SIMPLE
		      ? tkt_mutex_trylock(&l->u.mutex)
		      : tkt_mutex_tryspin(&l->u.mutex, UINT64_MAX)))
		return false;
	tkt_x_t_taken(l, as);
	return true;
}

/*
 * Tries up to TKT_TREELOCK_ROUNDS times, watching the blocking bit before each;
 * with a mutex, the same as tkt_treelock_try.  Never sleeps.
 */
static inline bool tkt_treelock_try_spin(tkt_treelock_t *l, unsigned int as)
	TKT_TSA_TRY_ACQUIRE(true, *l) TKT_TSA_OFF;
static inline bool tkt_treelock_try_spin(tkt_treelock_t *l, unsigned int as)
{
	if (tkt_x_t_is_mutex(l))
		return tkt_treelock_try(l, as);
	for (int i = 0; i < TKT_TREELOCK_ROUNDS; i++) {
		if (l->flavour == TKT_TREELOCK_DFL && !tkt_t_spin(&l->u.dfl))
			continue;
		if (tkt_treelock_try(l, as))
			return true;
	}
	return false;
}

/* The owner, who spins until now, may block from here on. */
static inline void tkt_treelock_set_blocking(tkt_treelock_t *l) TKT_TSA_OFF;
static inline void tkt_treelock_set_blocking(tkt_treelock_t *l)
{
	if (!tkt_x_t_is_mutex(l))
		tkt_x_t_block(&l->u.dfl);
}

/* The owner, who could block until now, will not any more.  May wait briefly. */
static inline void tkt_treelock_clear_blocking(tkt_treelock_t *l) TKT_TSA_OFF;
static inline void tkt_treelock_clear_blocking(tkt_treelock_t *l)
{
	if (!tkt_x_t_is_mutex(l))
		tkt_x_t_unblock(&l->u.dfl);
}

/*
 * Gives the lock up, blocking or not.  Releases.  By its owner.  The lock is
 * not touched after the store that frees it, but its address is used to wake.
 */
static inline void tkt_treelock_unlock(tkt_treelock_t *l)
	TKT_TSA_RELEASE(*l) TKT_TSA_OFF;
static inline void tkt_treelock_unlock(tkt_treelock_t *l)
{
#if TKT_DEBUG
	if (!tkt_x_classes[TKT_READ(&l->held_as) % TKT_TREELOCK_CLASSES])
		tkt_x_t_fault(l, "unlocked by a thread that does not hold it");
	tkt_x_classes[TKT_READ(&l->held_as)]--;
#endif
	if (tkt_x_t_is_mutex(l))
		tkt_mutex_unlock(&l->u.mutex);
	else
		tkt_x_t_unlock(&l->u.dfl);
}

/*
 * Aborts, in any build, after one line on standard error, unless somebody
 * holds the lock; with a mutex, unless the caller does.
 */
static inline void tkt_treelock_assert_locked(const tkt_treelock_t *l)
{
	if (tkt_x_t_is_mutex(l)
		    ? !tkt_mutex_is_mine(&l->u.mutex)
		    : !tkt_is_locked(&l->u.dfl.spin) &&
			      !(TKT_LOAD(&l->u.dfl.word, TKT_RELAXED) &
				TKT_X_T_BLOCKING))
		tkt_x_t_fault(l, "not locked");
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_TREELOCK_H */
