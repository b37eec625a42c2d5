/* SPDX-License-Identifier: MIT */
/* test/unit/test_bitwait.c - bit locks and bit waits on a hashed table */
#include <errno.h>

#include <tkt/bitwait.h>

#include "unit.h"

#define MS UINT64_C(1000000)

/* One queue only, so that everything meets there. */
static struct tkt_waitqueue queue[8];
static struct tkt_bit_table one;
static uint32_t words[2];

static int setup(void **state)
{
	(void)state;
	tkt_bit_table_init(&one, queue, 0);
	words[0] = words[1] = 0;
	return 0;
}

static void test_lock_unlock(void **state)
{
	(void)state;
	words[0] = UINT32_C(0x5a5a5a5a);
	for (unsigned int bit = 0; bit < 32; bit++) {
		const bool set = words[0] >> bit & 1;
		const uint32_t before = words[0];

		assert_int_equal(tkt_trylock_bit(&words[0], bit), !set);
		assert_int_equal(words[0], before | UINT32_C(1) << bit);
		assert_int_equal(tkt_wait_on_bit_lock(&one, &words[0], bit, 1),
				 ETIMEDOUT);
		assert_int_equal(tkt_wait_on_bit(&one, &words[0], bit, 1),
				 ETIMEDOUT);
		tkt_unlock_bit(&one, &words[0], bit);
		assert_int_equal(words[0], before & ~(UINT32_C(1) << bit));
		assert_int_equal(tkt_wait_on_bit(&one, &words[0], bit, 1), 0);
		words[0] = before;
	}
}

static void test_hash(void **state)
{
	unsigned int used[256] = { 0 }, most = 0;
	static uint32_t many[1024];

	(void)state;
	assert_int_equal(tkt_bit_hash(&words[0], 3, 0), 0);
	for (unsigned int i = 0; i < 1024; i++) {
		const size_t at = tkt_bit_hash(&many[i], i % 32, 8);

		assert_true(at < 256);
		if (++used[at] > most)
			most = used[at];
	}
	assert_true(most < 20); /* 4 on average */
}

/* Who is told: the right bit only, and only while it is clear. */
static void test_wake_bit(void **state)
{
	struct tkt_bit_waiter w[4] = {
		tkt_bit_waiter_init(&words[1], 0),
		tkt_bit_waiter_init(&words[0], 1),
		tkt_bit_waiter_init(&words[0], 0),
		tkt_bit_waiter_init(&words[0], 0),
	};
	int woken[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		tkt_prepare_to_wait_exclusive(&queue[0], &w[i].waiter);
	words[0] = 1;
	tkt_wake_up_bit(&one, &words[0], 0); /* is set again */
	words[0] = 2;
	tkt_wake_up_bit(&one, &words[0], 0);
	for (int i = 0; i < 4; i++)
		woken[i] = tkt_finish_wait(&queue[0], &w[i].waiter);
	assert_int_equal(woken[0], 0);
	assert_int_equal(woken[1], 0);
	assert_int_equal(woken[2], 1);
	assert_int_equal(woken[3], 0);
}

static void *locker_main(void *arg)
{
	return (void *)(intptr_t)tkt_wait_on_bit_lock(&one, arg, 4,
						      TKT_NO_DEADLINE);
}

static void *watcher_main(void *arg)
{
	return (void *)(intptr_t)tkt_wait_on_bit(&one, arg, 4, TKT_NO_DEADLINE);
}

static unsigned int waiting(void)
{
	unsigned int n = 0;

	tkt_lock(&queue[0].lock);
	for (struct tkt_waiter *w = queue[0].list.first; w; w = w->next)
		n++;
	tkt_unlock(&queue[0].lock);
	return n;
}

/* Two lockers, one at a time; and one that only waits. */
static void test_waits(void **state)
{
	pthread_t a, b, c;
	void *err;

	(void)state;
	assert_true(tkt_trylock_bit(&words[0], 4));
	assert_int_equal(pthread_create(&a, NULL, locker_main, &words[0]), 0);
	assert_int_equal(pthread_create(&b, NULL, locker_main, &words[0]), 0);
	UNTIL(waiting() == 2);
	tkt_unlock_bit(&one, &words[0], 4);
	UNTIL(waiting() == 1 &&
	      __atomic_load_n(&words[0], __ATOMIC_ACQUIRE) == 16);
	tkt_unlock_bit(&one, &words[0], 4);
	assert_int_equal(pthread_join(a, &err), 0);
	assert_int_equal((intptr_t)err, 0);
	assert_int_equal(pthread_join(b, &err), 0);
	assert_int_equal((intptr_t)err, 0);
	assert_int_equal(words[0], 16);
	assert_int_equal(pthread_create(&c, NULL, watcher_main, &words[0]), 0);
	UNTIL(waiting() == 1);
	tkt_unlock_bit(&one, &words[0], 4);
	assert_int_equal(pthread_join(c, &err), 0);
	assert_int_equal((intptr_t)err, 0);
	assert_int_equal(words[0], 0);
	assert_int_equal(waiting(), 0);
}

/* A time-out leaves no entry and no bit behind. */
static void test_time_out(void **state)
{
	const uint64_t deadline = TKT_CLOCK_NS() + 3 * MS;

	(void)state;
	words[0] = 1;
	assert_int_equal(tkt_wait_on_bit_lock(&one, &words[0], 0, deadline),
			 ETIMEDOUT);
	assert_true(TKT_CLOCK_NS() >= deadline);
	assert_int_equal(waiting(), 0);
	tkt_unlock_bit(&one, &words[0], 0);
	assert_int_equal(tkt_wait_on_bit_lock(&one, &words[0], 0, deadline), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_lock_unlock, setup),
		cmocka_unit_test_setup(test_hash, setup),
		cmocka_unit_test_setup(test_wake_bit, setup),
		cmocka_unit_test_setup(test_waits, setup),
		cmocka_unit_test_setup(test_time_out, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
