/* SPDX-License-Identifier: MIT */
/* src/kernels/dio_report.c - published figures beside ours */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dio.h"
#include "harness/rows.h"
#include "harness/stats.h"

#define JOBS 3

static const unsigned int jobs[JOBS] = { 1, 2, 4 };

/*
 * From the announcement of unlocked direct-I/O writes for ext4 (fs-devel,
 * 2013): fio, psync, direct, 4 KiB random writes, 2 cores, SSD; its KB is
 * 1024 bytes.
 */
static const struct {
	const char *name;
	unsigned int kb[JOBS], iops[JOBS];
} published[] = {
	{ "lock", { 24936, 24738, 24726 }, { 6234, 6184, 6181 } },
	{ "nolock", { 24962, 30866, 32101 }, { 6240, 7716, 8025 } },
};

static bool same_line(const struct row *a, const struct row *b)
{
	return !strcmp(a->variant, b->variant) && !strcmp(a->lock, b->lock) &&
	       a->threshold == b->threshold;
}

/* The median over the repeats; NAN: there are none. */
static double rate(const struct row *rows, size_t n, const struct row *like,
		   unsigned int threads, double *values)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (same_line(&rows[i], like) && rows[i].threads == threads)
			values[found++] = rows[i].ops_per_s;
	return stats_spread(values, found).median;
}

static void print_cell(FILE *out, double kb, double iops)
{
	char cell[40];

	if (isnan(iops))
		(void)snprintf(cell, sizeof(cell), "-");
	else
		(void)snprintf(cell, sizeof(cell), "%.0f (%.0f)", kb, iops);
	(void)fprintf(out, " %18s", cell);
}

static void print_ours(FILE *out, const struct row *rows, size_t n,
		       const struct row *like, double *values)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "%s, %s", like->variant, like->lock);
	(void)fprintf(out, "%-36s", name);
	for (unsigned int j = 0; j < JOBS; j++) {
		const double iops = rate(rows, n, like, jobs[j], values);

		print_cell(out, iops * DIO_BLOCK / 1024, iops);
	}
	(void)fputc('\n', out);
}

void dio_report(FILE *out, const struct row *rows, size_t n)
{
	double *values = malloc(n * sizeof(*values));

	if (!values)
		return;
	(void)fprintf(out, "\n%-36s", "KB/s (IOPS), jobs:");
	for (unsigned int j = 0; j < JOBS; j++)
		(void)fprintf(out, " %18u", jobs[j]);
	(void)fputc('\n', out);
	for (size_t i = 0; i < sizeof(published) / sizeof(*published); i++) {
		(void)fprintf(out, "published, %-25s", published[i].name);
		for (unsigned int j = 0; j < JOBS; j++)
			print_cell(out, published[i].kb[j],
				   published[i].iops[j]);
		(void)fputc('\n', out);
	}
	for (size_t i = 0; i < n; i++) {
		size_t earlier = 0;

		while (!same_line(&rows[earlier], &rows[i]))
			earlier++;
		if (earlier == i)
			print_ours(out, rows, n, &rows[i], values);
	}
	(void)fputs(
		"published: ext4 of 2013, 2 cores, SSD; fio, psync, direct, "
		"4 KiB random write\n",
		out);
	free(values);
}
