/* SPDX-License-Identifier: MIT */
/*
 * main.c - one check, so many times, with a known outcome
 *
 *	stress_ref CHECK EXPECTED RUNS [threads=N] [ms=N] [patience=S]
 *		[chaos=N] [seed=N]
 *
 * EXPECTED is what each of RUNS child processes must end in (outcome.h).  Run
 * i has the seed `seed` + i.
 */
#include "ref.h"
#include "outcome.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct ref_trial ref_trial = { .threads = 4, .ms = 300, .patience_s = 60 };
static uint64_t deadline;

static __thread struct random chaos_state;
static __thread bool stumbles;

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
	if (!stumbles)
		return;
	dice = random_next(&chaos_state);
	if (dice % ref_trial.chaos)
		return;
	if (dice >> 16 & 3)
		(void)sched_yield();
	else
		nap_us(20 + (unsigned int)(dice >> 20) % 60);
}

uint32_t ref_random(struct ref_thread *t, uint32_t below)
{
	return random_below(&t->random, below);
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
	_exit(OUTCOME_VERDICT);
}

bool ref_again(void)
{
	return TKT_CLOCK_NS() < deadline;
}

static void (*thread_body)(struct ref_thread *t);

static void *thread_main(void *arg)
{
	struct ref_thread *t = arg;

	chaos_state = random_stream(ref_trial.seed, 2 * t->id);
	stumbles = ref_trial.chaos;
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
		threads[i].random = random_stream(ref_trial.seed, 2 * i + 1);
		if (pthread_create(&threads[i].thread, NULL, thread_main,
				   &threads[i]))
			abort();
	}
	for (unsigned int i = 0; i < ref_trial.threads; i++) {
		while (!TKT_LOAD(&threads[i].over, TKT_ACQUIRE)) {
			if (TKT_CLOCK_NS() > deadline + patience) {
				(void)fprintf(stderr, "thread %u hangs\n", i);
				_exit(OUTCOME_HUNG);
			}
			nap_us(200);
		}
		if (pthread_join(threads[i].thread, NULL))
			abort();
	}
}

static const struct run_check checks[] = {
	{ "lockref", check_lockref },
	{ "percpu", check_percpu },
	{ NULL, NULL },
};

static unsigned int seed = 1;

static void set_option(const char *text)
{
	static const struct run_option options[] = {
		{ "threads", &ref_trial.threads },
		{ "ms", &ref_trial.ms },
		{ "patience", &ref_trial.patience_s },
		{ "chaos", &ref_trial.chaos },
		{ "seed", &seed },
	};

	if (!run_option_set(options, LENGTH(options), text) ||
	    !ref_trial.threads || ref_trial.threads > REF_THREADS_MAX)
		run_usage(text);
}

static void begin(uint64_t number)
{
	ref_trial.seed = number;
}

int main(int argc, char **argv)
{
	static const struct run_program program = { .checks = checks,
						    .seed = &seed,
						    .set_option = set_option,
						    .begin = begin };

	return run_program_main(&program, argc, argv);
}
