/* SPDX-License-Identifier: MIT */
/* src/kernels/bioref_report.c - ours beside the published pair */
#include <inttypes.h>
#include <string.h>

#include "bioref_report.h"
#include "harness/rows.h"

/* Seconds for the same work, where they were published. */
static const struct {
	const char *variant;
	unsigned int seconds; /* 0: not published */
} published[] = {
	{ "none", 0 },	 { "borrowed", 0 },    { "atomic", 23 },
	{ "percpu", 0 }, { "atomic-cas", 40 },
};
#define VARIANTS (sizeof(published) / sizeof(*published))
#define BASE_SECONDS 23

/* Nanoseconds per request over all repeats; 0: not run. */
static double cost(const struct row *rows, size_t n, uint64_t threads,
		   const char *variant)
{
	double seconds = 0, ops = 0;

	for (size_t i = 0; i < n; i++) {
		if (rows[i].threads != threads || !rows[i].variant ||
		    strcmp(rows[i].variant, variant))
			continue;
		seconds += rows[i].seconds;
		ops += (double)rows[i].ops;
	}
	return ops > 0 ? seconds / ops * 1e9 : 0;
}

static void print_variant(FILE *out, uint64_t threads, size_t i, double ns,
			  double base)
{
	(void)fprintf(out, "%7" PRIu64 " %-12s %12.0f %10.1f", threads,
		      published[i].variant, 1e9 / ns, ns);
	if (base > 0)
		(void)fprintf(out, " %8.2f", ns / base);
	else
		(void)fprintf(out, " %8s", "-");
	if (published[i].seconds)
		(void)fprintf(out, " %8.2f (%u s)",
			      (double)published[i].seconds / BASE_SECONDS,
			      published[i].seconds);
	(void)fputc('\n', out);
}

void bioref_report(FILE *out, const struct row *rows, size_t n)
{
	(void)fputs("\nTime per request against `atomic`, and as published in "
		    "2013 (12 jobs on 12\ncores, 5 nested linear devices on a "
		    "ramdisk, random reads and writes of 512 B):\n",
		    out);
	(void)fprintf(out, "%7s %-12s %12s %10s %8s %8s\n", "threads",
		      "variant", "requests/s", "ns", "ours", "published");
	for (size_t i = 0; i < n; i++) {
		size_t first = 0;
		double base;

		while (rows[first].threads != rows[i].threads)
			first++;
		if (first != i)
			continue;
		base = cost(rows, n, rows[i].threads, "atomic");
		for (size_t v = 0; v < VARIANTS; v++) {
			const double ns = cost(rows, n, rows[i].threads,
					       published[v].variant);

			if (ns > 0)
				print_variant(out, rows[i].threads, v, ns,
					      base);
		}
	}
	(void)fputs("`--variant all` runs them all.\n", out);
}
