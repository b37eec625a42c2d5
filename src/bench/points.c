/* SPDX-License-Identifier: MIT */
/* src/bench/points.c - the suites: what is measured, at which settings */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_point.h"
#include "harness/delay.h"
#include "harness/isolate.h"
#include "kernels/measure.h"

#define KERNEL(id) (&KERNEL_SYM(id))
#define EXTERN_KERNEL(id) extern const struct kernel_ops KERNEL_SYM(id)

EXTERN_KERNEL(counter);
EXTERN_KERNEL(dentry);
EXTERN_KERNEL(readdir_orphan);
EXTERN_KERNEL(bufwait);
EXTERN_KERNEL(readdir);

/* Threads on CPUs of their own; the lines that each critical section writes. */
#define CONTENDED(n, lines, think, think_label)                               \
	{                                                                     \
		"contended",                                                  \
			"threads:" #n "/lines:" #lines "/think:" think_label, \
			KERNEL(counter), n, .pin = true, .think_ns = (think), \
					    .option = (lines)                 \
	}
#define CONTENDED_THINK(n, lines)                                       \
	CONTENDED(n, lines, 0, "0"), CONTENDED(n, lines, 100, "100ns"), \
		CONTENDED(n, lines, 1000, "1us")
#define CONTENDED_LINES(n) \
	CONTENDED_THINK(n, 0), CONTENDED_THINK(n, 1), CONTENDED_THINK(n, 4)

/* Two lines inside, 100 ns outside, free to move. */
#define OVERSUBSCRIBED(n)                                            \
	{                                                            \
		"oversubscribed", "threads:" #n, KERNEL(counter), n, \
			.think_ns = 100, .option = 2                 \
	}

#define MANY(locks)                                                \
	{                                                          \
		"many", "threads:2/locks:" #locks, &bench_many, 2, \
			.pin = true, .option = (locks)             \
	}

#define OF_KERNEL(name, n)                                                    \
	{                                                                     \
		"kernel", #name "/threads:" #n, KERNEL(name), n, .pin = false \
	}

static const struct bench_point points[] = {
	{ "alone", "pair", KERNEL(counter), 1, .pin = true },
	{ "alone", "trylock", &bench_trylock, 1, .pin = true, .try = true },
	{ "alone", "lines:2/think:100ns", KERNEL(counter), 1, .think_ns = 100,
	  .option = 2 },
	CONTENDED_LINES(1),
	CONTENDED_LINES(2),
	{ "contended", "threads:2/lines:2/think:100ns", KERNEL(counter), 2,
	  .think_ns = 100, .option = 2 },
	OVERSUBSCRIBED(4),
	OVERSUBSCRIBED(8),
	OVERSUBSCRIBED(16),
	OVERSUBSCRIBED(32),
	OVERSUBSCRIBED(64),
	MANY(1),
	MANY(16),
	MANY(4096),
	{ "idle", "waiters:16", &bench_idle, BENCH_IDLE_THREADS, .pin = false },
	OF_KERNEL(dentry, 2),
	OF_KERNEL(readdir_orphan, 2),
	OF_KERNEL(bufwait, 2),
	OF_KERNEL(readdir, 2),
};

size_t bench_points(void)
{
	return sizeof(points) / sizeof(points[0]);
}

const struct bench_point *bench_point_at(size_t index)
{
	return &points[index];
}

const char *bench_suite(const struct bench_point *p)
{
	return p->suite;
}

const char *bench_label(const struct bench_point *p)
{
	return p->label;
}

/* Broken locks come last in the table. */
size_t bench_locks(void)
{
	size_t n = 0;

	while (lock_table[n] && !(lock_table[n]->traits & LOCK_BROKEN))
		n++;
	return n;
}

const char *bench_lock(size_t index)
{
	return lock_table[index]->name;
}

bool bench_applies(const struct bench_point *p, size_t lock)
{
	return !p->try || lock_table[lock]->trylock;
}

void bench_init(void)
{
	isolate_catch_signals();
	delay_calibrate();
}

bool bench_interrupted(void)
{
	return isolate_interrupted();
}

static void plan_options(const struct bench_point *p, struct kernel_config *c)
{
	const struct kernel_option *o = p->kernel->options;

	for (unsigned int i = 0; o && o[i].name; i++)
		c->option[i] = o[i].preset;
	if (o && strcmp(p->suite, "kernel") != 0)
		c->option[0] = p->option;
	if (p->kernel->variants)
		c->variant = p->kernel->variants[0];
}

static void result_fill(const struct measure_result *r, bool waits,
			struct bench_result *out)
{
	const struct workers_result *w = &r->workers;
	const double ops = (double)w->ops,
		     cpu = w->usage.user_s + w->usage.system_s;

	*out = (struct bench_result){
		.ns_per_op = w->seconds * 1e9 / ops,
		.ops_per_s = ops / w->seconds,
		.jain = w->jain,
		.cpu_s_per_mop = cpu / ops * 1e6,
		.cpu_share = cpu / w->seconds,
		.switches_per_s = w->usage.switches / w->seconds,
		.wait_p50_ns = waits ? r->wait_p50_ns : (double)NAN,
		.wait_p99_ns = waits ? r->wait_p99_ns : (double)NAN,
		.wait_p999_ns = waits ? r->wait_p999_ns : (double)NAN,
		.wait_max_ns = waits ? r->wait_max_ns : (double)NAN,
		.probe_ns = r->probe_ns,
	};
}

bool bench_run(const struct bench_point *p, size_t lock, double seconds,
	       bool waits, struct bench_result *out, char *why)
{
	struct measure_plan plan = {
		.kernel = p->kernel,
		.lock = lock_table[lock],
		.config = { .threads = p->threads,
			    .cs_ns = p->cs_ns,
			    .think_ns = p->think_ns,
			    .seed = 1,
			    .lock.max_threads = p->threads },
		.seconds = seconds,
		.pin = p->pin,
		.instrument = waits,
	};
	struct measure_result result;
	struct error e;

	plan_options(p, &plan.config);
	if (measure_run(&plan, &result, &e) != ISOLATE_DONE) {
		(void)snprintf(why, BENCH_WHY_BYTES, "%s",
			       isolate_interrupted() ? "interrupted" : e.text);
		return false;
	}
	if (!result.workers.ops) {
		(void)snprintf(why, BENCH_WHY_BYTES,
			       "not one operation in %g s", seconds);
		return false;
	}
	result_fill(&result, waits, out);
	return true;
}
