/* SPDX-License-Identifier: MIT */
/* test/unit/test_atomic.c - the accessors keep the contract of atomic.h */
#include <errno.h>

#include <tkt/atomic.h>

#include "unit.h"

struct word_pair {
	uint32_t first, second;
} __attribute__((aligned(8)));

static void test_read_modify_write(void **state)
{
	uint32_t w = 1;
	uint32_t e = 7;

	(void)state;
	assert_int_equal(TKT_FETCH_ADD(&w, 2u, TKT_RELAXED), 1);
	assert_int_equal(TKT_FETCH_OR(&w, 12u, TKT_ACQUIRE), 3);
	assert_int_equal(TKT_FETCH_AND(&w, 6u, TKT_RELEASE), 15);
	assert_int_equal(TKT_XCHG(&w, 9u, TKT_ACQ_REL), 6);
	assert_false(TKT_CAS(&w, &e, 1u, TKT_ACQ_REL, TKT_RELAXED));
	assert_int_equal(e, 9); /* told what it was */
	assert_true(TKT_CAS(&w, &e, 1u, TKT_ACQ_REL, TKT_RELAXED));
	assert_int_equal(TKT_LOAD(&w, TKT_ACQUIRE), 1);
	TKT_STORE(&w, 5u, TKT_RELEASE);
	assert_int_equal(TKT_READ(&w), 5);
	TKT_WRITE(&w, 6u);
	assert_int_equal(TKT_AWAIT(&w, v, v == 6, TKT_ACQUIRE), 6);
}

static void test_widths(void **state)
{
	uint8_t b = 255;
	uint16_t h = 65535;
	uint64_t d = UINT64_MAX;
	int x = 0, *p = NULL;

	(void)state;
	assert_int_equal(TKT_XCHG(&b, (uint8_t)1, TKT_RELAXED), 255);
	assert_int_equal(TKT_XCHG(&h, (uint16_t)1, TKT_RELAXED), 65535);
	assert_true(TKT_FETCH_ADD(&d, UINT64_C(2), TKT_RELAXED) == UINT64_MAX);
	assert_true(TKT_LOAD(&d, TKT_RELAXED) == 1);
	assert_null(TKT_XCHG(&p, &x, TKT_ACQ_REL));
	assert_ptr_equal(TKT_LOAD(&p, TKT_ACQUIRE), &x);
}

/* Both words count, in memory order, whatever the byte order. */
static void test_cas_pair(void **state)
{
	struct word_pair w = { 1, 2 };

	(void)state;
	assert_false(TKT_CAS_PAIR(&w.first, 2u, 1u, 3u, 4u, TKT_ACQ_REL));
	assert_false(TKT_CAS_PAIR(&w.first, 1u, 3u, 3u, 4u, TKT_ACQ_REL));
	assert_false(TKT_CAS_PAIR(&w.first, 0u, 2u, 3u, 4u, TKT_ACQ_REL));
	assert_int_equal(w.first, 1);
	assert_int_equal(w.second, 2);
	assert_true(TKT_CAS_PAIR(&w.first, 1u, 2u, 3u, 4u, TKT_ACQ_REL));
	assert_int_equal(w.first, 3);
	assert_int_equal(w.second, 4);
}

static void test_clock(void **state)
{
	const uint64_t a = TKT_CLOCK_NS(), b = TKT_CLOCK_NS();
	struct timespec ts;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	assert_true(a <= b);
	assert_true(b <=
		    (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec);
}

static void test_futex_returns(void **state)
{
	uint32_t w = 1;
	uint64_t deadline = TKT_CLOCK_NS() + 1000000;

	(void)state;
	errno = 1234;
	assert_int_equal(TKT_FUTEX_WAIT(&w, 2u, TKT_NO_DEADLINE), EAGAIN);
	assert_int_equal(TKT_FUTEX_WAIT(&w, 1u, deadline), ETIMEDOUT);
	assert_true(TKT_CLOCK_NS() >= deadline);
	TKT_FUTEX_WAKE(&w, 1u);
	assert_int_equal(errno, 1234); /* the caller's errno is left alone */
}

static void *sleeper_main(void *arg)
{
	uint32_t *w = arg;

	while (TKT_LOAD(w, TKT_ACQUIRE) == 1)
		(void)TKT_FUTEX_WAIT(w, 1u, TKT_NO_DEADLINE);
	return NULL;
}

static void test_futex_wakes(void **state)
{
	uint32_t w = 1;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, sleeper_main, &w), 0);
	for (int i = 0; i < 3; i++) {
		TKT_YIELD(&w, 1u);
		TKT_RELAX();
		TKT_PREFETCHW(&w);
		TKT_FENCE_SC();
	}
	TKT_STORE(&w, 2u, TKT_RELEASE);
	TKT_FUTEX_WAKE(&w, 1u);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_modify_write),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_cas_pair),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_futex_returns),
		cmocka_unit_test(test_futex_wakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
