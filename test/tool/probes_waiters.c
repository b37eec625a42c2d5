/* SPDX-License-Identifier: MIT */
/*
 * test/tool/probes_waiters.c - a known queue, for test/tool/probes.sh
 *
 * A lock whose window is 2.  One thread holds it while four come, one after
 * the other, each waiting when the next starts: the first in the window, three
 * in the room.  Then all get it.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include <tkt.h>

#define WAITERS 4
#define APART_MS 50

static tkt_lock_t lock = TKT_LOCK_INIT_POLICY(TKT_POLICY_YIELD_2);

static void *waiter(void *arg)
{
	(void)arg;
	tkt_lock(&lock);
	tkt_unlock(&lock);
	return NULL;
}

int main(void)
{
	const struct timespec apart = { .tv_nsec = APART_MS * 1000000L };
	pthread_t thread[WAITERS];

	tkt_lock(&lock);
	for (int i = 0; i < WAITERS; i++) {
		if (pthread_create(&thread[i], NULL, waiter, NULL))
			return 1;
		/* Long enough for it to arrive, as a rule. */
		(void)nanosleep(&apart, NULL);
	}
	tkt_unlock(&lock);
	for (int i = 0; i < WAITERS; i++)
		if (pthread_join(thread[i], NULL))
			return 1;
	(void)printf("lock %p\n", (void *)&lock);
	return 3;
}
