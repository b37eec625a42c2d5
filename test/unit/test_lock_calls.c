/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_lock_calls.c - what callers rely on besides lock and unlock
 *
 * Time limits, unlock by another thread, the guard, limits and policies.
 */
#include <tkt.h>

#include "near_wrap.h"
#include "unit.h"

static void test_tryspin_gets_it(void **state)
{
	tkt_lock_t l = near_wrap(TKT_POLICY_DEFAULT);

	(void)state;
	assert_true(tkt_tryspin(&l, 0));
	tkt_unlock(&l);
	assert_true(tkt_tryspin(&l, UINT64_MAX));
	tkt_unlock(&l);
}

static void *until_main(void *arg)
{
	const bool got = tkt_lock_until(arg, UINT64_MAX - 1);

	if (got)
		tkt_unlock(arg);
	return got ? arg : NULL;
}

static void test_deadline(void **state)
{
	tkt_lock_t l = near_wrap(TKT_POLICY_DEFAULT);
	uint64_t deadline;
	pthread_t thread;
	void *got;

	(void)state;
	/* One try is made even when the time is over. */
	assert_true(tkt_lock_until(&l, 0));
	/* Held: fails, and not before its time. */
	deadline = tkt_clock_ns() + 2000000;
	assert_false(tkt_lock_until(&l, deadline));
	assert_true(tkt_clock_ns() >= deadline);
	assert_int_equal(tickets_out(&l), 1);
	/* Released before the deadline: got by the one who waits. */
	assert_int_equal(pthread_create(&thread, NULL, until_main, &l), 0);
	sched_yield();
	tkt_unlock(&l);
	assert_int_equal(pthread_join(thread, &got), 0);
	assert_ptr_equal(got, &l);
	/* No deadline: waits as tkt_lock does. */
	assert_true(tkt_lock_until(&l, TKT_NO_DEADLINE));
	tkt_unlock(&l);
}

static void *unlock_main(void *arg)
{
	tkt_unlock(arg);
	return NULL;
}

static void test_unlock_by_another(void **state)
{
	tkt_lock_t l = near_wrap(TKT_POLICY_DEFAULT);
	pthread_t thread;

	(void)state;
	tkt_lock(&l);
	assert_int_equal(pthread_create(&thread, NULL, unlock_main, &l), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_false(tkt_is_locked(&l));
	assert_true(tkt_trylock(&l));
	tkt_unlock(&l);
}

static int early_return(tkt_lock_t *l, int leave)
{
	TKT_GUARD(l);

	if (leave)
		return tkt_is_locked(l) ? 1 : -1;
	return tkt_is_locked(l) ? 2 : -2;
}

static void test_guard(void **state)
{
	tkt_lock_t l = near_wrap(TKT_POLICY_DEFAULT), m = TKT_LOCK_INIT;

	(void)state;
	assert_int_equal(early_return(&l, 1), 1);
	assert_false(tkt_is_locked(&l));
	assert_int_equal(early_return(&l, 0), 2);
	assert_false(tkt_is_locked(&l));
	{
		TKT_GUARD(&l);
		TKT_GUARD(&m);
		assert_true(tkt_is_locked(&l) && tkt_is_locked(&m));
	}
	assert_false(tkt_is_locked(&l) || tkt_is_locked(&m));
}

/* Torn peeks: an owner ahead of the next we saw counts as few tickets. */
static void test_limits(void **state)
{
	(void)state;
	assert_true(tkt_x_out(START, START + TKT_X_STEP) < tkt_x_limit(1));
	assert_int_equal(tkt_x_out(START | TKT_X_POLICY, START), 0);
	assert_int_equal(tkt_x_out(TKT_X_STEP, 0u - TKT_X_STEP),
			 (int32_t)(2 * TKT_X_STEP));
	assert_int_equal(tkt_x_limit(TKT_THRESHOLD_INF), INT32_MAX);
	assert_int_equal(tkt_x_limit(TKT_X_HALF), INT32_MAX);
	assert_int_equal(tkt_x_limit(TKT_X_HALF - 1),
			 (int32_t)((TKT_X_HALF - 1) * TKT_X_STEP));
}

static void test_policies(void **state)
{
	(void)state;
	for (uint32_t p = TKT_POLICY_SPIN; p < TKT_POLICY_COUNT; p++) {
		const struct tkt_policy_info info = tkt_policy_describe(p);
		const int found = tkt_policy_find(info.wait, info.threshold);

		/* The first of its kind: SPIN for SPIN_4, if W is 4. */
		assert_in_range(found, TKT_POLICY_SPIN, p);
		assert_int_equal(tkt_policy_describe((uint32_t)found).threshold,
				 info.threshold);
		assert_int_equal(tkt_policy_describe((uint32_t)found).wait,
				 info.wait);
	}
	assert_int_equal(tkt_policy_find(TKT_WAIT_SPIN, 3), -1);
	assert_int_equal(tkt_policy_find(99, 4), -1);
	assert_int_equal(tkt_policy_describe(99).threshold, TKT_THRESHOLD);
	assert_int_equal(tkt_policy_describe(0).wait, TKT_DEFAULT_WAIT);
	assert_true(TKT_POLICY_COUNT <=
		    (TKT_X_POLICY >> TKT_X_POLICY_SHIFT) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tryspin_gets_it),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_unlock_by_another),
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_policies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
