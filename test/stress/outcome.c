/* SPDX-License-Identifier: MIT */
/* outcome.c - children that are meant to pass, to fail or to hang */
#include "outcome.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RACE 66 /* ThreadSanitizer's own default */

static const char *outcome_of(int status)
{
	if (WIFSIGNALED(status))
		return "crash";
	switch (WEXITSTATUS(status)) {
	case 0:
		return "pass";
	case OUTCOME_VERDICT:
		return "verdict";
	case OUTCOME_HUNG:
		return "hang";
	case RACE:
		return "race";
	default:
		return "another exit status";
	}
}

/* Whether `name` is among the names in `list`, with / between. */
static bool is_among(const char *name, const char *list)
{
	const size_t n = strlen(name);

	for (const char *p = list; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (!strncmp(p, name, n) && (!p[n] || p[n] == '/'))
			return true;
	}
	return false;
}

/* Waits for the child, as long as it gets on. */
static const char *watch(const struct runs *r, pid_t child)
{
	const struct timespec tick = { 0, 20000000 };
	int status = 0;

	if (!r->hangs) {
		while (waitpid(child, &status, 0) != child)
			continue;
		return outcome_of(status);
	}
	for (bool first = true;; first = false) {
		if (waitpid(child, &status, WNOHANG) == child)
			return outcome_of(status);
		if (r->hangs(first))
			break;
		(void)nanosleep(&tick, NULL);
	}
	(void)kill(child, SIGKILL);
	(void)waitpid(child, &status, 0);
	return "hang";
}

static bool run_child(const struct runs *r, uint64_t seed)
{
	const struct rlimit no_core = { 0, 0 };
	const char *outcome;
	pid_t child;

	(void)fflush(NULL);
	child = fork();
	if (child < 0)
		return false;
	if (!child) {
		(void)setrlimit(RLIMIT_CORE, &no_core);
		exit(r->run(seed));
	}
	outcome = watch(r, child);
	if (is_among(outcome, r->expected))
		return true;
	(void)fprintf(stderr, "seed %llu: %s instead of %s\n",
		      (unsigned long long)seed, outcome, r->expected);
	return false;
}

int runs_main(const struct runs *r)
{
	const unsigned long count = strtoul(r->count, NULL, 0);
	unsigned long good = 0;

	for (unsigned long i = 0; i < count; i++)
		good += run_child(r, r->seed + i);
	(void)printf("%s: %s in %lu of %lu runs\n", r->check, r->expected, good,
		     count);
	return good != count || !count;
}

static const struct run_program *program;
static void (*program_check)(void);

static int run_program(uint64_t seed)
{
	program->begin(seed);
	program_check();
	return 0;
}

int run_program_main(const struct run_program *p, int argc, char **argv)
{
	if (argc < 4)
		run_usage("too few");
	program = p;
	for (const struct run_check *c = p->checks; c->name; c++)
		if (!strcmp(argv[1], c->name))
			program_check = c->check;
	if (!program_check)
		run_usage(argv[1]);
	for (int i = 4; i < argc; i++)
		p->set_option(argv[i]);
	return runs_main(&(struct runs){ .check = argv[1],
					 .expected = argv[2],
					 .count = argv[3],
					 .seed = *p->seed,
					 .run = run_program });
}

const char *run_option_is(const char *text, const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(text, name, n) && text[n] == '=' ? text + n + 1 : NULL;
}

const char *run_option_set(const struct run_option *options, size_t n,
			   const char *text)
{
	for (size_t i = 0; i < n; i++) {
		const char *value = run_option_is(text, options[i].name);

		if (!value)
			continue;
		*options[i].value = (unsigned int)strtoul(value, NULL, 0);
		return value;
	}
	return NULL;
}

void run_usage(const char *what)
{
	(void)fprintf(stderr, "bad argument: %s\n", what);
	exit(2);
}
