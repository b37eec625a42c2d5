/* SPDX-License-Identifier: MIT */
/* src/harness/crew.c - threads that do one thing together for a given time */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "cpus.h"
#include "crew.h"
#include "stats.h"

/* Deep enough for any kernel, small enough for thousands. */
#define CREW_STACK_BYTES (512u * 1024)
#define CREW_LINE 128
#define CREW_COUNT_TRIES 5

struct member {
	uint64_t ops;	      /* its own thread adds, the leader reads */
	uint64_t finished_ns; /* when it had nothing left; else 0 */
	struct crew *crew;
	pthread_t thread;
	unsigned int index;
} __attribute__((aligned(CREW_LINE)));

struct crew {
	const struct crew_work *work;
	struct member *members;
	unsigned int started;
	uint32_t failed; /* not 0: a member could not start or begin */
	uint32_t ready __attribute__((aligned(CREW_LINE))); /* have begun */
	uint32_t working; /* have not finished by themselves */
	uint32_t idle;	  /* 1: working has come down to 0; a futex */
	uint32_t go __attribute__((aligned(CREW_LINE))); /* a futex */
	/* Ends all loops; a futex. */
	uint32_t stop __attribute__((aligned(CREW_LINE)));
};

static void member_loop(struct crew *c, struct member *m, void *thread)
{
	const struct crew_work *work = c->work;
	uint64_t ops = 0;

	while (!TKT_LOAD(&c->stop, TKT_RELAXED)) {
		const long done = work->step(work->state, thread);

		if (done < 0) {
			TKT_STORE(&m->finished_ns, TKT_CLOCK_NS(), TKT_RELAXED);
			if (TKT_FETCH_ADD(&c->working, -1u, TKT_ACQ_REL) == 1) {
				TKT_STORE(&c->idle, 1, TKT_RELEASE);
				TKT_FUTEX_WAKE(&c->idle, 1);
			}
			return;
		}
		ops += (uint64_t)done;
		TKT_STORE(&m->ops, ops, TKT_RELAXED);
	}
}

static void *member_main(void *arg)
{
	struct member *m = arg;
	struct crew *c = m->crew;
	const struct crew_work *work = c->work;
	void *thread = work->begin(work->owner, m->index);

	if (!thread)
		TKT_FETCH_ADD(&c->failed, 1, TKT_RELAXED);
	TKT_FETCH_ADD(&c->ready, 1, TKT_RELEASE);
	TKT_FUTEX_WAKE(&c->ready, 1);
	while (!TKT_LOAD(&c->go, TKT_ACQUIRE))
		(void)TKT_FUTEX_WAIT(&c->go, 0, TKT_NO_DEADLINE);
	if (!thread)
		return NULL;
	member_loop(c, m, thread);
	while (!TKT_LOAD(&c->stop, TKT_ACQUIRE))
		(void)TKT_FUTEX_WAIT(&c->stop, 0, TKT_NO_DEADLINE);
	if (!TKT_LOAD(&c->failed, TKT_RELAXED))
		work->after(work->owner, thread, m->index);
	work->end(work->owner, thread);
	return NULL;
}

static bool crew_start(struct crew *c, unsigned int threads, bool pin,
		       struct error *e)
{
	struct cpus cpus;
	pthread_attr_t attr;
	int err = 0;

	cpus_allowed(&cpus);
	for (unsigned int i = 0; i < threads && !err; i++) {
		struct member *m = &c->members[i];

		m->crew = c;
		m->index = i;
		(void)pthread_attr_init(&attr);
		(void)pthread_attr_setstacksize(&attr, CREW_STACK_BYTES);
		if (pin)
			cpus_pin(&cpus, &attr, i);
		err = pthread_create(&m->thread, &attr, member_main, m);
		(void)pthread_attr_destroy(&attr);
		if (!err)
			c->started++;
	}
	if (err)
		return error_set(e, "cannot start thread %u of %u: %s",
				 c->started + 1, threads, strerror(err));
	return true;
}

/* Waits until all that were started have begun; whether all could. */
static bool crew_ready(struct crew *c, struct error *e)
{
	uint32_t ready;

	while (ready = TKT_LOAD(&c->ready, TKT_ACQUIRE), ready != c->started)
		(void)TKT_FUTEX_WAIT(&c->ready, ready, TKT_NO_DEADLINE);
	if (TKT_LOAD(&c->failed, TKT_RELAXED))
		return error_set(e, "out of memory for %u threads", c->started);
	return true;
}

/*
 * Reads all counts, as good as at once: the leader can lose its CPU half way
 * through, and what the threads do meanwhile would count for some of them.
 */
static uint64_t crew_count(struct crew *c, uint64_t start, uint64_t *ops)
{
	uint64_t before, after;

	for (int try = 0; try < CREW_COUNT_TRIES; try++) {
		before = TKT_CLOCK_NS();
		for (unsigned int i = 0; i < c->started; i++)
			ops[i] = TKT_LOAD(&c->members[i].ops, TKT_RELAXED);
		after = TKT_CLOCK_NS();
		if (after - before <= (after - start) / 1000)
			break;
	}
	return after;
}

static void crew_time(struct crew *c, double seconds, uint64_t *ops,
		      struct crew_result *out)
{
	const struct usage from = usage_now();
	const uint64_t start = TKT_CLOCK_NS();
	const uint64_t limit = start + (uint64_t)(seconds * 1e9);
	uint64_t end, last = 0;

	TKT_STORE(&c->go, 1, TKT_RELEASE);
	TKT_FUTEX_WAKE(&c->go, c->started);
	while (!TKT_LOAD(&c->idle, TKT_ACQUIRE) && TKT_CLOCK_NS() < limit)
		(void)TKT_FUTEX_WAIT(&c->idle, 0, limit);
	end = crew_count(c, start, ops);
	if (TKT_LOAD(&c->idle, TKT_ACQUIRE)) {
		end = crew_count(c, start, ops);
		for (unsigned int i = 0; i < c->started; i++)
			if (c->members[i].finished_ns > last)
				last = c->members[i].finished_ns;
		end = last;
	}
	out->usage = usage_between(from, usage_now());
	TKT_STORE(&c->stop, 1, TKT_RELEASE);
	TKT_FUTEX_WAKE(&c->stop, c->started);
	out->seconds = (double)(end - start) * 1e-9;
	out->jain = stats_jain(ops, c->started);
	out->ops = 0;
	for (unsigned int i = 0; i < c->started; i++)
		out->ops += ops[i];
}

bool crew_run(const struct crew_work *work, unsigned int threads,
	      double seconds, bool pin, struct crew_result *out,
	      struct error *e)
{
	const size_t bytes = threads * sizeof(struct member);
	struct crew c = { .work = work, .working = threads };
	uint64_t *ops = calloc(threads, sizeof(*ops));
	bool ok;

	c.members = aligned_alloc(CREW_LINE, bytes);
	if (!c.members || !ops) {
		free(c.members);
		free(ops);
		return error_set(e, "out of memory for %u threads", threads);
	}
	memset(c.members, 0, bytes);
	ok = crew_start(&c, threads, pin, e) && crew_ready(&c, e);
	if (ok) {
		crew_time(&c, seconds, ops, out);
	} else {
		TKT_STORE(&c.failed, 1, TKT_RELAXED);
		TKT_STORE(&c.stop, 1, TKT_RELEASE);
		TKT_STORE(&c.go, 1, TKT_RELEASE);
		TKT_FUTEX_WAKE(&c.go, c.started);
	}
	for (unsigned int i = 0; i < c.started; i++)
		(void)pthread_join(c.members[i].thread, NULL);
	free(c.members);
	free(ops);
	return ok;
}
