/* SPDX-License-Identifier: MIT */
/* src/harness/probe.c - how far apart two CPUs are at this moment */
#include <math.h>
#include <pthread.h>

#include <tkt/atomic.h>

#include "cpus.h"
#include "probe.h"
#include "stats.h"

#define PROBE_BATCHES 64
#define PROBE_ROUNDS 50
#define PROBE_NS UINT64_C(2000000)
#define PROBE_READY_NS UINT64_C(50000000)
#define PROBE_POLLS 4096 /* between two looks at the clock */

struct probe {
	uint32_t ball __attribute__((aligned(128))); /* odd: pong's turn */
	uint32_t stop __attribute__((aligned(128)));
	uint32_t ready; /* pong is running; a futex */
	uint32_t go;	/* ping has a start time; a futex */
	uint64_t until; /* no play after this */
	unsigned int batches;
	double one_way[PROBE_BATCHES];
};

/*
 * Waits for the ball to be `value`; false when the game is over.  No spin
 * hint: its length would be measured along.
 */
static bool probe_catch(struct probe *p, uint32_t value)
{
	do {
		for (unsigned int i = 0; i < PROBE_POLLS; i++)
			if (TKT_LOAD(&p->ball, TKT_ACQUIRE) == value)
				return true;
	} while (!TKT_LOAD(&p->stop, TKT_RELAXED) && TKT_CLOCK_NS() < p->until);
	return false;
}

static void *probe_pong(void *arg)
{
	struct probe *p = arg;
	uint32_t ball = 1;

	TKT_STORE(&p->ready, 1, TKT_RELEASE);
	TKT_FUTEX_WAKE(&p->ready, 1);
	while (!TKT_LOAD(&p->go, TKT_ACQUIRE))
		(void)TKT_FUTEX_WAIT(&p->go, 0, TKT_NO_DEADLINE);
	for (; probe_catch(p, ball); ball += 2)
		TKT_STORE(&p->ball, ball + 1, TKT_RELEASE);
	return NULL;
}

static void *probe_ping(void *arg)
{
	struct probe *p = arg;
	const uint64_t limit = TKT_CLOCK_NS() + PROBE_READY_NS;
	uint32_t ball = 0;

	while (!TKT_LOAD(&p->ready, TKT_ACQUIRE) && TKT_CLOCK_NS() < limit)
		(void)TKT_FUTEX_WAIT(&p->ready, 0, limit);
	p->until = TKT_CLOCK_NS() + PROBE_NS;
	TKT_STORE(&p->go, 1, TKT_RELEASE);
	TKT_FUTEX_WAKE(&p->go, 1);
	while (p->batches < PROBE_BATCHES) {
		const uint64_t start = TKT_CLOCK_NS();

		for (int i = 0; i < PROBE_ROUNDS; i++) {
			TKT_STORE(&p->ball, ball + 1, TKT_RELEASE);
			ball += 2;
			if (!probe_catch(p, ball))
				goto over;
		}
		p->one_way[p->batches++] =
			(double)(TKT_CLOCK_NS() - start) / (2 * PROBE_ROUNDS);
	}
over:
	TKT_STORE(&p->stop, 1, TKT_RELAXED);
	return NULL;
}

static bool start_on(pthread_t *thread, void *(*body)(void *), struct probe *p,
		     const struct cpus *cpus, unsigned int index)
{
	pthread_attr_t attr;
	int err;

	(void)pthread_attr_init(&attr);
	cpus_pin(cpus, &attr, index);
	err = pthread_create(thread, &attr, body, p);
	(void)pthread_attr_destroy(&attr);
	return !err;
}

double probe_line_ns(void)
{
	struct probe p = { .ball = 0 };
	struct cpus cpus;
	pthread_t ping, pong;

	cpus_allowed(&cpus);
	if (cpus.count < 2 || !start_on(&ping, probe_ping, &p, &cpus, 0))
		return (double)NAN;
	if (start_on(&pong, probe_pong, &p, &cpus, 1))
		(void)pthread_join(pong, NULL);
	(void)pthread_join(ping, NULL);
	return stats_spread(p.one_way, p.batches).median;
}
