/* SPDX-License-Identifier: MIT */
/* check_fair.c - each gets a share, and in order of arrival */
#include "stress.h"

#include <stdio.h>
#include <time.h>

static void fairness_body(struct worker *w)
{
	while (worker_again(w)) {
		worker_lock(w, 0, 0);
		guarded_visit(w, w->harness->shared);
		worker_count(w);
		worker_unlock(w, 0, 0);
	}
}

/* Jain's index of the shares: 1 if all are equal, 1/n if one has it all. */
static double jain(const struct harness *r)
{
	const unsigned int n = r->trial->threads;
	double sum = 0, squares = 0;

	for (unsigned int i = 0; i < n; i++) {
		const double done = (double)r->worker[i].done;

		sum += done;
		squares += done * done;
	}
	return squares > 0 ? sum * sum / (n * squares) : 0;
}

#define JAIN_LEAST 0.75
#define JAIN_TRIES 7

/* One try; *share: Jain's index. */
static const char *fairness_once(const struct trial *t, double *share)
{
	struct harness *r = harness_new(t, "fairness", 1);
	struct guarded g = { 0, 0, 0 };

	r->shared = &g;
	harness_run(r, fairness_body);
	*share = jain(r);
	return harness_end(r);
}

/*
 * Finds a lock that starves a thread.  Nothing is done between an unlock and
 * the next lock, and much inside (trial->dwell), so that a thread that loses
 * its CPU loses it in the queue.  If it does lose it between the two, the other
 * has the lock to itself meanwhile, many times as fast as when they share it,
 * through no fault of the lock; and an unfair lock is fair by chance now and
 * then.  Hence the majority of several tries decides.
 */
const char *check_fairness(const struct trial *t)
{
	static char verdict[96];
	int fair = 0, unfair = 0;
	double share = 0;

	while (fair <= JAIN_TRIES / 2 && unfair <= JAIN_TRIES / 2) {
		const char *wrong = fairness_once(t, &share);

		if (wrong)
			return wrong;
		if (share >= JAIN_LEAST)
			fair++;
		else
			unfair++;
	}
	if (fair > unfair)
		return NULL;
	(void)snprintf(verdict, sizeof(verdict),
		       "fairness: lock %s: Jain's index below %.2f, last %.2f",
		       t->ops->name, JAIN_LEAST, share);
	return verdict;
}

/*
 * How much CPU time after its announcement proves that a thread which does
 * nothing else than to join a queue, and to spin in it, has joined.  It takes
 * well under a microsecond of instructions, and some tens where each access
 * may stumble; time asleep or preempted does not count.
 */
#define JOINED_NS (STRESS_TSAN ? 4000000u : 1000000u)

struct arrival {
	uint32_t permit, coming; /* waiter's number; 0: none yet */
	unsigned int order[STRESS_MAX_THREADS]; /* as granted */
	unsigned int granted;
};

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec ts = { 0, 0 };

	(void)clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)ts.tv_nsec;
}

/* Lets waiter `id` come, and returns once it has joined the queue. */
static bool admit(struct harness *r, struct arrival *a, uint32_t id)
{
	clockid_t clock;
	uint64_t start;

	TKT_STORE(&a->permit, id, TKT_RELEASE);
	while (TKT_LOAD(&a->coming, TKT_ACQUIRE) != id)
		stress_nap(50);
	if (pthread_getcpuclockid(r->worker[id].thread, &clock))
		return false;
	start = cpu_ns(clock);
	while (cpu_ns(clock) < start + JOINED_NS)
		stress_nap(200);
	return true;
}

/* Thread 0 holds the lock and lets the others arrive, one after another. */
static void holder_body(struct worker *w, struct arrival *a)
{
	worker_lock(w, 0, 0);
	for (uint32_t id = 1; id < w->harness->trial->threads; id++)
		if (!admit(w->harness, a, id))
			harness_fail(w->harness, "no CPU clock for a thread");
	worker_unlock(w, 0, 0);
}

static void arrival_body(struct worker *w)
{
	struct arrival *a = w->harness->shared;

	if (!w->id) {
		holder_body(w, a);
		return;
	}
	while (TKT_LOAD(&a->permit, TKT_ACQUIRE) < w->id)
		stress_nap(50);
	TKT_STORE(&a->coming, w->id, TKT_RELEASE);
	worker_lock(w, 0, 0);
	a->order[a->granted++] = w->id;
	worker_unlock(w, 0, 0);
}

/*
 * Finds a lock that does not serve in order of arrival.  Arrivals cannot be
 * observed from outside while threads run freely, because a thread may be
 * preempted between any note of ours and the lock's; so here they are made to
 * arrive one by one, at a lock that is held meanwhile.
 */
const char *check_arrival(const struct trial *t)
{
	struct harness *r = harness_new(t, "arrival", 1);
	struct arrival a = { .granted = 0 };

	r->shared = &a;
	harness_run(r, arrival_body);
	for (unsigned int i = 0; !r->failed && i + 1 < t->threads; i++)
		if (i >= a.granted || a.order[i] != i + 1)
			harness_fail(r, "arrival %u served as number %u", i + 1,
				     a.order[i]);
	return harness_end(r);
}
