/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_debug.c - misuse ends the program; correct use does not
 *
 * Each fault happens in a child process, whose standard error is read.
 */
#include <tkt.h>

#include "misuse.h"

static tkt_lock_t lock;

/* One line, which names the lock, the fault, the caller and the holder. */
static void assert_line(const char *text, const char *what, const char *holder)
{
	char address[64];

	snprintf(address, sizeof(address), "tkt: lock %p: ", (void *)&lock);
	assert_int_equal(strncmp(text, address, strlen(address)), 0);
	assert_non_null(strstr(text, what));
	assert_non_null(strstr(text, "by thread "));
	assert_non_null(strstr(text, holder));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void unlock_free(void)
{
	tkt_unlock(&lock);
}

static void unlock_twice(void)
{
	tkt_lock(&lock);
	tkt_unlock(&lock);
	tkt_unlock(&lock);
}

static void lock_twice(void)
{
	tkt_lock(&lock);
	tkt_lock(&lock);
}

static void try_then_lock(void)
{
	if (tkt_trylock(&lock))
		tkt_lock(&lock);
}

static void destroy_held(void)
{
	tkt_lock(&lock);
	tkt_lock_destroy(&lock);
}

static void *wait_main(void *arg)
{
	tkt_lock(arg);
	return NULL;
}

static void destroy_waited_for(void)
{
	pthread_t thread[2];

	tkt_lock_init_policy(&lock, TKT_POLICY_YIELD_1);
	tkt_lock(&lock);
	/* The first one finds the window full, the second one heeds that. */
	pthread_create(&thread[0], NULL, wait_main, &lock);
	UNTIL(TKT_LOAD(&lock.tail, TKT_ACQUIRE) & TKT_X_FULL);
	pthread_create(&thread[1], NULL, wait_main, &lock);
	UNTIL(TKT_LOAD(&lock.tail, TKT_ACQUIRE) & ~TKT_X_FULL);
	tkt_lock_destroy(&lock);
}

static void test_unlock(void **state)
{
	(void)state;
	assert_line(abort_text(unlock_free), "unlocked, but not locked",
		    "holder: unknown");
	assert_line(abort_text(unlock_twice), "unlocked, but not locked",
		    "holder: unknown");
}

static void test_relock(void **state)
{
	(void)state;
	assert_line(abort_text(lock_twice), "locked again by the thread",
		    "holder: thread ");
	assert_line(abort_text(try_then_lock), "locked again by the thread",
		    "holder: thread ");
}

static void test_destroy(void **state)
{
	(void)state;
	assert_line(abort_text(destroy_held), "destroyed while held",
		    "holder: thread ");
	assert_line(abort_text(destroy_waited_for),
		    "destroyed while waited for", "holder: thread ");
}

/* An entry that an unlock elsewhere left behind accuses nobody. */
static void test_stale_entry(void **state)
{
	tkt_lock_t l = TKT_LOCK_INIT;

	(void)state;
	tkt_lock(&l);
	l.owner += TKT_X_STEP; /* as a release build's tkt_unlock does */
	tkt_lock(&l);
	assert_int_equal(tkt_x_holder(&l), tkt_x_thread());
	tkt_unlock(&l);
	assert_int_equal(tkt_x_holder(&l), 0);
	tkt_lock_destroy(&l);
}

/* More held locks than the table has room for: no fault, no entry. */
static void test_table_full(void **state)
{
	static tkt_lock_t many[2 * TKT_X_HELD_SLOTS];
	const size_t n = sizeof(many) / sizeof(many[0]);
	size_t known = 0;

	(void)state;
	for (size_t i = 0; i < n; i++)
		tkt_lock(&many[i]);
	for (size_t i = 0; i < n; i++)
		known += tkt_x_holder(&many[i]) == tkt_x_thread();
	assert_in_range(known, 1, TKT_X_HELD_SLOTS);
	for (size_t i = 0; i < n; i++)
		tkt_unlock(&many[i]);
	for (size_t i = 0; i < TKT_X_HELD_SLOTS; i++)
		assert_null(tkt_x_held[i].lock);
}

/* Several threads, each use of the lock correct: nothing to report. */
#define THREADS 4
#define RUN_NS UINT64_C(1000000000)

struct shared {
	tkt_lock_t lock;
	uint64_t until;
	unsigned long count; /* under the lock */
	int handed;	     /* 1: locked for somebody else to unlock */
};

/* One of the ways through the section; returns whether it was one. */
static bool pass(struct shared *s, unsigned int how)
{
	if (how % 3 == 0   ? !tkt_trylock(&s->lock)
	    : how % 3 == 1 ? !tkt_tryspin(&s->lock, 1000)
			   : (tkt_lock(&s->lock), false))
		return false;
	s->count++;
	if (!tkt_is_locked(&s->lock))
		abort();
	/* Now and then let the others find it held. */
	if (how % 64 == 0)
		sched_yield();
	tkt_unlock(&s->lock);
	return true;
}

static void *pass_main(void *arg)
{
	struct shared *s = arg;
	unsigned long passes = 0;

	for (unsigned int i = 0; TKT_CLOCK_NS() < s->until || !passes; i++)
		passes += pass(s, i);
	return (void *)(uintptr_t)passes;
}

/* Locks, and leaves the unlock to the other one of the pair. */
static void *hand_main(void *arg)
{
	struct shared *s = arg;
	unsigned long passes = 0;

	do {
		tkt_lock(&s->lock);
		s->count++;
		passes++;
		__atomic_store_n(&s->handed, 1, __ATOMIC_RELEASE);
		UNTIL(!__atomic_load_n(&s->handed, __ATOMIC_ACQUIRE));
	} while (TKT_CLOCK_NS() < s->until);
	__atomic_store_n(&s->handed, -1, __ATOMIC_RELEASE);
	return (void *)(uintptr_t)passes;
}

static void *take_main(void *arg)
{
	struct shared *s = arg;
	int handed;

	for (;;) {
		UNTIL(__atomic_load_n(&s->handed, __ATOMIC_ACQUIRE));
		handed = __atomic_load_n(&s->handed, __ATOMIC_ACQUIRE);
		if (handed < 0)
			return NULL;
		tkt_unlock(&s->lock);
		__atomic_store_n(&s->handed, 0, __ATOMIC_RELEASE);
	}
}

static void no_false_alarm(enum tkt_policy policy, int threads, bool hand)
{
	struct shared s = { .lock = TKT_LOCK_INIT_POLICY(policy),
			    .until = TKT_CLOCK_NS() + RUN_NS };
	pthread_t thread[THREADS];
	unsigned long passes = 0;
	void *result;

	for (int i = 0; i < threads; i++)
		assert_int_equal(pthread_create(&thread[i], NULL,
						!hand || i > 1 ? pass_main
						: i	       ? take_main
							       : hand_main,
						&s),
				 0);
	for (int i = 0; i < threads; i++) {
		assert_int_equal(pthread_join(thread[i], &result), 0);
		passes += (uintptr_t)result;
	}
	assert_int_equal(s.count, passes);
	tkt_lock_destroy(&s.lock);
}

static void test_threads(void **state)
{
	(void)state;
	for (int n = 2; n <= THREADS; n += 2) {
		no_false_alarm(TKT_POLICY_DEFAULT, n, false);
		no_false_alarm(TKT_POLICY_YIELD_1, n, false);
	}
	no_false_alarm(TKT_POLICY_DEFAULT, 2, true);
	no_false_alarm(TKT_POLICY_YIELD_2, 4, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unlock),
		cmocka_unit_test(test_relock),
		cmocka_unit_test(test_destroy),
		cmocka_unit_test(test_stale_entry),
		cmocka_unit_test(test_table_full),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
