/* SPDX-License-Identifier: MIT */
/* src/kernels/rendezvous.c - threads that try to meet in a critical section */
#include <time.h>

#include <tkt/atomic.h>

#include "rendezvous.h"

/* More would only make FIFO locks crawl where CPUs are few. */
#define RENDEZVOUS_THREADS 4u
#define RENDEZVOUS_ROUNDS 4u
/*
 * How long to wait inside for the others, at most, which takes that long only
 * if one of them is kept from its CPU; and then for them to get in.
 */
#define RENDEZVOUS_WAIT_NS UINT64_C(1000000000)
#define RENDEZVOUS_ENTER_NS 200000

void rendezvous_init(struct rendezvous *r, unsigned int threads)
{
	r->threads = threads < RENDEZVOUS_THREADS ? threads
						  : RENDEZVOUS_THREADS;
	r->come = 0;
	r->here = 0;
}

/* Asleep, not spinning: the others may need this CPU to get here. */
static void pause_ns(long ns)
{
	struct timespec left = { 0, ns };

	while (nanosleep(&left, &left))
		;
}

static void stay_inside(void *arg)
{
	const struct rendezvous *r = arg;
	const uint64_t limit = TKT_CLOCK_NS() + RENDEZVOUS_WAIT_NS;

	do
		pause_ns(RENDEZVOUS_ENTER_NS);
	while (TKT_LOAD(&r->here, TKT_RELAXED) < r->threads &&
	       TKT_CLOCK_NS() < limit);
	/* The last to come has announced itself, but may not be in yet. */
	pause_ns(RENDEZVOUS_ENTER_NS);
}

/*
 * Until each has ended its last step: while one is inside, with a lock that is
 * not fair, those in a step might not get out of it.
 */
static void come_together(struct rendezvous *r)
{
	uint32_t come = TKT_FETCH_ADD(&r->come, 1, TKT_RELAXED) + 1;

	if (come == r->threads)
		TKT_FUTEX_WAKE(&r->come, r->threads);
	for (; come != r->threads; come = TKT_LOAD(&r->come, TKT_RELAXED))
		(void)TKT_FUTEX_WAIT(&r->come, come, TKT_NO_DEADLINE);
}

void rendezvous_join(struct rendezvous *r, const struct kernel_ops *kernel,
		     void *state, void *thread, unsigned int index)
{
	if (r->threads < 2 || index >= r->threads || !kernel->hold)
		return;
	come_together(r);
	for (unsigned int round = 1; round <= RENDEZVOUS_ROUNDS; round++) {
		TKT_FETCH_ADD(&r->here, 1, TKT_RELAXED);
		kernel->hold(state, thread, stay_inside, r);
		/* After the last round none needs to wait for this one. */
		if (round < RENDEZVOUS_ROUNDS)
			TKT_FETCH_ADD(&r->here, -1u, TKT_RELAXED);
	}
}
