/* SPDX-License-Identifier: MIT */
/*
 * test_stress.c - every lock through every check
 *
 *	test_stress [LOCK...]	all locks, or only these; "unfair" for the
 *				controls of fairness and of order
 *
 * The environment variable STRESS_SEED sets the seed of all random choices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "starving.h"
#include "stress.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct test_case {
	const char *(*check)(const struct trial *t);
	unsigned int threads, ms, dwell, trylocks;
	unsigned int needs;  /* traits, all of them */
	bool each_threshold; /* where the lock has one */
	bool places;	     /* only for locks with a place for each waiter */
	bool roomless;	     /* with an unlimited threshold only */
	unsigned int meets;  /* trial.meets */
};

/* The lock whose group of tests runs. */
static const struct lock_ops *subject;

static const uint32_t thresholds[] = { LOCK_THRESHOLD_DEFAULT, 1, 2,
				       LOCK_THRESHOLD_INF };

/*
 * A queue of spinning threads that outnumber the CPUs moves on by a time slice
 * per turn; ThreadSanitizer makes minutes of it.  There such locks get two
 * threads, or yield if they can.
 */
static void spare_sanitizer(struct trial *t)
{
	if (!STRESS_TSAN || t->threads <= 2)
		return;
	if (t->ops->traits & LOCK_WAIT)
		t->params.wait = LOCK_WAIT_YIELD;
	else if (!(t->ops->traits & LOCK_SLEEPS))
		t->threads = 2;
}

static struct trial make_trial(const struct test_case *c)
{
	struct trial t = { .ops = subject,
			   .threads = c->threads,
			   .rounds = 1000000,
			   .ms = c->ms,
			   .dwell = c->dwell,
			   .least = 2,
			   .meets = c->meets,
			   .trylocks = c->trylocks };

	spare_sanitizer(&t);
	/* One pair of them has nobody to meet. */
	if (c->check == check_cross && t.threads == 2)
		t.meets = 0;
	return t;
}

static bool applies(const struct test_case *c)
{
	const unsigned int places = LOCK_FIFO | LOCK_THRESHOLD | LOCK_SLEEPS;

	return (subject->traits & c->needs) == c->needs &&
	       !(c->trylocks && !subject->trylock) &&
	       !(c->places && !(subject->traits & places));
}

static void run_case(void **state)
{
	const struct test_case *c = *state;
	struct trial t = make_trial(c);
	size_t n = LENGTH(thresholds);
	const char *wrong;

	if (!applies(c))
		skip();
	if (c->roomless)
		t.params.threshold = LOCK_THRESHOLD_INF;
	if (!c->each_threshold || !(subject->traits & LOCK_THRESHOLD))
		n = 1;
	for (size_t i = 0; i < n; i++) {
		if (c->each_threshold)
			t.params.threshold = thresholds[i];
		wrong = c->check(&t);
		if (wrong)
			fail_msg("%s", wrong);
	}
}

#define CASE(text, function, ...)                        \
	{                                                \
		.name = text, .test_func = run_case,     \
		.initial_state = &(struct test_case)     \
		{                                        \
			.check = (function), __VA_ARGS__ \
		}                                        \
	}

static const struct CMUnitTest all_locks[] = {
	CASE("exclusion, 2 threads", check_exclusion, 2, 100, 4,
	     .each_threshold = true, .meets = 2),
	CASE("exclusion, 3 threads", check_exclusion, 3, 100, 4,
	     .each_threshold = true, .meets = 2),
	CASE("exclusion, 4 threads", check_exclusion, 4, 100, .meets = 2),
	CASE("exclusion, 8 threads", check_exclusion, 8, 100, .meets = 2),
	CASE("exclusion, 20 threads", check_exclusion, 20, 100, .places = true,
	     .meets = 2),
	CASE("exclusion, one tries", check_exclusion, 2, 150, 4, 1,
	     .each_threshold = true, .meets = 2),
	CASE("exclusion, two of four try", check_exclusion, 4, 150, 4, 2,
	     .meets = 2),
	CASE("threads come and go", check_churn, 4, 150),
	CASE("unlock by another thread", check_cross, 4, 150, 4,
	     .needs = LOCK_CROSS_UNLOCK, .meets = 2),
	CASE("65536 locks", check_many, 3, 150),
	CASE("nested locks", check_nested, 4, 150),
	CASE("fairness", check_fairness, 2, 60, 40, .needs = LOCK_FIFO,
	     .meets = 2),
	CASE("order of arrival", check_arrival, 7, 1, .needs = LOCK_FIFO,
	     .each_threshold = true),
};

/* The library's own: where the contract says more than a table can. */
static const struct CMUnitTest library_only[] = {
	CASE("order of arrival", check_arrival, 7, 1, .each_threshold = true),
	CASE("order, 2 threads", check_order, 2, 200, 4, .each_threshold = true,
	     .meets = 2),
	CASE("order, 3 threads", check_order, 3, 200, 4, .each_threshold = true,
	     .meets = 2),
	CASE("order, 6 threads", check_order, 6, 200, 4, .each_threshold = true,
	     .meets = 2),
	CASE("order, one of four tries", check_order, 4, 150, 4, 1,
	     .each_threshold = true, .meets = 2),
	CASE("fairness", check_fairness, 2, 60, 40, .each_threshold = true,
	     .meets = 2),
	CASE("freed by the next owner, 2 threads", check_lifetime, 2, 150, 4,
	     .each_threshold = true),
	CASE("freed by the next owner, 4 threads", check_lifetime, 4, 150, 4,
	     .each_threshold = true),
	CASE("is_locked, 3 threads", check_glance, 3, 300, .roomless = true),
	CASE("is_locked, 4 threads", check_glance, 4, 300, .roomless = true),
	CASE("is_locked_ordered", check_announce, 2, 300),
	CASE("timed locks, 2 threads", check_timed, 2, 150, 4,
	     .each_threshold = true),
	CASE("timed locks, 5 threads", check_timed, 5, 150, 4),
};

/* A run ends at the first failure. */
#define CAUGHT_MS 30000

/* The checks must be able to fail, and do so each time. */
static void test_caught(void **state)
{
	static const struct test_case cases[] = {
		{ check_exclusion, 2, CAUGHT_MS, .dwell = 4 },
		{ check_exclusion, 4, CAUGHT_MS, .dwell = 4, .trylocks = 2 },
		{ check_churn, 2, CAUGHT_MS, .dwell = 4 },
		{ check_cross, 4, CAUGHT_MS, .dwell = 4 },
		{ check_many, 3, CAUGHT_MS, .dwell = 4 },
		{ check_nested, 4, CAUGHT_MS, .dwell = 4 },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		for (int run = 1; run <= 20; run++) {
			const struct trial t = make_trial(&cases[i]);

			if (!cases[i].check(&t))
				fail_msg("not caught by check %zu in run %d", i,
					 run);
		}
	}
}

static const struct CMUnitTest broken_locks[] = {
	cmocka_unit_test(test_caught),
};

/* An unfair lock must pass as one that excludes, and not as a fair one. */
static void test_starving(void **state)
{
	static const struct test_case excludes = { check_exclusion,
						   .threads = 2, .ms = 60 };
	static const struct test_case fair = { check_fairness, .threads = 2,
					       .ms = 60, .dwell = 40 };
	struct trial t;
	const char *wrong;

	(void)state;
	subject = starving_lock_ops();
	t = make_trial(&excludes);
	wrong = excludes.check(&t);
	if (wrong)
		fail_msg("%s", wrong);
	/* Where the threads do not meet, there is nothing to be seen. */
	t = make_trial(&fair);
	for (int i = 0; i < 5 && !wrong; i++)
		wrong = fair.check(&t);
	if (!wrong)
		fail_msg("a starving lock passes as fair");
}

/*
 * A lock without a queue must not pass as one that serves in order.  Six
 * waiters may come in order by chance; one, as under ThreadSanitizer, always.
 */
static void test_orderless(void **state)
{
	static const struct test_case arrives = { check_arrival, .threads = 7 };
	struct trial t;
	int caught = 0;

	(void)state;
	if (STRESS_TSAN)
		skip();
	subject = lock_find("tas");
	t = make_trial(&arrives);
	for (int i = 0; i < 5; i++)
		caught += arrives.check(&t) != NULL;
	if (caught < 3)
		fail_msg("in order of arrival in %d of 5 runs", 5 - caught);
}

#define UNFAIR "unfair"

static const struct CMUnitTest unfair_locks[] = {
	cmocka_unit_test(test_starving),
	cmocka_unit_test(test_orderless),
};

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 1;
}

static int run_lock(const struct lock_ops *ops)
{
	int failed;

	subject = ops;
	if (ops->traits & LOCK_BROKEN)
		return STRESS_TSAN ? 0
				   : cmocka_run_group_tests_name(ops->name,
								 broken_locks,
								 NULL, NULL);
	failed = cmocka_run_group_tests_name(ops->name, all_locks, NULL, NULL);
	if ((ops->traits & LOCK_WAIT) && (ops->traits & LOCK_THRESHOLD))
		failed += cmocka_run_group_tests_name(ops->name, library_only,
						      NULL, NULL);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	chaos_set_seed(1);
	for (int i = 1; i < argc; i++) {
		if (!lock_find(argv[i]) && strcmp(argv[i], UNFAIR)) {
			fprintf(stderr, "test_stress: no lock %s\n", argv[i]);
			return 2;
		}
	}
	for (const struct lock_ops *const *p = lock_table; *p; p++)
		if (wanted((*p)->name, argc, argv))
			failed += run_lock(*p);
	if (wanted(UNFAIR, argc, argv))
		failed += cmocka_run_group_tests_name(UNFAIR, unfair_locks,
						      NULL, NULL);
	return failed != 0;
}
