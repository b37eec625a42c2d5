/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_lockref.c - every transition of a lockref, word for word
 *
 * Built several times: with all changes of the count through the lock, with a
 * single try before it, and as it comes.
 */
#include <tkt/lockref.h>

#include "misuse.h"

#define MAX TKT_LOCKREF_MAX

/* Ticket t both next and owner: free. */
static uint64_t word_of(uint32_t t, uint32_t count, bool dead)
{
	const uint64_t ticket = t & 0xffff;

	return ticket << 48 | ticket << 32 | count | (dead ? TKT_X_LR_DEAD : 0);
}

/* Where tickets are about to wrap, to change sign, and neither. */
static const uint32_t tickets[] = { 0, 1, 0x7fff, 0x8000, 0xfffe, 0xffff };
#define TICKETS (sizeof(tickets) / sizeof(tickets[0]))

enum call {
	GET,
	GET_NOT_ZERO,
	GET_NOT_DEAD,
	PUT,
	PUT_NOT_ZERO,
	PUT_OR_LOCK,
	LOCK,
	TRYLOCK,
	CALLS
};

/* A call's result as a number: bool, count left, or 1. */
static uint32_t do_call(tkt_lockref_t *l, enum call call)
{
	switch (call) {
	case GET:
		tkt_lockref_get(l);
		return 1;
	case GET_NOT_ZERO:
		return tkt_lockref_get_not_zero(l);
	case GET_NOT_DEAD:
		return tkt_lockref_get_not_dead(l);
	case PUT:
		return tkt_lockref_put(l);
	case PUT_NOT_ZERO:
		return tkt_lockref_put_not_zero(l);
	case PUT_OR_LOCK:
		return tkt_lockref_put_or_lock(l);
	case LOCK:
		tkt_lockref_lock(l);
		return 1;
	case TRYLOCK:
		return tkt_lockref_trylock(l);
	case CALLS:
		break;
	}
	abort();
}

/* What a call does to a word whose lock is or becomes free. */
struct outcome {
	uint32_t result;
	int change; /* of the count */
	bool keeps; /* returns with the lock held */
};

static struct outcome outcome_of(enum call call, uint32_t count, bool dead)
{
	const bool stuck = count == MAX;
	const int up = stuck ? 0 : 1, down = stuck ? 0 : -1;

	switch (call) {
	case GET:
		return (struct outcome){ 1, up, false };
	case GET_NOT_ZERO:
		if (dead || !count)
			return (struct outcome){ 0, 0, false };
		return (struct outcome){ 1, up, false };
	case GET_NOT_DEAD:
		if (dead)
			return (struct outcome){ 0, 0, false };
		return (struct outcome){ 1, up, false };
	case PUT:
		return (struct outcome){ stuck ? MAX : count - 1, down, false };
	case PUT_NOT_ZERO:
		if (count < 2)
			return (struct outcome){ 0, 0, false };
		return (struct outcome){ 1, down, false };
	case PUT_OR_LOCK:
		if (count < 2)
			return (struct outcome){ 0, 0, true };
		return (struct outcome){ 1, down, false };
	case LOCK:
	case TRYLOCK:
		return (struct outcome){ 1, 0, true };
	case CALLS:
		break;
	}
	abort();
}

static const uint32_t counts[] = { 0, 1, 2, 3, MAX - 3, MAX };
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

/* Only the tickets may differ, and by as much next as owner. */
static void assert_word(const tkt_lockref_t *l, uint32_t count, bool dead)
{
	assert_int_equal(tkt_lockref_count(l), count);
	assert_int_equal(tkt_lockref_is_dead(l), dead);
	assert_false(tkt_lockref_is_locked(l));
}

static void call_free(enum call call, uint32_t t, uint32_t count, bool dead)
{
	tkt_lockref_t l = { word_of(t, count, dead) };
	const struct outcome want = outcome_of(call, count, dead);

	assert_int_equal(do_call(&l, call), want.result);
	if (want.keeps) {
		const uint64_t held = l.word;

		assert_true(tkt_lockref_is_locked(&l));
		assert_int_equal(held >> 48, (t + 1) & 0xffff);
		assert_int_equal((uint32_t)held,
				 (uint32_t)word_of(0, count, dead));
		tkt_lockref_unlock(&l);
		assert_true(l.word == word_of(t + 1, count, dead));
	}
	assert_word(&l, count + (uint32_t)want.change, dead);
	if (TKT_LOCKREF_TRIES && !want.keeps)
		assert_true(l.word ==
			    word_of(t, count + (uint32_t)want.change, dead));
}

static void each(void (*test)(enum call call, uint32_t t, uint32_t count,
			      bool dead))
{
	for (int call = 0; call < CALLS; call++)
		for (size_t t = 0; t < TICKETS; t++)
			for (size_t c = 0; c < COUNTS; c++)
				for (int dead = 0; dead < 2; dead++) {
					/* misuse; test_debug_* has it */
					if (call == PUT && !counts[c])
						continue;
					test((enum call)call, tickets[t],
					     counts[c], dead);
				}
}

static void test_calls_free(void **state)
{
	(void)state;
	each(call_free);
}

/* A call made while the test holds the lock. */
struct caller {
	tkt_lockref_t *l;
	enum call call;
	uint32_t result;
	pthread_t thread;
};

static void *caller_main(void *arg)
{
	struct caller *c = arg;

	c->result = do_call(c->l, c->call);
	return NULL;
}

static uint64_t word_now(const tkt_lockref_t *l)
{
	return __atomic_load_n(&l->word, __ATOMIC_ACQUIRE);
}

static void call_held(enum call call, uint32_t t, uint32_t count, bool dead)
{
	tkt_lockref_t l = { word_of(t, count, dead) };
	const struct outcome want = outcome_of(call, count, dead);
	struct caller c = { .l = &l, .call = call };

	tkt_lockref_lock(&l);
	if (call == TRYLOCK) {
		const uint64_t before = l.word;

		assert_false(tkt_lockref_trylock(&l));
		assert_true(l.word == before);
		tkt_lockref_unlock(&l);
		return;
	}
	assert_int_equal(pthread_create(&c.thread, NULL, caller_main, &c), 0);
	/* It waits with a ticket in hand, and the count stands still. */
	UNTIL(word_now(&l) >> 48 == ((t + 2) & 0xffff));
	assert_int_equal((uint32_t)word_now(&l),
			 (uint32_t)word_of(0, count, dead));
	tkt_lockref_unlock(&l);
	assert_int_equal(pthread_join(c.thread, NULL), 0);
	assert_int_equal(c.result, want.result);
	assert_int_equal(tkt_lockref_is_locked(&l), want.keeps);
	if (want.keeps)
		tkt_lockref_unlock(&l);
	assert_word(&l, count + (uint32_t)want.change, dead);
	assert_int_equal(l.word >> 48, (t + 2) & 0xffff);
}

static void test_calls_held(void **state)
{
	(void)state;
	each(call_held);
}

/* The lock's decision counts, not what was seen before it. */
static void test_holder_decides(void **state)
{
	tkt_lockref_t l = TKT_LOCKREF_INIT(1);
	struct caller c = { .l = &l };

	(void)state;
	for (int call = GET_NOT_ZERO; call <= PUT_OR_LOCK; call++) {
		if (call == PUT)
			continue;
		l.word = word_of(0xffff, call < PUT ? 1 : 2, false);
		c.call = (enum call)call;
		tkt_lockref_lock(&l);
		assert_int_equal(
			pthread_create(&c.thread, NULL, caller_main, &c), 0);
		UNTIL(word_now(&l) >> 48 == 1);
		if (call < PUT)
			tkt_lockref_mark_dead(&l);
		else
			assert_int_equal(tkt_lockref_put_locked(&l), 1);
		tkt_lockref_unlock(&l);
		assert_int_equal(pthread_join(c.thread, NULL), 0);
		assert_false(c.result);
		if (call == PUT_OR_LOCK)
			tkt_lockref_unlock(&l);
		assert_word(&l, 1, call < PUT);
	}
}

static void test_under_lock(void **state)
{
	tkt_lockref_t l;

	(void)state;
	tkt_lockref_init(&l, 2);
	assert_true(l.word == word_of(0, 2, false));
	tkt_lockref_lock(&l);
	tkt_lockref_get_locked(&l);
	assert_int_equal(tkt_lockref_count(&l), 3);
	assert_int_equal(tkt_lockref_put_locked(&l), 2);
	assert_int_equal(tkt_lockref_put_locked(&l), 1);
	tkt_lockref_mark_dead(&l);
	assert_int_equal(tkt_lockref_put_locked(&l), 0);
	tkt_lockref_unlock(&l);
	assert_true(l.word == word_of(1, 0, true));
	/* Stuck is stuck. */
	l.word = word_of(0xffff, MAX, false);
	tkt_lockref_lock(&l);
	tkt_lockref_get_locked(&l);
	assert_int_equal(tkt_lockref_put_locked(&l), MAX);
	tkt_lockref_unlock(&l);
	assert_true(l.word == word_of(0, MAX, false));
}

/* Every ticket once, and the first again. */
static void test_whole_turn(void **state)
{
	tkt_lockref_t l = TKT_LOCKREF_INIT(7);

	(void)state;
	for (uint32_t i = 0; i <= 0x10000; i++) {
		tkt_lockref_lock(&l);
		assert_int_equal(l.word >> 48, (i + 1) & 0xffff);
		assert_int_equal((l.word >> 32) & 0xffff, i & 0xffff);
		tkt_lockref_unlock(&l);
	}
	assert_true(l.word == word_of(1, 7, false));
}

/* Misuse: release builds keep the object, debug builds abort. */
static void put_nothing(void)
{
	tkt_lockref_t l = TKT_LOCKREF_INIT(0);

	if (tkt_lockref_put(&l) != MAX || tkt_lockref_count(&l) != MAX ||
	    tkt_lockref_is_locked(&l) || tkt_lockref_is_dead(&l))
		_exit(1);
	_exit(0);
}

static void get_too_many(void)
{
	tkt_lockref_t l = TKT_LOCKREF_INIT(MAX - 2);

	tkt_lockref_get(&l);
	if (tkt_lockref_count(&l) != MAX - 1)
		_exit(1);
	tkt_lockref_get(&l);
	tkt_lockref_get(&l);
	if (tkt_lockref_put(&l) != MAX || tkt_lockref_is_dead(&l))
		_exit(1);
	_exit(0);
}

static void unlock_free(void)
{
	tkt_lockref_t l = TKT_LOCKREF_INIT(1);

	tkt_lockref_unlock(&l);
	_exit(0);
}

static void too_many_tickets(void)
{
	/* As if 2^15 threads held tickets; this one's is served at once. */
	tkt_lockref_t l = { UINT64_C(0x8005) << 48 | UINT64_C(5) << 32 };

	alarm(TKT_DEBUG ? 20 : 1);
	tkt_lockref_lock(&l);
	_exit(1);
}

static int end_of(void (*misuse)(void))
{
	const int status = misuse_end(misuse).status;

	return WIFEXITED(status) ? WEXITSTATUS(status)
				 : 1000 + WTERMSIG(status);
}

static void test_misuse(void **state)
{
	const int end = TKT_DEBUG ? 1000 + SIGABRT : 0;

	(void)state;
	assert_int_equal(end_of(put_nothing), end);
	assert_int_equal(end_of(get_too_many), end);
	assert_int_equal(end_of(too_many_tickets),
			 TKT_DEBUG ? 1000 + SIGABRT : 1000 + SIGALRM);
	if (TKT_DEBUG)
		assert_int_equal(end_of(unlock_free), end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_free),
		cmocka_unit_test(test_calls_held),
		cmocka_unit_test(test_holder_decides),
		cmocka_unit_test(test_under_lock),
		cmocka_unit_test(test_whole_turn),
		cmocka_unit_test(test_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
