/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_treelock.c - the tree lock's states, in each flavour
 *
 * Built with few turns of the watch, and with the checks of classes.
 */
#include <tkt/treelock.h>

#include "misuse.h"

#define ROOT TKT_TREELOCK_CLASS(0, 0)
#define EACH_FLAVOUR(f) for (unsigned int f = 0; f < TKT_TREELOCK_FLAVOURS; f++)

static bool is_mutex(unsigned int flavour)
{
	return flavour >= TKT_TREELOCK_SIMPLE;
}

static uint32_t word_of(const tkt_treelock_t *l)
{
	return __atomic_load_n(&l->u.dfl.word, __ATOMIC_ACQUIRE);
}

struct waiter {
	tkt_treelock_t *lock;
	pthread_t thread;
	int has, go, block;
};

static void *waiter_main(void *arg)
{
	struct waiter *w = arg;

	tkt_treelock_lock(w->lock, ROOT);
	tkt_treelock_assert_locked(w->lock);
	if (w->block)
		tkt_treelock_set_blocking(w->lock);
	__atomic_store_n(&w->has, 1, __ATOMIC_RELEASE);
	UNTIL(__atomic_load_n(&w->go, __ATOMIC_ACQUIRE));
	tkt_treelock_unlock(w->lock);
	return NULL;
}

static void waiter_start(struct waiter *w, tkt_treelock_t *l, int block)
{
	*w = (struct waiter){ .lock = l, .block = block };
	assert_int_equal(pthread_create(&w->thread, NULL, waiter_main, w), 0);
}

static bool waiter_has(struct waiter *w)
{
	return __atomic_load_n(&w->has, __ATOMIC_ACQUIRE);
}

static void waiter_end(struct waiter *w)
{
	UNTIL(waiter_has(w));
	__atomic_store_n(&w->go, 1, __ATOMIC_RELEASE);
	assert_int_equal(pthread_join(w->thread, NULL), 0);
}

/* (-,0) -> (s,0) -> (-,b) -> (s,0) -> (-,0), and (-,b) -> (-,0) */
static void test_transitions(void **state)
{
	(void)state;
	EACH_FLAVOUR(f)
	{
		tkt_treelock_t l;

		tkt_treelock_init(&l, (enum tkt_treelock_flavour)f);
		for (int i = 0; i < 2; i++) {
			tkt_treelock_lock(&l, ROOT);
			tkt_treelock_assert_locked(&l);
			if (!is_mutex(f))
				assert_true(tkt_is_locked(&l.u.dfl.spin));
			tkt_treelock_set_blocking(&l);
			tkt_treelock_assert_locked(&l);
			if (!is_mutex(f)) {
				assert_int_equal(word_of(&l), TKT_X_T_BLOCKING);
				assert_false(tkt_is_locked(&l.u.dfl.spin));
			}
			if (i) {
				tkt_treelock_clear_blocking(&l);
				tkt_treelock_assert_locked(&l);
				if (!is_mutex(f))
					assert_int_equal(word_of(&l), 0);
			}
			tkt_treelock_unlock(&l);
			if (!is_mutex(f)) {
				assert_int_equal(word_of(&l), 0);
				assert_false(tkt_is_locked(&l.u.dfl.spin));
			} else {
				assert_false(tkt_mutex_is_locked(&l.u.mutex));
			}
		}
		tkt_treelock_destroy(&l);
	}
}

static void *try_main(void *arg)
{
	tkt_treelock_t *l = arg;

	assert_false(tkt_treelock_try(l, ROOT));
	assert_false(tkt_treelock_try_spin(l, ROOT));
	return NULL;
}

static void test_tries(void **state)
{
	(void)state;
	EACH_FLAVOUR(f)
	{
		tkt_treelock_t l;
		pthread_t t;

		tkt_treelock_init(&l, (enum tkt_treelock_flavour)f);
		assert_true(tkt_treelock_try(&l, ROOT));
		for (int blocking = 0; blocking < 2; blocking++) {
			if (blocking)
				tkt_treelock_set_blocking(&l);
			assert_int_equal(pthread_create(&t, NULL, try_main, &l),
					 0);
			assert_int_equal(pthread_join(t, NULL), 0);
		}
		tkt_treelock_unlock(&l);
		assert_true(tkt_treelock_try_spin(&l, ROOT));
		tkt_treelock_unlock(&l);
		tkt_treelock_destroy(&l);
	}
}

/* Waiters of a blocking owner sleep, counted, and one is woken at a time. */
static void test_sleepers(void **state)
{
	(void)state;
	for (unsigned int f = 0; f < TKT_TREELOCK_SIMPLE; f++) {
		tkt_treelock_t l;
		struct waiter w[3];

		tkt_treelock_init(&l, (enum tkt_treelock_flavour)f);
		tkt_treelock_lock(&l, ROOT);
		tkt_treelock_set_blocking(&l);
		for (uint32_t i = 0; i < 3; i++) {
			waiter_start(&w[i], &l, i != 1);
			UNTIL(word_of(&l) ==
			      TKT_X_T_BLOCKING + (i + 1) * TKT_X_T_SLEEPER);
		}
		/* Clearing the bit frees nothing yet. */
		tkt_treelock_clear_blocking(&l);
		assert_false(waiter_has(&w[0]) || waiter_has(&w[1]) ||
			     waiter_has(&w[2]));
		tkt_treelock_unlock(&l);
		for (uint32_t left = 3; left; left--) {
			struct waiter *first = NULL;

			UNTIL(first = waiter_has(&w[0])	  ? &w[0]
				      : waiter_has(&w[1]) ? &w[1]
				      : waiter_has(&w[2]) ? &w[2]
							  : NULL);
			assert_int_equal(word_of(&l) / TKT_X_T_SLEEPER,
					 left - 1);
			waiter_end(first);
			first->has = 0;
		}
		assert_int_equal(word_of(&l), 0);
		tkt_treelock_destroy(&l);
	}
}

static void test_waiting(void **state)
{
	(void)state;
	EACH_FLAVOUR(f)
	{
		tkt_treelock_t l;
		struct waiter w[2];

		tkt_treelock_init(&l, (enum tkt_treelock_flavour)f);
		tkt_treelock_lock(&l, ROOT);
		waiter_start(&w[0], &l, 0);
		waiter_start(&w[1], &l, 1);
		usleep(1000);
		assert_false(waiter_has(&w[0]) || waiter_has(&w[1]));
		tkt_treelock_unlock(&l);
		UNTIL(waiter_has(&w[0]) || waiter_has(&w[1]));
		assert_false(waiter_has(&w[0]) && waiter_has(&w[1]));
		for (int i = 0; i < 2; i++)
			__atomic_store_n(&w[i].go, 1, __ATOMIC_RELEASE);
		waiter_end(&w[0]);
		waiter_end(&w[1]);
		tkt_treelock_destroy(&l);
	}
}

/* Past its slice a waiter does not watch the bit at all. */
static void test_resched(void **state)
{
	struct tkt_x_t t = { TKT_LOCK_INIT, TKT_X_T_BLOCKING };

	(void)state;
	tkt_x_on_cpu_since = 1;
	assert_false(tkt_t_spin(&t));
	t.word = TKT_X_T_SLEEPER;
	assert_true(tkt_t_spin(&t));
	tkt_x_resched_done();
	t.word = TKT_X_T_BLOCKING;
	assert_false(tkt_t_spin(&t)); /* after its turns */
}

static tkt_treelock_t faulty[2];

static void misuse_unlocked(void)
{
	tkt_treelock_assert_locked(&faulty[0]);
}

static void test_assert(void **state)
{
	(void)state;
	EACH_FLAVOUR(f)
	{
		tkt_treelock_init(&faulty[0], (enum tkt_treelock_flavour)f);
		assert_aborts(misuse_unlocked, "not locked");
	}
}

#if TKT_DEBUG
static void misuse_order(void)
{
	tkt_treelock_lock(&faulty[0], TKT_TREELOCK_CLASS(1, 1));
	tkt_treelock_lock(&faulty[1], TKT_TREELOCK_CLASS(1, 0));
}

static void misuse_same(void)
{
	tkt_treelock_lock(&faulty[0], TKT_TREELOCK_CLASS(1, 1));
	tkt_treelock_lock(&faulty[1], TKT_TREELOCK_CLASS(1, 1));
}

static void misuse_unlock(void)
{
	tkt_treelock_unlock(&faulty[0]);
}

static void misuse_class(void)
{
	tkt_treelock_lock(&faulty[0], TKT_TREELOCK_CLASS(16, 0));
}

static void test_classes(void **state)
{
	(void)state;
	EACH_FLAVOUR(f)
	{
		for (int i = 0; i < 2; i++)
			tkt_treelock_init(&faulty[i],
					  (enum tkt_treelock_flavour)f);
		assert_aborts(misuse_order, "order of classes");
		assert_aborts(misuse_same, "order of classes");
		assert_aborts(misuse_unlock, "does not hold");
		assert_aborts(misuse_class, "no such class");
		/* Down, to the right, and by a try in any direction. */
		tkt_treelock_lock(&faulty[0], TKT_TREELOCK_CLASS(1, 0));
		tkt_treelock_lock(&faulty[1], TKT_TREELOCK_CLASS(1, 1));
		tkt_treelock_unlock(&faulty[0]);
		assert_true(
			tkt_treelock_try(&faulty[0], TKT_TREELOCK_CLASS(0, 0)));
		tkt_treelock_unlock(&faulty[1]);
		tkt_treelock_unlock(&faulty[0]);
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transitions),
		cmocka_unit_test(test_tries),
		cmocka_unit_test(test_sleepers),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_resched),
		cmocka_unit_test(test_assert),
#if TKT_DEBUG
		cmocka_unit_test(test_classes),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
