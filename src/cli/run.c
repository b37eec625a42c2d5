/* SPDX-License-Identifier: MIT */
/* src/cli/run.c - tkt run: every lock at every point, interleaved */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "harness/delay.h"
#include "harness/out.h"
#include "harness/rows.h"
#include "kernels/measure.h"
#include "run_options.h"

/* One command's way through its runs. */
struct run {
	const struct run_options *o;
	struct out out;
	struct row *rows;
	size_t count, done, total; /* rows, runs so far, runs in all */
	bool failed, interrupted, lost;
	bool refused; /* the machine could not do it: no more runs */
};

/*
 * A point is a number of threads and a threshold.  A lock that has no
 * threshold is run only for the first of them.
 */
static unsigned int point_count(const struct run_options *o)
{
	const unsigned int thresholds = o->thresholds.count;

	return o->threads.count * (thresholds ? thresholds : 1);
}

/* Variant v with lock i at that point; false: there is no such run. */
static bool point_plan(const struct run_options *o, unsigned int point,
		       unsigned int v, unsigned int i,
		       struct measure_plan *plan)
{
	const bool locks = kernel_takes_lock(o->kernel, o->variant[v]);
	const struct lock_ops *lock = locks ? o->lock[i] : &kernel_no_lock;
	const unsigned int thresholds =
		o->thresholds.count ? o->thresholds.count : 1;
	const unsigned int which = point % thresholds;
	struct kernel_config *c = &plan->config;

	*plan = (struct measure_plan){ .kernel = o->kernel,
				       .lock = lock,
				       .seconds = o->seconds,
				       .pin = o->pin,
				       .instrument = o->instrument };
	c->threads = (unsigned int)o->threads.value[point / thresholds];
	c->cs_ns = o->cs_ns;
	c->think_ns = o->think_ns;
	c->layout = o->layout;
	c->seed = o->seed;
	c->variant = o->variant[v];
	c->workfile = &o->workfile;
	c->dir = o->dir;
	c->lock.max_threads = c->threads;
	memcpy(c->option, o->option, sizeof(c->option));
	if (!locks && i)
		return false;
	if (lock->traits & LOCK_WAIT)
		c->lock.wait = o->wait;
	if (!(lock->traits & LOCK_THRESHOLD))
		return !which;
	if (o->thresholds.count)
		c->lock.threshold =
			o->thresholds.value[which] == NUMBER_INF
				? LOCK_THRESHOLD_INF
				: (uint32_t)o->thresholds.value[which];
	return true;
}

static const char *wait_name(enum lock_wait wait)
{
	switch (wait) {
	case LOCK_WAIT_SPIN:
		return "spin";
	case LOCK_WAIT_YIELD:
		return "yield";
	case LOCK_WAIT_PARK:
		return "park";
	case LOCK_WAIT_DEFAULT:
		break;
	}
	return NULL;
}

/* What was asked for. */
static void row_config(struct row *row, const struct run_options *o,
		       const struct measure_plan *plan, unsigned int repeat)
{
	const struct kernel_config *c = &plan->config;
	const unsigned int traits = o->kernel->traits;

	row_clear(row);
	row->mode = "native";
	row->kernel = o->label;
	row->variant = c->variant;
	row->lock = plan->lock->name;
	row->threads = c->threads;
	if (traits & KERNEL_JOBS)
		row->users = c->threads;
	if (c->lock.threshold == LOCK_THRESHOLD_INF)
		row->threshold = ROW_INF;
	else if (c->lock.threshold != LOCK_THRESHOLD_DEFAULT)
		row->threshold = c->lock.threshold;
	row->wait = wait_name(c->lock.wait);
	if (traits & KERNEL_CS)
		row->cs_ns = c->cs_ns;
	if (traits & KERNEL_THINK)
		row->think_ns = c->think_ns;
	if (traits & KERNEL_LAYOUT)
		row->layout = c->layout == KERNEL_SPLIT ? "split" : "together";
	row->seed = c->seed;
	row->repeat = repeat;
}

/* What came out. */
static void row_result(struct row *row, const struct run_options *o,
		       const struct measure_result *r)
{
	const double rate = r->workers.seconds > 0 ? (double)r->workers.ops /
							     r->workers.seconds
						   : (double)NAN;

	row->variant = r->variant;
	row->seconds = r->workers.seconds;
	row->ops = r->workers.ops;
	row->ops_per_s = rate;
	if (o->kernel->op_bytes)
		row->bytes_per_s = rate * o->kernel->op_bytes;
	if (o->kernel->traits & KERNEL_JOBS)
		row->jobs_per_min = rate * 60;
	row->jain = r->workers.jain;
	row->wait_p50_ns = r->wait_p50_ns;
	row->wait_p99_ns = r->wait_p99_ns;
	row->wait_max_ns = r->wait_max_ns;
	row->user_s = r->workers.usage.user_s;
	row->system_s = r->workers.usage.system_s;
	row->softirq_s = r->workers.usage.softirq_s;
	row->ctx_switches = r->workers.usage.switches;
	row->machine_user_s = r->workers.usage.machine_user_s;
	row->machine_system_s = r->workers.usage.machine_system_s;
	row->machine_switches = r->workers.usage.machine_switches;
	row->queued = r->queued;
	row->parked = r->parked;
	row->probe_ns = r->probe_ns;
}

static void progress(const struct run *run, const struct measure_plan *plan)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (plan)
		(void)fprintf(stderr, "\r\033[K[%zu/%zu] %s %s %u",
			      run->done + 1, run->total, run->o->label,
			      plan->lock->name, plan->config.threads);
	else
		(void)fputs("\r\033[K", stderr);
}

static void run_one(struct run *run, const struct measure_plan *plan,
		    unsigned int repeat)
{
	struct row *row = &run->rows[run->count];
	struct measure_result result;
	struct error e;

	progress(run, plan);
	switch (measure_run(plan, &result, &e)) {
	case ISOLATE_DONE:
		row_config(row, run->o, plan, repeat);
		row_result(row, run->o, &result);
		if (run->o->format == FORMAT_CSV) {
			rows_csv(run->out.stream, row);
			run->lost = !out_flush(&run->out);
		}
		run->count++;
		break;
	case ISOLATE_FAILED:
		progress(run, NULL);
		(void)fprintf(stderr, "tkt: %s%s%s, lock %s, %u %s: %s\n",
			      run->o->label, plan->config.variant ? ", " : "",
			      plan->config.variant ? plan->config.variant : "",
			      plan->lock->name, plan->config.threads,
			      run->o->kernel->traits & KERNEL_JOBS ? "users"
								   : "threads",
			      e.text);
		run->failed = true;
		run->refused = result.refused;
		break;
	case ISOLATE_INTERRUPTED:
		run->interrupted = true;
		break;
	}
	run->done++;
}

/* What there is to run at one point: a turn of each variant, of each lock. */
struct turn {
	unsigned int point, variant, lock;
};

static bool next_turn(const struct run_options *o, struct turn *t)
{
	if (++t->lock < o->locks)
		return true;
	t->lock = 0;
	if (++t->variant < o->variants)
		return true;
	t->variant = 0;
	return ++t->point < point_count(o);
}

/* A B C, A B C: what drifts, drifts for all alike. */
static void run_all(struct run *run)
{
	const struct run_options *o = run->o;
	struct measure_plan plan;

	for (unsigned int repeat = 1; repeat <= o->repeats; repeat++) {
		struct turn t = { 0, 0, 0 };

		do {
			if (run->interrupted || run->lost || run->refused)
				return;
			if (point_plan(o, t.point, t.variant, t.lock, &plan))
				run_one(run, &plan, repeat);
		} while (next_turn(o, &t));
	}
}

/* Whether every lock takes its parameters; counts the runs. */
static bool check_plans(struct run *run, struct error *e)
{
	const struct run_options *o = run->o;
	struct turn t = { 0, 0, 0 };
	struct measure_plan plan;

	do {
		if (!point_plan(o, t.point, t.variant, t.lock, &plan))
			continue;
		if (!measure_allowed(&plan, e))
			return false;
		run->total += o->repeats;
	} while (next_turn(o, &t));
	return true;
}

static void write_table(const struct run *run, FILE *stream)
{
	rows_table(stream, run->rows, run->count);
	if (run->o->kernel->report && run->count)
		run->o->kernel->report(stream, run->rows, run->count);
}

static int run_write(struct run *run, struct error *e)
{
	FILE *stream = run->out.stream;
	const int status = run->interrupted ? CLI_INTERRUPTED
			   : run->failed    ? CLI_FAILED
					    : CLI_OK;

	if (run->refused) {
		out_discard(&run->out);
		return CLI_BAD;
	}
	if (run->o->format == FORMAT_TABLE)
		write_table(run, stream);
	else if (run->o->format == FORMAT_JSON)
		rows_json(stream, run->rows, run->count);
	if (!out_close(&run->out, e))
		return cli_bad(e);
	if (!run->o->table)
		return status;
	write_table(run, stdout);
	return cli_finish(status);
}

int cli_run(int argc, char **argv)
{
	static struct run_options options;
	struct run run = { .o = &options };
	struct error e;
	int status;

	if (!run_options_parse(&options, argc, argv, &e))
		return cli_bad(&e);
	if (options.help) {
		run_help(options.kernel);
		return cli_finish(CLI_OK);
	}
	if (!check_plans(&run, &e))
		return cli_bad(&e);
	run.rows = calloc(run.total, sizeof(*run.rows));
	if (!run.rows) {
		(void)error_set(&e, "out of memory for %zu runs", run.total);
		return cli_bad(&e);
	}
	isolate_catch_signals();
	if (!out_open(&run.out, options.out, &e)) {
		free(run.rows);
		return cli_bad(&e);
	}
	delay_calibrate();
	if (options.format == FORMAT_CSV)
		rows_csv_header(run.out.stream);
	run_all(&run);
	progress(&run, NULL);
	status = run_write(&run, &e);
	free(run.rows);
	return status;
}
