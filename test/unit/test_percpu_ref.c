/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_percpu_ref.c - counting in slots, and the switch to one count
 *
 * The tests choose the slot.  Built a second time with misuse checks.
 */
#include <stdint.h>

static uint32_t test_slot;
#define TKT_CPU_HINT() test_slot

#include <tkt/percpu_ref.h>

#include <unistd.h>

#include "misuse.h"

#define SLOTS 4

static struct tkt_percpu_slot slots[SLOTS];
static tkt_percpu_ref_t ref;
static unsigned int released;

static void release(tkt_percpu_ref_t *r)
{
	assert_ptr_equal(r, &ref);
	assert_true(tkt_percpu_ref_is_zero(r));
	released++;
}

static int setup(void **state)
{
	(void)state;
	for (int i = 0; i < SLOTS; i++)
		slots[i].word = UINT64_C(0x5a5a5a5a5a5a5a5a);
	released = 0;
	test_slot = 0;
	tkt_percpu_ref_init(&ref, slots, SLOTS, release);
	return 0;
}

static void get_on(uint32_t slot)
{
	test_slot = slot;
	tkt_percpu_ref_get(&ref);
}

static void put_on(uint32_t slot)
{
	test_slot = slot;
	tkt_percpu_ref_put(&ref);
}

static bool tryget_on(uint32_t slot)
{
	test_slot = slot;
	return tkt_percpu_ref_tryget(&ref);
}

static void test_init(void **state)
{
	(void)state;
	for (int i = 0; i < SLOTS; i++)
		assert_int_equal(slots[i].word, 0);
	assert_true(ref.central == TKT_X_PR_BIAS + 1);
	assert_false(tkt_percpu_ref_is_zero(&ref));
	assert_true(sizeof(slots[0]) % TKT_NODE_ALIGN == 0);
}

static void test_slots(void **state)
{
	(void)state;
	get_on(1);
	get_on(1 + SLOTS); /* CPUs beyond the slots share them */
	assert_true(tryget_on(2));
	put_on(3);
	put_on(3);
	assert_true(slots[0].word == 0);
	assert_true(slots[1].word == 4);
	assert_true(slots[2].word == 2);
	assert_true(slots[3].word == (uint64_t)-4);
	assert_true(ref.central == TKT_X_PR_BIAS + 1);
	assert_false(tkt_percpu_ref_is_zero(&ref));
	assert_int_equal(released, 0);
}

/* With no other reference, the killer releases. */
static void test_kill_alone(void **state)
{
	(void)state;
	get_on(0);
	put_on(3);
	assert_false(tkt_percpu_ref_is_zero(&ref));
	tkt_percpu_ref_kill(&ref);
	assert_int_equal(released, 1);
	for (uint32_t i = 0; i < SLOTS; i++)
		assert_false(tryget_on(i));
	assert_true(tkt_percpu_ref_is_zero(&ref));
	assert_int_equal(released, 1);
}

/* References taken and dropped on whichever slot, before and after. */
static void test_kill_then_put(void **state)
{
	(void)state;
	for (uint32_t before = 0; before < 3; before++) {
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			setup(NULL);
			for (uint32_t i = 0; i < 3; i++)
				get_on(slot + i);
			for (uint32_t i = 0; i < before; i++)
				put_on(slot + 3);
			tkt_percpu_ref_kill(&ref);
			assert_true(ref.central == 3 - before);
			get_on(slot);
			for (uint32_t i = before; i < 3; i++)
				put_on(i);
			assert_int_equal(released, 0);
			assert_false(tkt_percpu_ref_is_zero(&ref));
			assert_false(tryget_on(slot));
			put_on(slot + 1);
			assert_int_equal(released, 1);
			assert_true(tkt_percpu_ref_is_zero(&ref));
		}
	}
}

/* More puts in slots than gets: the sum is negative until the others come. */
static void test_negative_slots(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		get_on(3);
	for (int i = 0; i < 4; i++)
		put_on(0);
	tkt_percpu_ref_kill(&ref);
	assert_true(ref.central == 1);
	put_on(2);
	assert_int_equal(released, 1);
}

/*
 * In the middle of the switch, as users see it: slots 0 and 1 closed and added
 * up, 2 and 3 not.  The rest of the kill is made by hand.
 */
static void test_during_kill(void **state)
{
	uint64_t sum = 0;

	(void)state;
	for (uint32_t i = 0; i < SLOTS; i++)
		get_on(i);
	for (int i = 0; i < 2; i++)
		sum += TKT_XCHG(&slots[i].word, TKT_X_PR_CLOSED, TKT_ACQ_REL);
	put_on(0); /* closed: central */
	put_on(1);
	put_on(2); /* open: slot */
	put_on(0); /* of the slots' four, all are dropped now */
	assert_true(ref.central == TKT_X_PR_BIAS + 1 - 3);
	assert_int_equal(released, 0);
	assert_false(tkt_percpu_ref_is_zero(&ref));
	assert_false(tryget_on(0));
	assert_false(tryget_on(1));
	assert_true(tryget_on(2));
	get_on(0);
	assert_true(ref.central == TKT_X_PR_BIAS + 1 - 2);
	for (int i = 2; i < SLOTS; i++)
		sum += TKT_XCHG(&slots[i].word, TKT_X_PR_CLOSED, TKT_ACQ_REL);
	tkt_percpu_ref_central(&ref, sum / 2 - TKT_X_PR_BIAS - 1);
	assert_true(ref.central == 2); /* the tryget's and the get's */
	assert_int_equal(released, 0);
	put_on(3);
	put_on(3);
	assert_int_equal(released, 1);
}

/* A closed slot stays closed, however often it is added to. */
static void test_closed_stays(void **state)
{
	(void)state;
	get_on(0);
	tkt_percpu_ref_kill(&ref);
	for (int i = 0; i < 100; i++)
		assert_false(tryget_on(1));
	slots[1].word = UINT64_MAX; /* as after 2^63 tries */
	assert_false(tryget_on(1));
	assert_true(slots[1].word == 1);
	for (int i = 0; i < 100; i++)
		get_on(2);
	for (int i = 0; i < 100; i++)
		put_on(3);
	for (uint32_t i = 0; i < SLOTS; i++)
		assert_true(slots[i].word & TKT_X_PR_CLOSED);
	assert_int_equal(released, 0);
	put_on(1);
	assert_int_equal(released, 1);
}

static void test_again(void **state)
{
	(void)state;
	tkt_percpu_ref_kill(&ref);
	tkt_percpu_ref_init(&ref, slots, 1, release); /* a single slot, too */
	assert_true(tryget_on(3));
	tkt_percpu_ref_kill(&ref);
	assert_int_equal(released, 1);
	put_on(2);
	assert_int_equal(released, 2);
}

static void *hint_main(void *arg)
{
	*(uint32_t *)arg = tkt_x_thread_hint();
	UNTIL(__atomic_load_n(&released, __ATOMIC_ACQUIRE));
	return NULL;
}

/* Threads' hints are their own, and spread. */
static void test_hint(void **state)
{
	uint32_t hint[8], cpu = 0, used = 0;
	pthread_t thread[8];

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, hint_main,
						&hint[i]),
				 0);
	__atomic_store_n(&released, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(pthread_join(thread[i], NULL), 0);
		used |= 1u << hint[i] % 8;
	}
	assert_true(__builtin_popcount(used) >= 2);
	assert_int_equal(tkt_x_thread_hint(), tkt_x_thread_hint());
	if (!tkt_x_rseq_cpu(&cpu)) {
		print_message("no rseq here\n");
		assert_int_equal(tkt_x_cpu_hint(), tkt_x_thread_hint());
		return;
	}
	/* On one CPU, that is its number. */
	cpu_set_t before, one;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (size_t i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &before))
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		assert_int_equal(tkt_x_cpu_hint(), i);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static void kill_twice(void)
{
	get_on(0);
	tkt_percpu_ref_kill(&ref);
	tkt_percpu_ref_kill(&ref);
}

static void put_nothing(void)
{
	put_on(0);
	tkt_percpu_ref_kill(&ref);
}

static void odd_slots(void)
{
	tkt_percpu_ref_init(&ref, slots, 3, release);
}

static void no_slots(void)
{
	tkt_percpu_ref_init(&ref, slots, 0, release);
}

static void test_misuse(void **state)
{
	(void)state;
	if (!TKT_DEBUG)
		skip();
	assert_aborts(kill_twice, "killed twice");
	assert_aborts(put_nothing, "put without a reference");
	assert_aborts(odd_slots, "no power of two");
	assert_aborts(no_slots, "no power of two");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_init, setup),
		cmocka_unit_test_setup(test_slots, setup),
		cmocka_unit_test_setup(test_kill_alone, setup),
		cmocka_unit_test_setup(test_kill_then_put, setup),
		cmocka_unit_test_setup(test_negative_slots, setup),
		cmocka_unit_test_setup(test_during_kill, setup),
		cmocka_unit_test_setup(test_closed_stays, setup),
		cmocka_unit_test_setup(test_again, setup),
		cmocka_unit_test_setup(test_hint, setup),
		cmocka_unit_test_setup(test_misuse, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
