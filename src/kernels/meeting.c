/* SPDX-License-Identifier: MIT */
/* src/kernels/meeting.c - threads that try to meet in a critical section */
#include <time.h>

#include <tkt/atomic.h>

#include "meeting.h"

/* More would only make FIFO locks crawl where CPUs are few. */
#define MEETING_THREADS 4u
#define MEETING_ROUNDS 4u
/* How long to wait for the others to come, and then for them to get in. */
#define MEETING_ARRIVE_NS UINT64_C(20000000)
#define MEETING_ENTER_NS 200000

struct visit {
	struct meeting *meeting;
	uint32_t expected; /* announcements once all have made this round's */
};

void meeting_init(struct meeting *m, unsigned int threads)
{
	m->threads = threads < MEETING_THREADS ? threads : MEETING_THREADS;
	m->arrived = 0;
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
	const struct visit *v = arg;
	const uint64_t limit = TKT_CLOCK_NS() + MEETING_ARRIVE_NS;

	do
		pause_ns(MEETING_ENTER_NS);
	while (TKT_LOAD(&v->meeting->arrived, TKT_RELAXED) < v->expected &&
	       TKT_CLOCK_NS() < limit);
	/* The last to come has announced itself, but may not be in yet. */
	pause_ns(MEETING_ENTER_NS);
}

void meeting_join(struct meeting *m, const struct kernel_ops *kernel,
		  void *state, void *thread, unsigned int index)
{
	struct visit v = { .meeting = m };

	if (m->threads < 2 || index >= m->threads || !kernel->hold)
		return;
	for (uint32_t round = 1; round <= MEETING_ROUNDS; round++) {
		v.expected = round * m->threads;
		TKT_FETCH_ADD(&m->arrived, 1, TKT_RELAXED);
		kernel->hold(state, thread, stay_inside, &v);
	}
}
