/* SPDX-License-Identifier: MIT */
/*
 * outcome.h - one check, so many times in a child process, and how it ends
 *
 * A lock that may be broken takes its process with it: the check runs in a
 * child, which is disposable, and the parent says whether the child ended as
 * expected:
 *
 *	pass	  exit status 0
 *	verdict	  the check says what is wrong: OUTCOME_VERDICT
 *	hang	  threads do not end: OUTCOME_HUNG, or so says the parent
 *	race	  ThreadSanitizer's report
 *	crash	  a signal
 */
#ifndef TKT_TEST_OUTCOME_H
#define TKT_TEST_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTCOME_VERDICT 1
#define OUTCOME_HUNG 3

struct runs {
	const char *check;    /* its name, for the report */
	const char *expected; /* an outcome, or several with / between */
	const char *count;    /* how many runs, as text */
	uint64_t seed;	      /* of the first; one more for each run */
	/* In the child: its exit status. */
	int (*run)(uint64_t seed);
	/* In the parent, each 20 ms: whether to give it up; may be NULL. */
	bool (*hangs)(bool first);
};

/* Does all runs; returns the exit status of the program. */
int runs_main(const struct runs *r);

/* A check by its name: ends the process, by a verdict or a hang, or returns. */
struct run_check {
	const char *name;
	void (*check)(void);
};

/* A program that is nothing but its checks. */
struct run_program {
	const struct run_check *checks; /* the last has no name */
	unsigned int *seed;		/* of the first run, an option */
	void (*set_option)(const char *text);
	void (*begin)(uint64_t seed); /* in the child, before its check */
};

/* The program's main(): CHECK EXPECTED RUNS [OPTION=VALUE...] */
int run_program_main(const struct run_program *p, int argc, char **argv);

/* An option NAME=NUMBER of the command line. */
struct run_option {
	const char *name;
	unsigned int *value;
};

/*
 * Sets the one of the n options that `text` names; returns the value as text,
 * or NULL if there is none of that name.
 */
const char *run_option_set(const struct run_option *options, size_t n,
			   const char *text);
/* The value if `text` is NAME=VALUE, or NULL. */
const char *run_option_is(const char *text, const char *name);

/* Ends the program: the command line is wrong. */
void run_usage(const char *what) __attribute__((noreturn));

#endif /* TKT_TEST_OUTCOME_H */
