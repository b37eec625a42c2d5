/* SPDX-License-Identifier: MIT */
/* test/unit/test_events.c - what is counted, and that nothing else is */
#include <tkt.h>

#include "unit.h"

static void *lock_main(void *arg)
{
	tkt_lock(arg);
	tkt_unlock(arg);
	return NULL;
}

/* Threads that lock l one after the other, each waiting when the next comes. */
static struct tkt_events waiters(tkt_lock_t *l, unsigned int n)
{
	pthread_t thread[8];

	tkt_lock(l);
	for (unsigned int i = 0; i < n; i++) {
		const uintptr_t tail = TKT_LOAD(&l->tail, TKT_ACQUIRE);
		const uint32_t next = TKT_LOAD(&l->next, TKT_ACQUIRE);
		const struct tkt_events e = tkt_events_read(l);

		assert_int_equal(pthread_create(&thread[i], NULL, lock_main, l),
				 0);
		UNTIL(TKT_LOAD(&l->tail, TKT_ACQUIRE) != tail ||
		      TKT_LOAD(&l->next, TKT_ACQUIRE) != next);
		UNTIL(tkt_events_read(l).queued +
			      tkt_events_read(l).window_spins >
		      e.queued + e.window_spins);
	}
	tkt_unlock(l);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	return tkt_events_read(l);
}

static void test_uncontended(void **state)
{
	tkt_lock_t l = TKT_LOCK_INIT;
	struct tkt_events e;

	(void)state;
	tkt_lock(&l);
	tkt_unlock(&l);
	assert_true(tkt_trylock(&l));
	tkt_unlock(&l);
	e = tkt_events_read(&l);
	assert_int_equal(e.queued | e.handed_over | e.window_spins | e.left |
				 e.longest_room,
			 0);
}

/* Threshold 2: the first waits in the window, the other three in the room. */
static void test_counts(void **state)
{
	tkt_lock_t l = TKT_LOCK_INIT_POLICY(TKT_POLICY_YIELD_2);
	struct tkt_events e = waiters(&l, 4);

	(void)state;
	assert_int_equal(e.queued, 3);
	assert_int_equal(e.left, 3);
	assert_int_equal(e.longest_room, 3);
	assert_int_equal(e.handed_over, 2);
	assert_in_range(e.window_spins, 1, 4);
	tkt_lock_destroy(&l);
	assert_int_equal(tkt_events_read(&l).queued, 0);
}

static void test_window_only(void **state)
{
	tkt_lock_t l = TKT_LOCK_INIT_POLICY(TKT_POLICY_YIELD_INF);
	struct tkt_events e = waiters(&l, 3);

	(void)state;
	assert_int_equal(e.queued, 0);
	assert_int_equal(e.window_spins, 3);
	tkt_lock_destroy(&l);
}

/* Destroyed locks, and more locks than there are slots, stay in the total. */
static void test_total(void **state)
{
	static tkt_lock_t many[TKT_X_EVENT_SLOTS + 50];
	const struct tkt_events before = tkt_events_total();
	struct tkt_events after;

	(void)state;
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		tkt_x_count(&many[i], TKT_X_EV_queued);
		tkt_x_count(&many[i], TKT_X_EV_left);
	}
	after = tkt_events_total();
	assert_int_equal(after.queued - before.queued, TKT_X_EVENT_SLOTS + 50);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		tkt_lock_destroy(&many[i]);
	after = tkt_events_total();
	assert_int_equal(after.queued - before.queued, TKT_X_EVENT_SLOTS + 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uncontended),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_window_only),
		cmocka_unit_test(test_total),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
