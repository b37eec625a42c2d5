/* SPDX-License-Identifier: MIT */
/*
 * pair.c - few threads and a few locks, for Valgrind's helgrind and drd
 *
 *	pair THREADS		each counter under its lock
 *	pair THREADS bare	one counter without: an error to be reported
 *
 * The locks are tkt_lock_t, or with PAIR_MUTEX tkt_mutex_t.
 *
 * Compiled with TKT_VALGRIND=1 the first must run without a report; compiled
 * without, it must not, or the annotations would do nothing.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tkt.h>
#include <tkt/mutex.h>

#define ROUNDS 300
#define MAX_THREADS 8u

#ifdef PAIR_MUTEX
typedef tkt_mutex_t pair_lock_t;
#define PAIR_LOCK_INIT TKT_MUTEX_INIT
#define pair_init(l) tkt_mutex_init(l)
#define pair_destroy(l) tkt_mutex_destroy(l)
#define pair_lock(l) tkt_mutex_lock(l)
#define pair_trylock(l) tkt_mutex_trylock(l)
#define pair_tryspin(l) tkt_mutex_tryspin(l, 10000)
#define pair_unlock(l) tkt_mutex_unlock(l)
#else
typedef tkt_lock_t pair_lock_t;
#define PAIR_LOCK_INIT TKT_LOCK_INIT_POLICY(TKT_POLICY_YIELD_1)
#define pair_init(l) tkt_lock_init_policy(l, TKT_POLICY_YIELD_2)
#define pair_destroy(l) tkt_lock_destroy(l)
#define pair_lock(l) tkt_lock(l)
#define pair_trylock(l) tkt_trylock(l)
#define pair_tryspin(l) tkt_tryspin(l, 10000)
#define pair_unlock(l) tkt_unlock(l)
#endif

struct account {
	pair_lock_t lock;
	unsigned long count;
};

/* All-zero, static, and made in main. */
static struct account zeroed;
static struct account fixed = {
	.lock = PAIR_LOCK_INIT,
};
static struct account *made;

static unsigned long bare_count;
static bool bare;
static pthread_barrier_t barrier;

static void take_turns(struct account *a, unsigned int round)
{
	switch (round % 4) {
	case 0:
		while (!pair_trylock(&a->lock))
			(void)sched_yield();
		break;
	case 1:
		while (!pair_tryspin(&a->lock))
			(void)sched_yield();
		break;
	default:
		pair_lock(&a->lock);
		break;
	}
	a->count++;
	/* Let the other one find the lock held. */
	if (round % 3 == 0)
		(void)sched_yield();
	pair_unlock(&a->lock);
}

static void *run(void *arg)
{
	pthread_barrier_wait(&barrier);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		take_turns(&zeroed, i);
		take_turns(&fixed, i);
		take_turns(made, i);
		if (bare)
			bare_count++;
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	const unsigned int n =
		argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 2;

	bare = argc > 2 && !strcmp(argv[2], "bare");
	made = malloc(sizeof(*made));
	if (n < 1 || n > MAX_THREADS || !made ||
	    pthread_barrier_init(&barrier, NULL, n))
		return 2;
	pair_init(&made->lock);
	made->count = 0;
	for (unsigned int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			return 2;
	for (unsigned int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%lu %lu %lu %lu\n", zeroed.count, fixed.count, made->count,
	       bare_count);
	pair_destroy(&made->lock);
	free(made);
	return 0;
}
