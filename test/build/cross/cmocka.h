/* SPDX-License-Identifier: MIT */
/*
 * test/build/cross/cmocka.h - as much of cmocka as the unit tests use
 *
 * For cross builds alone: Debian 12 has no cmocka for riscv64, and for other
 * processors only by making the system multi-architecture.  Names, meaning and
 * output follow cmocka, so the tests do not know the difference; but nothing
 * here is mocked, and a failed assertion in a thread other than the test's own
 * ends the process.
 */
#ifndef TEST_CROSS_CMOCKA_H
#define TEST_CROSS_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
	const char *name;
	void (*test_func)(void **state);
	int (*setup_func)(void **state);
	int (*teardown_func)(void **state);
	void *initial_state;
};

#define cmocka_unit_test(f)             \
	{                               \
#f, f, NULL, NULL, NULL \
	}
#define cmocka_unit_test_setup(f, setup) \
	{                                \
#f, f, setup, NULL, NULL \
	}
#define cmocka_unit_test_teardown(f, teardown) \
	{                                      \
#f, f, NULL, teardown, NULL    \
	}
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
	{                                                   \
#f, f, setup, teardown, NULL                \
	}
#define cmocka_unit_test_prestate(f, state) \
	{                                   \
#f, f, NULL, NULL, state    \
	}

/* Where a failed (1) or skipped (2) test returns to. */
struct shim_run {
	jmp_buf out;
	int inside; /* a test of this thread is running */
};

static __thread struct shim_run shim_run;

__attribute__((noreturn, unused)) static void shim_leave(int how)
{
	if (!shim_run.inside)
		exit(1);
	longjmp(shim_run.out, how);
}

__attribute__((noreturn, unused)) static void
shim_fail(const char *file, int line, const char *what)
{
	printf("[  ERROR   ] --- %s\n%s:%d: error: Failure!\n", what, file,
	       line);
	fflush(stdout);
	shim_leave(1);
}

static inline void shim_compare(int ok, uintmax_t a, uintmax_t b,
				const char *what, const char *file, int line)
{
	char text[256];

	if (ok)
		return;
	snprintf(text, sizeof(text), "%s: %#jx and %#jx", what, a, b);
	shim_fail(file, line, text);
}

#define SHIM_COMPARE(a, b, ok, what)                                     \
	shim_compare(ok, (uintmax_t)(a), (uintmax_t)(b), what, __FILE__, \
		     __LINE__)
#define SHIM_BITS(type, a, op, b)                                  \
	do {                                                       \
		const type shim_a = (type)(a), shim_b = (type)(b); \
		SHIM_COMPARE(shim_a, shim_b, shim_a op shim_b,     \
			     "not " #a " " #op " " #b);            \
	} while (0)
#define SHIM_RANGE(v, low, high, negate)                                  \
	do {                                                              \
		const uintmax_t shim_v = (uintmax_t)(v);                  \
		SHIM_COMPARE(shim_v, low,                                 \
			     negate(shim_v >= (uintmax_t)(low) &&         \
				    shim_v <= (uintmax_t)(high)),         \
			     #v " outside or inside " #low " to " #high); \
	} while (0)

#define assert_true(c)                                     \
	do {                                               \
		if (!(c))                                  \
			shim_fail(__FILE__, __LINE__, #c); \
	} while (0)
#define assert_false(c) assert_true(!(c))
#define assert_null(p) assert_true((p) == NULL)
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_int_equal(a, b) SHIM_BITS(uintmax_t, a, ==, b)
#define assert_int_not_equal(a, b) SHIM_BITS(uintmax_t, a, !=, b)
#define assert_ptr_equal(a, b) SHIM_BITS(uintptr_t, a, ==, b)
#define assert_ptr_not_equal(a, b) SHIM_BITS(uintptr_t, a, !=, b)
#define assert_return_code(rc, error) assert_true((rc) >= 0)
#define assert_in_range(v, low, high) SHIM_RANGE(v, low, high, !!)
#define assert_not_in_range(v, low, high) SHIM_RANGE(v, low, high, !)
#define assert_string_equal(a, b) assert_true(!strcmp((a), (b)))
#define assert_string_not_equal(a, b) assert_true(strcmp((a), (b)))
#define assert_memory_equal(a, b, n) assert_true(!memcmp((a), (b), (n)))
#define assert_memory_not_equal(a, b, n) assert_true(memcmp((a), (b), (n)))
#define fail() shim_fail(__FILE__, __LINE__, "fail()")
#define fail_msg(...)                                      \
	do {                                               \
		printf(__VA_ARGS__);                       \
		putchar('\n');                             \
		shim_fail(__FILE__, __LINE__, "fail_msg"); \
	} while (0)
#define skip() shim_leave(2)
#define print_message(...) ((void)printf(__VA_ARGS__))
#define print_error(...) ((void)fprintf(stderr, __VA_ARGS__))

/* Runs one test: 0 passed, 1 failed, 2 skipped. */
static inline int shim_run_one(const struct CMUnitTest *t, void *group_state)
{
	void *state = t->initial_state ? t->initial_state : group_state;
	volatile int how = 0;
	int jumped;

	printf("[ RUN      ] %s\n", t->name);
	fflush(stdout);
	if (t->setup_func && t->setup_func(&state))
		return 1;
	shim_run.inside = 1;
	jumped = setjmp(shim_run.out);
	if (!jumped)
		t->test_func(&state);
	else
		how = jumped;
	shim_run.inside = 0;
	if (t->teardown_func && t->teardown_func(&state))
		how = 1;
	printf("[ %s ] %s\n",
	       how == 0	  ? "      OK"
	       : how == 1 ? " FAILED "
			  : " SKIPPED",
	       t->name);
	fflush(stdout);
	return how;
}

/* Returns the number of tests that failed, as cmocka does. */
static inline int shim_run_group(const char *group,
				 const struct CMUnitTest *tests, size_t n,
				 int (*setup)(void **),
				 int (*teardown)(void **))
{
	size_t count[3] = { 0, 0, 0 };
	void *state = NULL;

	printf("[==========] %s: Running %zu test(s).\n", group, n);
	if (setup && setup(&state))
		return -1;
	for (size_t i = 0; i < n; i++)
		count[shim_run_one(&tests[i], state)]++;
	if (teardown && teardown(&state))
		count[1]++;
	printf("[==========] %s: %zu test(s) run.\n", group, n);
	printf("[  PASSED  ] %zu test(s).\n", count[0]);
	if (count[2])
		printf("[  SKIPPED ] %s: %zu test(s)\n", group, count[2]);
	if (count[1])
		printf("[  FAILED  ] %s: %zu test(s)\n", group, count[1]);
	fflush(stdout);
	return (int)count[1];
}

#define cmocka_run_group_tests(tests, setup, teardown)                    \
	shim_run_group(#tests, tests, sizeof(tests) / sizeof((tests)[0]), \
		       setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown)              \
	shim_run_group(name, tests, sizeof(tests) / sizeof((tests)[0]), setup, \
		       teardown)

#endif /* TEST_CROSS_CMOCKA_H */
