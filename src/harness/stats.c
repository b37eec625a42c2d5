/* SPDX-License-Identifier: MIT */
/* src/harness/stats.c - fairness, spread, and a histogram of times */
#include <math.h>
#include <stdlib.h>

#include "stats.h"

double stats_jain(const uint64_t *x, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		const double v = (double)x[i];

		sum += v;
		squares += v * v;
	}
	return squares > 0 ? sum * sum / ((double)n * squares) : (double)NAN;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct spread stats_spread(double *values, size_t n)
{
	struct spread s = { (double)NAN, (double)NAN, (double)NAN };
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			values[kept++] = values[i];
	if (!kept)
		return s;
	qsort(values, kept, sizeof(*values), by_value);
	s.min = values[0];
	s.max = values[kept - 1];
	s.median = (values[(kept - 1) / 2] + values[kept / 2]) / 2;
	return s;
}

/* Values below 16 have a bucket each; then 16 buckets for each power of two. */
static size_t bucket_of(uint64_t ns)
{
	unsigned int power;

	if (ns < HISTOGRAM_SUB)
		return (size_t)ns;
	power = 63 - (unsigned int)__builtin_clzll(ns);
	return (size_t)(power - 3) * HISTOGRAM_SUB +
	       ((ns >> (power - 4)) & (HISTOGRAM_SUB - 1));
}

static double bucket_middle(size_t bucket)
{
	const unsigned int octave = (unsigned int)(bucket / HISTOGRAM_SUB);
	const size_t sub = bucket % HISTOGRAM_SUB;

	if (!octave)
		return (double)sub;
	/* The bucket's values: (16 + sub) << shift, 1 << shift of them. */
	return ldexp((double)(HISTOGRAM_SUB + sub), (int)octave - 1) +
	       (ldexp(1, (int)octave - 1) - 1) / 2;
}

void histogram_add(struct histogram *h, uint64_t ns)
{
	h->count++;
	h->bucket[bucket_of(ns)]++;
	if (ns > h->max)
		h->max = ns;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	into->count += from->count;
	if (from->max > into->max)
		into->max = from->max;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

double histogram_quantile(const struct histogram *h, double q)
{
	uint64_t rank, seen = 0;

	if (!h->count)
		return (double)NAN;
	rank = (uint64_t)ceil(q * (double)h->count);
	if (!rank)
		rank = 1;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			return fmin(bucket_middle(i), (double)h->max);
	}
	return (double)h->max;
}
