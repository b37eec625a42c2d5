/* SPDX-License-Identifier: MIT */
/* test/tool/test_stats.c - fairness, spread, histogram */
#include "cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/random.h"
#include "harness/stats.h"

static void near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("got %g, want %g", got, want);
}

static void jain(void **state)
{
	const uint64_t equal[4] = { 7, 7, 7, 7 }, one[4] = { 0, 9, 0, 0 };
	const uint64_t none[2] = { 0, 0 }, uneven[2] = { 1, 3 };

	(void)state;
	near(stats_jain(equal, 4), 1, 1e-12);
	near(stats_jain(one, 4), 0.25, 1e-12);
	near(stats_jain(uneven, 2), 0.8, 1e-12);
	assert_true(isnan(stats_jain(none, 2)));
}

static void spread(void **state)
{
	double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 2, 100 };
	double holes[] = { (double)NAN, 2, (double)NAN };
	double nothing[] = { (double)NAN };
	struct spread s = stats_spread(odd, 3);

	(void)state;
	assert_true(s.median == 3 && s.min == 1 && s.max == 5);
	s = stats_spread(even, 4);
	assert_true(s.median == 3 && s.min == 1 && s.max == 100);
	s = stats_spread(holes, 3);
	assert_true(s.median == 2 && s.min == 2 && s.max == 2);
	assert_true(isnan(stats_spread(nothing, 1).median));
	assert_true(isnan(stats_spread(nothing, 0).max));
}

/* The error that stats.h states, at every scale and at the ends. */
static void histogram_error(void **state)
{
	struct histogram *h = test_calloc(1, sizeof(*h));
	struct random r = random_stream(1, 0);

	(void)state;
	for (int shift = 0; shift < 64; shift++)
		for (int i = 0; i < 200; i++) {
			const uint64_t v = random_next(&r) >> shift;

			memset(h, 0, sizeof(*h));
			histogram_add(h, v);
			h->max = UINT64_MAX; /* or it would hide the error */
			if (v < 16)
				assert_true(histogram_quantile(h, 0.5) ==
					    (double)v);
			else
				near(histogram_quantile(h, 0.5), (double)v,
				     1.0 / 32);
		}
	memset(h, 0, sizeof(*h));
	histogram_add(h, UINT64_MAX);
	near(histogram_quantile(h, 1), (double)UINT64_MAX, 1.0 / 32);
	test_free(h);
}

static void histogram_quantiles(void **state)
{
	struct histogram *h = test_calloc(2, sizeof(*h));

	(void)state;
	assert_true(isnan(histogram_quantile(h, 0.5)));
	for (uint64_t v = 1; v <= 1000; v++)
		histogram_add(&h[v % 2], v);
	histogram_merge(&h[0], &h[1]);
	assert_int_equal(h[0].count, 1000);
	assert_int_equal(h[0].max, 1000);
	near(histogram_quantile(&h[0], 0.5), 500, 0.04);
	near(histogram_quantile(&h[0], 0.99), 990, 0.04);
	near(histogram_quantile(&h[0], 0), 1, 0.001);
	assert_true(histogram_quantile(&h[0], 1) <= 1000);
	test_free(h);
}

static void random_streams(void **state)
{
	struct random a = random_stream(1, 0), b = random_stream(1, 0);
	struct random c = random_stream(1, 1), d = random_stream(2, 0);
	unsigned int hits[7] = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++) {
		const uint64_t x = random_next(&a);

		assert_int_equal(x, random_next(&b));
		assert_int_not_equal(x, random_next(&c));
		assert_int_not_equal(x, random_next(&d));
	}
	for (int i = 0; i < 7000; i++)
		hits[random_below(&a, 7)]++;
	for (int i = 0; i < 7; i++)
		assert_in_range(hits[i], 800, 1200);
	assert_int_equal(random_below(&a, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jain),
		cmocka_unit_test(spread),
		cmocka_unit_test(histogram_error),
		cmocka_unit_test(histogram_quantiles),
		cmocka_unit_test(random_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
