/* SPDX-License-Identifier: MIT */
/* test/unit/test_waitqueue.c - entries, wake functions, waits and their ends */
#include <errno.h>
#include <signal.h>

#include <tkt/waitqueue.h>

#include "unit.h"

#define MS UINT64_C(1000000)

static struct tkt_waitqueue queue = TKT_WAITQUEUE_INIT;

static uint32_t stage(const struct tkt_waiter *w)
{
	return __atomic_load_n(&w->state, __ATOMIC_ACQUIRE) & TKT_X_WL_STAGE;
}

static struct tkt_waiter fresh(void)
{
	return (struct tkt_waiter)TKT_WAITER_INIT(tkt_wake_default);
}

/* The entries of `queue`, in order, are exactly these. */
static void assert_queued(struct tkt_waiter *a, struct tkt_waiter *b,
			  struct tkt_waiter *c)
{
	struct tkt_waiter *want[] = { a, b, c }, *prev = NULL;
	struct tkt_waiter *w = queue.list.first;

	for (int i = 0; i < 3 && want[i]; i++, prev = w, w = w->next) {
		assert_ptr_equal(w, want[i]);
		assert_ptr_equal(w->prev, prev);
	}
	assert_null(w);
	if (prev)
		assert_ptr_equal(queue.list.last, prev);
	assert_int_equal(tkt_waitqueue_active(&queue), a != NULL);
	assert_int_equal(tkt_waitqueue_active_ordered(&queue), a != NULL);
}

static void test_prepare_finish(void **state)
{
	struct tkt_waiter w = fresh();

	(void)state;
	assert_queued(NULL, NULL, NULL);
	assert_false(tkt_finish_wait(&queue, &w)); /* never prepared */
	tkt_prepare_to_wait(&queue, &w);
	assert_int_equal(stage(&w), TKT_X_WL_QUEUED);
	tkt_prepare_to_wait(&queue, &w); /* is there already */
	assert_queued(&w, NULL, NULL);
	assert_false(tkt_finish_wait(&queue, &w));
	assert_int_equal(stage(&w), TKT_X_WL_IDLE);
	assert_queued(NULL, NULL, NULL);
}

/* Off the list from the front, the middle and the end. */
static void test_leave_anywhere(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct tkt_waiter w[3] = { fresh(), fresh(), fresh() };

		for (int k = 0; k < 3; k++)
			tkt_prepare_to_wait_exclusive(&queue, &w[k]);
		assert_queued(&w[0], &w[1], &w[2]);
		assert_false(tkt_finish_wait(&queue, &w[i]));
		assert_queued(&w[i == 0], &w[i == 2 ? 1 : 2], NULL);
		assert_int_equal(tkt_wake_up(&queue, TKT_WAKE_ALL), 2);
		assert_queued(NULL, NULL, NULL);
	}
}

static void test_wake_counts(void **state)
{
	struct tkt_waiter one = fresh(), two = fresh(), all = fresh();

	(void)state;
	tkt_prepare_to_wait_exclusive(&queue, &one);
	tkt_prepare_to_wait_exclusive(&queue, &two);
	tkt_prepare_to_wait(&queue, &all);
	assert_queued(&all, &one, &two);
	assert_int_equal(tkt_wake_up(&queue, 0), 0);
	assert_int_equal(stage(&all), TKT_X_WL_WOKEN);
	assert_queued(&one, &two, NULL);
	tkt_prepare_to_wait(&queue, &all); /* and again */
	assert_int_equal(tkt_wake_up(&queue, 1), 1);
	assert_queued(&two, NULL, NULL);
	assert_int_equal(stage(&one), TKT_X_WL_WOKEN);
	assert_int_equal(stage(&all), TKT_X_WL_WOKEN);
	assert_int_equal(tkt_wait_sleep(&one, TKT_NO_DEADLINE), 0);
	assert_true(tkt_finish_wait(&queue, &one));
	assert_false(tkt_finish_wait(&queue, &one));
	assert_true(tkt_finish_wait(&queue, &all));
	assert_int_equal(tkt_wake_up(&queue, 5), 1);
	assert_true(tkt_finish_wait(&queue, &two));
	assert_int_equal(tkt_wake_up(&queue, 1), 0);
}

/* On its way out: the default passes over it, the other counts it. */
static void test_wake_functions(void **state)
{
	struct tkt_waiter out = fresh(), next = fresh();

	(void)state;
	for (int always = 0; always < 2; always++) {
		out.wake = always ? tkt_wake_always_counts : tkt_wake_default;
		tkt_prepare_to_wait_exclusive(&queue, &out);
		tkt_prepare_to_wait_exclusive(&queue, &next);
		assert_int_equal(tkt_wait_leave(&out), TKT_LEFT_LISTED);
		assert_int_equal(stage(&out), TKT_X_WL_LEAVING);
		assert_int_equal(tkt_wake_up(&queue, 1), 1);
		assert_int_equal(stage(&next),
				 always ? TKT_X_WL_QUEUED : TKT_X_WL_WOKEN);
		tkt_waitlist_remove(&queue.list, &out);
		assert_int_equal(tkt_finish_wait(&queue, &next), !always);
		assert_queued(NULL, NULL, NULL);
	}
}

static const void *seen_key;

static bool wake_for_key(struct tkt_waiter *w, const void *key)
{
	seen_key = key;
	return key == w && tkt_waiter_claim(w);
}

static void test_keys(void **state)
{
	struct tkt_waiter a = TKT_WAITER_INIT(wake_for_key), b = a;

	(void)state;
	tkt_prepare_to_wait_exclusive(&queue, &a);
	tkt_prepare_to_wait_exclusive(&queue, &b);
	assert_int_equal(tkt_wake_up_key(&queue, 1, &queue), 0);
	assert_ptr_equal(seen_key, &queue);
	assert_queued(&a, &b, NULL);
	assert_int_equal(tkt_wake_up_key(&queue, 1, &b), 1);
	assert_queued(&a, NULL, NULL);
	assert_true(tkt_finish_wait(&queue, &b));
	assert_false(tkt_finish_wait(&queue, &a));
}

/* Claimed but not told yet: it can neither leave nor be put on again. */
static void *leaver_main(void *arg)
{
	return tkt_finish_wait(&queue, arg) ? arg : NULL;
}

static void test_claimed(void **state)
{
	struct tkt_wakes wakes = { NULL, NULL };
	struct tkt_waiter w = fresh();
	pthread_t thread;
	void *woken;

	(void)state;
	tkt_prepare_to_wait_exclusive(&queue, &w);
	assert_int_equal(tkt_wake_up_locked(&queue.list, 1, NULL, &wakes), 1);
	assert_int_equal(stage(&w), TKT_X_WL_CLAIMED);
	assert_ptr_equal(wakes.first, &w);
	assert_queued(NULL, NULL, NULL);
	tkt_prepare_to_wait_exclusive(&queue, &w);
	assert_queued(NULL, NULL, NULL);
	assert_int_equal(tkt_wait_sleep(&w, 1), ETIMEDOUT);
	assert_int_equal(pthread_create(&thread, NULL, leaver_main, &w), 0);
	UNTIL(__atomic_load_n(&w.state, __ATOMIC_ACQUIRE) ==
	      (TKT_X_WL_CLAIMED | TKT_X_WL_ASLEEP));
	tkt_wakes_deliver(&wakes);
	assert_null(wakes.first);
	assert_int_equal(pthread_join(thread, &woken), 0);
	assert_ptr_equal(woken, &w);
}

/* An aborted exclusive waiter that was woken passes it on; others do not. */
static void test_abort_passes_on(void **state)
{
	struct tkt_waiter one = fresh(), two = fresh();

	(void)state;
	tkt_prepare_to_wait_exclusive(&queue, &one);
	tkt_prepare_to_wait_exclusive(&queue, &two);
	assert_int_equal(tkt_wait_sleep(&one, 1), ETIMEDOUT);
	assert_int_equal(tkt_wake_up(&queue, 1), 1); /* races with its end */
	assert_true(tkt_abort_wait(&queue, &one, NULL));
	assert_int_equal(stage(&two), TKT_X_WL_WOKEN);
	assert_true(tkt_finish_wait(&queue, &two));

	tkt_prepare_to_wait(&queue, &one);
	tkt_prepare_to_wait_exclusive(&queue, &two);
	assert_int_equal(tkt_wake_up(&queue, 0), 0);
	assert_true(tkt_abort_wait(&queue, &one, NULL)); /* not exclusive */
	tkt_prepare_to_wait_exclusive(&queue, &one);
	assert_false(tkt_abort_wait(&queue, &one, NULL)); /* not woken */
	assert_int_equal(stage(&two), TKT_X_WL_QUEUED);
	assert_false(tkt_finish_wait(&queue, &two));
}

static void test_event_at_once(void **state)
{
	int looks = 0;

	(void)state;
	TKT_WAIT_EVENT(&queue, ++looks);
	TKT_WAIT_EVENT_EXCLUSIVE(&queue, ++looks > 2);
	assert_int_equal(looks, 3);
	assert_true(TKT_WAIT_EVENT_UNTIL(&queue, ++looks, 0));
	assert_int_equal(looks, 4);
	assert_queued(NULL, NULL, NULL);
}

static void test_event_times_out(void **state)
{
	const uint64_t deadline = TKT_CLOCK_NS() + 5 * MS;

	(void)state;
	assert_false(TKT_WAIT_EVENT_UNTIL(&queue, false, deadline));
	assert_true(TKT_CLOCK_NS() >= deadline);
	assert_int_equal(TKT_WAIT_EVENT_FULL(&queue, false, true, deadline,
					     true),
			 ETIMEDOUT);
	assert_queued(NULL, NULL, NULL);
}

/* The wake-up comes after the last look: it is the next waiter's. */
static bool woken_late(struct tkt_waiter *next, int *looks)
{
	if (++*looks == 3) {
		tkt_prepare_to_wait_exclusive(&queue, next);
		assert_int_equal(tkt_wake_up(&queue, 1), 1);
		assert_int_equal(stage(next), TKT_X_WL_QUEUED);
	}
	return false;
}

static void test_event_swallows_nothing(void **state)
{
	struct tkt_waiter next = fresh();
	int looks = 0;

	(void)state;
	assert_int_equal(TKT_WAIT_EVENT_FULL(&queue, woken_late(&next, &looks),
					     true, 1, false),
			 ETIMEDOUT);
	assert_int_equal(looks, 3);
	assert_true(tkt_finish_wait(&queue, &next));
}

static uint32_t flag, looks_before;

static void *event_main(void *arg)
{
	int err;

	(void)arg;
	err = TKT_WAIT_EVENT_FULL(
		&queue,
		(__atomic_fetch_add(&looks_before, 1u, __ATOMIC_RELEASE),
		 __atomic_load_n(&flag, __ATOMIC_ACQUIRE)),
		false, TKT_NO_DEADLINE, true);
	return (void *)(intptr_t)err;
}

static void on_signal(int number)
{
	(void)number;
}

static pthread_t event_thread(void)
{
	pthread_t thread;

	flag = looks_before = 0;
	assert_int_equal(pthread_create(&thread, NULL, event_main, NULL), 0);
	UNTIL(__atomic_load_n(&looks_before, __ATOMIC_ACQUIRE) >= 2);
	return thread;
}

static void test_event_woken(void **state)
{
	pthread_t thread = event_thread();
	void *err;

	(void)state;
	tkt_wake_up(&queue, 1); /* for nothing */
	UNTIL(__atomic_load_n(&looks_before, __ATOMIC_ACQUIRE) >= 4);
	__atomic_store_n(&flag, 1u, __ATOMIC_RELEASE);
	tkt_wake_up(&queue, 1);
	assert_int_equal(pthread_join(thread, &err), 0);
	assert_int_equal((intptr_t)err, 0);
	assert_queued(NULL, NULL, NULL);
}

static void test_event_interrupted(void **state)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t thread;
	void *err;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	thread = event_thread();
	/* A signal that comes before the sleep does not end it: again. */
	while (__atomic_load_n(&queue.list.first, __ATOMIC_ACQUIRE)) {
		pthread_kill(thread, SIGUSR1);
		sched_yield();
	}
	assert_int_equal(pthread_join(thread, &err), 0);
	assert_int_equal((intptr_t)err, EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prepare_finish),
		cmocka_unit_test(test_leave_anywhere),
		cmocka_unit_test(test_wake_counts),
		cmocka_unit_test(test_wake_functions),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_claimed),
		cmocka_unit_test(test_abort_passes_on),
		cmocka_unit_test(test_event_at_once),
		cmocka_unit_test(test_event_times_out),
		cmocka_unit_test(test_event_swallows_nothing),
		cmocka_unit_test(test_event_woken),
		cmocka_unit_test(test_event_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
