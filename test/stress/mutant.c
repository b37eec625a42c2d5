/* SPDX-License-Identifier: MIT */
/*
 * mutant.c - one check on one build of the lock, with a known outcome
 *
 *	mutant CHECK EXPECTED RUNS [OPTION=VALUE...]
 *
 * EXPECTED is what each of RUNS child processes must end in (outcome.h).  Run
 * number i has the seed `seed` + i.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tkt/lock_types.h>

#include "outcome.h"
#include "stress.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define RUN_SECONDS 140

static const struct {
	const char *name;
	const char *(*check)(const struct trial *t);
} checks[] = {
	{ "exclusion", check_exclusion }, { "order", check_order },
	{ "lifetime", check_lifetime },	  { "glance", check_glance },
	{ "announce", check_announce },
};

static struct trial trial = { .threads = 2,
			      .rounds = UINT64_MAX,
			      .least = 300,
			      .meets = 3,
			      .ms = 20000,
			      .dwell = 4 };
static const char *(*check)(const struct trial *t);
static unsigned int seed = 1, least = 300;

static uint32_t threshold_of(const char *value)
{
	return strcmp(value, "inf") ? (uint32_t)strtoul(value, NULL, 0)
				    : LOCK_THRESHOLD_INF;
}

static int offset_of(const char *field)
{
	static const struct {
		const char *name;
		size_t offset;
	} fields[] = {
		{ "owner", offsetof(tkt_lock_t, owner) },
		{ "next", offsetof(tkt_lock_t, next) },
		{ "tail", offsetof(tkt_lock_t, tail) },
	};

	for (size_t i = 0; i < LENGTH(fields); i++)
		if (!strcmp(field, fields[i].name))
			return (int)fields[i].offset;
	run_usage(field);
}

static void set_option(const char *text)
{
	static unsigned int sleeper;
	static const struct run_option options[] = {
		{ "threads", &trial.threads },
		{ "trylocks", &trial.trylocks },
		{ "ms", &trial.ms },
		{ "least", &least },
		{ "patience", &stress_patience },
		{ "dwell", &trial.dwell },
		{ "apart", &trial.apart },
		{ "seed", &seed },
		{ "sleeper", &sleeper },
		{ "one_in", &stress_focus.one_in },
		{ "sleep_us", &stress_focus.sleep_us },
	};
	const char *value;

	if (run_option_set(options, LENGTH(options), text)) {
		if (run_option_is(text, "sleeper"))
			stress_focus.thread = (int)sleeper;
	} else if ((value = run_option_is(text, "threshold"))) {
		trial.params.threshold = threshold_of(value);
	} else if ((value = run_option_is(text, "wait"))) {
		trial.params.wait = strcmp(value, "spin") ? LOCK_WAIT_YIELD
							  : LOCK_WAIT_SPIN;
	} else if ((value = run_option_is(text, "focus"))) {
		stress_focus.offset = offset_of(value);
	} else {
		run_usage(text);
	}
}

static int run(uint64_t number)
{
	const char *verdict;

	alarm(RUN_SECONDS);
	chaos_set_seed(number);
	verdict = check(&trial);
	if (verdict)
		fprintf(stderr, "%s\n", verdict);
	return verdict ? OUTCOME_VERDICT : 0;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		run_usage("too few");
	stress_disposable = true;
	stress_patience = 20;
	for (size_t i = 0; i < LENGTH(checks); i++)
		if (!strcmp(checks[i].name, argv[1]))
			check = checks[i].check;
	if (!check)
		run_usage(argv[1]);
	for (int i = 4; i < argc; i++)
		set_option(argv[i]);
	trial.ops = lock_find("tkt");
	trial.least = least;
	return runs_main(&(struct runs){ .check = argv[1],
					 .expected = argv[2],
					 .count = argv[3],
					 .seed = seed,
					 .run = run });
}
