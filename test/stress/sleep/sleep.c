/* SPDX-License-Identifier: MIT */
/*
 * sleep.c - one check on one build of the headers, with a known outcome
 *
 *	sleep CHECK EXPECTED RUNS [OPTION=VALUE...]
 *
 * EXPECTED is what each of RUNS child processes must end in (outcome.h).  Run
 * i has the seed `seed` + i.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tkt/lock_types.h>

#include "outcome.h"
#include "sleep.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct sleep_trial trial = {
	.threads = 3, .ms = 1000, .wait = TKT_WAIT_YIELD, .patience = 30
};

static struct sleeper sleeper[SLEEP_MAX_THREADS];
static uint64_t deadline;
static uint32_t round_number, arrived, over;
static __thread struct random chaos_state;
static __thread bool stumbles;

void (*sleep_hook)(uintptr_t address);

static const struct run_check checks[] = {
	{ "rw", check_rw },	      { "rw_order", check_rw_order },
	{ "handoff", check_handoff }, { "everybody", check_everybody },
	{ "abort", check_abort },     { "ordered", check_ordered },
	{ "bits", check_bits },	      { "bit_abort", check_bit_abort },
	{ "script", check_script },   { NULL, NULL },
};

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

	if (sleep_hook)
		sleep_hook(address);
	if (!stumbles) /* not a thread of a run */
		return;
	dice = random_below(&chaos_state, 1024);
	if (dice < 960)
		return;
	if (dice < 1008)
		sleep_dwell(dice % 64);
	else if (dice < 1022)
		(void)sched_yield();
	else
		nap(20 + random_below(&chaos_state, 60));
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
	_exit(OUTCOME_VERDICT);
}

bool sleep_again(void)
{
	return TKT_CLOCK_NS() < deadline;
}

uint32_t sleep_random(struct sleeper *s, uint32_t below)
{
	return random_below(&s->random, below);
}

pthread_t sleep_thread(unsigned int id)
{
	return sleeper[id].thread;
}

bool sleep_again_together(void)
{
	const uint32_t now = TKT_LOAD(&round_number, TKT_ACQUIRE);

	/* The last to come decides for all: nobody is on his way out yet. */
	if (TKT_FETCH_ADD(&arrived, 1u, TKT_ACQ_REL) + 1 == trial.threads) {
		TKT_STORE(&over, (uint32_t)!sleep_again(), TKT_RELAXED);
		TKT_STORE(&arrived, 0u, TKT_RELAXED);
		TKT_STORE(&round_number, now + 1, TKT_RELEASE);
	}
	while (TKT_LOAD(&round_number, TKT_ACQUIRE) == now)
		sched_yield();
	return !TKT_LOAD(&over, TKT_RELAXED);
}

static void *sleeper_main(void *arg)
{
	struct sleeper *s = arg;

	chaos_state = random_stream(trial.seed, 2 * s->id);
	stumbles = true;
	/* All threads exist from here on. */
	(void)sleep_again_together();
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
		s->random = random_stream(trial.seed, 2 * i + 1);
		if (pthread_create(&s->thread, NULL, sleeper_main, s))
			abort();
	}
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += (time_t)(trial.ms / 1000 + trial.patience);
	limit.tv_nsec += (long)(trial.ms % 1000) * 1000000;
	if (limit.tv_nsec >= 1000000000) {
		limit.tv_sec++;
		limit.tv_nsec -= 1000000000;
	}
	for (unsigned int i = 0; i < trial.threads; i++)
		if (pthread_timedjoin_np(sleeper[i].thread, NULL, &limit)) {
			fprintf(stderr, "seed %llu: thread %u hangs\n",
				(unsigned long long)trial.seed, i);
			_exit(OUTCOME_HUNG);
		}
}

static unsigned int seed = 1;

static void set_option(const char *text)
{
	static unsigned int signals;
	static const struct run_option options[] = {
		{ "threads", &trial.threads },
		{ "ms", &trial.ms },
		{ "patience", &trial.patience },
		{ "signals", &signals },
		{ "seed", &seed },
	};
	const char *wait = run_option_is(text, "wait");

	if (wait)
		trial.wait = strcmp(wait, "spin") ? TKT_WAIT_YIELD
						  : TKT_WAIT_SPIN;
	else if (!run_option_set(options, LENGTH(options), text) ||
		 !trial.threads || trial.threads > SLEEP_MAX_THREADS)
		run_usage(text);
	trial.signals = signals;
}

static void begin(uint64_t number)
{
	trial.seed = number;
}

int main(int argc, char **argv)
{
	static const struct run_program program = { .checks = checks,
						    .seed = &seed,
						    .set_option = set_option,
						    .begin = begin };

	return run_program_main(&program, argc, argv);
}
