/* SPDX-License-Identifier: MIT */
/* harness.c - threads that start together, end in time, and are missed if not */
#include "stress.h"
#include "outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/cpus.h"

bool stress_disposable;
unsigned int stress_patience = STRESS_TSAN ? 120 : 60;

void stress_nap(unsigned int us)
{
	const struct timespec ts = { 0, (long)us * 1000 };

	(void)nanosleep(&ts, NULL);
}

/* Names the run: what it takes to do it again. */
static void harness_name(const struct harness *r, char *to, size_t size)
{
	const struct trial *t = r->trial;
	char threshold[16] = "default";

	if (t->params.threshold == LOCK_THRESHOLD_INF)
		snprintf(threshold, sizeof(threshold), "inf");
	else if (t->params.threshold != LOCK_THRESHOLD_DEFAULT)
		snprintf(threshold, sizeof(threshold), "%u",
			 t->params.threshold);
	snprintf(to, size, "%s: lock %s, threshold %s, %u threads, seed %llu",
		 r->check, t->ops->name, threshold, t->threads,
		 (unsigned long long)chaos_seed());
}

void harness_fail(struct harness *r, const char *format, ...)
{
	uint32_t expected = 0;
	va_list args;
	size_t n;

	if (!TKT_CAS(&r->failed, &expected, 1u, TKT_RELAXED, TKT_RELAXED))
		return;
	harness_name(r, r->verdict, sizeof(r->verdict) / 2);
	n = strlen(strcat(r->verdict, ": "));
	va_start(args, format);
	vsnprintf(r->verdict + n, sizeof(r->verdict) - n, format, args);
	va_end(args);
	if (stress_disposable) {
		fprintf(stderr, "%s\n", r->verdict);
		_exit(OUTCOME_VERDICT);
	}
	TKT_STORE(&r->failed, 2u, TKT_RELEASE);
	TKT_STORE(&r->stop, 1u, TKT_RELAXED);
}

static size_t round_up(size_t n, size_t multiple)
{
	return (n + multiple - 1) / multiple * multiple;
}

/* The run begins now. */
static void harness_clock(struct harness *r)
{
	const uint64_t now = TKT_CLOCK_NS();

	r->deadline = now + r->trial->ms * UINT64_C(1000000);
	r->latest = r->deadline + STRESS_EXTRA_S * UINT64_C(1000000000);
}

struct harness *harness_new(const struct trial *t, const char *check,
			    size_t count)
{
	struct harness *r = aligned_alloc(LOCK_ALIGN, sizeof(*r));
	struct lock_params params = t->params;
	const char *wrong;

	if (!r || t->threads > STRESS_MAX_THREADS)
		abort();
	*r = (struct harness){ .trial = t, .check = check, .count = count };
	r->stride = count == 1 ? LOCK_ALIGN : round_up(t->ops->size, 16);
	r->locks = aligned_alloc(LOCK_ALIGN,
				 round_up(r->stride * count, LOCK_ALIGN));
	if (!r->locks)
		abort();
	params.max_threads = t->threads + 1;
	for (size_t i = 0; i < count; i++) {
		wrong = t->ops->init(harness_lock(r, i), &params);
		if (!wrong)
			continue;
		r->count = i;
		harness_fail(r, "init: %s", wrong);
		break;
	}
	for (unsigned int i = 0; i < STRESS_MAX_THREADS; i++) {
		r->worker[i].harness = r;
		r->worker[i].id = i;
		r->worker[i].random = random_stream(chaos_seed(), 2 * i + 1);
	}
	harness_clock(r);
	return r;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct harness *r = w->harness;
	const struct lock_ops *ops = r->trial->ops;

	chaos_enter(w->id, r->locks);
	for (unsigned int i = 0; i < STRESS_NESTING; i++)
		if (ops->ctx_init && !ops->ctx_init(&w->ctx[i]))
			abort();
	TKT_FETCH_ADD(&r->started, 1u, TKT_RELAXED);
	while (TKT_LOAD(&r->started, TKT_RELAXED) < r->trial->threads &&
	       !TKT_LOAD(&r->stop, TKT_RELAXED))
		stress_nap(50);
	r->body(w);
	for (unsigned int i = 0; i < STRESS_NESTING; i++)
		if (ops->ctx_destroy)
			ops->ctx_destroy(&w->ctx[i]);
	TKT_STORE(&w->over, 1u, TKT_RELEASE);
	return NULL;
}

/*
 * Threads that have a CPU each stay there: two that share one may spin, a time
 * slice in turn, for seconds before they meet.
 */
void worker_start(struct worker *w)
{
	struct cpus cpus;
	pthread_attr_t attr;

	cpus_allowed(&cpus);
	w->over = 0;
	if (pthread_attr_init(&attr))
		abort();
	if (w->harness->trial->threads <= (unsigned int)cpus.count)
		cpus_pin(&cpus, &attr, w->id);
	if (pthread_create(&w->thread, &attr, worker_main, w))
		abort();
	(void)pthread_attr_destroy(&attr);
}

/* A thread is lost: nothing can be joined or freed any more. */
static void harness_hung(const struct harness *r)
{
	unsigned int left = 0;
	char name[128];

	harness_name(r, name, sizeof(name));
	for (unsigned int i = 0; i < r->trial->threads; i++)
		left += !TKT_LOAD(&r->worker[i].over, TKT_RELAXED);
	fprintf(stderr, "%s: hung: %u of %u threads do not end\n", name, left,
		r->trial->threads);
	if (TKT_LOAD(&r->failed, TKT_ACQUIRE) == 2)
		fprintf(stderr, "before: %s\n", r->verdict);
	if (stress_disposable)
		_exit(OUTCOME_HUNG);
	abort();
}

/* Rounds done by all threads. */
static uint64_t harness_rounds(const struct harness *r)
{
	uint64_t rounds = 0;

	for (unsigned int i = 0; i < r->trial->threads; i++)
		rounds += TKT_LOAD(&r->worker[i].done, TKT_RELAXED);
	return rounds;
}

void worker_join(struct worker *w)
{
	const uint64_t patience = stress_patience * UINT64_C(1000000000);
	uint64_t rounds = 0, since = TKT_CLOCK_NS();

	while (!TKT_LOAD(&w->over, TKT_ACQUIRE)) {
		const uint64_t now = TKT_CLOCK_NS(),
			       seen = harness_rounds(w->harness);

		if (seen != rounds) {
			rounds = seen;
			since = now;
		}
		if (now > since + patience)
			harness_hung(w->harness);
		stress_nap(200);
	}
	if (pthread_join(w->thread, NULL))
		abort();
}

void harness_start(struct harness *r, void (*body)(struct worker *))
{
	r->body = body;
	harness_clock(r);
	for (unsigned int i = 0; i < r->trial->threads; i++)
		worker_start(&r->worker[i]);
}

void harness_join(struct harness *r)
{
	for (unsigned int i = 0; i < r->trial->threads; i++)
		worker_join(&r->worker[i]);
}

void harness_run(struct harness *r, void (*body)(struct worker *))
{
	if (r->failed)
		return;
	harness_start(r, body);
	harness_join(r);
}

/* A lock that nobody uses any more must let a try succeed. */
static void harness_check_free(struct harness *r)
{
	const struct lock_ops *ops = r->trial->ops;
	union lock_ctx *ctx = &r->worker[0].ctx[0];

	if (!ops->trylock)
		return;
	if (ops->ctx_init && !ops->ctx_init(ctx))
		abort();
	for (size_t i = 0; i < r->count && !r->failed; i++) {
		if (ops->trylock(harness_lock(r, i), ctx))
			ops->unlock(harness_lock(r, i), ctx);
		else
			harness_fail(r, "lock %zu is free, but a try fails", i);
	}
	if (ops->ctx_destroy)
		ops->ctx_destroy(ctx);
}

const char *harness_end(struct harness *r)
{
	static char verdict[sizeof(r->verdict)];
	const bool failed = (harness_check_free(r), r->failed);

	for (size_t i = 0; i < r->count; i++)
		if (r->trial->ops->destroy)
			r->trial->ops->destroy(harness_lock(r, i));
	memcpy(verdict, r->verdict, sizeof(verdict));
	free(r->locks);
	free(r);
	return failed ? verdict : NULL;
}

bool harness_again(const struct harness *r)
{
	return !TKT_LOAD(&r->stop, TKT_RELAXED) && TKT_CLOCK_NS() < r->deadline;
}

/*
 * Where threads hardly run, as long as the run was to take may not be long
 * enough to be a test.  But nobody goes on because another has done too little:
 * that one may only ever try, and succeed once it is alone.
 */
static bool worker_enough(const struct worker *w)
{
	const struct harness *r = w->harness;
	uint64_t met = 0;

	if (w->done < r->trial->least)
		return false;
	for (unsigned int i = 0; i < r->trial->threads; i++)
		met += TKT_LOAD(&r->worker[i].met, TKT_RELAXED);
	return met >= r->trial->meets;
}

bool worker_again(const struct worker *w)
{
	const struct harness *r = w->harness;

	if (w->done < r->trial->rounds && harness_again(r))
		return true;
	return !TKT_LOAD(&r->stop, TKT_RELAXED) && !worker_enough(w) &&
	       TKT_CLOCK_NS() < r->latest;
}

void worker_look(struct worker *w)
{
	if (TKT_LOAD(&w->harness->inside, TKT_RELAXED))
		TKT_STORE(&w->met, w->met + 1, TKT_RELAXED);
}

void worker_count(struct worker *w)
{
	TKT_STORE(&w->done, w->done + 1, TKT_RELAXED);
}

/* Tells, if it can see it, that another thread is inside. */
static bool guarded_is(struct worker *w, const struct guarded *g, uint64_t who)
{
	const uint64_t inside = TKT_READ(&g->inside);

	if (inside == who)
		return true;
	harness_fail(w->harness,
		     "%d inside instead of %d (0: nobody, n: thread n-1)",
		     (int)inside, (int)who);
	return false;
}

void guarded_enter(struct worker *w, struct guarded *g, uint64_t who)
{
	TKT_STORE(&w->harness->inside, 1u, TKT_RELAXED);
	if (guarded_is(w, g, 0))
		TKT_WRITE(&g->inside, who);
}

void guarded_leave(struct worker *w, struct guarded *g, uint64_t who)
{
	const uint64_t first = TKT_READ(&g->first);
	const uint64_t second = TKT_READ(&g->second);

	stress_dwell(w->harness->trial->dwell);
	/* Now and then a holder loses its CPU; the others must still wait. */
	if (w->done % 32 == 0)
		TKT_YIELD(&w->harness->stop, 0u);
	TKT_WRITE(&g->first, first + 1);
	TKT_WRITE(&g->second, second + 1);
	if (first != second)
		harness_fail(w->harness, "counters differ: %llu and %llu",
			     (unsigned long long)first,
			     (unsigned long long)second);
	if (guarded_is(w, g, who))
		TKT_WRITE(&g->inside, 0);
	TKT_STORE(&w->harness->inside, 0u, TKT_RELAXED);
}

void guarded_visit(struct worker *w, struct guarded *g)
{
	guarded_enter(w, g, w->id + 1);
	guarded_leave(w, g, w->id + 1);
}
