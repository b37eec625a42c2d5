/* SPDX-License-Identifier: MIT */
/* src/kernels/bufwait_sleep.c - sections, sleeps, and lost wake-ups noticed */
#include <tkt/atomic.h>

#include "bufwait_parts.h"

/* Short against a run, long against a wait. */
#define SLICE_NS UINT64_C(5000000)

void bufwait_is(struct bufwait_thread *t, enum bufwait_where where)
{
	const uint32_t old = TKT_LOAD(&t->where, TKT_RELAXED);

	/* Releases what the thread did before to a sleeper that looks. */
	TKT_STORE(&t->where, (old & ~3u) + 4 + where, TKT_RELEASE);
}

bool bufwait_enter(struct bufwait *b, struct bufwait_thread *t,
		   struct bufwait_queue *q)
{
	struct bufwait_inner *in = bufwait_inner(b, q);

	b->lock->lock(q->lines[0], &t->ctx);
	/* Relaxed: the order is the lock's to make. */
	if (TKT_XCHG(&in->inside, 1u, TKT_RELAXED)) {
		t->intruders++;
		TKT_STORE(&b->broken, 1u, TKT_RELAXED);
		b->lock->unlock(q->lines[0], &t->ctx);
		return false;
	}
	if (!bufwait_broken(b))
		return true;
	bufwait_leave(b, t, q);
	return false;
}

void bufwait_leave(struct bufwait *b, struct bufwait_thread *t,
		   struct bufwait_queue *q)
{
	TKT_STORE(&bufwait_inner(b, q)->inside, 0u, TKT_RELAXED);
	b->lock->unlock(q->lines[0], &t->ctx);
}

/*
 * Whether no other thread is in a step and awake, or about to wake up; and the
 * sum of their counts of changes.  These only grow, so if the sum is the same
 * the next time, nothing has happened in between.
 */
static bool quiet(struct bufwait *b, const struct bufwait_thread *me,
		  uint64_t *changes)
{
	*changes = 0;
	for (unsigned int i = 0; i < b->threads; i++) {
		const struct bufwait_thread *t = &b->thread[i];
		const uint32_t where = TKT_LOAD(&t->where, TKT_ACQUIRE);
		const uint32_t stage =
			TKT_LOAD(&t->waiter.waiter.state, TKT_ACQUIRE) &
			TKT_X_WL_STAGE;

		if (t == me)
			continue;
		if ((where & 3u) == BUFWAIT_RUNNING ||
		    ((where & 3u) == BUFWAIT_ASLEEP &&
		     stage != TKT_X_WL_QUEUED))
			return false;
		*changes += where;
	}
	return true;
}

/* After a slice: ready, or not; with a wake-up lost if ready in the quiet. */
static bool look_around(struct bufwait *b, struct bufwait_thread *t,
			bool (*ready)(struct bufwait *b, void *arg), void *arg)
{
	uint64_t before, after;
	const bool was_quiet = quiet(b, t, &before);
	const uint32_t stage = TKT_LOAD(&t->waiter.waiter.state, TKT_RELAXED) &
			       TKT_X_WL_STAGE;
	const bool got = ready(b, arg);

	if (got && was_quiet && stage == TKT_X_WL_QUEUED &&
	    quiet(b, t, &after) && before == after)
		t->lost++;
	return got;
}

static void put_on(struct tkt_waitlist *list, struct tkt_waiter *w,
		   bool exclusive)
{
	if (exclusive)
		tkt_prepare_to_wait_exclusive_locked(list, w);
	else
		tkt_prepare_to_wait_locked(list, w);
}

bool bufwait_wait(struct bufwait *b, struct bufwait_thread *t,
		  struct bufwait_queue *q, bool exclusive,
		  bool (*ready)(struct bufwait *b, void *arg), void *arg)
{
	struct tkt_waitlist *list = &bufwait_inner(b, q)->list;
	struct tkt_waiter *w = &t->waiter.waiter;
	bool got = false;

	while (!got && bufwait_enter(b, t, q)) {
		put_on(list, w, exclusive);
		bufwait_leave(b, t, q);
		got = ready(b, arg);
		if (got)
			break;
		bufwait_is(t, BUFWAIT_ASLEEP);
		if (tkt_wait_sleep(w, TKT_CLOCK_NS() + SLICE_NS))
			got = look_around(b, t, ready, arg);
		bufwait_is(t, BUFWAIT_RUNNING);
		got = got || ready(b, arg);
	}
	if (tkt_wait_leave(w) == TKT_LEFT_LISTED && bufwait_enter(b, t, q)) {
		tkt_waitlist_remove(list, w);
		bufwait_leave(b, t, q);
	}
	return got;
}

void bufwait_wake(struct bufwait *b, struct bufwait_thread *t,
		  struct bufwait_queue *q, const struct tkt_bit *key)
{
	struct tkt_wakes wakes = { NULL, NULL };

	if (!bufwait_enter(b, t, q))
		return;
	(void)tkt_wake_up_locked(&bufwait_inner(b, q)->list, 1, key, &wakes);
	bufwait_leave(b, t, q);
	tkt_wakes_deliver(&wakes);
}
