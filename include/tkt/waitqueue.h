/* SPDX-License-Identifier: MIT */
/*
 * tkt/waitqueue.h - queues of sleeping threads, with a lock of their own
 *
 * struct tkt_waitqueue is the queue of waitlist.h, which explains it, together
 * with a tkt_lock_t, which the functions here take.  The usual way to wait is
 * one of
 *
 *	TKT_WAIT_EVENT(q, condition)
 *	TKT_WAIT_EVENT_UNTIL(q, condition, deadline)
 *	TKT_WAIT_EVENT_EXCLUSIVE(q, condition)
 *	TKT_WAIT_EVENT_FULL(q, condition, exclusive, deadline, interruptible)
 *
 * and to wake:
 *
 *	make the condition true;
 *	tkt_wake_up(q, 1);       or TKT_WAKE_ALL
 *
 * Where these do not fit, the same by hand; each step is a function:
 *
 *	struct tkt_waiter w = TKT_WAITER_INIT(tkt_wake_default);
 *
 *	for (;;) {
 *		tkt_prepare_to_wait(q, &w);
 *		if (condition)
 *			break;
 *		(void)tkt_wait_sleep(&w, TKT_NO_DEADLINE);
 *	}
 *	(void)tkt_finish_wait(q, &w);
 *
 * An entry waits on one queue at a time.  The condition is evaluated without
 * any lock of the library's, so what it reads must be atomic or protected by
 * the caller.
 */
#ifndef TKT_WAITQUEUE_H
#define TKT_WAITQUEUE_H

#include "annotate.h"
#include "atomic.h"
#include "lock.h"
#include "waitlist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A queue and its lock; 32 bytes.  All-zero memory is an empty one. */
struct tkt_waitqueue {
	tkt_lock_t lock;
	struct tkt_waitlist list;
};

#define TKT_WAITQUEUE_INIT                       \
	{                                        \
		TKT_LOCK_INIT, TKT_WAITLIST_INIT \
	}

/*
 * Makes *q an empty queue; needed only where a static initialiser or zeroed
 * memory will not do.  A queue needs no end: its memory may go once nobody
 * uses it.  A thread that was woken from it uses it no more, nor does a waker
 * once the first thread is awake.
 */
static inline void tkt_waitqueue_init(struct tkt_waitqueue *q)
{
	tkt_lock_init(&q->lock);
	TKT_STORE(&q->list.first, (struct tkt_waiter *)NULL, TKT_RELAXED);
	TKT_WRITE(&q->list.last, (struct tkt_waiter *)NULL);
}

/*
 * Puts the entry on the queue, in front of the exclusive ones.  Look at the
 * condition afterwards, then sleep.  Does nothing if it is there already.
 */
static inline void tkt_prepare_to_wait(struct tkt_waitqueue *q,
				       struct tkt_waiter *w)
{
	tkt_lock(&q->lock);
	tkt_prepare_to_wait_locked(&q->list, w);
	tkt_unlock(&q->lock);
}

/* The same as an exclusive entry, behind all others. */
static inline void tkt_prepare_to_wait_exclusive(struct tkt_waitqueue *q,
						 struct tkt_waiter *w)
{
	tkt_lock(&q->lock);
	tkt_prepare_to_wait_exclusive_locked(&q->list, w);
	tkt_unlock(&q->lock);
}

/*
 * Wakes all entries that are not exclusive, and `exclusive` of those that are,
 * or TKT_WAKE_ALL; key goes to the wake functions.  Returns how many exclusive
 * ones counted.  Releases: they see what the caller did before.
 */
static inline unsigned int tkt_wake_up_key(struct tkt_waitqueue *q,
					   unsigned int exclusive,
					   const void *key)
{
	struct tkt_wakes wakes = { NULL, NULL };
	unsigned int counted;

	tkt_lock(&q->lock);
	counted = tkt_wake_up_locked(&q->list, exclusive, key, &wakes);
	tkt_unlock(&q->lock);
	tkt_wakes_deliver(&wakes);
	return counted;
}

/* The same without a key. */
static inline unsigned int tkt_wake_up(struct tkt_waitqueue *q,
				       unsigned int exclusive)
{
	return tkt_wake_up_key(q, exclusive, NULL);
}

/*
 * Ends a wait: takes the entry off the queue if it is still there.  Returns
 * whether it was woken since it was last prepared; acquires what its waker
 * released, if so.  The entry may go, or be used again.  For a thread that has
 * what it waited for because it was woken; see tkt_abort_wait().
 */
static inline bool tkt_finish_wait(struct tkt_waitqueue *q,
				   struct tkt_waiter *w)
{
	const enum tkt_left left = tkt_wait_leave(w);

	if (left == TKT_LEFT_LISTED) {
		tkt_lock(&q->lock);
		tkt_waitlist_remove(&q->list, w);
		tkt_unlock(&q->lock);
	}
	return left == TKT_LEFT_WOKEN;
}

/*
 * The same for a thread with an exclusive entry that gives up, or that has
 * found the condition true by itself: if it was woken all the same, that
 * wake-up goes to the next entry, with the given key.  Without this, one that
 * races with a time limit or a signal is swallowed, and the next waiter sleeps
 * on although it is its turn.
 */
static inline bool tkt_abort_wait(struct tkt_waitqueue *q, struct tkt_waiter *w,
				  const void *key)
{
	const bool exclusive = TKT_READ(&w->exclusive);
	const bool woken = tkt_finish_wait(q, w);

	if (woken && exclusive)
		(void)tkt_wake_up_key(q, 1, key);
	return woken;
}

/*
 * Whether anybody waits: tkt_waitlist_active() and tkt_waitlist_active_ordered(),
 * whose warning holds.  To save a waker the lock:
 *
 *	make the condition true;
 *	if (tkt_waitqueue_active_ordered(q))
 *		tkt_wake_up(q, 1);
 */
static inline bool tkt_waitqueue_active(const struct tkt_waitqueue *q)
{
	return tkt_waitlist_active(&q->list);
}

static inline bool tkt_waitqueue_active_ordered(const struct tkt_waitqueue *q)
{
	return tkt_waitlist_active_ordered(&q->list);
}

/* The parts of TKT_WAIT_EVENT_FULL that are no macro. */
static inline void tkt_x_wq_prepare(struct tkt_waitqueue *q,
				    struct tkt_waiter *w, bool exclusive)
{
	if (exclusive)
		tkt_prepare_to_wait_exclusive(q, w);
	else
		tkt_prepare_to_wait(q, w);
}

static inline int tkt_x_wq_sleep(struct tkt_waiter *w, uint64_t deadline,
				 bool interruptible)
{
	const int err = tkt_wait_sleep(w, deadline);

	return err == EINTR && !interruptible ? 0 : err;
}

/*
 * Waits until the expression `condition` is true: 0; or, ETIMEDOUT, until the
 * time `deadline` (nanoseconds of CLOCK_MONOTONIC, or TKT_NO_DEADLINE); or, if
 * `interruptible`, EINTR, until a signal handler has run on this thread.  The
 * condition is evaluated at least once, and once more at the end, so that 0 is
 * returned whenever it was true then; it may have effects, such as taking
 * something.  A wake-up that this thread makes no use of goes to the next.
 * The macro evaluates q, deadline and the two flags more than once.
 */
#define TKT_WAIT_EVENT_FULL(q, condition, exclusive, deadline, interruptible)  \
	__extension__({                                                        \
		struct tkt_waiter tkt_x_w = TKT_WAITER_INIT(tkt_wake_default); \
		bool tkt_x_got = (condition);                                  \
		int tkt_x_err = 0;                                             \
                                                                               \
		while (!tkt_x_got && !tkt_x_err) {                             \
			tkt_x_wq_prepare((q), &tkt_x_w, (exclusive));          \
			tkt_x_got = (condition);                               \
			if (tkt_x_got)                                         \
				break;                                         \
			tkt_x_err = tkt_x_wq_sleep(&tkt_x_w, (deadline),       \
						   (interruptible));           \
			tkt_x_got = (condition);                               \
			if (tkt_x_got)                                         \
				tkt_waiter_use(&tkt_x_w);                      \
		}                                                              \
		(void)tkt_abort_wait((q), &tkt_x_w, NULL);                     \
		tkt_x_got ? 0 : tkt_x_err;                                     \
	})

/* Waits until the condition is true. */
#define TKT_WAIT_EVENT(q, condition) \
	((void)TKT_WAIT_EVENT_FULL(q, condition, false, TKT_NO_DEADLINE, false))

/* The same as an exclusive entry: for a condition that is one thread's only. */
#define TKT_WAIT_EVENT_EXCLUSIVE(q, condition) \
	((void)TKT_WAIT_EVENT_FULL(q, condition, true, TKT_NO_DEADLINE, false))

/* Waits until it is true or the time is `deadline`; returns whether it is. */
#define TKT_WAIT_EVENT_UNTIL(q, condition, deadline) \
	(!TKT_WAIT_EVENT_FULL(q, condition, false, deadline, false))

#ifdef __cplusplus
}
#endif

#endif /* TKT_WAITQUEUE_H */
