/* SPDX-License-Identifier: MIT */
/*
 * check_order.c - the library's own promise of order, counted
 *
 * lock.h: an attempt overtakes a thread X in the room only if it looked at the
 * lock before X joined; so each thread that is not ahead of X gets the lock at
 * most once before X does.  And the room is served first come, first served.
 *
 * What is observed, without guessing:
 *
 *  - "X is in the room" is the event `queued`, which the lock raises once X
 *    has joined (order_hook.h).  X then notes how often each thread has had
 *    the lock, and after that draws a stamp.
 *  - Each attempt draws a stamp before it calls the lock.  A later stamp than
 *    X's means that the attempt began after X was in the room, however the
 *    threads were preempted.
 *  - Acquisitions are counted inside the section, so whoever is inside knows
 *    exactly which have been.
 *
 * So, for a thread T that gets the lock while X, in the room, has not:
 *
 *  - T's attempt did not begin later than X was in the room.
 *  - It is the only one of T's since X was in the room: T was ahead, or had a
 *    ticket, or had looked before.  (If T was already inside, but had not
 *    counted itself when X noted the counts, that is the one.)
 */
#include "stress.h"
#include "order_hook.h"

#include <stdlib.h>

struct record {
	uint64_t since; /* stamp of when it was in the room, 0: it is not */
	uint64_t taken; /* acquisitions so far */
	uint64_t queued;
	uint64_t seen[STRESS_MAX_THREADS]; /* theirs, when it queued */
} __attribute__((aligned(128)));

struct order {
	uint64_t stamp __attribute__((aligned(128)));
	struct guarded guarded;
	struct record thread[STRESS_MAX_THREADS];
};

static __thread struct worker *self;

static uint64_t draw_stamp(struct order *o)
{
	return TKT_FETCH_ADD(&o->stamp, UINT64_C(1), TKT_ACQ_REL) + 1;
}

/*
 * Whether the trial cannot but fill the window.  The default threshold is not
 * known here.
 */
static bool needs_room(const struct trial *t)
{
	return t->params.threshold != LOCK_THRESHOLD_DEFAULT &&
	       t->threads - t->trylocks > t->params.threshold;
}

void stress_event_queued(void)
{
	struct order *o;
	struct record *s;

	if (!self)
		return;
	o = self->harness->shared;
	s = &o->thread[self->id];
	s->queued++;
	if (needs_room(self->harness->trial))
		TKT_STORE(&self->met, self->met + 1, TKT_RELAXED);
	for (unsigned int i = 0; i < self->harness->trial->threads; i++)
		s->seen[i] = TKT_LOAD(&o->thread[i].taken, TKT_ACQUIRE);
	TKT_STORE(&s->since, draw_stamp(o), TKT_RELEASE);
}

/* Inside: whom has this thread, whose attempt drew `started`, overtaken? */
static void count_overtaken(struct order *o, uint64_t started)
{
	struct harness *r = self->harness;

	for (unsigned int i = 0; i < r->trial->threads; i++) {
		const uint64_t since =
			TKT_LOAD(&o->thread[i].since, TKT_ACQUIRE);

		if (i != self->id && since && since < started)
			harness_fail(
				r, "thread %u, later, overtook %u in the room",
				self->id, i);
	}
}

/* Inside: how often has each had the lock since this thread queued? */
static void count_overtakes(struct order *o)
{
	struct harness *r = self->harness;
	const struct record *s = &o->thread[self->id];

	if (!TKT_LOAD(&s->since, TKT_RELAXED))
		return;
	for (unsigned int i = 0; i < r->trial->threads; i++) {
		const uint64_t taken =
			TKT_LOAD(&o->thread[i].taken, TKT_RELAXED) - s->seen[i];

		if (taken > 1)
			harness_fail(r,
				     "thread %u had the lock %llu times while"
				     " %u was in the room",
				     i, (unsigned long long)taken, self->id);
	}
}

static void order_section(struct order *o, uint64_t started)
{
	struct record *s = &o->thread[self->id];

	count_overtaken(o, started);
	count_overtakes(o);
	TKT_STORE(&s->since, UINT64_C(0), TKT_RELEASE);
	TKT_STORE(&s->taken, s->taken + 1, TKT_RELEASE);
	guarded_visit(self, &o->guarded);
}

static void order_body(struct worker *w)
{
	struct order *o = w->harness->shared;
	const struct lock_ops *ops = w->harness->trial->ops;
	const bool tries = w->id < w->harness->trial->trylocks;

	self = w;
	while (worker_again(w)) {
		const uint64_t started = draw_stamp(o);

		/* Where there must be a room, only that counts. */
		if (!needs_room(w->harness->trial))
			worker_look(w);
		if (!tries)
			worker_lock(w, 0, 0);
		else if (!ops->trylock(harness_lock(w->harness, 0), w->ctx))
			continue;
		order_section(o, started);
		worker_count(w);
		worker_unlock(w, 0, 0);
	}
	self = NULL;
}

/* One run; *queued: how often a thread went to the room. */
static const char *order_once(const struct trial *t, uint64_t *queued)
{
	struct harness *r = harness_new(t, "order", 1);
	struct order *o = aligned_alloc(128, sizeof(*o));

	if (!o)
		abort();
	*o = (struct order){ .stamp = 0 };
	r->shared = o;
	harness_run(r, order_body);
	*queued = 0;
	for (unsigned int i = 0; i < t->threads; i++)
		*queued += o->thread[i].queued;
	free(o);
	return harness_end(r);
}

#define ORDER_TRIES 5

/*
 * Finds overtaking beyond what lock.h promises, and two holders at once.  If
 * there are more threads than places in the window, the room must be used, or
 * nothing is tested; a busy machine may keep the threads from meeting, but not
 * again and again.
 */
const char *check_order(const struct trial *t)
{
	const char *verdict;
	uint64_t queued;

	for (int i = 0; i < ORDER_TRIES; i++) {
		verdict = order_once(t, &queued);
		if (verdict || queued || !needs_room(t))
			return verdict;
	}
	return "order: the room was never used";
}
