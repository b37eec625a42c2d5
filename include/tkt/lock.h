/* SPDX-License-Identifier: MIT */
/*
 * tkt/lock.h - a ticket spinlock with a waiting room
 *
 * Two algorithms meet here.  A ticket lock hands out numbers and serves them
 * in order: two words, one atomic operation to lock, a plain store to unlock.
 * It is as cheap as a fair lock can be, but all waiters watch the same word,
 * and each unlock makes all of them fetch it again.  In the queue lock of
 * Mellor-Crummey and Scott (1991) each waiter watches a cache line of its own
 * and the lock stays fast with any number of them, but the first two threads
 * pay for a queue that they do not need, and the holder carries a node.
 *
 * Picture a counter at an office.  A few people stand at the window with their
 * tickets, watching the display; that is the ticket lock.  When the window is
 * full (threshold W, the one being served included), whoever comes next takes
 * a seat in the waiting room: a queue, each on a cache line of its own.  The
 * head of the room alone watches the window.  When fewer than two tickets are
 * out (or W, if that is less) it takes one, and once it is served it makes the
 * next in the room head.  The room therefore ends before the critical section
 * begins: the node is on the stack of the waiter, no unlock ever sees one, and
 * unlock is one store.  No queue is attached to the lock or taken off it:
 * arrivals join the room while somebody is in it, and tail says whether that is
 * so.
 *
 * An arrival looks at tail alone, and if it is 0 takes a ticket unseen, for
 * reading `next` just before the fetch-and-add on it costs up to a third of an
 * uncontended pair (NOTES.md, "What a peek costs").  If it then has to wait in
 * a full window it marks tail, and as long as the mark is up arrivals look at
 * the tickets first, a few nanoseconds slower.
 *
 * Order: first come, first served within the window, and within the room.
 * Between the two the room comes first: an attempt overtakes a thread in the
 * room only if its look at tail comes before that thread's joining, in the
 * order of tail's values.  So each other thread that is not ahead of it gets
 * the lock at most once before it does.  (At most once on machines where a
 * store becomes visible to all others at one moment, which all targets are; the
 * language would allow a thread more than one stale look.)  Tickets out at once
 * are at most W, plus one for each thread that looked before the window was
 * full and takes its ticket after: from idle, that may be all who arrive at
 * that instant.
 *
 * Assumptions: a holder is not kept off its CPU for long (policy spin), or
 * yields help (policy yield); threads that use the lock at once, plus W, stay
 * below 2^(TKT_TICKET_BITS - 1).
 *
 * When not to use it: across processes (waiters' nodes are on their stacks);
 * where critical sections sleep or last longer than a context switch (use a
 * mutex); recursively.  Waiting counts as holding: a signal handler that takes
 * a lock may wait for a thread that is queued behind its own, so block signals
 * around the lock if handlers lock.  Do not leave a call by longjmp or thread
 * cancellation; no call here is a cancellation point.
 *
 * State: (o, n, q): ticket o is served, n is the next to be handed out, q
 * threads are in the room.  n - o tickets are out; o = n means free.  The mark
 * is no part of the state: it says only who looks before taking a ticket.
 *
 *	    tkt_lock                  tkt_unlock
 *	(o,o,0) ------> (o,o+1,0) ------------------> (o+1,o+1,0)
 *	                  |    ^
 *	 arrival: n+1     |    |  unlock: o+1
 *	                  v    |
 *	                 (o,n,0)   n - o <= W, or a few more: see above
 *	                  |    ^
 *	 arrival: q+1     |    |  unlock: o+1, then, if n - o < min(2, W),
 *	                  v    |  the head: n+1, q-1
 *	                 (o,n,q)   more arrivals: q+1
 *
 * Torn peeks: where next and owner are read one after the other, the
 * difference can belong to no moment that ever was, and even be negative when
 * owner has passed the next we saw.  It is only ever used to choose where to
 * wait, and negative counts as "few": an error puts a ticket more into the
 * window, one per thread at most, or, after half a turn of the tickets between
 * the two reads, sends a thread to the room for nothing.  Exclusion rests on
 * owner alone: a thread holds the lock when it has read owner, after taking its
 * ticket, and found that ticket there.
 */
#ifndef TKT_LOCK_H
#define TKT_LOCK_H

#include "annotate.h"
#include "atomic.h"
#include "hooks.h"
#include "lock_types.h"
#include "slowpath.h"

#ifdef __cplusplus
extern "C" {
#endif

TKT_X_STATIC_ASSERT(sizeof(tkt_lock_t) == 16, "tkt: the lock is 16 bytes");

/*
 * Makes *l a free lock of the given policy (TKT_POLICY_*); needed only where a
 * static initialiser or zeroed memory will not do.  The caller sees to it that
 * nobody uses the lock before this is known to them.
 */
static inline void tkt_lock_init_policy(tkt_lock_t *l, enum tkt_policy policy)
{
	tkt_x_init(l);
	TKT_STORE(&l->owner, UINT32_C(0), TKT_RELAXED);
	TKT_STORE(&l->next, TKT_X_POLICY_BITS(policy), TKT_RELAXED);
	TKT_STORE(&l->tail, (uintptr_t)0, TKT_RELAXED);
}

/* The same, with the default policy. */
static inline void tkt_lock_init(tkt_lock_t *l)
{
	tkt_lock_init_policy(l, TKT_POLICY_DEFAULT);
}

/*
 * Ends the lock's life.  It must be free, with nobody waiting; the debug build
 * aborts otherwise.  Does nothing in a release build.  May be called, and the
 * memory freed, by a thread that has just locked and unlocked, if it knows
 * that nobody else will come: an unlock does not touch the lock after the
 * store that frees it.
 */
static inline void tkt_lock_destroy(tkt_lock_t *l)
{
	tkt_x_destroy(l);
	(void)l;
}

/*
 * Takes the lock, waiting for it as its policy says.  Acquires: sees all that
 * earlier holders did before they unlocked.  Must not be called by the thread
 * that holds it (deadlock; the debug build aborts).
 */
static inline void tkt_lock(tkt_lock_t *l) TKT_TSA_ACQUIRE(*l) TKT_TSA_OFF;
static inline void tkt_lock(tkt_lock_t *l)
{
	uintptr_t tail;
	uint32_t next, owner;

	tkt_x_want(l);
	tail = TKT_LOAD(&l->tail, TKT_RELAXED);
	if (TKT_X_LIKELY(!tail)) {
		next = tkt_x_take(l);
		/* A1: pairs with R1 */
		owner = TKT_LOAD(&l->owner, TKT_ACQUIRE);
		if (TKT_X_UNLIKELY(owner != (next & TKT_X_TICKETS)))
			tkt_w_arrive(l, next, owner);
	} else {
		tkt_spin_pass(l, tail);
	}
	tkt_x_taken(l);
}

/*
 * Takes the lock if it is free and nobody waits for it; returns whether it
 * did.  Never waits.  Acquires if it returns true; a failed try changes
 * nothing.  It may fail although the lock is free, when another thread is just
 * taking it.
 */
static inline bool tkt_trylock(tkt_lock_t *l)
	TKT_TSA_TRY_ACQUIRE(true, *l) TKT_TSA_OFF;
static inline bool tkt_trylock(tkt_lock_t *l)
{
	tkt_x_look(l);
	if (!tkt_x_try(l))
		return false;
	tkt_x_taken(l);
	return true;
}

/*
 * Tries for at most about `ns` nanoseconds, spinning, without ever queueing;
 * returns whether it has the lock.  The first try comes before the clock is
 * read.  For callers to whom a failure is worth more than that time: those
 * who would have to unlock other locks and start over.  Does not compete with
 * waiters of tkt_lock: while any wait in the room it fails.
 */
static inline bool tkt_tryspin(tkt_lock_t *l, uint64_t ns)
	TKT_TSA_TRY_ACQUIRE(true, *l) TKT_TSA_OFF;
static inline bool tkt_tryspin(tkt_lock_t *l, uint64_t ns)
{
	uint64_t now;

	if (tkt_trylock(l))
		return true;
	now = TKT_CLOCK_NS();
	if (!tkt_try_until(l, now > UINT64_MAX - ns ? UINT64_MAX : now + ns,
			   TKT_WAIT_SPIN))
		return false;
	tkt_x_taken(l);
	return true;
}

/* CLOCK_MONOTONIC in nanoseconds, for tkt_lock_until. */
static inline uint64_t tkt_clock_ns(void)
{
	return TKT_CLOCK_NS();
}

/*
 * Tries until the time `deadline`, in nanoseconds of CLOCK_MONOTONIC; returns
 * whether it has the lock.  At least one try is made even if the deadline has
 * passed.  Best effort: a ticket cannot be given back, so this does not queue,
 * and on a lock that always has waiters it may time out while others are
 * served.  TKT_NO_DEADLINE queues, as tkt_lock does.
 */
static inline bool tkt_lock_until(tkt_lock_t *l, uint64_t deadline)
	TKT_TSA_TRY_ACQUIRE(true, *l) TKT_TSA_OFF;
static inline bool tkt_lock_until(tkt_lock_t *l, uint64_t deadline)
{
	if (deadline == TKT_NO_DEADLINE) {
		tkt_lock(l);
		return true;
	}
	if (tkt_trylock(l))
		return true;
	if (!tkt_try_until(l, deadline,
			   tkt_x_policy(TKT_LOAD(&l->next, TKT_RELAXED)).wait))
		return false;
	tkt_x_taken(l);
	return true;
}

/*
 * Gives the lock up.  Releases.  Any thread may do it for the one that locked,
 * provided the two are synchronised.  One plain store; the lock is not touched
 * after it.
 */
static inline void tkt_unlock(tkt_lock_t *l) TKT_TSA_RELEASE(*l) TKT_TSA_OFF;
static inline void tkt_unlock(tkt_lock_t *l)
{
	tkt_x_release(l);
	/* R1: pairs with A1 to A3, W1 and W2.  (o,n,q) -> (o+1,n,q) */
	TKT_STORE(&l->owner, TKT_LOAD(&l->owner, TKT_RELAXED) + TKT_X_STEP,
		  TKT_RELEASE);
}

/*
 * Whether somebody holds the lock or has a ticket for it.  A glance, which may
 * be out of date at once, but was true at some moment of the call: of a lock
 * that passes from holder to holder it never says that it is free.  Not
 * ordered against the caller's earlier stores:
 * two threads that each announce something and then look for the other's lock
 * may both miss; tkt_is_locked_ordered() is for them.
 */
static inline bool tkt_is_locked(const tkt_lock_t *l)
{
	tkt_x_look(l);
	return tkt_x_out_now(l) != 0;
}

/*
 * The same, after a full fence: either this sees the lock held, or its holder,
 * once it has issued a full fence of its own inside the section, sees all that
 * the caller stored before.
 */
static inline bool tkt_is_locked_ordered(const tkt_lock_t *l)
{
	/* F1: pairs with the user's fence inside the section */
	TKT_FENCE_SC();
	return tkt_is_locked(l);
}

/* Whether anybody waits for the lock, in the window or the room. A glance. */
static inline bool tkt_is_contended(const tkt_lock_t *l)
{
	tkt_x_look(l);
	return tkt_x_room(TKT_LOAD(&l->tail, TKT_RELAXED)) ||
	       tkt_x_out_now(l) > tkt_x_limit(1);
}

#ifndef __cplusplus

static inline TKT_TSA_OFF tkt_lock_t *tkt_x_guard_enter(tkt_lock_t *l)
{
	tkt_lock(l);
	return l;
}

static inline TKT_TSA_OFF void tkt_x_guard_leave(tkt_lock_t **l)
{
	tkt_unlock(*l);
}

#define TKT_X_PASTE_(a, b) a##b
#define TKT_X_PASTE(a, b) TKT_X_PASTE_(a, b)

/*
 * TKT_GUARD(l): as a statement, locks l until the end of the enclosing block,
 * however that is left (not by longjmp).  Thread-safety analysis does not see
 * it.  In C++ use std::lock_guard with tkt::spinlock (cxx.h).
 */
#define TKT_GUARD(l)                                                  \
	tkt_lock_t *TKT_X_PASTE(tkt_x_guard_, __LINE__)               \
		__attribute__((cleanup(tkt_x_guard_leave), unused)) = \
			tkt_x_guard_enter(l)

#endif /* !__cplusplus */

#ifdef __cplusplus
}
#endif

#endif /* TKT_LOCK_H */
