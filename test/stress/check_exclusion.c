/* SPDX-License-Identifier: MIT */
/* check_exclusion.c - one at a time, whoever the threads are */
#include "stress.h"

#include <sched.h>

/* Tries until it works or the run ends; gives the CPU away now and then. */
static bool try_for_long(struct worker *w)
{
	const struct lock_ops *ops = w->harness->trial->ops;

	for (unsigned int i = 1;
	     !ops->trylock(harness_lock(w->harness, 0), w->ctx); i++) {
		if (i % 64)
			continue;
		if (!worker_again(w))
			return false;
		(void)sched_yield();
	}
	return true;
}

static void exclusion_body(struct worker *w)
{
	const bool tries = w->id < w->harness->trial->trylocks;
	const unsigned int apart = w->harness->trial->apart;

	while (worker_again(w)) {
		if (apart)
			stress_nap(1 + worker_random(w) % apart);
		worker_look(w);
		if (!tries)
			worker_lock(w, 0, 0);
		else if (!try_for_long(w))
			break;
		guarded_visit(w, w->harness->shared);
		worker_count(w);
		worker_unlock(w, 0, 0);
	}
}

/* Each round must have gone into both counters. */
static void compare_counts(struct harness *r, const struct guarded *g,
			   uint64_t rounds)
{
	if (!r->failed && (g->first != rounds || g->second != rounds))
		harness_fail(r, "%llu rounds, counted %llu and %llu",
			     (unsigned long long)rounds,
			     (unsigned long long)g->first,
			     (unsigned long long)g->second);
	if (!r->failed && !rounds)
		harness_fail(r, "not one round");
}

/*
 * Finds two holders at once: by a flag inside the section, and by counters on
 * different lines that lose counts or drift apart.  Finds lost threads, and a
 * lock that does not look free afterwards.  The first trial->trylocks threads
 * never wait for the lock but try for it.
 */
const char *check_exclusion(const struct trial *t)
{
	struct harness *r = harness_new(t, "exclusion", 1);
	struct guarded g = { 0, 0, 0 };
	uint64_t rounds = 0;

	r->shared = &g;
	harness_run(r, exclusion_body);
	for (unsigned int i = 0; i < t->threads; i++)
		rounds += r->worker[i].done;
	compare_counts(r, &g, rounds);
	return harness_end(r);
}

#define CHURN_ROUNDS 40u

static void churn_body(struct worker *w)
{
	for (unsigned int i = 0; i < CHURN_ROUNDS && worker_again(w); i++) {
		worker_lock(w, 0, 0);
		guarded_visit(w, w->harness->shared);
		worker_count(w);
		worker_unlock(w, 0, 0);
	}
}

/*
 * The same with threads that come and go while others contend: a new thread
 * has the stack, and so perhaps a queue node at the address, of one that has
 * just ended.
 */
const char *check_churn(const struct trial *t)
{
	struct harness *r = harness_new(t, "churn", 1);
	struct guarded g = { 0, 0, 0 };
	uint64_t rounds = 0;
	unsigned int oldest = 0;

	r->shared = &g;
	if (r->failed)
		return harness_end(r);
	harness_start(r, churn_body);
	while (harness_again(r)) {
		worker_join(&r->worker[oldest]);
		worker_start(&r->worker[oldest]);
		oldest = (oldest + 1) % t->threads;
	}
	harness_join(r);
	for (unsigned int i = 0; i < t->threads; i++)
		rounds += r->worker[i].done;
	compare_counts(r, &g, rounds);
	return harness_end(r);
}
