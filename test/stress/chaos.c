/* SPDX-License-Identifier: MIT */
/*
 * chaos.c - stumbling on purpose, at each access
 *
 * Every thread draws from a generator of its own, seeded by the run's seed and
 * the thread's number: mostly nothing happens, sometimes a short pause,
 * sometimes the CPU is given away, rarely for a while.  A *focus* makes
 * accesses to one field of the lock sleep much more often: the means to hold
 * a thread for long exactly between two steps of the protocol.
 */
#include "stress.h"

#include <sched.h>
#include <stdlib.h>

struct chaos_focus stress_focus = { .offset = -1, .one_in = 1, .thread = -1 };

static uint64_t run_seed = 1;
static __thread struct random state;
static __thread bool entered;
static __thread uintptr_t focus;

void chaos_set_seed(uint64_t seed)
{
	const char *text = getenv("STRESS_SEED");

	run_seed = text ? strtoull(text, NULL, 0) : seed;
}

uint64_t chaos_seed(void)
{
	return run_seed;
}

void chaos_enter(unsigned int id, const void *lock)
{
	state = random_stream(run_seed, 2 * id);
	entered = true;
	focus = 0;
	if (stress_focus.offset >= 0 &&
	    (stress_focus.thread < 0 || stress_focus.thread == (int)id))
		focus = (uintptr_t)lock + (uintptr_t)stress_focus.offset;
}

static uint32_t draw(void)
{
	return (uint32_t)(random_next(&state) >> 32);
}

void tkt_chaos_point(uintptr_t address)
{
	uint32_t dice;

	if (!entered) /* the thread that sets up */
		return;
	if (focus && address == focus && draw() % stress_focus.one_in == 0)
		stress_nap(stress_focus.sleep_us);
	dice = draw() % 4096;
	if (dice < 3840)
		return;
	if (dice < 4064)
		stress_dwell(dice % 64);
	else if (dice < 4094)
		(void)sched_yield();
	else
		stress_nap(20 + draw() % 60);
}
