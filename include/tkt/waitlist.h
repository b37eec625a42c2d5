/* SPDX-License-Identifier: MIT */
/*
 * tkt/waitlist.h - queues of sleeping threads, under any lock
 *
 * The wait queues of Unix kernels: a thread that needs a condition puts an
 * entry on a queue, looks at the condition once more, and sleeps; whoever
 * makes the condition true wakes the queue.  Entries are exclusive or not: a
 * wake-up reaches all that are not, and as many of the exclusive ones as it
 * says, in order of arrival.  An entry can have a wake function of its own,
 * which decides whether the wake-up is for it and whether it counts.
 *
 *	waiter                              waker
 *	prepare_to_wait   on the queue      condition = true
 *	condition?  no                      wake_up
 *	wait_sleep                             under the lock: claim entries
 *	condition?  yes                        after it: deliver, futex wake
 *	finish_wait       off the queue
 *
 * What is changed for user space: a thread sleeps on a futex in its own entry,
 * on its own stack.  A waker takes entries off the queue under the queue's
 * lock but wakes them after it, so that no system call is made under a
 * spinlock and nobody wakes up only to wait for that lock.  An entry that has
 * been told may be gone the next moment: from there on the waker has only its
 * address.  So a woken thread needs no lock to leave, and the waker touches
 * the queue no more once it has woken the first.
 *
 * The lock can be any.  Here is the queue without it, whose functions say when
 * the caller has to hold it; waitqueue.h adds a tkt_lock_t, with functions that
 * take it, and is what most users want.
 *
 * Wake-ups are not lost if the waker makes the condition true and then takes
 * the lock, as the waiter does before it looks: either the waker finds the
 * entry, or the waiter, whose lock section came later, finds the condition
 * true.  A waker that looks whether anybody waits before it takes the lock
 * gives that up; tkt_waitlist_active_ordered() is for it.
 *
 * One wake-up of an exclusive entry is worth one turn at the condition.  A
 * waiter that was woken and does not want its turn (the time is up, a signal
 * came), or had it already, must pass it on: tkt_abort_wait() of waitqueue.h.
 *
 * When not to use it: across processes; for waits shorter than a context
 * switch (some microseconds), since it never spins; from signal handlers.
 *
 * State of an entry; only a waker with the lock moves it from QUEUED to
 * CLAIMED, only that waker from there on to WOKEN, and only the waiter
 * otherwise:
 *
 *	          prepare              wake function             delivery
 *	IDLE ---------------> QUEUED ----------------> CLAIMED ----------> WOKEN
 *	  ^   lock  LEAVING <----'  leave                                    |
 *	  `------------'                          leave, or prepare again    |
 *	  `------------------------------------------------------------------'
 */
#ifndef TKT_WAITLIST_H
#define TKT_WAITLIST_H

#include <errno.h>
#include <limits.h>

#include "annotate.h"
#include "atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TKT_X_WL_IDLE UINT32_C(0)    /* on no list */
#define TKT_X_WL_QUEUED UINT32_C(1)  /* on the queue's list */
#define TKT_X_WL_CLAIMED UINT32_C(2) /* on the list of the waker that took it */
#define TKT_X_WL_WOKEN UINT32_C(3) /* on no list; the waker has let go of it */
#define TKT_X_WL_LEAVING \
	UINT32_C(4) /* on the queue's list, not to be claimed */
#define TKT_X_WL_STAGE UINT32_C(7)
/*
 * Above these: the waiter sleeps on the word, or is about to.  Raised by the
 * waiter, when it may be WOKEN already; lowered when it prepares again.
 */
#define TKT_X_WL_ASLEEP UINT32_C(8)

struct tkt_waiter;

/*
 * The wake function of an entry.  Called by a waker with the queue's lock held;
 * `key` is what the waker passed.  Takes the entry with tkt_waiter_claim() or
 * leaves it where it is, and returns whether that counts as one of the
 * exclusive entries which the waker wants to wake.  Must not sleep, nor take
 * the queue's lock.
 */
typedef bool tkt_wake_fn(struct tkt_waiter *w, const void *key);

/*
 * An entry, on the stack of the thread that waits.  wake may be set before the
 * first use; everything else is private.  The lock of the queue protects next,
 * prev and exclusive while the entry is QUEUED or LEAVING; while it is CLAIMED
 * its waker owns next.
 */
struct tkt_waiter {
	struct tkt_waiter *next, *prev;
	tkt_wake_fn *wake;
	uint32_t state;	    /* the waiter's futex; TKT_X_WL_* above */
	uint32_t exclusive; /* 0 or 1 */
};

/* A queue without its lock.  All-zero memory is an empty one. */
struct tkt_waitlist {
	struct tkt_waiter *first, *last; /* not exclusive ones, then others */
};

/* Entries that a waker has claimed and is to wake. All zero: none. */
struct tkt_wakes {
	struct tkt_waiter *first, *last;
};

#define TKT_WAITLIST_INIT  \
	{                  \
		NULL, NULL \
	}
/* An entry with the given wake function, tkt_wake_default or another. */
#define TKT_WAITER_INIT(wake)                                \
	{                                                    \
		NULL, NULL, (wake), UINT32_C(0), UINT32_C(0) \
	}

/* Wakes all exclusive entries, too. */
#define TKT_WAKE_ALL UINT_MAX

/*
 * In a wake function: takes the entry for the waker, if it still waits;
 * returns whether it did.
 */
static inline bool tkt_waiter_claim(struct tkt_waiter *w)
{
	uint32_t state = TKT_LOAD(&w->state, TKT_RELAXED);

	/* Two turns at most: the waiter raises TKT_X_WL_ASLEEP once. */
	while ((state & TKT_X_WL_STAGE) == TKT_X_WL_QUEUED)
		if (TKT_CAS(&w->state, &state,
			    TKT_X_WL_CLAIMED | (state & TKT_X_WL_ASLEEP),
			    TKT_RELAXED, TKT_RELAXED))
			return true;
	return false;
}

/*
 * Wake functions.  The default takes each entry that still waits, and counts
 * those; one whose thread is on its way out already does not use up a
 * wake-up, which the next gets.  The other counts it all the same.
 */
static inline bool tkt_wake_default(struct tkt_waiter *w, const void *key)
{
	(void)key;
	return tkt_waiter_claim(w);
}

static inline bool tkt_wake_always_counts(struct tkt_waiter *w, const void *key)
{
	(void)key;
	(void)tkt_waiter_claim(w);
	return true;
}

/* Under the lock: off the list. */
static inline void tkt_x_wl_unlink(struct tkt_waitlist *list,
				   struct tkt_waiter *w)
{
	struct tkt_waiter *next = TKT_READ(&w->next);
	struct tkt_waiter *prev = TKT_READ(&w->prev);

	if (next)
		TKT_WRITE(&next->prev, prev);
	else
		TKT_WRITE(&list->last, prev);
	if (prev)
		TKT_WRITE(&prev->next, next);
	else
		TKT_STORE(&list->first, next, TKT_RELAXED);
}

/* Under the lock: in front of all, or behind all. */
static inline void tkt_x_wl_link(struct tkt_waitlist *list,
				 struct tkt_waiter *w, bool front)
{
	struct tkt_waiter *first = TKT_LOAD(&list->first, TKT_RELAXED);
	struct tkt_waiter *last = first ? TKT_READ(&list->last) : NULL;

	TKT_WRITE(&w->next, front ? first : NULL);
	TKT_WRITE(&w->prev, front ? NULL : last);
	if (!first || front)
		TKT_STORE(&list->first, w, TKT_RELAXED);
	else
		TKT_WRITE(&last->next, w);
	if (!first || !front)
		TKT_WRITE(&list->last, w);
	else
		TKT_WRITE(&first->prev, w);
}

static inline void tkt_x_wl_prepare(struct tkt_waitlist *list,
				    struct tkt_waiter *w, bool exclusive)
{
	/* WQ1: pairs with WQ3; the waker's last access to next is over. */
	const uint32_t state = TKT_LOAD(&w->state, TKT_ACQUIRE) &
			       TKT_X_WL_STAGE;

	if (state == TKT_X_WL_QUEUED || state == TKT_X_WL_CLAIMED)
		return;
	if (state == TKT_X_WL_WOKEN)
		TKT_NODE_DEATH(w);
	TKT_WRITE(&w->exclusive, (uint32_t)exclusive);
	TKT_STORE(&w->state, TKT_X_WL_QUEUED, TKT_RELAXED);
	TKT_NODE_BIRTH(w);
	tkt_x_wl_link(list, w, !exclusive);
	/*
	 * WQ2: pairs with WQ4.  A waker that looks without the lock sees the
	 * entry, or the waiter's look at the condition, which comes after
	 * this, sees what the waker did before; without it both may miss.
	 */
	TKT_FENCE_SC();
}

/*
 * With the lock of the list held: puts the entry on it, exclusive or not; to
 * be followed, after unlocking, by a look at the condition.  Does nothing to
 * an entry that is on it already, or has been claimed by a waker since it was:
 * tkt_wait_sleep() then returns at once, or soon.
 */
static inline void tkt_prepare_to_wait_locked(struct tkt_waitlist *list,
					      struct tkt_waiter *w)
{
	tkt_x_wl_prepare(list, w, false);
}

static inline void
tkt_prepare_to_wait_exclusive_locked(struct tkt_waitlist *list,
				     struct tkt_waiter *w)
{
	tkt_x_wl_prepare(list, w, true);
}

/*
 * With the lock of the list held: claims what a wake-up with this key reaches:
 * all entries that are not exclusive, and so many of the exclusive ones that
 * `exclusive` of them count.  Adds them to *wakes, for tkt_wakes_deliver().
 * Returns how many exclusive ones counted.
 */
static inline unsigned int tkt_wake_up_locked(struct tkt_waitlist *list,
					      unsigned int exclusive,
					      const void *key,
					      struct tkt_wakes *wakes)
{
	struct tkt_waiter *w = TKT_LOAD(&list->first, TKT_RELAXED), *next;
	unsigned int counted = 0;

	for (; w; w = next) {
		const bool one = TKT_READ(&w->exclusive);

		if (one && counted == exclusive)
			break;
		next = TKT_READ(&w->next);
		counted += TKT_READ(&w->wake)(w, key) && one;
		if ((TKT_LOAD(&w->state, TKT_RELAXED) & TKT_X_WL_STAGE) !=
		    TKT_X_WL_CLAIMED)
			continue;
		tkt_x_wl_unlink(list, w);
		TKT_WRITE(&w->next, (struct tkt_waiter *)NULL);
		if (wakes->first)
			TKT_WRITE(&wakes->last->next, w);
		else
			wakes->first = w;
		wakes->last = w;
	}
	return counted;
}

/*
 * After unlocking: wakes what was claimed, and leaves *wakes empty.  Must
 * follow soon, for a thread whose entry is claimed cannot leave.  Releases:
 * they see what the caller did before.
 */
static inline void tkt_wakes_deliver(struct tkt_wakes *wakes)
{
	struct tkt_waiter *w = wakes->first, *next;

	for (; w; w = next) {
		uint32_t *word = &w->state;

		next = TKT_READ(&w->next);
		/*
		 * WQ3: pairs with WQ1 and WQ5 to WQ7.  Without release the entry
		 * could be gone, or on a list again, before the read above.
		 * From here on it may be: the word is an address only.
		 */
		if (TKT_XCHG(word, TKT_X_WL_WOKEN, TKT_RELEASE) &
		    TKT_X_WL_ASLEEP)
			TKT_FUTEX_WAKE(word, 1);
	}
	wakes->first = wakes->last = NULL;
}

/*
 * Sleeps until the entry is woken, or until the time `deadline`, in
 * nanoseconds of CLOCK_MONOTONIC, or TKT_NO_DEADLINE, or until a signal handler
 * has run on this thread.  Returns 0 (woken, or not queued at all), ETIMEDOUT
 * or EINTR; then the entry is still on its queue, or has been woken since.
 * Acquires what its waker released if it returns 0.  No lock is needed.
 */
TKT_X_SLOW int tkt_wait_sleep(struct tkt_waiter *w, uint64_t deadline)
{
	int err = 0;

	for (;;) {
		/* WQ5: pairs with WQ3 */
		const uint32_t state = TKT_LOAD(&w->state, TKT_ACQUIRE);
		const uint32_t stage = state & TKT_X_WL_STAGE;

		if (stage != TKT_X_WL_QUEUED && stage != TKT_X_WL_CLAIMED)
			return 0;
		if (err == ETIMEDOUT || err == EINTR)
			return err;
		if (state & TKT_X_WL_ASLEEP)
			err = TKT_FUTEX_WAIT(&w->state, state, deadline);
		else
			(void)TKT_FETCH_OR(&w->state, TKT_X_WL_ASLEEP,
					   TKT_RELAXED);
	}
}

/*
 * The thread makes use of the wake-up it has had, if any: a wait that ends
 * later does not pass it on.
 */
static inline void tkt_waiter_use(struct tkt_waiter *w)
{
	/* WQ7: pairs with WQ3, as WQ6 does */
	const uint32_t state = TKT_LOAD(&w->state, TKT_ACQUIRE);

	if ((state & TKT_X_WL_STAGE) != TKT_X_WL_WOKEN)
		return;
	TKT_STORE(&w->state, TKT_X_WL_IDLE, TKT_RELAXED);
	TKT_NODE_DEATH(w);
}

/* What tkt_wait_leave() found. */
enum tkt_left {
	TKT_LEFT_IDLE,	 /* not queued, and not woken since it was */
	TKT_LEFT_WOKEN,	 /* woken: off the queue, and one wake-up used up */
	TKT_LEFT_LISTED, /* still on the list: tkt_waitlist_remove() is due */
};

/*
 * Ends a wait, without the lock: no waker claims the entry after this.  Waits
 * for a waker that just has; acquires what it released.
 */
static inline enum tkt_left tkt_wait_leave(struct tkt_waiter *w)
{
	for (;;) {
		/* WQ6: pairs with WQ3 */
		uint32_t state = TKT_LOAD(&w->state, TKT_ACQUIRE);

		switch (state & TKT_X_WL_STAGE) {
		case TKT_X_WL_QUEUED:
			if (TKT_CAS(&w->state, &state, TKT_X_WL_LEAVING,
				    TKT_RELAXED, TKT_RELAXED))
				return TKT_LEFT_LISTED;
			break;
		case TKT_X_WL_CLAIMED:
			(void)tkt_wait_sleep(w, TKT_NO_DEADLINE);
			break;
		case TKT_X_WL_WOKEN:
			tkt_waiter_use(w);
			return TKT_LEFT_WOKEN;
		default:
			return TKT_LEFT_IDLE;
		}
	}
}

/* With the lock of the list held, after TKT_LEFT_LISTED: off the list. */
static inline void tkt_waitlist_remove(struct tkt_waitlist *list,
				       struct tkt_waiter *w)
{
	tkt_x_wl_unlink(list, w);
	TKT_STORE(&w->state, TKT_X_WL_IDLE, TKT_RELAXED);
	TKT_NODE_DEATH(w);
}

/*
 * Whether the list has entries.  A glance without the lock, or, with it, the
 * truth.  Not ordered against the caller's earlier stores: a waker that made
 * the condition true, sees nobody here and wakes nobody may leave a thread
 * asleep for ever that looked at the condition just before.
 */
static inline bool tkt_waitlist_active(const struct tkt_waitlist *list)
{
	return TKT_LOAD(&list->first, TKT_RELAXED) != NULL;
}

/*
 * The same for wakers without the lock: if it returns false, everybody who
 * prepares to wait from now on sees what the caller stored before.  A full
 * fence.
 */
static inline bool tkt_waitlist_active_ordered(const struct tkt_waitlist *list)
{
	/* WQ4: pairs with WQ2 */
	TKT_FENCE_SC();
	return tkt_waitlist_active(list);
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_WAITLIST_H */
