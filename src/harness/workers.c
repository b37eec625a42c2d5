/* SPDX-License-Identifier: MIT */
/* src/harness/workers.c - threads that do one thing together for a given time */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "cpus.h"
#include "stats.h"
#include "workers.h"

/* Deep enough for any kernel, small enough for thousands. */
#define WORKERS_STACK_BYTES (512u * 1024)
#define WORKERS_LINE 128
/*
 * Reading all counts may take this part of the run, so that it adds no more to
 * any of them: below the noise of any run.  Losing the CPU every time is
 * unlikely beyond a few tries; then the last reading has to do.
 */
#define WORKERS_COUNT_PART 1000
#define WORKERS_COUNT_TRIES 5

struct worker {
	uint64_t ops;	      /* its own thread adds, the leader reads */
	uint64_t finished_ns; /* when it had nothing left; else 0 */
	struct workers *all;
	pthread_t thread;
	unsigned int index;
} __attribute__((aligned(WORKERS_LINE)));

struct workers {
	const struct work *work;
	struct worker *worker;
	unsigned int started;
	uint32_t failed; /* not 0: one could not start or begin */
	uint32_t ready __attribute__((aligned(WORKERS_LINE))); /* have begun */
	uint32_t working; /* have not finished by themselves */
	uint32_t idle;	  /* 1: working has come down to 0; a futex */
	uint32_t go __attribute__((aligned(WORKERS_LINE))); /* a futex */
	/* Ends all loops; a futex. */
	uint32_t stop __attribute__((aligned(WORKERS_LINE)));
};

static void worker_loop(struct workers *all, struct worker *w, void *thread)
{
	const struct work *work = all->work;
	uint64_t ops = 0;

	while (!TKT_LOAD(&all->stop, TKT_RELAXED)) {
		const long done = work->step(work->state, thread);

		if (done < 0) {
			TKT_STORE(&w->finished_ns, TKT_CLOCK_NS(), TKT_RELAXED);
			if (TKT_FETCH_ADD(&all->working, -1u, TKT_ACQ_REL) ==
			    1) {
				TKT_STORE(&all->idle, 1, TKT_RELEASE);
				TKT_FUTEX_WAKE(&all->idle, 1);
			}
			return;
		}
		ops += (uint64_t)done;
		TKT_STORE(&w->ops, ops, TKT_RELAXED);
	}
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct workers *all = w->all;
	const struct work *work = all->work;
	void *thread = work->begin(work->owner, w->index);

	if (!thread)
		TKT_FETCH_ADD(&all->failed, 1, TKT_RELAXED);
	TKT_FETCH_ADD(&all->ready, 1, TKT_RELEASE);
	TKT_FUTEX_WAKE(&all->ready, 1);
	while (!TKT_LOAD(&all->go, TKT_ACQUIRE))
		(void)TKT_FUTEX_WAIT(&all->go, 0, TKT_NO_DEADLINE);
	if (!thread)
		return NULL;
	worker_loop(all, w, thread);
	while (!TKT_LOAD(&all->stop, TKT_ACQUIRE))
		(void)TKT_FUTEX_WAIT(&all->stop, 0, TKT_NO_DEADLINE);
	if (!TKT_LOAD(&all->failed, TKT_RELAXED))
		work->after(work->owner, thread, w->index);
	work->end(work->owner, thread);
	return NULL;
}

static bool workers_start(struct workers *all, unsigned int threads, bool pin,
			  struct error *e)
{
	struct cpus cpus;
	pthread_attr_t attr;
	int err = 0;

	cpus_allowed(&cpus);
	for (unsigned int i = 0; i < threads && !err; i++) {
		struct worker *w = &all->worker[i];

		w->all = all;
		w->index = i;
		(void)pthread_attr_init(&attr);
		(void)pthread_attr_setstacksize(&attr, WORKERS_STACK_BYTES);
		if (pin)
			cpus_pin(&cpus, &attr, i);
		err = pthread_create(&w->thread, &attr, worker_main, w);
		(void)pthread_attr_destroy(&attr);
		if (!err)
			all->started++;
	}
	if (err)
		return error_set(e, "cannot start thread %u of %u: %s",
				 all->started + 1, threads, strerror(err));
	return true;
}

/* Waits until all that were started have begun; whether all could. */
static bool workers_ready(struct workers *all, struct error *e)
{
	uint32_t ready;

	while (ready = TKT_LOAD(&all->ready, TKT_ACQUIRE),
	       ready != all->started)
		(void)TKT_FUTEX_WAIT(&all->ready, ready, TKT_NO_DEADLINE);
	if (TKT_LOAD(&all->failed, TKT_RELAXED))
		return error_set(e, "out of memory for %u threads",
				 all->started);
	return true;
}

/*
 * Reads all counts, as good as at once: the leader can lose its CPU half way
 * through, and what the threads do meanwhile would count for some of them.
 */
static uint64_t workers_count(struct workers *all, uint64_t start,
			      uint64_t *ops)
{
	uint64_t before, after;

	for (int try = 0; try < WORKERS_COUNT_TRIES; try++) {
		before = TKT_CLOCK_NS();
		for (unsigned int i = 0; i < all->started; i++)
			ops[i] = TKT_LOAD(&all->worker[i].ops, TKT_RELAXED);
		after = TKT_CLOCK_NS();
		if (after - before <= (after - start) / WORKERS_COUNT_PART)
			break;
	}
	return after;
}

static void workers_time(struct workers *all, double seconds, uint64_t *ops,
			 struct workers_result *out)
{
	const struct usage from = usage_now();
	const uint64_t start = TKT_CLOCK_NS();
	const uint64_t limit = start + (uint64_t)(seconds * 1e9);
	uint64_t end, last = 0;

	TKT_STORE(&all->go, 1, TKT_RELEASE);
	TKT_FUTEX_WAKE(&all->go, all->started);
	while (!TKT_LOAD(&all->idle, TKT_ACQUIRE) && TKT_CLOCK_NS() < limit)
		(void)TKT_FUTEX_WAIT(&all->idle, 0, limit);
	end = workers_count(all, start, ops);
	if (TKT_LOAD(&all->idle, TKT_ACQUIRE)) {
		end = workers_count(all, start, ops);
		for (unsigned int i = 0; i < all->started; i++)
			if (all->worker[i].finished_ns > last)
				last = all->worker[i].finished_ns;
		end = last;
	}
	out->usage = usage_between(from, usage_now());
	TKT_STORE(&all->stop, 1, TKT_RELEASE);
	TKT_FUTEX_WAKE(&all->stop, all->started);
	out->seconds = (double)(end - start) * 1e-9;
	out->jain = stats_jain(ops, all->started);
	out->ops = 0;
	for (unsigned int i = 0; i < all->started; i++)
		out->ops += ops[i];
}

bool workers_run(const struct work *work, unsigned int threads, double seconds,
		 bool pin, struct workers_result *out, struct error *e)
{
	const size_t bytes = threads * sizeof(struct worker);
	struct workers all = { .work = work, .working = threads };
	uint64_t *ops = calloc(threads, sizeof(*ops));
	bool ok;

	all.worker = aligned_alloc(WORKERS_LINE, bytes);
	if (!all.worker || !ops) {
		free(all.worker);
		free(ops);
		return error_set(e, "out of memory for %u threads", threads);
	}
	memset(all.worker, 0, bytes);
	ok = workers_start(&all, threads, pin, e) && workers_ready(&all, e);
	if (ok) {
		workers_time(&all, seconds, ops, out);
	} else {
		TKT_STORE(&all.failed, 1, TKT_RELAXED);
		TKT_STORE(&all.stop, 1, TKT_RELEASE);
		TKT_STORE(&all.go, 1, TKT_RELEASE);
		TKT_FUTEX_WAKE(&all.go, all.started);
	}
	for (unsigned int i = 0; i < all.started; i++)
		(void)pthread_join(all.worker[i].thread, NULL);
	free(all.worker);
	free(ops);
	return ok;
}
