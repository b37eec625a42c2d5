/* SPDX-License-Identifier: MIT */
/* src/harness/rows_table.c - rows as a table of medians */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "stats.h"

#define CELL_BYTES 32

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Whether two rows are repeats of one configuration. */
static bool same_point(const struct row *a, const struct row *b)
{
	return same_text(a->mode, b->mode) && same_text(a->kernel, b->kernel) &&
	       same_text(a->variant, b->variant) &&
	       same_text(a->lock, b->lock) &&
	       same_text(a->machine, b->machine) && a->threads == b->threads &&
	       a->users == b->users && a->threshold == b->threshold &&
	       same_text(a->wait, b->wait) && a->cs_ns == b->cs_ns &&
	       a->think_ns == b->think_ns && same_text(a->layout, b->layout) &&
	       a->seed == b->seed;
}

/* Four digits and a power of a thousand: 15.71M. */
static void scaled(char cell[CELL_BYTES], double value)
{
	static const char prefix[] = " kMGT";
	size_t i = 0;

	if (isnan(value)) {
		(void)snprintf(cell, CELL_BYTES, "-");
		return;
	}
	for (; value >= 999.95 && prefix[i + 1]; i++)
		value /= 1000;
	if (i)
		(void)snprintf(cell, CELL_BYTES, "%.4g%c", value, prefix[i]);
	else
		(void)snprintf(cell, CELL_BYTES, "%.4g", value);
}

static void whole(char cell[CELL_BYTES], uint64_t value)
{
	if (value == ROW_NONE)
		(void)snprintf(cell, CELL_BYTES, "-");
	else if (value == ROW_INF)
		(void)snprintf(cell, CELL_BYTES, "inf");
	else
		(void)snprintf(cell, CELL_BYTES, "%" PRIu64, value);
}

/* One configuration: its first row, and the others of its kind. */
struct group {
	const struct row *rows;
	size_t count, first;
	double *values; /* room for count of them */
};

static struct spread spread_of(const struct group *g, size_t offset)
{
	size_t n = 0;

	for (size_t i = g->first; i < g->count; i++)
		if (same_point(&g->rows[i], &g->rows[g->first]))
			memcpy(&g->values[n++],
			       (const char *)&g->rows[i] + offset,
			       sizeof(double));
	return stats_spread(g->values, n);
}

static const struct {
	const char *title;
	size_t offset;
} costs[] = {
	{ "jain", offsetof(struct row, jain) },
	{ "wait p50", offsetof(struct row, wait_p50_ns) },
	{ "p99", offsetof(struct row, wait_p99_ns) },
	{ "max ns", offsetof(struct row, wait_max_ns) },
	{ "user s", offsetof(struct row, user_s) },
	{ "system s", offsetof(struct row, system_s) },
	{ "switches", offsetof(struct row, ctx_switches) },
	{ "probe ns", offsetof(struct row, probe_ns) },
};
#define COSTS (sizeof(costs) / sizeof(*costs))

/* What the table shows, decided by what its rows have. */
struct shape {
	int variants; /* the column's width; 0: there is none */
	bool users, threshold, wait, jobs;
	bool cost[COSTS];
};

static void shape_of(struct shape *s, const struct row *rows, size_t count)
{
	bool several = false;

	memset(s, 0, sizeof(*s));
	s->variants = (int)strlen("variant");
	for (size_t i = 0; i < count; i++) {
		const int length =
			rows[i].variant ? (int)strlen(rows[i].variant) : 1;

		several |= !same_text(rows[i].variant, rows[0].variant);
		if (length > s->variants)
			s->variants = length;
		s->users |= rows[i].users != ROW_NONE;
		s->threshold |= rows[i].threshold != ROW_NONE;
		s->wait |= rows[i].wait != NULL;
		s->jobs |= !isnan(rows[i].jobs_per_min);
		for (size_t k = 0; k < COSTS; k++) {
			double v;

			memcpy(&v, (const char *)&rows[i] + costs[k].offset,
			       sizeof(v));
			s->cost[k] |= !isnan(v);
		}
	}
	if (!several)
		s->variants = 0;
}

static void print_titles(FILE *out, const struct shape *s)
{
	if (s->variants)
		(void)fprintf(out, "%-*s ", s->variants, "variant");
	(void)fprintf(out, "%-16s %7s", "lock", s->users ? "users" : "threads");
	if (s->threshold)
		(void)fprintf(out, " %9s", "threshold");
	if (s->wait)
		(void)fprintf(out, " %6s", "wait");
	(void)fprintf(out, " %9s %19s", s->jobs ? "jobs/min" : "ops/s",
		      "min..max");
	for (size_t k = 0; k < COSTS; k++)
		if (s->cost[k])
			(void)fprintf(out, " %8s", costs[k].title);
	(void)fputc('\n', out);
}

static void print_group(FILE *out, const struct shape *s, const struct group *g)
{
	const struct row *r = &g->rows[g->first];
	const struct spread rate =
		spread_of(g, s->jobs ? offsetof(struct row, jobs_per_min)
				     : offsetof(struct row, ops_per_s));
	char cell[CELL_BYTES], high[CELL_BYTES], both[2 * CELL_BYTES + 2];

	if (s->variants)
		(void)fprintf(out, "%-*s ", s->variants,
			      r->variant ? r->variant : "-");
	whole(cell, s->users ? r->users : r->threads);
	(void)fprintf(out, "%-16s %7s", r->lock ? r->lock : "-", cell);
	if (s->threshold) {
		whole(cell, r->threshold);
		(void)fprintf(out, " %9s", cell);
	}
	if (s->wait)
		(void)fprintf(out, " %6s", r->wait ? r->wait : "-");
	scaled(cell, rate.median);
	(void)fprintf(out, " %9s", cell);
	scaled(cell, rate.min);
	scaled(high, rate.max);
	(void)snprintf(both, sizeof(both), "%s..%s", cell, high);
	(void)fprintf(out, " %19s", both);
	for (size_t k = 0; k < COSTS; k++) {
		if (!s->cost[k])
			continue;
		scaled(cell, spread_of(g, costs[k].offset).median);
		(void)fprintf(out, " %8s", cell);
	}
	(void)fputc('\n', out);
}

void rows_table(FILE *out, const struct row *rows, size_t count)
{
	struct group g = { .rows = rows, .count = count };
	struct shape shape;

	if (!count)
		return;
	g.values = malloc(count * sizeof(*g.values));
	if (!g.values) {
		(void)fputs("out of memory\n", stderr);
		return;
	}
	shape_of(&shape, rows, count);
	(void)fputs(rows[0].kernel ? rows[0].kernel : "-", out);
	if (rows[0].variant && !shape.variants)
		(void)fprintf(out, ", %s", rows[0].variant);
	(void)fputc('\n', out);
	print_titles(out, &shape);
	for (g.first = 0; g.first < count; g.first++) {
		size_t earlier = 0;

		while (!same_point(&rows[earlier], &rows[g.first]))
			earlier++;
		if (earlier == g.first)
			print_group(out, &shape, &g);
	}
	free(g.values);
}
