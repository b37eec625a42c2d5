/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_rwlock_turn.c - a try that loses its CPU for a whole turn
 *
 * Built with the chaos back end, whose hook here does not pause but plays the
 * other threads: just before a given access it puts the lock into the state
 * that they would leave.
 */
#include <string.h>

#include <tkt/rwlock.h>

#include "unit.h"

#define STEP TKT_X_STEP

static const void *hook_at;
static int hook_countdown;
static tkt_rwlock_t *hook_lock;
static tkt_rwlock_t hook_state;

void tkt_chaos_point(uintptr_t address)
{
	if (address == (uintptr_t)hook_at && hook_countdown &&
	    !--hook_countdown)
		memcpy(hook_lock, &hook_state, sizeof(hook_state));
}

/* At the n-th access to *at, *l becomes `state`. */
static void hook(tkt_rwlock_t *l, const void *at, int n, tkt_rwlock_t state)
{
	hook_lock = l;
	hook_at = at;
	hook_countdown = n;
	hook_state = state;
}

static void assert_lock(const tkt_rwlock_t *l, tkt_rwlock_t state)
{
	assert_int_equal(hook_countdown, 0); /* the access came */
	assert_memory_equal(l, &state, sizeof(state));
}

/* users is the same again, with a writer in. */
static void test_tryread(void **state)
{
	tkt_rwlock_t l = { 5 * STEP, 5 * STEP, 5 * STEP, TKT_WAIT_YIELD };
	const tkt_rwlock_t writer = { 4 * STEP, 5 * STEP, 4 * STEP,
				      TKT_WAIT_YIELD };

	(void)state;
	hook(&l, &l.read, 2, writer);
	assert_false(tkt_tryread(&l));
	assert_lock(&l, writer);
}

/* users and read are, with a reader in: the try becomes one, and leaves. */
static void test_trywrite(void **state)
{
	tkt_rwlock_t l = { 5 * STEP, 5 * STEP, 5 * STEP, TKT_WAIT_YIELD };
	const tkt_rwlock_t reader = { 5 * STEP, 5 * STEP, 4 * STEP,
				      TKT_WAIT_YIELD };
	const tkt_rwlock_t after = { 6 * STEP, 6 * STEP, 5 * STEP,
				     TKT_WAIT_YIELD };

	(void)state;
	hook(&l, &l.read, 2, reader);
	assert_false(tkt_trywrite(&l));
	assert_lock(&l, after);
	tkt_read_unlock(&l); /* the reader that was in */
	assert_true(tkt_trywrite(&l));
	assert_false(tkt_tryread(&l));
	tkt_write_unlock(&l);
	assert_true(tkt_tryread(&l));
}

/* Somebody else took a ticket in between. */
static void test_overtaken(void **state)
{
	const tkt_rwlock_t reader = { 6 * STEP, 6 * STEP, 5 * STEP,
				      TKT_WAIT_YIELD };

	(void)state;
	for (int write = 0; write < 2; write++) {
		tkt_rwlock_t l = { 5 * STEP, 5 * STEP, 5 * STEP,
				   TKT_WAIT_YIELD };

		hook(&l, &l.read, 2, reader);
		assert_false(write ? tkt_trywrite(&l) : tkt_tryread(&l));
		assert_lock(&l, reader);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tryread),
		cmocka_unit_test(test_trywrite),
		cmocka_unit_test(test_overtaken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
