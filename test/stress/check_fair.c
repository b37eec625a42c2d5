/* SPDX-License-Identifier: MIT */
/* check_fair.c - each gets a share, and in order of arrival */
#include "stress.h"

#include <stdio.h>
#include <time.h>

/* More than a lock in order of arrival allows any one thread, several times. */
#define OVERTAKEN 4
#define FAIR_TRIES 7

struct fairness {
	struct guarded guarded;
	uint64_t taken; /* acquisitions so far, counted inside */
	struct {
		uint64_t all, overtaken; /* waits; more than OVERTAKEN times */
	} waits[STRESS_MAX_THREADS];
};

static void fairness_body(struct worker *w)
{
	struct fairness *f = w->harness->shared;

	while (worker_again(w)) {
		const uint64_t met = w->met;
		const uint64_t before = TKT_LOAD(&f->taken, TKT_RELAXED);
		uint64_t others;

		worker_look(w);
		worker_lock(w, 0, 0);
		others = f->taken - before;
		TKT_STORE(&f->taken, f->taken + 1, TKT_RELAXED);
		if (w->met > met || others) {
			f->waits[w->id].all++;
			f->waits[w->id].overtaken += others > OVERTAKEN;
		}
		guarded_visit(w, &f->guarded);
		worker_count(w);
		worker_unlock(w, 0, 0);
	}
}

/* One try; *starved: a thread overtaken in half of its waits, or -1. */
static const char *fairness_once(const struct trial *t, int *starved)
{
	struct harness *r = harness_new(t, "fairness", 1);
	struct fairness f = { .taken = 0 };

	r->shared = &f;
	harness_run(r, fairness_body);
	*starved = -1;
	for (unsigned int i = 0; i < t->threads; i++)
		if (f.waits[i].all &&
		    2 * f.waits[i].overtaken >= f.waits[i].all)
			*starved = (int)i;
	return harness_end(r);
}

/*
 * Finds a lock that starves a thread: while that one waits, others have the
 * lock again and again.  A thread may lose its CPU after it has noted how often
 * the lock was taken, and before it stands in the queue, and is overtaken then
 * through no fault of the lock; but that is rare among its waits, even on a
 * busy machine, unlike a small share of all acquisitions.  (The other has the
 * lock to itself meanwhile, many times as fast as when they share it.)  Hence
 * waits are counted, not shares; and as an unfair lock is fair by chance now
 * and then, and a fair one may have few waits, the majority of several tries
 * decides.
 */
const char *check_fairness(const struct trial *t)
{
	static char verdict[128];
	int fair = 0, unfair = 0, starved = -1, who = -1;

	while (fair <= FAIR_TRIES / 2 && unfair <= FAIR_TRIES / 2) {
		const char *wrong = fairness_once(t, &starved);

		if (wrong)
			return wrong;
		if (starved < 0) {
			fair++;
		} else {
			unfair++;
			who = starved;
		}
	}
	if (fair > unfair)
		return NULL;
	(void)snprintf(verdict, sizeof(verdict),
		       "fairness: lock %s: thread %d was overtaken more than "
		       "%d times in half of its waits",
		       t->ops->name, who, OVERTAKEN);
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
