/* SPDX-License-Identifier: MIT */
/*
 * mutant.c - one check on one build of the lock, with a known outcome
 *
 *	mutant CHECK EXPECTED RUNS [OPTION=VALUE...]
 *
 * EXPECTED is what each of RUNS child processes must end in: pass, verdict
 * (the check says what is wrong), hang (threads are lost) or race
 * (ThreadSanitizer's report); or several, with / between.  A child that crashes has none of these.  Run
 * number i has the seed `seed` + i.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define RACE 66 /* ThreadSanitizer's own default */
#define RUN_SECONDS 140

static const struct {
	const char *name;
	const char *(*check)(const struct trial *t);
} checks[] = {
	{ "exclusion", check_exclusion },
	{ "order", check_order },
	{ "churn", check_churn },
};

static const struct {
	const char *name;
	int status;
} outcomes[] = {
	{ "pass", 0 },
	{ "verdict", STRESS_FAILED },
	{ "hang", STRESS_HUNG },
	{ "race", RACE },
};

static uint64_t seed = 1;

static void usage(const char *what)
{
	fprintf(stderr, "mutant: bad %s\n", what);
	exit(2);
}

static uint32_t threshold_of(const char *value)
{
	return strcmp(value, "inf") ? (uint32_t)strtoul(value, NULL, 0)
				    : LOCK_THRESHOLD_INF;
}

static int offset_of(const char *field)
{
	static const char *const fields[] = { "owner", "next", "tail" };

	for (int i = 0; i < 3; i++)
		if (!strcmp(field, fields[i]))
			return 4 * i;
	usage("field");
	return -1;
}

static void set_option(struct trial *t, const char *name, const char *value)
{
	const unsigned int n = (unsigned int)strtoul(value, NULL, 0);

	if (!strcmp(name, "threads"))
		t->threads = n;
	else if (!strcmp(name, "trylocks"))
		t->trylocks = n;
	else if (!strcmp(name, "ms"))
		t->ms = n;
	else if (!strcmp(name, "least"))
		t->least = n;
	else if (!strcmp(name, "patience"))
		stress_patience = n;
	else if (!strcmp(name, "dwell"))
		t->dwell = n;
	else if (!strcmp(name, "apart"))
		t->apart = n;
	else if (!strcmp(name, "threshold"))
		t->params.threshold = threshold_of(value);
	else if (!strcmp(name, "wait"))
		t->params.wait = strcmp(value, "spin") ? LOCK_WAIT_YIELD
						       : LOCK_WAIT_SPIN;
	else if (!strcmp(name, "seed"))
		seed = n;
	else if (!strcmp(name, "focus"))
		stress_focus.offset = offset_of(value);
	else if (!strcmp(name, "sleeper"))
		stress_focus.thread = (int)n;
	else if (!strcmp(name, "one_in"))
		stress_focus.one_in = n;
	else if (!strcmp(name, "sleep_us"))
		stress_focus.sleep_us = n;
	else
		usage(name);
}

/* The child: runs the check and leaves with its outcome as exit status. */
static void run_check(const char *name, const struct trial *t, uint64_t run)
{
	const char *verdict;

	alarm(RUN_SECONDS);
	chaos_set_seed(seed + run);
	for (size_t i = 0; i < LENGTH(checks); i++) {
		if (strcmp(checks[i].name, name))
			continue;
		verdict = checks[i].check(t);
		if (verdict)
			fprintf(stderr, "%s\n", verdict);
		exit(verdict ? STRESS_FAILED : 0);
	}
	usage("check");
}

/* Whether the outcome with this exit status is among `expected`. */
static bool is_among(const char *expected, int status)
{
	for (size_t i = 0; i < LENGTH(outcomes); i++)
		if (outcomes[i].status == status)
			return strstr(expected, outcomes[i].name);
	return false;
}

/* Whether a child ends as expected. */
static bool run_child(const char *check, const struct trial *t, uint64_t run,
		      const char *expected)
{
	const pid_t child = fork();
	int status;

	if (child < 0)
		return false;
	if (!child)
		run_check(check, t, run);
	if (waitpid(child, &status, 0) != child)
		return false;
	if (WIFEXITED(status) && is_among(expected, WEXITSTATUS(status)))
		return true;
	fprintf(stderr, "run %llu: %s %d instead of %s\n",
		(unsigned long long)run,
		WIFEXITED(status) ? "status" : "signal",
		WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
		expected);
	return false;
}

int main(int argc, char **argv)
{
	struct trial t = { .ops = lock_find("tkt"),
			   .threads = 2,
			   .rounds = UINT64_MAX,
			   .least = 300,
			   .ms = 2000,
			   .dwell = 4 };
	unsigned int good = 0, runs;

	if (argc < 4)
		usage("arguments");
	stress_disposable = true;
	stress_patience = 20;
	runs = (unsigned int)strtoul(argv[3], NULL, 0);
	for (int i = 4; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value)
			usage(argv[i]);
		*value = 0;
		set_option(&t, argv[i], value + 1);
	}
	for (unsigned int run = 0; run < runs; run++)
		good += run_child(argv[1], &t, run, argv[2]);
	printf("%s: %s in %u of %u runs\n", argv[1], argv[2], good, runs);
	return good != runs || !runs;
}
