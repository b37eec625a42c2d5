/* SPDX-License-Identifier: MIT */
/* test/build/cross/shim_test.c - the stand-in's assertions fail where they must */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

static int teardowns;

static int count_teardown(void **state)
{
	(void)state;
	teardowns++;
	return 0;
}

/* Each of these has to hold, */
#define GOOD(X)                                      \
	X(g_true, assert_true(1))                    \
	X(g_false, assert_false(0))                  \
	X(g_null, assert_null(NULL))                 \
	X(g_non_null, assert_non_null(&teardowns))   \
	X(g_equal, assert_int_equal(-1, -1))         \
	X(g_not_equal, assert_int_not_equal(1, 2))   \
	X(g_range, assert_in_range(3, 3, 3))         \
	X(g_not_range, assert_not_in_range(2, 3, 4)) \
	X(g_string, assert_string_equal("a", "a"))

/* and each of these has to fail. */
#define BAD(X)                                            \
	X(b_true, assert_true(0))                         \
	X(b_false, assert_false(1))                       \
	X(b_null, assert_null(&teardowns))                \
	X(b_non_null, assert_non_null(NULL))              \
	X(b_equal, assert_int_equal(1, 2))                \
	X(b_not_equal, assert_int_not_equal(2, 2))        \
	X(b_pointers, assert_ptr_equal(&teardowns, NULL)) \
	X(b_low, assert_in_range(2, 3, 4))                \
	X(b_high, assert_in_range(5, 3, 4))               \
	X(b_not_range, assert_not_in_range(3, 3, 4))      \
	X(b_string, assert_string_equal("a", "b"))        \
	X(b_memory, assert_memory_equal("a", "b", 1))     \
	X(b_fail, fail())                                 \
	X(b_fail_msg, fail_msg("with %d", 1))

#define DEFINE(name, assertion)        \
	static void name(void **state) \
	{                              \
		(void)state;           \
		assertion;             \
	}
GOOD(DEFINE)
BAD(DEFINE)
DEFINE(skipped, skip())

#define ENTRY(name, assertion) cmocka_unit_test_teardown(name, count_teardown),

int main(void)
{
	static const struct CMUnitTest good[] = { GOOD(ENTRY)
							  ENTRY(skipped, ) };
	static const struct CMUnitTest bad[] = { BAD(ENTRY) };
	const int n_good = sizeof(good) / sizeof(good[0]);
	const int n_bad = sizeof(bad) / sizeof(bad[0]);

	if (cmocka_run_group_tests(good, NULL, NULL) != 0)
		return 1;
	if (cmocka_run_group_tests(bad, NULL, NULL) != n_bad)
		return 1;
	return teardowns != n_good + n_bad;
}
