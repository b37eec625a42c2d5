/* SPDX-License-Identifier: MIT */
/*
 * src/bench/must_hold.c - what the lock promises about speed, row by row
 *
 *	tkt-musthold [ROUNDS [SECONDS]]		(default: 5 rounds of 1 s)
 *
 * Measures the default policy, policy spin, and the peers that each row names,
 * interleaved: each round runs every lock at every point, once for throughput
 * and fairness, and, from four threads on, once more with waits timed.  Two
 * lines written inside, 100 ns outside.  Prints for each row what it asks for,
 * what was measured (medians over the rounds; a ratio with the range of the
 * ratios within one round), and whether it holds.  The exit status is 0 whether
 * or not they do: on a busy machine a miss says little.
 *
 * A virtual machine may move its CPUs, near to each other or far apart.  The
 * distance of each round's runs is printed; rounds that lie on either side of
 * FAR_NS are two placements, and are judged apart.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_api.h"
#include "harness/stats.h"

#define MAX_ROUNDS 99
#define MAX_LOCKS 64
#define FAR_NS 120.0
#define FAIR 0.95 /* Jain's index of a peer that counts at two threads */

enum kind {
	OURS,
	SPIN_PEER,
	MUTEX_PEER
};

/* Places in the table that rows name. */
#define TKT 0
#define TKT_SPIN 1
#define MUTEX 11

static const struct {
	const char *name;
	enum kind kind;
	bool crowd; /* measured with more threads than CPUs */
} subjects[] = {
	{ "tkt", OURS, true },
	{ "tkt-spin", OURS, false },
	{ "ticket", SPIN_PEER, false },
	{ "mcs", SPIN_PEER, false },
	{ "qspin", SPIN_PEER, false },
	{ "pthread-spin", SPIN_PEER, false },
	{ "ck-fas", SPIN_PEER, false },
	{ "ck-ticket", SPIN_PEER, false },
	{ "ck-mcs", SPIN_PEER, false },
	{ "ck-clh", SPIN_PEER, false },
	{ "ck-anderson", SPIN_PEER, false },
	[MUTEX] = { "pthread-mutex", MUTEX_PEER, true },
	{ "pthread-adaptive", MUTEX_PEER, true },
	{ "absl-mutex", MUTEX_PEER, true },
	{ "nsync", MUTEX_PEER, true },
	{ "std-mutex", MUTEX_PEER, false },
};
#define SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

static const struct {
	const char *suite, *label;
	unsigned int threads;
} wanted[] = {
	{ "alone", "lines:2/think:100ns", 1 },
	{ "contended", "threads:2/lines:2/think:100ns", 2 },
	{ "oversubscribed", "threads:4", 4 },
	{ "oversubscribed", "threads:8", 8 },
	{ "oversubscribed", "threads:16", 16 },
	{ "oversubscribed", "threads:32", 32 },
	{ "oversubscribed", "threads:64", 64 },
	{ "idle", "waiters:16", 17 },
};
#define POINTS (sizeof(wanted) / sizeof(wanted[0]))
#define IDLE (POINTS - 1)
#define CROWD 2 /* the first point with more threads than CPUs */

struct cell {
	bool done, timed;
	struct bench_result plain, waits;
};

static struct cell cells[MAX_ROUNDS][POINTS][SUBJECTS];
static size_t lock_index[SUBJECTS];
static bool present[SUBJECTS];
static const struct bench_point *points[POINTS];
static size_t rounds = 5;
static double seconds = 1;
/* The placement that is being judged. */
static bool far_apart;

static double probe_of(size_t round)
{
	double v[POINTS];

	for (size_t p = 0; p < POINTS; p++)
		v[p] = cells[round][p][TKT].done
			       ? cells[round][p][TKT].plain.probe_ns
			       : (double)NAN;
	/* With more threads than CPUs the probe itself waits its turn. */
	return stats_spread(v, 2).median;
}

static bool counts(size_t round)
{
	return (probe_of(round) > FAR_NS) == far_apart;
}

/* Offsets of what is judged. */
#define FIELD(name) offsetof(struct bench_result, name)

static double value(const struct cell *c, size_t field)
{
	const bool of_waits = field == FIELD(wait_p999_ns) ||
			      field == FIELD(wait_max_ns);
	const struct bench_result *r = of_waits ? &c->waits : &c->plain;

	if (!c->done || (of_waits && !c->timed))
		return (double)NAN;
	return *(const double *)(const void *)((const char *)r + field);
}

static double median(size_t point, size_t subject, size_t field)
{
	double v[MAX_ROUNDS];
	size_t n = 0;

	for (size_t r = 0; r < rounds; r++)
		if (counts(r))
			v[n++] = value(&cells[r][point][subject], field);
	return stats_spread(v, n).median;
}

/* Of subject against other in the same round. */
static struct spread within(size_t point, size_t subject, size_t other,
			    size_t field)
{
	double v[MAX_ROUNDS];
	size_t n = 0;

	for (size_t r = 0; r < rounds; r++)
		if (counts(r))
			v[n++] = value(&cells[r][point][subject], field) /
				 value(&cells[r][point][other], field);
	return stats_spread(v, n);
}

/* The fastest of that kind; only those at least so fair, and of a crowd. */
static size_t best(size_t point, enum kind kind, double fair, bool any_kind)
{
	size_t which = SUBJECTS;
	double most = 0;

	for (size_t s = 0; s < SUBJECTS; s++) {
		const double ops = median(point, s, FIELD(ops_per_s));

		if (subjects[s].kind == OURS ||
		    (!any_kind && subjects[s].kind != kind) || isnan(ops) ||
		    ops <= most || median(point, s, FIELD(jain)) < fair)
			continue;
		most = ops;
		which = s;
	}
	return which;
}

static void row(const char *what, const char *asked, bool holds,
		const char *format, ...) __attribute__((format(printf, 4, 5)));
static void row(const char *what, const char *asked, bool holds,
		const char *format, ...)
{
	char measured[128];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(measured, sizeof(measured), format, args);
	va_end(args);
	printf("%-26s %-24s %-46s %s\n", what, asked, measured,
	       holds ? "holds" : "MISSED");
}

static void row_speed(size_t point, size_t subject, size_t other, double least,
		      const char *who)
{
	char what[64], asked[64];
	struct spread s;
	double ratio;

	if (other == SUBJECTS)
		return;
	s = within(point, subject, other, FIELD(ops_per_s));
	ratio = median(point, subject, FIELD(ops_per_s)) /
		median(point, other, FIELD(ops_per_s));
	(void)snprintf(what, sizeof(what), "%u thread%s, %s",
		       wanted[point].threads,
		       wanted[point].threads > 1 ? "s" : "",
		       subjects[subject].name);
	(void)snprintf(asked, sizeof(asked), ">= %.2f x %s", least, who);
	row(what, asked, ratio >= least, "%.2f (%.2f..%.2f) x %s, %.2f M/s",
	    ratio, s.min, s.max, subjects[other].name,
	    median(point, subject, FIELD(ops_per_s)) / 1e6);
}

static void rows_crowd(size_t point, double least, double fair, double part)
{
	static const struct {
		const char *name;
		size_t field;
	} waits[] = { { "longest wait", FIELD(wait_max_ns) },
		      { "p99.9 wait", FIELD(wait_p999_ns) } };
	const size_t mutex = MUTEX;
	const double jain = median(point, TKT, FIELD(jain));
	char asked[64];

	row_speed(point, TKT, best(point, MUTEX_PEER, 0, false), least,
		  "best mutex");
	(void)snprintf(asked, sizeof(asked), ">= %.2f", fair);
	row("  Jain's index", asked, jain >= fair, "%.3f (pthread-mutex %.3f)",
	    jain, median(point, mutex, FIELD(jain)));
	for (size_t i = 0; i < 2; i++) {
		const double ours = median(point, TKT, waits[i].field),
			     its = median(point, mutex, waits[i].field);
		char what[32];

		(void)snprintf(what, sizeof(what), "  %s", waits[i].name);
		(void)snprintf(asked, sizeof(asked), "<= %.2g x pthread-mutex",
			       part);
		row(what, asked, ours <= part * its, "%.2f = %.2f of %.2f ms",
		    ours / its, ours / 1e6, its / 1e6);
	}
}

static void rows_cost(void)
{
	const size_t mutex = MUTEX, sixteen = 4;
	const double share = median(IDLE, TKT, FIELD(cpu_share)),
		     ours = median(sixteen, TKT, FIELD(cpu_s_per_mop)),
		     its = median(sixteen, mutex, FIELD(cpu_s_per_mop));

	row("16 idle waiters, CPU", "<= 5 % of one CPU", share <= 0.05,
	    "%.2f %% (pthread-mutex %.2f %%)", share * 100,
	    median(IDLE, mutex, FIELD(cpu_share)) * 100);
	row("16 threads, CPU per op", "<= pthread-mutex", ours <= its,
	    "%.3f against %.3f us", ours, its);
}

static void rows_all(void)
{
	row_speed(0, TKT, best(0, SPIN_PEER, 0, false), 0.9, "best spin lock");
	row_speed(0, TKT_SPIN, best(0, SPIN_PEER, 0, false), 0.95,
		  "best spin lock");
	row_speed(0, TKT, best(0, MUTEX_PEER, 0, false), 1, "best mutex");
	row_speed(1, TKT, best(1, OURS, FAIR, true), 0.95, "best fair peer");
	row_speed(1, TKT_SPIN, best(1, OURS, FAIR, true), 0.95,
		  "best fair peer");
	for (size_t p = CROWD; p < IDLE; p++) {
		const bool many = wanted[p].threads >= 32;

		rows_crowd(p, many ? 1.15 : 0.95, many ? 0.9 : 0.97,
			   many ? 0.5 : 1);
	}
	rows_cost();
}

static void find(void)
{
	for (size_t s = 0; s < SUBJECTS; s++)
		for (size_t i = 0; i < bench_locks(); i++)
			if (!strcmp(bench_lock(i), subjects[s].name)) {
				lock_index[s] = i;
				present[s] = true;
			}
	for (size_t s = 0; s < SUBJECTS; s++)
		if (!present[s])
			printf("without %s: not in this build\n",
			       subjects[s].name);
	for (size_t w = 0; w < POINTS; w++)
		for (size_t i = 0; i < bench_points(); i++) {
			const struct bench_point *p = bench_point_at(i);

			if (!strcmp(bench_suite(p), wanted[w].suite) &&
			    !strcmp(bench_label(p), wanted[w].label))
				points[w] = p;
		}
}

static bool measure(size_t point, size_t subject, struct cell *c)
{
	char why[BENCH_WHY_BYTES];
	const bool crowd = point >= CROWD;

	if (!present[subject] || (crowd && !subjects[subject].crowd))
		return true;
	c->done = bench_run(points[point], lock_index[subject], seconds, false,
			    &c->plain, why);
	c->timed = c->done && crowd && point < IDLE &&
		   bench_run(points[point], lock_index[subject], seconds, true,
			     &c->waits, why);
	if (!c->done && !bench_interrupted())
		fprintf(stderr, "tkt-musthold: %s, %u threads: %s\n",
			subjects[subject].name, wanted[point].threads, why);
	return !bench_interrupted();
}

static bool measure_round(size_t round)
{
	for (size_t p = 0; p < POINTS; p++)
		for (size_t s = 0; s < SUBJECTS; s++)
			if (!measure(p, s, &cells[round][p][s]))
				return false;
	return true;
}

static bool parse(int argc, char **argv)
{
	char *end = NULL;

	errno = 0;
	if (argc > 1)
		rounds = strtoul(argv[1], &end, 10);
	if (argc > 1 && (errno || *end || rounds < 1 || rounds > MAX_ROUNDS))
		return fprintf(stderr,
			       "tkt-musthold: rounds '%s': allowed is a number "
			       "from 1 to %d\n",
			       argv[1], MAX_ROUNDS) < 0;
	if (argc > 2)
		seconds = strtod(argv[2], &end);
	if (argc > 2 &&
	    (end == argv[2] || *end || !(seconds >= 0.01 && seconds <= 10)))
		return fprintf(stderr,
			       "tkt-musthold: seconds '%s': allowed is a "
			       "number from 0.01 to 10\n",
			       argv[2]) < 0;
	if (argc > 3)
		return fprintf(stderr,
			       "tkt-musthold: '%s': allowed are two arguments, "
			       "rounds and seconds\n",
			       argv[3]) < 0;
	return true;
}

/* The rows, for each placement that was seen. */
static void judge(void)
{
	for (int side = 0; side < 2; side++) {
		size_t n = 0;

		far_apart = side;
		for (size_t r = 0; r < rounds; r++)
			n += counts(r);
		if (!n)
			continue;
		printf("\n%zu round%s with the CPUs %s (lines", n,
		       n > 1 ? "s" : "", side ? "far apart" : "near");
		for (size_t r = 0; r < rounds; r++)
			if (counts(r))
				printf(" %.0f", probe_of(r));
		printf(" ns apart)\n");
		rows_all();
	}
}

int main(int argc, char **argv)
{
	if (!parse(argc, argv))
		return 2;
	find();
	bench_init();
	for (size_t r = 0; r < rounds; r++) {
		fprintf(stderr, "round %zu of %zu\n", r + 1, rounds);
		if (!measure_round(r)) {
			fprintf(stderr, "interrupted\n");
			rounds = r;
		}
	}
	judge();
	return bench_interrupted() ? 130 : 0;
}
