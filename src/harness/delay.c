/* SPDX-License-Identifier: MIT */
/* src/harness/delay.c - the delay loop against the clock */
#include <tkt/atomic.h>

#include "delay.h"

#define CALIBRATE_TURNS 20000u
#define CALIBRATE_TRIES 50

uint32_t delay_turns_per_1024ns;

void delay_calibrate(void)
{
	uint64_t best = UINT64_MAX;

	/* The fastest try is the one that nothing interrupted. */
	for (int i = 0; i < CALIBRATE_TRIES; i++) {
		const uint64_t start = TKT_CLOCK_NS();
		uint64_t took;

		delay_turns(CALIBRATE_TURNS);
		took = TKT_CLOCK_NS() - start;
		if (took < best)
			best = took;
	}
	if (!best)
		best = 1;
	delay_turns_per_1024ns = (uint32_t)(CALIBRATE_TURNS * 1024u / best);
	if (!delay_turns_per_1024ns)
		delay_turns_per_1024ns = 1;
}

void delay_long(uint64_t ns)
{
	const uint64_t end = TKT_CLOCK_NS() + ns;
	uint64_t now;

	/* Busy in pieces, so that a preempted delay does not run long. */
	while (now = TKT_CLOCK_NS(), now < end) {
		const uint64_t left = end - now;

		delay_ns(left < DELAY_CLOCK_NS ? left : DELAY_CLOCK_NS);
	}
}
