/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_lock.c - the lock's states and transitions
 *
 * Built several times: with tickets of 24, 5 and 4 bits, the misuse checks, and
 * hardly any spinning.
 */
#include <tkt.h>

#include "near_wrap.h"
#include "unit.h"

static uintptr_t tail_of(const tkt_lock_t *l)
{
	return __atomic_load_n(&l->tail, __ATOMIC_ACQUIRE);
}

static bool room_of(const tkt_lock_t *l)
{
	return tail_of(l) & ~TKT_X_FULL;
}

static enum tkt_policy policy_of(const tkt_lock_t *l)
{
	return (enum tkt_policy)((l->next & TKT_X_POLICY) >>
				 TKT_X_POLICY_SHIFT);
}

/* A thread that takes the lock, notes its turn, and waits to be let go. */
struct waiter {
	tkt_lock_t *lock;
	pthread_t thread;
	int *turns; /* shared counter, under the lock */
	int turn;
	int has;
	int go;
};

static void *waiter_main(void *arg)
{
	struct waiter *w = arg;

	tkt_lock(w->lock);
	w->turn = (*w->turns)++;
	__atomic_store_n(&w->has, 1, __ATOMIC_RELEASE);
	UNTIL(__atomic_load_n(&w->go, __ATOMIC_ACQUIRE));
	tkt_unlock(w->lock);
	return NULL;
}

static void waiter_start(struct waiter *w, tkt_lock_t *l, int *turns)
{
	*w = (struct waiter){ .lock = l, .turns = turns };
	assert_int_equal(pthread_create(&w->thread, NULL, waiter_main, w), 0);
}

static void waiter_end(struct waiter *w)
{
	UNTIL(__atomic_load_n(&w->has, __ATOMIC_ACQUIRE));
	__atomic_store_n(&w->go, 1, __ATOMIC_RELEASE);
	assert_int_equal(pthread_join(w->thread, NULL), 0);
}

static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(sizeof(tkt_lock_t), 16);
	assert_int_equal(offsetof(tkt_lock_t, owner), 0);
	assert_int_equal(offsetof(tkt_lock_t, next), 4);
	assert_int_equal(offsetof(tkt_lock_t, tail), 8);
}

static void test_initialisers(void **state)
{
	static tkt_lock_t zero, init = TKT_LOCK_INIT;
	tkt_lock_t run, policy = TKT_LOCK_INIT_POLICY(TKT_POLICY_SPIN_2);

	(void)state;
	tkt_lock_init(&run);
	assert_memory_equal(&zero, &init, sizeof(zero));
	assert_memory_equal(&zero, &run, sizeof(zero));
	assert_false(tkt_is_locked(&zero));
	assert_int_equal(policy_of(&zero), TKT_POLICY_DEFAULT);
	assert_int_equal(policy_of(&policy), TKT_POLICY_SPIN_2);
	tkt_lock_init_policy(&run, TKT_POLICY_SPIN_2);
	assert_memory_equal(&policy, &run, sizeof(run));
	tkt_lock_destroy(&run);
}

/* (o,o,0) -> (o,o+1,0) -> (o+1,o+1,0), over the wrap, for each policy. */
static void test_lock_unlock(void **state)
{
	(void)state;
	for (int p = 0; p < TKT_POLICY_COUNT; p++) {
		tkt_lock_t l = near_wrap((enum tkt_policy)p);

		for (uint32_t i = 0; i < 5; i++) {
			const uint32_t o = START + i * TKT_X_STEP;

			assert_false(tkt_is_locked(&l));
			tkt_lock(&l);
			assert_int_equal(l.owner, o);
			assert_int_equal(l.next & MASK,
					 (uint32_t)(o + TKT_X_STEP));
			assert_true(tkt_is_locked(&l));
			assert_true(tkt_is_locked_ordered(&l));
			assert_false(tkt_is_contended(&l));
			tkt_unlock(&l);
			assert_int_equal(l.owner, (uint32_t)(o + TKT_X_STEP));
			assert_int_equal(policy_of(&l), p);
		}
		assert_int_equal(l.tail, 0);
	}
}

static void test_trylock_free(void **state)
{
	tkt_lock_t l = near_wrap(TKT_POLICY_YIELD_2);

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_true(tkt_trylock(&l));
		assert_int_equal(tickets_out(&l), 1);
		tkt_unlock(&l);
	}
	assert_int_equal(policy_of(&l), TKT_POLICY_YIELD_2);
}

/* The lock, read as others may be writing it. */
static tkt_lock_t copy_of(const tkt_lock_t *l)
{
	const tkt_lock_t copy = { TKT_LOAD(&l->owner, TKT_RELAXED),
				  TKT_LOAD(&l->next, TKT_RELAXED),
				  TKT_LOAD(&l->tail, TKT_RELAXED) };

	return copy;
}

/* A try that fails leaves each bit of the lock as it was. */
static void assert_try_fails(tkt_lock_t *l)
{
	const tkt_lock_t before = copy_of(l);
	tkt_lock_t after;

	assert_false(tkt_trylock(l));
	assert_false(tkt_tryspin(l, 0));
	assert_false(tkt_tryspin(l, 1000));
	assert_false(tkt_lock_until(l, 0));
	assert_false(tkt_lock_until(l, tkt_clock_ns() + 1000));
	after = copy_of(l);
	assert_memory_equal(&before, &after, sizeof(before));
}

static void test_trylock_fails(void **state)
{
	tkt_lock_t l = near_wrap(TKT_POLICY_YIELD_2);
	struct waiter a, b, c;
	int turns = 0;
	uintptr_t first;

	(void)state;
	tkt_lock(&l);
	assert_try_fails(&l); /* (o,o+1,0) */
	waiter_start(&a, &l, &turns);
	UNTIL(tail_of(&l) == TKT_X_FULL);
	assert_try_fails(&l); /* (o,o+2,0) */
	waiter_start(&b, &l, &turns);
	UNTIL(room_of(&l));
	assert_try_fails(&l); /* (o,o+2,1) */
	first = tail_of(&l);
	waiter_start(&c, &l, &turns);
	UNTIL(tail_of(&l) != first);
	assert_try_fails(&l); /* (o,o+2,2) */
	tkt_unlock(&l);
	waiter_end(&a);
	waiter_end(&b);
	waiter_end(&c);

	/* Free, and the mark still up: nobody is in the room. */
	assert_int_equal(tail_of(&l), TKT_X_FULL);
	assert_true(tkt_trylock(&l));
	tkt_unlock(&l);
	/* Free, but somebody in the room is about to take a ticket. */
	l.tail = (uintptr_t)&l;
	assert_try_fails(&l);
	l.tail = 0;
	assert_true(tkt_trylock(&l));
	tkt_unlock(&l);
}

/* Only a pair compare-and-swap sees that owner has moved on with next back. */
static void test_trylock_pair(void **state)
{
	tkt_lock_t l = near_wrap(TKT_POLICY_DEFAULT);
	const uint32_t n = l.next, o = l.owner;

	(void)state;
	l.owner += TKT_X_STEP;
	assert_false(
		TKT_CAS_PAIR(&l.owner, o, n, o, n + TKT_X_STEP, TKT_ACQ_REL));
	assert_int_equal(l.next, n);
}

/* Threads and threshold together stay below half the tickets. */
#define WAITERS (TKT_TICKET_BITS < 5 ? 4 : 6)
#define MOST_WAITERS 6

/*
 * Waiters within the threshold hold tickets; beyond it, they are in the room.
 * With the mark down, the second thread finds out by taking a ticket, whatever
 * the threshold; with it up, nobody is in the window who should not be.
 */
static void window_then_room(enum tkt_policy policy, uint32_t threshold,
			     uintptr_t mark)
{
	const uint32_t all = WAITERS + 1;
	const uint32_t window = threshold < 2 && !mark ? 2 : threshold;
	const uint32_t most = window < all ? window : all;
	tkt_lock_t l = near_wrap(policy);
	struct waiter w[MOST_WAITERS];
	int turns = 0;

	l.tail = mark;
	tkt_lock(&l);
	for (uint32_t i = 0; i < WAITERS; i++) {
		const uintptr_t tail = tail_of(&l);

		waiter_start(&w[i], &l, &turns);
		if (i + 2 <= most)
			UNTIL(tickets_out(&l) == i + 2);
		else
			UNTIL(tail_of(&l) != tail && room_of(&l));
		if (i + 2 == window)
			UNTIL(tail_of(&l) == TKT_X_FULL);
		assert_true(tkt_is_contended(&l));
	}
	assert_int_equal(tickets_out(&l), most);
	assert_int_equal(room_of(&l), most < all);
	tkt_unlock(&l);
	for (int i = 0; i < WAITERS; i++) {
		waiter_end(&w[i]);
		assert_int_equal(w[i].turn, i); /* in order of arrival */
	}
	assert_int_equal(tickets_out(&l), 0);
	assert_int_equal(tail_of(&l), threshold > all ? mark : TKT_X_FULL);
	assert_false(tkt_is_contended(&l));
	assert_int_equal(policy_of(&l), policy);
	tkt_lock_destroy(&l);
}

static void test_window_then_room(void **state)
{
	(void)state;
	for (int p = 0; p < TKT_POLICY_COUNT; p++) {
		const struct tkt_policy_info info =
			tkt_policy_describe((uint32_t)p);

		/*
		 * Threads that spin without ever yielding make this slow with
		 * more of them than CPUs; the paths are the same.
		 */
		if (info.wait == TKT_WAIT_SPIN && p != TKT_POLICY_SPIN_2)
			continue;
		if (info.threshold != TKT_THRESHOLD_INF &&
		    WAITERS + 1 + info.threshold >= TKT_X_HALF)
			continue;
		window_then_room((enum tkt_policy)p, info.threshold, 0);
		window_then_room((enum tkt_policy)p, info.threshold,
				 TKT_X_FULL);
	}
}

/*
 * The head takes a ticket when fewer than two are out, and not before: with
 * W = 4 and a holder, three in the window and one in the room, the head comes
 * in when only one other ticket is left.
 */
static void test_head_waits_for_two(void **state)
{
	tkt_lock_t l = near_wrap(TKT_POLICY_YIELD_4);
	struct waiter w[4];
	int turns = 0;

	(void)state;
	if (WAITERS < 6) {
		print_message("needs more tickets\n");
		return;
	}
	tkt_lock(&l);
	for (uint32_t i = 0; i < 3; i++) {
		waiter_start(&w[i], &l, &turns);
		UNTIL(tickets_out(&l) == i + 2);
	}
	waiter_start(&w[3], &l, &turns);
	UNTIL(room_of(&l));
	tkt_unlock(&l);
	UNTIL(__atomic_load_n(&w[0].has, __ATOMIC_ACQUIRE));
	assert_int_equal(tickets_out(&l), 3);
	waiter_end(&w[0]);
	UNTIL(__atomic_load_n(&w[1].has, __ATOMIC_ACQUIRE));
	assert_int_equal(tickets_out(&l), 2);
	assert_true(room_of(&l));
	waiter_end(&w[1]);
	/* w[2] serves; one ticket out lets the head in, which ends the room. */
	UNTIL(__atomic_load_n(&w[2].has, __ATOMIC_ACQUIRE));
	UNTIL(tickets_out(&l) == 2 && !room_of(&l));
	waiter_end(&w[2]);
	waiter_end(&w[3]);
	assert_int_equal(w[3].turn, 3);
}

/* The mark goes down again, but not at the first calm arrival. */
static void test_calm(void **state)
{
	(void)state;
	for (int w1 = 0; w1 < 2; w1++) {
		tkt_lock_t l =
			near_wrap(w1 ? TKT_POLICY_YIELD_1 : TKT_POLICY_YIELD_2);
		int looks = 0;

		l.owner = TKT_X_STEP;
		l.next += l.owner - (l.next & MASK);
		l.tail = TKT_X_FULL;
		for (int i = 0; i < 2 * TKT_CALM_TICKETS; i++) {
			looks += tail_of(&l) == TKT_X_FULL;
			tkt_lock(&l);
			assert_int_equal(tickets_out(&l), 1);
			tkt_unlock(&l);
		}
		if (w1) /* where the window is one thread, all look */
			assert_int_equal(looks, 2 * TKT_CALM_TICKETS);
		else
			assert_in_range(looks, 2, TKT_CALM_TICKETS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_initialisers),
		cmocka_unit_test(test_lock_unlock),
		cmocka_unit_test(test_trylock_free),
		cmocka_unit_test(test_trylock_fails),
		cmocka_unit_test(test_trylock_pair),
		cmocka_unit_test(test_window_then_room),
		cmocka_unit_test(test_head_waits_for_two),
		cmocka_unit_test(test_calm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
