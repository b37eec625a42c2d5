/* SPDX-License-Identifier: MIT */
/*
 * ref.h - threads, chaos and verdicts of the reference counts' stress tests
 *
 * A check runs some threads for some time and adds up afterwards.  The first
 * that is found wrong ends the process, with one line on standard error; so do
 * threads that do not end.  The program (main.c) runs each check in a child
 * for that.
 */
#ifndef TKT_TEST_REF_H
#define TKT_TEST_REF_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <tkt/atomic.h>

#include "harness/random.h"

#define REF_THREADS_MAX 16u

struct ref_trial {
	unsigned int threads, ms, patience_s;
	unsigned int chaos; /* of so many accesses, one stumbles; 0: none */
	uint64_t seed;
};

extern struct ref_trial ref_trial;

struct ref_thread {
	unsigned int id;
	struct random random;
	pthread_t thread;
	uint32_t over;
} __attribute__((aligned(128)));

/* Runs body in the trial's threads until all have returned. */
void ref_run(void (*body)(struct ref_thread *t));

/* Whether the trial's time is not over yet. */
bool ref_again(void);

/* Below `below`, from the thread's own stream. */
uint32_t ref_random(struct ref_thread *t, uint32_t below);

/* Nothing to do until another thread has done something. */
void ref_pause(void);

void ref_fail(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

void check_lockref(void);
void check_percpu(void);

#endif /* TKT_TEST_REF_H */
