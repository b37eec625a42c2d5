/* SPDX-License-Identifier: MIT */
/* check_glance.c - is_locked, from outside */
#include <tkt.h>

#include "stress.h"

struct glance {
	uint32_t held; /* once the lock has been taken for the first time */
	uint32_t over; /* no more looks */
};

/* Gives the lock up only when the next one has a ticket for it. */
static void hand_over(struct worker *w, tkt_lock_t *l, struct glance *s)
{
	while (!TKT_LOAD(&s->over, TKT_ACQUIRE)) {
		tkt_lock(l);
		TKT_STORE(&s->held, 1u, TKT_RELEASE);
		while (!tkt_is_contended(l) && !TKT_LOAD(&s->over, TKT_ACQUIRE))
			TKT_YIELD(&l->next, 0u);
		worker_count(w);
		tkt_unlock(l);
	}
}

static void glance_body(struct worker *w)
{
	tkt_lock_t *l = harness_lock(w->harness, 0);
	struct glance *s = w->harness->shared;

	if (w->id) {
		hand_over(w, l, s);
		return;
	}
	while (!TKT_LOAD(&s->held, TKT_ACQUIRE))
		TKT_YIELD(&s->held, 0u);
	while (worker_again(w)) {
		if (!(w->done % 2 ? tkt_is_locked_ordered(l)
				  : tkt_is_locked(l)))
			harness_fail(w->harness, "held, but look %llu says no",
				     (unsigned long long)w->done);
		worker_count(w);
	}
	TKT_STORE(&s->over, 1u, TKT_RELEASE);
}

/*
 * Finds an is_locked that mixes two moments: the lock is handed over again and
 * again, by threads that never let it be free, and thread 0 looks at it.  At
 * least three threads, and room for all of them in the window.
 */
const char *check_glance(const struct trial *t)
{
	struct harness *r = harness_new(t, "is_locked", 1);
	struct glance s = { 0, 0 };

	r->shared = &s;
	harness_run(r, glance_body);
	return harness_end(r);
}

#define SETS 512u

/* Announcement and lock, on lines of their own. */
struct set {
	uint32_t announced __attribute__((aligned(128)));
	tkt_lock_t lock __attribute__((aligned(128)));
	uint32_t arrived __attribute__((aligned(128)));
	bool saw_lock, saw_announced;
};

/* Both threads go on within few cycles of each other, if both have a CPU. */
static void meet(uint32_t *arrived)
{
	TKT_FETCH_ADD(arrived, 1u, TKT_ACQ_REL);
	for (unsigned int i = 1; TKT_LOAD(arrived, TKT_ACQUIRE) < 2; i++)
		if (i % 4096 == 0)
			TKT_YIELD(arrived, 1u);
}

static void announce_body(struct worker *w)
{
	struct set *set = w->harness->shared;

	for (unsigned int i = 0; i < SETS; i++) {
		meet(&set[i].arrived);
		if (w->id) {
			tkt_lock(&set[i].lock);
			TKT_FENCE_SC();
			set[i].saw_announced =
				TKT_LOAD(&set[i].announced, TKT_RELAXED);
		} else {
			TKT_STORE(&set[i].announced, 1u, TKT_RELAXED);
			set[i].saw_lock = tkt_is_locked_ordered(&set[i].lock);
		}
		worker_count(w);
	}
}

/*
 * Finds an ordered form that is not: one thread announces something and looks
 * at the lock, the other locks and looks for the announcement; one of the two
 * must see the other.  Two threads, and two CPUs, or nothing is found.
 */
const char *check_announce(const struct trial *t)
{
	static struct set set[SETS];
	struct harness *r = harness_new(t, "is_locked_ordered", 1);
	const uint64_t until = TKT_CLOCK_NS() + t->ms * UINT64_C(1000000);

	r->shared = set;
	do {
		for (unsigned int i = 0; i < SETS; i++)
			set[i] = (struct set){ .announced = 0 };
		harness_run(r, announce_body);
		for (unsigned int i = 0; !r->failed && i < SETS; i++)
			if (!set[i].saw_lock && !set[i].saw_announced)
				harness_fail(r, "neither saw the other");
	} while (!r->failed && TKT_CLOCK_NS() < until);
	return harness_end(r);
}
