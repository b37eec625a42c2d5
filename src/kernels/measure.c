/* SPDX-License-Identifier: MIT */
/* src/kernels/measure.c - one native run of one kernel under one lock */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/probe.h"
#include "harness/stats.h"
#include "measure.h"
#include "rendezvous.h"
#include "timed_lock.h"

/*
 * A run is given up after its time and this, if no thread has ended its last
 * turn by then, and again since the last look: GRACE_S, and for each thread
 * what a turn may have to wait for it, its share of a CPU and its own turn's
 * busy times.  Those are GRACE_BUSY times --cs and --think: no kernel has more
 * sections in a turn, unless told so by an option of its own (bufwait makes
 * four handles).
 */
#define GRACE_S 20.0
#define GRACE_THREAD_S 0.02
#define GRACE_BUSY 4

/* What the workers run: the kernel, and a histogram for each thread. */
struct measure {
	const struct kernel_ops *kernel;
	void *state;
	struct histogram *waits; /* NULL: not instrumented */
	struct rendezvous rendezvous;
};

static void *measure_begin(void *arg, unsigned int index)
{
	struct measure *m = arg;

	if (m->waits)
		timed_lock_histogram(&m->waits[index]);
	return m->kernel->thread_setup(m->state, index);
}

static void measure_after(void *arg, void *thread, unsigned int index)
{
	struct measure *m = arg;

	isolate_alive();
	if (m->waits)
		timed_lock_histogram(NULL);
	rendezvous_join(&m->rendezvous, m->kernel, m->state, thread, index);
}

static void measure_end(void *arg, void *thread)
{
	struct measure *m = arg;

	m->kernel->thread_teardown(m->state, thread);
	isolate_alive();
}

static bool measure_workers(struct measure *m, const struct measure_plan *plan,
			    struct measure_result *r)
{
	const struct work work = { .owner = m,
				   .state = m->state,
				   .begin = measure_begin,
				   .step = m->kernel->step,
				   .after = measure_after,
				   .end = measure_end };
	struct error e;

	rendezvous_init(&m->rendezvous, plan->config.threads);
	if (!workers_run(&work, plan->config.threads, plan->seconds, plan->pin,
			 &r->workers, &e)) {
		(void)snprintf(r->why, sizeof(r->why), "threads: %.200s",
			       e.text);
		return false;
	}
	return m->kernel->check(m->state, r->why);
}

static void waits_summary(struct histogram *waits, unsigned int threads,
			  struct measure_result *r)
{
	for (unsigned int i = 1; i < threads; i++)
		histogram_merge(&waits[0], &waits[i]);
	r->wait_p50_ns = histogram_quantile(&waits[0], 0.50);
	r->wait_p99_ns = histogram_quantile(&waits[0], 0.99);
	r->wait_p999_ns = histogram_quantile(&waits[0], 0.999);
	r->wait_max_ns = waits[0].count ? (double)waits[0].max : (double)NAN;
}

static void events_summary(const struct lock_ops *lock,
			   struct measure_result *r)
{
	struct lock_events e;

	if (!lock->events)
		return;
	e = lock->events();
	r->queued = (double)e.queued;
	if (lock->traits & LOCK_SLEEPS)
		r->parked = (double)e.parked;
}

/* In the child. */
static void measure_here(const void *arg, void *result)
{
	const struct measure_plan *plan = arg;
	const unsigned int threads = plan->config.threads;
	struct measure_result *r = result;
	struct measure m = { .kernel = plan->kernel };
	const struct lock_ops *lock = plan->lock;
	double before = (double)NAN, after;

	*r = (struct measure_result){ .wait_p50_ns = (double)NAN,
				      .wait_p99_ns = (double)NAN,
				      .wait_p999_ns = (double)NAN,
				      .wait_max_ns = (double)NAN,
				      .queued = (double)NAN,
				      .parked = (double)NAN,
				      .probe_ns = (double)NAN };
	if (plan->instrument) {
		const struct lock_ops *counted = lock_find_counted(lock->name);

		m.waits = calloc(threads, sizeof(*m.waits));
		if (!m.waits) {
			(void)snprintf(r->why, sizeof(r->why),
				       "setup: out of memory");
			return;
		}
		lock = timed_lock(counted ? counted : lock);
	}
	m.state = plan->kernel->setup(&plan->config, lock, r->why);
	if (!m.state)
		return;
	r->variant = plan->kernel->label ? plan->kernel->label(m.state)
					 : plan->config.variant;
	if (threads > 1)
		before = probe_line_ns();
	r->passed = measure_workers(&m, plan, r);
	if (threads > 1) {
		after = probe_line_ns();
		/* One of the two may have failed on a busy machine. */
		r->probe_ns = isnan(before)  ? after
			      : isnan(after) ? before
					     : (before + after) / 2;
	}
	if (m.waits) {
		waits_summary(m.waits, threads, r);
		events_summary(lock, r);
	}
	plan->kernel->destroy(m.state);
	free(m.waits);
}

static bool machine_allows(const struct measure_plan *plan, struct error *e)
{
	char why[KERNEL_WHY_BYTES];

	if (!plan->kernel->possible ||
	    plan->kernel->possible(&plan->config, why))
		return true;
	return error_set(e, "%s: %s", plan->kernel->name, why);
}

bool measure_allowed(const struct measure_plan *plan, struct error *e)
{
	const struct lock_params *p = &plan->config.lock;
	char threshold[16];
	unsigned char *memory = aligned_alloc(LOCK_ALIGN, LOCK_ALIGN);
	const char *wrong;

	if (!memory)
		return error_set(e, "out of memory");
	wrong = plan->lock->init(memory, &plan->config.lock);
	if (!wrong)
		lock_destroy(plan->lock, memory);
	free(memory);
	if (!wrong)
		return machine_allows(plan, e);
	(void)snprintf(threshold, sizeof(threshold), "%u", p->threshold);
	return error_set(e,
			 "lock %s, %u threads, threshold %s, wait %s: %.300s",
			 plan->lock->name, p->max_threads,
			 p->threshold == LOCK_THRESHOLD_DEFAULT ? "its own"
			 : p->threshold == LOCK_THRESHOLD_INF	? "inf"
								: threshold,
			 p->wait == LOCK_WAIT_DEFAULT ? "its own"
			 : p->wait == LOCK_WAIT_SPIN  ? "spin"
			 : p->wait == LOCK_WAIT_YIELD ? "yield"
						      : "park",
			 wrong);
}

enum isolate_end measure_run(const struct measure_plan *plan,
			     struct measure_result *result, struct error *e)
{
	const struct kernel_config *c = &plan->config;
	const double busy = ((double)c->cs_ns + c->think_ns) * 1e-9;
	const double grace =
		GRACE_S + c->threads * (GRACE_THREAD_S + GRACE_BUSY * busy);
	const enum isolate_end how =
		isolate_run(measure_here, plan, result, sizeof(*result),
			    plan->seconds + grace, grace, e);

	if (how != ISOLATE_DONE) {
		result->refused = false;
		return how;
	}
	if (result->passed)
		return how;
	result->refused = !strncmp(result->why, KERNEL_MACHINE,
				   sizeof(KERNEL_MACHINE) - 1);
	if (result->refused)
		(void)error_set(e, "%s",
				result->why + sizeof(KERNEL_MACHINE) - 1);
	else
		(void)error_set(e, "check failed: %s", result->why);
	return ISOLATE_FAILED;
}
