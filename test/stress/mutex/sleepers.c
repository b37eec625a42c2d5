/* SPDX-License-Identifier: MIT */
/*
 * sleepers.c - threads that sleep for a lock, with a known outcome
 *
 *	sleepers LOCK EXPECTED RUNS [OPTION=VALUE...]
 *
 * LOCK is mutex, timed (the mutex, with many time limits), or a flavour of the
 * tree lock: dfl, nospin, simple, spin, spin2.  EXPECTED is what each of RUNS
 * child processes must end in (outcome.h): a verdict is two owners, or one that
 * does not know itself; a hang, that no thread got on for `patience` seconds;
 * a crash, an assertion of the lock's own.
 *
 * Options: threads, ops (of each thread), rounds (so often from the start: who
 * comes last has nobody after it to wake it by chance), patience, one_in and
 * sleep_us (one in so many accesses sleeps so long; others yield), seed.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tkt/mutex.h>
#include <tkt/treelock.h>

#include "harness/random.h"
#include "outcome.h"

#define THREADS_MAX 16

static unsigned int threads = 4, ops = 2000, patience = 60, one_in = 200,
		    sleep_us = 60, rounds = 1, seed = 1;
static const char *kind;

/* Shared with the parent: operations done so far. */
static uint64_t *progress;

static union {
	tkt_mutex_t mutex;
	tkt_treelock_t tree;
} lock;
static uint64_t counter; /* plain, under the lock */
static uint64_t inside;	 /* number of the thread that is in; plain */
static uint32_t faults;

static __thread struct random chaos;
static __thread bool stumbles;

static uint32_t chance(uint32_t below)
{
	return random_below(&chaos, below);
}

/* Called by the chaos back end at each access. */
void tkt_chaos_point(uintptr_t address)
{
	(void)address;
	if (!stumbles)
		return;
	if (!chance(one_in))
		usleep(sleep_us);
	else if (!chance(40))
		sched_yield();
}

static void fault(void)
{
	__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
}

/* In the section; `me` is not 0. */
static void section(uint64_t me)
{
	const uint64_t before = counter;

	if (inside)
		fault();
	inside = me;
	if (!chance(4))
		usleep(chance(60));
	if (inside != me || counter != before)
		fault();
	inside = 0;
	counter = before + 1;
}

static bool mutex_enter(void)
{
	const bool timed = !strcmp(kind, "timed");

	switch (chance(8)) {
	case 0:
		return tkt_mutex_trylock(&lock.mutex);
	case 1:
		return tkt_mutex_tryspin(&lock.mutex, chance(50000));
	case 2:
	case 3:
	case 4:
		if (timed)
			return tkt_mutex_lock_until(
				&lock.mutex, TKT_CLOCK_NS() + chance(300000));
		/* fall through */
	default:
		tkt_mutex_lock(&lock.mutex);
		return true;
	}
}

static bool mutex_turn(uint64_t me)
{
	if (!mutex_enter())
		return false;
	if (!tkt_mutex_is_mine(&lock.mutex))
		fault();
	section(me);
	if (!tkt_mutex_is_mine(&lock.mutex))
		fault();
	tkt_mutex_unlock(&lock.mutex);
	return true;
}

static bool tree_turn(uint64_t me)
{
	const uint32_t how = chance(8);

	if (how == 0) {
		if (!tkt_treelock_try(&lock.tree, 0))
			return false;
	} else if (how == 1) {
		if (!tkt_treelock_try_spin(&lock.tree, 0))
			return false;
	} else {
		tkt_treelock_lock(&lock.tree, 0);
	}
	tkt_treelock_assert_locked(&lock.tree);
	if (chance(3)) {
		tkt_treelock_set_blocking(&lock.tree);
		section(me);
		if (chance(2))
			tkt_treelock_clear_blocking(&lock.tree);
	} else {
		section(me);
	}
	tkt_treelock_unlock(&lock.tree);
	return true;
}

static bool is_mutex(void)
{
	return !strcmp(kind, "mutex") || !strcmp(kind, "timed");
}

static void *thread_main(void *arg)
{
	const uint64_t me = (uint64_t)(uintptr_t)arg;
	uint64_t made = 0;

	chaos = random_stream(seed, me);
	stumbles = true;
	for (unsigned int i = 0; i < ops; i++) {
		made += is_mutex() ? mutex_turn(me) : tree_turn(me);
		__atomic_fetch_add(progress, 1, __ATOMIC_RELAXED);
	}
	stumbles = false;
	return (void *)(uintptr_t)made;
}

static const char *const flavours[] = { "dfl", "nospin", "simple", "spin",
					"spin2" };

static void prepare(void)
{
	if (is_mutex()) {
		tkt_mutex_init(&lock.mutex);
		return;
	}
	for (unsigned int i = 0; i < TKT_TREELOCK_FLAVOURS; i++) {
		if (strcmp(kind, flavours[i]))
			continue;
		tkt_treelock_init(&lock.tree, (enum tkt_treelock_flavour)i);
		return;
	}
	fprintf(stderr, "sleepers: bad lock %s\n", kind);
	exit(2);
}

static int run_once(void)
{
	pthread_t t[THREADS_MAX];
	uint64_t made = 0;
	void *result;

	prepare();
	counter = 0;
	for (unsigned int i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, thread_main,
				   (void *)(uintptr_t)(i + 1)))
			exit(2);
	for (unsigned int i = 0; i < threads; i++) {
		(void)pthread_join(t[i], &result);
		made += (uintptr_t)result;
	}
	return faults || counter != made ? OUTCOME_VERDICT : 0;
}

static int run(uint64_t number)
{
	int status = 0;

	seed = (unsigned int)number;
	for (unsigned int i = 0; i < rounds && !status; i++) {
		seed += 7919;
		status = run_once();
	}
	return status;
}

/* Whether the child has done nothing for as long as patience lasts. */
static bool hangs(bool first)
{
	static uint64_t seen, since;
	const uint64_t now = __atomic_load_n(progress, __ATOMIC_RELAXED);
	const uint64_t ns = TKT_CLOCK_NS();

	if (first || now != seen)
		since = ns;
	seen = now;
	return ns - since > patience * UINT64_C(1000000000);
}

static void set_option(const char *text)
{
	static const struct run_option options[] = {
		{ "threads", &threads },   { "ops", &ops },
		{ "patience", &patience }, { "one_in", &one_in },
		{ "sleep_us", &sleep_us }, { "seed", &seed },
		{ "rounds", &rounds },
	};

	if (!run_option_set(options, sizeof(options) / sizeof(options[0]),
			    text) ||
	    threads < 1 || threads > THREADS_MAX || !one_in)
		run_usage(text);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		run_usage("too few");
	kind = argv[1];
	for (int i = 4; i < argc; i++)
		set_option(argv[i]);
	prepare();
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		return 2;
	return runs_main(&(struct runs){ .check = kind,
					 .expected = argv[2],
					 .count = argv[3],
					 .seed = seed,
					 .run = run,
					 .hangs = hangs });
}
