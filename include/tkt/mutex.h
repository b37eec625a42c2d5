/* SPDX-License-Identifier: MIT */
/*
 * tkt/mutex.h - a mutex whose waiters spin while the owner runs
 *
 * A sleeping lock whose waiters spin first, as the mutex of Linux has done
 * since 2.6.29: to sleep and be woken takes microseconds, most critical
 * sections much less, so waiting pays as long as the owner is on a CPU, and
 * only then.  Spinners stand in a queue (Mellor-Crummey and Scott, 1991), in
 * which only the head looks at the mutex; everybody else sleeps on a futex, in
 * the three-state way of Drepper's "Futexes Are Tricky" (2011).
 *
 * What is different here:
 *
 *  - Whether the owner runs is unknown in user space.  The estimate: it does
 *    if its hold began less than TKT_MUTEX_SPIN_NS ago; each new hold starts
 *    the time anew, up to TKT_MUTEX_HOLDS holds.  (Asking the kernel for a
 *    thread's state costs as much as a sleep; NOTES.md has the figures.)
 *  - A spinner in the middle of the queue does not leave it.  Unlinking there
 *    touches the predecessor's node, which would have to outlive its thread's
 *    call, and ours are on the stack.  Only the head may give up; it then tells
 *    the next to do the same, and so on down the queue, which is short
 *    (TKT_MUTEX_SPINNERS) and whose ranks yield the CPU after TKT_SPIN_NS.
 *
 * Order: whoever comes while the mutex is free takes it, whether or not others
 * wait.  That is fast, and by itself unfair without bound.  So a sleeper that
 * has been woken more than TKT_MUTEX_PATIENCE times in vain reserves the
 * mutex: from then on only threads that have been asleep may take it, until
 * that sleeper has.  The kernel wakes the sleepers of one futex in the order
 * in which they came (those of one priority), so what may still pass it are
 * the sleepers that were there before it, once each.
 *
 * Assumptions: priorities are equal.  Unlock is called by the thread that
 * locked.
 *
 * When not to use it: for sections of less than about a microsecond under few
 * threads (use tkt_lock); across processes; recursively; from a signal
 * handler.  Do not leave a call by longjmp or thread cancellation; no call
 * here is a cancellation point.
 *
 * State: (h,w,r): held, marked as having sleepers, reserved for them; - is not
 * held.
 *
 *	           take                      a sleeper raises the mark
 *	(-,0,0) <---------> (h,0,0) ------------------------> (h,1,0)
 *	           unlock                                     |  ^
 *	                             unlock, wakes one sleeper |  | it takes
 *	                                                      v  |
 *	                                             (-,0,0), one on its way
 *
 *	(h,1,0) -> (h,1,1) by the sleeper out of patience; then unlock leaves
 *	(-,0,1), which only those who have slept turn into (h,1,1), and that one
 *	sleeper into (h,1,0).
 *
 * No wake-up is lost, for: somebody asleep on (h,.,.) has raised the mark
 * first, and the kernel compares the whole word; an unlock that finds the mark
 * takes it down and wakes one; and the one woken raises it again, in the very
 * step that takes the mutex or before it sleeps again.
 */
#ifndef TKT_MUTEX_H
#define TKT_MUTEX_H

#include "annotate.h"
#include "atomic.h"
#include "mutex_slow.h"
#include "mutex_types.h"

/*
 * TKT_SELF(): a number other than 0 that no other live thread has, uintptr_t.
 * A back end whose threads are not the C library's defines it.
 */
#ifndef TKT_SELF
#include <pthread.h>
#define TKT_SELF() ((uintptr_t)pthread_self())
#endif

#if TKT_DEBUG
#include <stdio.h>
#include <stdlib.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if TKT_DEBUG
/* Reports the fault and aborts. */
__attribute__((noinline, cold, noreturn, unused)) static void
tkt_x_m_fault(const tkt_mutex_t *m, const char *fault)
{
	fprintf(stderr, "tkt: mutex %p: %s (by thread %#lx; holder: %#lx)\n",
		(const void *)m, fault, (unsigned long)TKT_SELF(),
		(unsigned long)TKT_LOAD(&m->owner, TKT_RELAXED));
	abort();
}
#define TKT_X_M_ASSERT(m, cond, fault)                   \
	do {                                             \
		if (!(cond))                             \
			tkt_x_m_fault((m), "" fault ""); \
	} while (0)
#else
#define TKT_X_M_ASSERT(m, cond, fault) \
	((void)sizeof((m) != NULL), (void)sizeof(cond), (void)sizeof(fault))
#endif

/* The caller has just taken the mutex. */
TKT_X_INLINE void tkt_x_m_taken(tkt_mutex_t *m)
{
	TKT_STORE(&m->turn, TKT_LOAD(&m->turn, TKT_RELAXED) + 1, TKT_RELAXED);
	TKT_STORE(&m->owner, TKT_SELF(), TKT_RELAXED);
#if TKT_VALGRIND
	tkt_x_valgrind_taken(m);
#endif
}

/* The caller is about to wait without limit, and may be due to yield. */
TKT_X_INLINE void tkt_x_m_want(tkt_mutex_t *m)
{
	tkt_x_m_look(m);
	TKT_X_M_ASSERT(m, TKT_LOAD(&m->owner, TKT_RELAXED) != TKT_SELF(),
		       "locked again by the thread that holds it");
#if TKT_MUTEX_RESCHED
	if (tkt_x_resched_due()) {
		TKT_YIELD(&m->state, TKT_LOAD(&m->state, TKT_RELAXED));
		tkt_x_resched_done();
	}
#endif
	(void)m;
}

/* (-,0,0) -> (h,0,0) */
TKT_X_INLINE bool tkt_x_m_fast(tkt_mutex_t *m)
{
	uint32_t s = 0;

	/*
	 * MX1: pairs with MX3 and MX4.  Without acquire the section could see
	 * data from before the last holder's.
	 */
	return TKT_CAS(&m->state, &s, TKT_X_M_HELD, TKT_ACQUIRE, TKT_RELAXED);
}

/*
 * Makes *m a free mutex; needed only where the static initialiser or zeroed
 * memory will not do.  Before anybody else knows of it.
 */
static inline void tkt_mutex_init(tkt_mutex_t *m)
{
	tkt_x_m_look(m);
	TKT_STORE(&m->state, UINT32_C(0), TKT_RELAXED);
	TKT_STORE(&m->turn, UINT32_C(0), TKT_RELAXED);
	TKT_STORE(&m->owner, (uintptr_t)0, TKT_RELAXED);
	TKT_STORE(&m->tail, (uintptr_t)0, TKT_RELAXED);
	TKT_STORE(&m->spinners, UINT32_C(0), TKT_RELAXED);
}

/*
 * Ends the mutex's life.  It must be free, with nobody waiting; the debug build
 * aborts otherwise.  May be called, and the memory freed, by a thread that has
 * just locked and unlocked, if it knows that nobody else will come: an unlock
 * does not touch the mutex after the store that frees it.
 */
static inline void tkt_mutex_destroy(tkt_mutex_t *m)
{
	tkt_x_m_look(m);
	TKT_X_M_ASSERT(m, !(TKT_LOAD(&m->state, TKT_RELAXED) & TKT_X_M_HELD),
		       "destroyed while held");
	TKT_X_M_ASSERT(m,
		       !TKT_LOAD(&m->tail, TKT_RELAXED) &&
			       !(TKT_LOAD(&m->state, TKT_RELAXED) &
				 TKT_X_M_RESERVED),
		       "destroyed while waited for");
#if TKT_VALGRIND
	tkt_x_valgrind_destroy(m, sizeof(*m));
#endif
	(void)m;
}

/*
 * Takes the mutex, spinning and then sleeping for it.  Acquires: sees all that
 * earlier holders did before they unlocked.  Must not be called by the thread
 * that holds it (deadlock; the debug build aborts).  Signals do not end it.
 */
static inline void tkt_mutex_lock(tkt_mutex_t *m)
	TKT_TSA_ACQUIRE(*m) TKT_TSA_OFF;
static inline void tkt_mutex_lock(tkt_mutex_t *m)
{
	tkt_x_m_want(m);
	if (TKT_X_UNLIKELY(!tkt_x_m_fast(m)))
		(void)tkt_m_lock(m, TKT_NO_DEADLINE);
	tkt_x_m_taken(m);
}

/*
 * Takes the mutex if it is free and not reserved for sleepers; returns whether
 * it did.  One look and one try, never waits.  Acquires if it returns true; a
 * failed try changes nothing.
 */
static inline bool tkt_mutex_trylock(tkt_mutex_t *m)
	TKT_TSA_TRY_ACQUIRE(true, *m) TKT_TSA_OFF;
static inline bool tkt_mutex_trylock(tkt_mutex_t *m)
{
	tkt_x_m_look(m);
	if (!tkt_m_take(m, false, 0))
		return false;
	tkt_x_m_taken(m);
	return true;
}

/*
 * Tries for at most about `ns` nanoseconds; returns whether it has the mutex.
 * Spins as tkt_mutex_lock does, while the owner runs, and only if nobody spins
 * already; never sleeps.  For callers to whom a failure costs more than that,
 * who would have to unlock other locks and start over.  The first try comes
 * before the clock is read.  Acquires if it returns true.
 */
static inline bool tkt_mutex_tryspin(tkt_mutex_t *m, uint64_t ns)
	TKT_TSA_TRY_ACQUIRE(true, *m) TKT_TSA_OFF;
static inline bool tkt_mutex_tryspin(tkt_mutex_t *m, uint64_t ns)
{
	uint64_t now;

	if (tkt_mutex_trylock(m))
		return true;
	now = TKT_CLOCK_NS();
	if (!tkt_m_spin(m, now > UINT64_MAX - ns ? UINT64_MAX : now + ns, true))
		return false;
	tkt_x_m_taken(m);
	return true;
}

/*
 * Waits until the time `deadline`, in nanoseconds of CLOCK_MONOTONIC; returns
 * whether it has the mutex.  At least one try is made even if the deadline has
 * passed.  TKT_NO_DEADLINE waits as tkt_mutex_lock does.
 */
static inline bool tkt_mutex_lock_until(tkt_mutex_t *m, uint64_t deadline)
	TKT_TSA_TRY_ACQUIRE(true, *m) TKT_TSA_OFF;
static inline bool tkt_mutex_lock_until(tkt_mutex_t *m, uint64_t deadline)
{
	tkt_x_m_want(m);
	if (TKT_X_UNLIKELY(!tkt_x_m_fast(m)) && !tkt_m_lock(m, deadline))
		return false;
	tkt_x_m_taken(m);
	return true;
}

/*
 * Gives the mutex up, and wakes a sleeper if there may be one.  Releases.  Only
 * by the thread that locked it.  The mutex is not touched after the store that
 * frees it, but its address is used to wake.
 */
static inline void tkt_mutex_unlock(tkt_mutex_t *m)
	TKT_TSA_RELEASE(*m) TKT_TSA_OFF;
static inline void tkt_mutex_unlock(tkt_mutex_t *m)
{
	uint32_t s = TKT_X_M_HELD;

	tkt_x_m_look(m);
	TKT_X_M_ASSERT(m, TKT_LOAD(&m->state, TKT_RELAXED) & TKT_X_M_HELD,
		       "unlocked, but not locked");
	TKT_X_M_ASSERT(m, TKT_LOAD(&m->owner, TKT_RELAXED) == TKT_SELF(),
		       "unlocked by a thread that does not hold it");
#if TKT_VALGRIND
	tkt_x_valgrind_release(m);
#endif
	TKT_STORE(&m->owner, (uintptr_t)0, TKT_RELAXED);
	/*
	 * MX3: pairs with MX1 and MX2.  (h,0,0) -> (-,0,0).  Without release
	 * the next holder could miss what this one did.
	 */
	if (TKT_X_UNLIKELY(!TKT_CAS(&m->state, &s, UINT32_C(0), TKT_RELEASE,
				    TKT_RELAXED)))
		tkt_m_wake(m);
}

/* Whether somebody holds the mutex.  A glance; not ordered against anything. */
static inline bool tkt_mutex_is_locked(const tkt_mutex_t *m)
{
	tkt_x_m_look(m);
	return TKT_LOAD(&m->state, TKT_RELAXED) & TKT_X_M_HELD;
}

/* Whether the calling thread holds the mutex.  Exact. */
static inline bool tkt_mutex_is_mine(const tkt_mutex_t *m)
{
	tkt_x_m_look(m);
	return TKT_LOAD(&m->owner, TKT_RELAXED) == TKT_SELF();
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_MUTEX_H */
