/* SPDX-License-Identifier: MIT */
/*
 * src/harness/delay.h - being busy for a given time
 *
 * Kernels call delay_ns(ns), ns from 0 to 10^9.  A back end whose time is not
 * the machine's names a header of its own in DELAY_BACKEND, with its
 * delimiters, that defines delay_ns.
 */
#ifndef TKT_SRC_HARNESS_DELAY_H
#define TKT_SRC_HARNESS_DELAY_H

#include <stdint.h>

#ifdef DELAY_BACKEND
#include DELAY_BACKEND
#else

/* Turns of the delay loop in 1024 ns; 0 until delay_calibrate() has run. */
extern uint32_t delay_turns_per_1024ns;

/*
 * Measures the loop against the clock, about 2 ms.  Once, before any thread
 * delays; children inherit the result.
 */
void delay_calibrate(void);

/* n dependent multiplications: no memory, the same time on every turn. */
static inline void delay_turns(uint64_t n)
{
	uint64_t x = n;

	while (n--) {
		x *= UINT64_C(0x9e3779b97f4a7c15);
		__asm__ __volatile__("" : "+r"(x));
	}
}

/* Above this, the clock decides; a look at it is short against that. */
#define DELAY_CLOCK_NS 20000u

void delay_long(uint64_t ns);

static inline void delay_ns(uint64_t ns)
{
	if (ns > DELAY_CLOCK_NS)
		delay_long(ns);
	else
		delay_turns(ns * delay_turns_per_1024ns >> 10);
}

#endif /* DELAY_BACKEND */
#endif /* TKT_SRC_HARNESS_DELAY_H */
