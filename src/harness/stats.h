/* SPDX-License-Identifier: MIT */
/* src/harness/stats.h - fairness, spread, and a histogram of times */
#ifndef TKT_SRC_HARNESS_STATS_H
#define TKT_SRC_HARNESS_STATS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Jain's index of n shares: (sum x)^2 / (n * sum x^2).  1 when all are equal,
 * 1/n when one has all.  NAN when there is nothing to share.
 */
double stats_jain(const uint64_t *x, size_t n);

struct spread {
	double median, min, max;
};

/* Of n values, which it sorts.  The NAN among them are left out; all NAN if
 * nothing remains.
 */
struct spread stats_spread(double *values, size_t n);

/*
 * Histogram of nanoseconds in logarithmic buckets, 16 to each power of two.
 * A quantile is given as its bucket's middle, which is off by at most 1/32
 * (3.2 %) of the true value; below 16 ns, and for the maximum, it is exact.
 */
#define HISTOGRAM_SUB 16
#define HISTOGRAM_BUCKETS (61 * HISTOGRAM_SUB)

struct histogram {
	uint64_t count, max;
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* For a zeroed histogram; one thread at a time. */
void histogram_add(struct histogram *h, uint64_t ns);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The value that a share q (0 to 1) of the entries do not exceed; NAN: none. */
double histogram_quantile(const struct histogram *h, double q);

#endif /* TKT_SRC_HARNESS_STATS_H */
