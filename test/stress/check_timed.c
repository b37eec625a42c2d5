/* SPDX-License-Identifier: MIT */
/* check_timed.c - the ways to lock that the library alone has */
#include <tkt.h>

#include "stress.h"

#define MS UINT64_C(1000000)

/* One of the five ways in; returns whether it worked. */
static bool lock_somehow(tkt_lock_t *l, uint32_t dice)
{
	switch (dice % 5) {
	case 0:
		return tkt_trylock(l);
	case 1:
		return tkt_tryspin(l, 20000);
	case 2:
		return tkt_lock_until(l, tkt_clock_ns() + MS / 5);
	case 3:
		return tkt_lock_until(l, TKT_NO_DEADLINE);
	default:
		tkt_lock(l);
		return true;
	}
}

static void timed_body(struct worker *w)
{
	tkt_lock_t *l = harness_lock(w->harness, 0);

	while (worker_again(w)) {
		if (!lock_somehow(l, worker_random(w)))
			continue;
		if (!tkt_is_locked(l) || !tkt_is_locked_ordered(l))
			harness_fail(w->harness, "held, but is_locked says no");
		guarded_visit(w, w->harness->shared);
		worker_count(w);
		tkt_unlock(l);
	}
}

struct held {
	uint32_t held, tried;
};

/* Thread 0 holds the lock until the others have found that it does. */
static void held_body(struct worker *w)
{
	tkt_lock_t *l = harness_lock(w->harness, 0);
	struct held *m = w->harness->shared;
	const uint32_t others = w->harness->trial->threads - 1;

	if (!w->id) {
		tkt_lock(l);
		TKT_STORE(&m->held, 1u, TKT_RELEASE);
		while (TKT_LOAD(&m->tried, TKT_ACQUIRE) < others)
			TKT_YIELD(&m->tried, 0u);
		tkt_unlock(l);
		return;
	}
	while (!TKT_LOAD(&m->held, TKT_ACQUIRE))
		TKT_YIELD(&m->held, 0u);
	if (tkt_trylock(l) || tkt_tryspin(l, MS) || tkt_lock_until(l, 1) ||
	    tkt_lock_until(l, tkt_clock_ns() + MS))
		harness_fail(w->harness, "thread %u got a lock that is held",
			     w->id);
	if (!tkt_is_locked(l))
		harness_fail(w->harness, "held, but is_locked says no");
	TKT_FETCH_ADD(&m->tried, 1u, TKT_RELEASE);
	/* With a deadline long past, once it is free. */
	while (!tkt_lock_until(l, 1))
		TKT_YIELD(&l->owner, 0u);
	tkt_unlock(l);
}

/*
 * Finds a timed lock or try that waits without end for a lock that is held,
 * gets it all the same, or never gets it when it is free; and two holders when
 * all ways to lock are mixed.
 */
const char *check_timed(const struct trial *t)
{
	struct held m = { 0, 0 };
	struct guarded g = { 0, 0, 0 };
	struct harness *r = harness_new(t, "timed", 1);
	const char *verdict;
	uint64_t rounds = 0;

	r->shared = &m;
	harness_run(r, held_body);
	verdict = harness_end(r);
	if (verdict)
		return verdict;
	r = harness_new(t, "timed, mixed", 1);
	r->shared = &g;
	harness_run(r, timed_body);
	for (unsigned int i = 0; i < t->threads; i++)
		rounds += r->worker[i].done;
	if (!r->failed && (!rounds || rounds != g.first))
		harness_fail(r, "%llu rounds, counted %llu",
			     (unsigned long long)rounds,
			     (unsigned long long)g.first);
	if (!r->failed && tkt_is_contended(harness_lock(r, 0)))
		harness_fail(r, "nobody left, but is_contended says yes");
	return harness_end(r);
}
