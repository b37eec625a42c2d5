/* SPDX-License-Identifier: MIT */
/*
 * stress.h - one harness, every lock, every check
 *
 * A *trial* says which lock is run how.  A *check* sets up a harness for it,
 * runs a body in some threads, and returns NULL or what went wrong.  No check knows
 * which lock it has; a lock that breaks must be found by the same code that
 * passes the others.
 *
 * All of it is compiled once per back end, against the accessors of
 * <tkt/atomic.h>, so that under chaos the checks' own accesses stumble too.
 */
#ifndef TKT_TEST_STRESS_H
#define TKT_TEST_STRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <tkt/atomic.h>

#include "harness/random.h"
#include "locks/lock_ops.h"

#if defined(__SANITIZE_THREAD__)
#define STRESS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STRESS_TSAN 1
#endif
#endif
#ifndef STRESS_TSAN
#define STRESS_TSAN 0
#endif

#define STRESS_MAX_THREADS 24u
#define STRESS_NESTING 3u

/* A run that has not seen enough by its end may take so much longer. */
#define STRESS_EXTRA_S 60u

struct trial {
	const struct lock_ops *ops;
	struct lock_params params; /* max_threads is filled in by the harness */
	unsigned int threads;
	uint64_t rounds;       /* per thread, at most */
	unsigned int ms;       /* for the whole run, if it has seen enough: */
	uint64_t least;	       /* so many rounds by each thread, */
	uint64_t meets;	       /* and locks found held, by all of them */
	unsigned int dwell;    /* spin hints inside each section */
	unsigned int apart;    /* sleeps up to so many us between rounds */
	unsigned int trylocks; /* this many threads only ever try */
};

struct harness;

struct worker {
	struct harness *harness;
	unsigned int id;
	uint64_t done; /* rounds, counted by worker_count() */
	uint64_t met;  /* locks found held, counted by worker_look() */
	struct random random;
	union lock_ctx ctx[STRESS_NESTING];
	pthread_t thread;
	uint32_t over; /* its body has returned */
};

struct harness {
	const struct trial *trial;
	const char *check;
	void *shared; /* the check's own */
	void (*body)(struct worker *);
	unsigned char *locks;
	size_t count, stride;
	uint64_t deadline, latest;
	uint32_t started, stop;
	uint32_t failed; /* 0, 1: being written, 2: verdict stands */
	char verdict[256];
	/* Whether somebody is inside: a hint, on a line of its own. */
	uint32_t inside __attribute__((aligned(128)));
	struct worker worker[STRESS_MAX_THREADS] __attribute__((aligned(128)));
};

/*
 * Whether this process is there for one check of a lock that may be broken:
 * it then leaves by _exit() at the first failure, or when threads hang, rather
 * than clean up with a lock that cannot be trusted.
 */
extern bool stress_disposable;
/* After so many seconds without a round done, threads hang. */
extern unsigned int stress_patience;

/* Prepares `count` locks. Never returns NULL; a failed init is a verdict. */
struct harness *harness_new(const struct trial *t, const char *check,
			    size_t count);
/* Runs `body` in trial->threads threads; returns when all have ended. */
void harness_run(struct harness *r, void (*body)(struct worker *));
/* The two halves of it, for a check that does something meanwhile. */
void harness_start(struct harness *r, void (*body)(struct worker *));
void harness_join(struct harness *r);
/*
 * Checks that each lock is free again, as far as trylock can tell, drops
 * everything and returns the verdict: NULL, or a text that is overwritten by
 * the next one.
 */
const char *harness_end(struct harness *r);

/* Records the first failure and stops all threads. */
void harness_fail(struct harness *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Starts one thread; waits for its end, or reports that it hangs. */
void worker_start(struct worker *w);
void worker_join(struct worker *w);
/*
 * Whether time is left and nothing has failed; and whether another round is
 * due, for that or because not enough has been seen.
 */
bool harness_again(const struct harness *r);
bool worker_again(const struct worker *w);
/* Counts a round of this thread; the watchdog looks at it. */
void worker_count(struct worker *w);
/* About to lock: notes whether anybody is inside. */
void worker_look(struct worker *w);

static inline uint32_t worker_random(struct worker *w)
{
	return (uint32_t)(random_next(&w->random) >> 32);
}

static inline void *harness_lock(const struct harness *r, size_t i)
{
	return r->locks + i * r->stride;
}

static inline void worker_lock(struct worker *w, size_t lock,
			       unsigned int level)
{
	w->harness->trial->ops->lock(harness_lock(w->harness, lock),
				     &w->ctx[level]);
}

static inline void worker_unlock(struct worker *w, size_t lock,
				 unsigned int level)
{
	w->harness->trial->ops->unlock(harness_lock(w->harness, lock),
				       &w->ctx[level]);
}

/* Sleeps for some microseconds, less than a second. */
void stress_nap(unsigned int us);

/* Stays for n spin hints. */
static inline void stress_dwell(unsigned int n)
{
	while (n--)
		TKT_RELAX();
}

/*
 * The data of one lock.  Non-atomic on purpose, and volatile, so that the
 * compiler leaves each access where it stands.
 */
struct guarded {
	volatile uint64_t first;
	volatile uint64_t inside __attribute__((aligned(128)));
	volatile uint64_t second __attribute__((aligned(128)));
};

/*
 * The two ends of a critical section on *g, and both: report whoever else is
 * inside.  `who` is not 0, and the same at both ends.
 */
void guarded_enter(struct worker *w, struct guarded *g, uint64_t who);
void guarded_leave(struct worker *w, struct guarded *g, uint64_t who);
void guarded_visit(struct worker *w, struct guarded *g);

/* The checks.  Each says at its definition what it can find. */
const char *check_exclusion(const struct trial *t);
const char *check_churn(const struct trial *t);
const char *check_cross(const struct trial *t);
const char *check_many(const struct trial *t);
const char *check_nested(const struct trial *t);
const char *check_fairness(const struct trial *t);
const char *check_arrival(const struct trial *t);
const char *check_order(const struct trial *t);
const char *check_lifetime(const struct trial *t);
const char *check_timed(const struct trial *t);
const char *check_glance(const struct trial *t);
const char *check_announce(const struct trial *t);

/* chaos.c: what tkt_chaos_point() does. */
struct chaos_focus {
	int offset;	       /* field's offset in the lock, -1: none */
	unsigned int one_in;   /* this share of the accesses to it */
	unsigned int sleep_us; /* is preceded by so long a sleep */
	int thread;	       /* in this thread, -1: in all */
};
extern struct chaos_focus stress_focus;
/* The run's seed; STRESS_SEED in the environment overrides the argument. */
void chaos_set_seed(uint64_t seed);
uint64_t chaos_seed(void);
/* The calling thread is number `id`; `lock` is the one to focus on. */
void chaos_enter(unsigned int id, const void *lock);

#endif /* TKT_TEST_STRESS_H */
