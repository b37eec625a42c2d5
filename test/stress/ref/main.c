/* SPDX-License-Identifier: MIT */
/*
 * main.c - one check, so many times, with a known outcome
 *
 *	stress_ref CHECK EXPECTED RUNS [threads=N] [ms=N] [patience=S]
 *		[chaos=N] [seed=N]
 *
 * EXPECTED is what each of RUNS child processes must end in: pass, verdict
 * (the check says what is wrong), hang (threads do not end) or race
 * (ThreadSanitizer's report); or several, with / between.  Run i has the seed
 * `seed` + i.
 */
#include "ref.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define RACE 66 /* ThreadSanitizer's own default */

struct ref_trial ref_trial = {
	.threads = 4, .ms = 300, .patience_s = 60, .seed = 1
};
static uint64_t deadline;

static __thread uint64_t chaos_state;

/* xorshift64: good enough to be irregular, and a few instructions long */
static uint64_t shift(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 16;
}

static void nap_us(unsigned int us)
{
	const struct timespec ts = { 0, (long)us * 1000 };

	(void)nanosleep(&ts, NULL);
}

/* Called by the chaos back end; in others, by nobody. */
void tkt_chaos_point(uintptr_t address);
void tkt_chaos_point(uintptr_t address)
{
	uint64_t dice;

	(void)address;
	if (!chaos_state || !ref_trial.chaos)
		return;
	dice = shift(&chaos_state);
	if (dice % ref_trial.chaos)
		return;
	if (dice >> 16 & 3)
		(void)sched_yield();
	else
		nap_us(20 + (unsigned int)(dice >> 20) % 60);
}

uint32_t ref_random(struct ref_thread *t, uint32_t below)
{
	return (uint32_t)(shift(&t->random) % below);
}

void ref_pause(void)
{
	(void)sched_yield();
}

void ref_fail(const char *format, ...)
{
	static uint32_t failed;
	va_list args;

	/* One line, of the first; the others wait for the end. */
	if (TKT_XCHG(&failed, 1u, TKT_RELAXED))
		for (;;)
			nap_us(1000);
	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	(void)fprintf(stderr, " (seed %llu)\n",
		      (unsigned long long)ref_trial.seed);
	_exit(REF_FAILED);
}

bool ref_again(void)
{
	return TKT_CLOCK_NS() < deadline;
}

static void (*thread_body)(struct ref_thread *t);

static void *thread_main(void *arg)
{
	struct ref_thread *t = arg;

	chaos_state = t->random;
	thread_body(t);
	TKT_STORE(&t->over, 1u, TKT_RELEASE);
	return NULL;
}

void ref_run(void (*body)(struct ref_thread *t))
{
	static struct ref_thread threads[REF_THREADS_MAX];
	const uint64_t patience = ref_trial.patience_s * UINT64_C(1000000000);

	thread_body = body;
	deadline = TKT_CLOCK_NS() + ref_trial.ms * UINT64_C(1000000);
	for (unsigned int i = 0; i < ref_trial.threads; i++) {
		threads[i] = (struct ref_thread){ .id = i };
		/* The odd constant spreads neighbouring numbers. */
		threads[i].random = (ref_trial.seed * 64 + i + 1) *
				    UINT64_C(0x9e3779b97f4a7c15);
		if (pthread_create(&threads[i].thread, NULL, thread_main,
				   &threads[i]))
			abort();
	}
	for (unsigned int i = 0; i < ref_trial.threads; i++) {
		while (!TKT_LOAD(&threads[i].over, TKT_ACQUIRE)) {
			if (TKT_CLOCK_NS() > deadline + patience) {
				(void)fprintf(stderr, "thread %u hangs\n", i);
				_exit(REF_HUNG);
			}
			nap_us(200);
		}
		if (pthread_join(threads[i].thread, NULL))
			abort();
	}
}

static const struct {
	const char *name;
	void (*check)(void);
} checks[] = {
	{ "lockref", check_lockref },
	{ "percpu", check_percpu },
};

static const struct {
	const char *name;
	int status;
} outcomes[] = {
	{ "pass", 0 },
	{ "verdict", REF_FAILED },
	{ "hang", REF_HUNG },
	{ "race", RACE },
};

static void usage(const char *what)
{
	(void)fprintf(stderr, "stress_ref: bad %s\n", what);
	exit(2);
}

static void set_option(const char *text)
{
	const char *value = strchr(text, '=');
	unsigned int n;

	if (!value)
		usage(text);
	n = (unsigned int)strtoul(value + 1, NULL, 0);
	if (!strncmp(text, "threads=", 8) && n && n <= REF_THREADS_MAX)
		ref_trial.threads = n;
	else if (!strncmp(text, "ms=", 3))
		ref_trial.ms = n;
	else if (!strncmp(text, "patience=", 9))
		ref_trial.patience_s = n;
	else if (!strncmp(text, "chaos=", 6))
		ref_trial.chaos = n;
	else if (!strncmp(text, "seed=", 5))
		ref_trial.seed = n;
	else
		usage(text);
}

static bool run_child(void (*check)(void), const char *expected)
{
	const pid_t child = fork();
	int status;

	if (child < 0)
		return false;
	if (!child) {
		check();
		exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		return false;
	for (size_t i = 0; WIFEXITED(status) && i < LENGTH(outcomes); i++)
		if (WEXITSTATUS(status) == outcomes[i].status &&
		    strstr(expected, outcomes[i].name))
			return true;
	(void)fprintf(stderr, "seed %llu: %s %d instead of %s\n",
		      (unsigned long long)ref_trial.seed,
		      WIFEXITED(status) ? "status" : "signal",
		      WIFEXITED(status) ? WEXITSTATUS(status)
					: WTERMSIG(status),
		      expected);
	return false;
}

int main(int argc, char **argv)
{
	void (*check)(void) = NULL;
	unsigned int runs, good = 0;

	if (argc < 4)
		usage("arguments");
	for (size_t i = 0; i < LENGTH(checks); i++)
		if (!strcmp(argv[1], checks[i].name))
			check = checks[i].check;
	if (!check)
		usage(argv[1]);
	for (int i = 4; i < argc; i++)
		set_option(argv[i]);
	runs = (unsigned int)strtoul(argv[3], NULL, 0);
	for (unsigned int i = 0; i < runs; i++, ref_trial.seed++)
		good += run_child(check, argv[2]);
	(void)printf("%s: %s in %u of %u runs\n", argv[1], argv[2], good, runs);
	return good != runs || !runs;
}
