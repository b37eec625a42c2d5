/* SPDX-License-Identifier: MIT */
/*
 * sleepers.c - threads that sleep for a lock, with a known outcome
 *
 *	sleepers LOCK EXPECTED RUNS [OPTION=VALUE...]
 *
 * LOCK is mutex, timed (the mutex, with many time limits), or a flavour of the
 * tree lock: dfl, nospin, simple, spin, spin2.  EXPECTED is what each of RUNS
 * child processes must end in: pass, verdict (two owners, or an owner that
 * does not know itself), hang (no thread got on for `patience` seconds), race
 * (ThreadSanitizer's report) or crash (an assertion of the lock's own); or
 * several, with / between.
 *
 * Options: threads, ops (of each thread), rounds (so often from the start: who
 * comes last has nobody after it to wake it by chance), patience, one_in and
 * sleep_us (one in so many accesses sleeps so long; others yield), seed.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tkt/mutex.h>
#include <tkt/treelock.h>

#define VERDICT 3
#define RACE 66 /* ThreadSanitizer's own default */
#define THREADS_MAX 16
#define NEVER 1000000000u

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

static __thread uint64_t chaos;

static uint32_t chance(uint32_t below)
{
	chaos = chaos * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (uint32_t)((chaos >> 33) % below);
}

/* Called by the chaos back end at each access. */
void tkt_chaos_point(uintptr_t address)
{
	(void)address;
	if (!chaos)
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

	chaos = seed * UINT64_C(0x9e3779b97f4a7c15) + me;
	for (unsigned int i = 0; i < ops; i++) {
		made += is_mutex() ? mutex_turn(me) : tree_turn(me);
		__atomic_fetch_add(progress, 1, __ATOMIC_RELAXED);
	}
	chaos = 0;
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
	return faults || counter != made ? VERDICT : 0;
}

static int run(void)
{
	int status = 0;

	for (unsigned int i = 0; i < rounds && !status; i++) {
		seed += 7919;
		status = run_once();
	}
	return status;
}

/* What the child ended in: an exit status, or -1: it hung; -2: it crashed. */
static int watch(pid_t child)
{
	const struct timespec tick = { 0, 20000000 };
	uint64_t seen = 0;
	unsigned int still = 0;
	int status;

	for (;;) {
		const uint64_t now =
			__atomic_load_n(progress, __ATOMIC_RELAXED);

		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
		still = now == seen ? still + 1 : 0;
		seen = now;
		if (still > patience * 50) {
			kill(child, SIGKILL);
			(void)waitpid(child, &status, 0);
			return -1;
		}
		nanosleep(&tick, NULL);
	}
}

static const char *name_of(int outcome)
{
	return outcome == 0	    ? "pass"
	       : outcome == VERDICT ? "verdict"
	       : outcome == RACE    ? "race"
	       : outcome == -1	    ? "hang"
				    : "crash";
}

/* Whether `name` is among the names in `list`, with / between. */
static bool among(const char *name, const char *list)
{
	const size_t n = strlen(name);

	for (const char *p = list; (p = strstr(p, name)); p++)
		if ((p == list || p[-1] == '/') && (!p[n] || p[n] == '/'))
			return true;
	return false;
}

static void set_option(char *text)
{
	static const struct {
		const char *name;
		unsigned int *value;
	} options[] = {
		{ "threads", &threads },   { "ops", &ops },
		{ "patience", &patience }, { "one_in", &one_in },
		{ "sleep_us", &sleep_us }, { "seed", &seed },
		{ "rounds", &rounds },
	};
	char *value = strchr(text, '=');

	for (size_t i = 0; value && i < sizeof(options) / sizeof(options[0]);
	     i++) {
		if (strncmp(text, options[i].name, (size_t)(value - text)))
			continue;
		*options[i].value = (unsigned int)strtoul(value + 1, NULL, 0);
		return;
	}
	fprintf(stderr, "sleepers: bad option %s\n", text);
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned int bad = 0, runs;

	if (argc < 4)
		return 2;
	kind = argv[1];
	runs = (unsigned int)strtoul(argv[3], NULL, 0);
	for (int i = 4; i < argc; i++)
		set_option(argv[i]);
	if (threads < 1 || threads > THREADS_MAX || !one_in || one_in > NEVER)
		return 2;
	prepare();
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		return 2;
	for (unsigned int i = 0; i < runs; i++, seed++) {
		pid_t child = fork();
		int outcome;

		if (child < 0)
			return 2;
		if (!child)
			exit(run());
		outcome = watch(child);
		if (among(name_of(outcome), argv[2]))
			continue;
		fprintf(stderr, "run %u (seed %u): %s, not %s\n", i, seed,
			name_of(outcome), argv[2]);
		bad++;
	}
	printf("%u of %u runs as expected\n", runs - bad, runs);
	return bad || !runs;
}
