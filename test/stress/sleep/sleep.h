/* SPDX-License-Identifier: MIT */
/*
 * sleep.h - what the checks of wait queues and of the reader-writer lock share
 *
 * Each check is a function that starts threads, lets them run until the time
 * is up, and returns; it reports what is wrong by sleep_fail(), which ends the
 * process.  Threads that do not come back end it, too, with another status.
 */
#ifndef TKT_TEST_STRESS_SLEEP_H
#define TKT_TEST_STRESS_SLEEP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <tkt/atomic.h>

#include "harness/random.h"

#define SLEEP_MAX_THREADS 16u

struct sleep_trial {
	unsigned int threads;
	unsigned int ms;       /* for the whole run, at most */
	uint32_t wait;	       /* TKT_WAIT_*, of the reader-writer lock */
	bool signals;	       /* give up by signal instead of time limit */
	unsigned int patience; /* seconds after which a wait has failed */
	uint64_t seed;
};

extern struct sleep_trial trial;

struct sleeper {
	unsigned int id;
	struct random random;
	pthread_t thread;
	void (*body)(struct sleeper *s);
};

/* Runs `body` on trial.threads threads; returns when all have ended. */
void sleep_run(void (*body)(struct sleeper *s));
/* Whether the time is not up. */
bool sleep_again(void);
/* All threads of the run meet; true if the run goes on. */
bool sleep_again_together(void);
uint32_t sleep_random(struct sleeper *s, uint32_t below);
/* Ends the process with a verdict. */
void sleep_fail(const char *what) __attribute__((noreturn));
/* Busy for about so many spin hints. */
void sleep_dwell(unsigned int n);
/* The thread that sleeps here is thread `id` of the run, for signals. */
pthread_t sleep_thread(unsigned int id);

/* Waits, giving the CPU away, until cond; a verdict if that takes too long. */
#define SLEEP_UNTIL(cond, what)                                \
	do {                                                   \
		const uint64_t sleep_limit =                   \
			TKT_CLOCK_NS() +                       \
			trial.patience * UINT64_C(1000000000); \
		while (!(cond)) {                              \
			if (TKT_CLOCK_NS() > sleep_limit)      \
				sleep_fail(what);              \
			sched_yield();                         \
		}                                              \
	} while (0)

void check_rw(void);
void check_rw_order(void);
void check_handoff(void);
void check_everybody(void);
void check_abort(void);
void check_ordered(void);
void check_bits(void);
void check_bit_abort(void);

#endif /* TKT_TEST_STRESS_SLEEP_H */
