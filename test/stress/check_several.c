/* SPDX-License-Identifier: MIT */
/* check_several.c - more locks than one */
#include "stress.h"

#include <stdlib.h>

#define LOCKS 65536u
#define HOT 8u

struct item {
	volatile uint64_t count;
	uint32_t held;
};

static void many_body(struct worker *w)
{
	struct item *items = w->harness->shared;
	const uint32_t all = (uint32_t)w->harness->count;

	while (worker_again(w)) {
		const uint32_t dice = worker_random(w);
		const uint32_t i = (dice >> 1) % (dice & 1 ? HOT : all);

		worker_lock(w, i, 0);
		if (TKT_XCHG(&items[i].held, w->id + 1, TKT_RELAXED))
			harness_fail(w->harness, "lock %u: two holders", i);
		TKT_WRITE(&items[i].count, TKT_READ(&items[i].count) + 1);
		TKT_STORE(&items[i].held, 0u, TKT_RELAXED);
		worker_count(w);
		worker_unlock(w, i, 0);
	}
}

/*
 * 2^16 locks at once, half of the visits to a few of them: finds state that
 * locks share by mistake, and what only happens when a lock's memory is cold.
 */
const char *check_many(const struct trial *t)
{
	struct harness *r =
		harness_new(t, "many", STRESS_TSAN ? LOCKS / 16 : LOCKS);
	struct item *items = calloc(LOCKS, sizeof(*items));
	uint64_t rounds = 0, counted = 0;

	if (!items)
		abort();
	r->shared = items;
	harness_run(r, many_body);
	for (unsigned int i = 0; i < t->threads; i++)
		rounds += r->worker[i].done;
	for (unsigned int i = 0; i < LOCKS; i++)
		counted += items[i].count;
	if (!r->failed && (rounds != counted || !rounds))
		harness_fail(r, "%llu rounds, counted %llu",
			     (unsigned long long)rounds,
			     (unsigned long long)counted);
	free(items);
	return harness_end(r);
}

#define LEVELS 5u

static void nested_body(struct worker *w)
{
	struct guarded *g = w->harness->shared;
	uint32_t at[STRESS_NESTING];

	while (worker_again(w)) {
		/* Three of five, ascending. */
		at[0] = worker_random(w) % (LEVELS - 2);
		at[1] = at[0] + 1 + worker_random(w) % (LEVELS - 2 - at[0]);
		at[2] = at[1] + 1 + worker_random(w) % (LEVELS - 1 - at[1]);
		for (unsigned int i = 0; i < STRESS_NESTING; i++) {
			worker_lock(w, at[i], i);
			guarded_visit(w, &g[at[i]]);
		}
		worker_count(w);
		/* Innermost first, or last, or in the middle. */
		for (unsigned int i = 0, n = worker_random(w) % STRESS_NESTING;
		     i < STRESS_NESTING; i++, n = (n + 1) % STRESS_NESTING)
			worker_unlock(w, at[n], n);
	}
}

/*
 * Three locks held at once, taken in order, dropped in any: finds a queue node
 * or context that serves two locks.
 */
const char *check_nested(const struct trial *t)
{
	static struct guarded g[LEVELS];
	struct harness *r = harness_new(t, "nested", LEVELS);
	uint64_t rounds = 0, counted = 0;

	for (unsigned int i = 0; i < LEVELS; i++)
		g[i] = (struct guarded){ 0, 0, 0 };
	r->shared = g;
	harness_run(r, nested_body);
	for (unsigned int i = 0; i < t->threads; i++)
		rounds += r->worker[i].done;
	for (unsigned int i = 0; i < LEVELS; i++)
		counted += g[i].first;
	if (!r->failed && (!rounds || counted != rounds * STRESS_NESTING))
		harness_fail(r, "%llu rounds, counted %llu",
			     (unsigned long long)rounds,
			     (unsigned long long)counted);
	return harness_end(r);
}
