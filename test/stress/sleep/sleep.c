/* SPDX-License-Identifier: MIT */
/*
 * sleep.c - one check on one build of the headers, with a known outcome
 *
 *	sleep CHECK EXPECTED RUNS [OPTION=VALUE...]
 *
 * EXPECTED is what each of RUNS child processes must end in: pass, verdict
 * (the check says what is wrong), hang (threads do not come back), crash, or
 * race (ThreadSanitizer's report); or several, with / between.  Run number i
 * has the seed `seed` + i.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tkt/lock_types.h>

#include "sleep.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define VERDICT 1
#define HUNG 3
#define RACE 66 /* ThreadSanitizer's own default */

struct sleep_trial trial = {
	.threads = 3, .ms = 1000, .wait = TKT_WAIT_YIELD, .patience = 30
};

static struct sleeper sleeper[SLEEP_MAX_THREADS];
static uint64_t deadline;
static uint32_t meeting, met, over;
static __thread uint64_t chaos_state;

static const struct {
	const char *name;
	void (*check)(void);
} checks[] = {
	{ "rw", check_rw },	      { "rw_order", check_rw_order },
	{ "handoff", check_handoff }, { "everybody", check_everybody },
	{ "abort", check_abort },     { "ordered", check_ordered },
	{ "bits", check_bits },	      { "bit_abort", check_bit_abort },
};

/* xorshift64 */
static uint32_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 32);
}

static void nap(long us)
{
	const struct timespec ts = { 0, us * 1000 };

	(void)nanosleep(&ts, NULL);
}

/* What happens before each access, where the back end is chaos. */
void tkt_chaos_point(uintptr_t address);
void tkt_chaos_point(uintptr_t address)
{
	uint32_t dice;

	(void)address;
	if (!chaos_state) /* not a thread of a run */
		return;
	dice = draw(&chaos_state) % 1024;
	if (dice < 960)
		return;
	if (dice < 1008)
		sleep_dwell(dice % 64);
	else if (dice < 1022)
		(void)sched_yield();
	else
		nap(20 + draw(&chaos_state) % 60);
}

void sleep_dwell(unsigned int n)
{
	while (n--)
		TKT_RELAX();
}

void sleep_fail(const char *what)
{
	fprintf(stderr, "seed %llu: %s\n", (unsigned long long)trial.seed,
		what);
	_exit(VERDICT);
}

bool sleep_again(void)
{
	return TKT_CLOCK_NS() < deadline;
}

uint32_t sleep_random(struct sleeper *s, uint32_t below)
{
	return draw(&s->random) % below;
}

pthread_t sleep_thread(unsigned int id)
{
	return sleeper[id].thread;
}

bool sleep_meet(void)
{
	const uint32_t now = TKT_LOAD(&meeting, TKT_ACQUIRE);

	/* The last to come decides for all: nobody is on his way out yet. */
	if (TKT_FETCH_ADD(&met, 1u, TKT_ACQ_REL) + 1 == trial.threads) {
		TKT_STORE(&over, (uint32_t)!sleep_again(), TKT_RELAXED);
		TKT_STORE(&met, 0u, TKT_RELAXED);
		TKT_STORE(&meeting, now + 1, TKT_RELEASE);
	}
	while (TKT_LOAD(&meeting, TKT_ACQUIRE) == now)
		sched_yield();
	return !TKT_LOAD(&over, TKT_RELAXED);
}

static void *sleeper_main(void *arg)
{
	struct sleeper *s = arg;

	chaos_state = s->random;
	/* All threads exist from here on. */
	(void)sleep_meet();
	s->body(s);
	return NULL;
}

void sleep_run(void (*body)(struct sleeper *s))
{
	struct timespec limit;

	deadline = TKT_CLOCK_NS() + trial.ms * UINT64_C(1000000);
	for (unsigned int i = 0; i < trial.threads; i++) {
		struct sleeper *s = &sleeper[i];

		s->id = i;
		s->body = body;
		s->random = (trial.seed * 64 + i + 1) *
			    UINT64_C(0x9e3779b97f4a7c15);
		if (pthread_create(&s->thread, NULL, sleeper_main, s))
			abort();
	}
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += trial.ms / 1000 + 1 + trial.patience;
	for (unsigned int i = 0; i < trial.threads; i++)
		if (pthread_timedjoin_np(sleeper[i].thread, NULL, &limit)) {
			fprintf(stderr, "seed %llu: thread %u hangs\n",
				(unsigned long long)trial.seed, i);
			_exit(HUNG);
		}
}

static void set_option(const char *name, const char *value)
{
	const unsigned int n = (unsigned int)strtoul(value, NULL, 0);

	if (!strcmp(name, "threads") && n && n <= SLEEP_MAX_THREADS)
		trial.threads = n;
	else if (!strcmp(name, "ms"))
		trial.ms = n;
	else if (!strcmp(name, "patience"))
		trial.patience = n;
	else if (!strcmp(name, "signals"))
		trial.signals = n;
	else if (!strcmp(name, "wait"))
		trial.wait = strcmp(value, "spin") ? TKT_WAIT_YIELD
						   : TKT_WAIT_SPIN;
	else if (!strcmp(name, "seed"))
		trial.seed = n;
	else
		exit(2);
}

static const char *outcome(int status)
{
	if (WIFSIGNALED(status))
		return "crash";
	switch (WEXITSTATUS(status)) {
	case 0:
		return "pass";
	case VERDICT:
		return "verdict";
	case HUNG:
		return "hang";
	case RACE:
		return "race";
	default:
		return "something else";
	}
}

static bool run_child(void (*check)(void), const char *expected)
{
	const pid_t child = fork();
	int status;

	if (!child) {
		check();
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	if (strstr(expected, outcome(status)))
		return true;
	fprintf(stderr, "seed %llu: %s instead of %s\n",
		(unsigned long long)trial.seed, outcome(status), expected);
	return false;
}

int main(int argc, char **argv)
{
	void (*check)(void) = NULL;
	unsigned int runs, good = 0;

	for (size_t i = 0; argc > 3 && i < LENGTH(checks); i++)
		if (!strcmp(argv[1], checks[i].name))
			check = checks[i].check;
	if (!check)
		return 2;
	trial.seed = 1;
	for (int i = 4; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value)
			return 2;
		*value = 0;
		set_option(argv[i], value + 1);
	}
	runs = (unsigned int)strtoul(argv[3], NULL, 0);
	for (unsigned int run = 0; run < runs; run++, trial.seed++)
		good += run_child(check, argv[2]);
	printf("%s: %s in %u of %u runs\n", argv[1], argv[2], good, runs);
	return good != runs || !runs;
}
