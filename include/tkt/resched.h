/* SPDX-License-Identifier: MIT */
/*
 * tkt/resched.h - is this thread due to let others run?
 *
 * A kernel knows, and its sleeping locks ask before they begin.  A user
 * program can only guess: a thread that has run for TKT_SLICE_NS since it last
 * gave the CPU away, as far as this library saw, is taken to be due.  The
 * guess errs on the side of "due": a thread that was preempted, or slept
 * elsewhere, has had less than that.  Nothing but speed depends on it.
 *
 * State outside the lock: one word per thread, tkt_x_on_cpu_since, a weak
 * symbol of default visibility, shared by all translation units.
 */
#ifndef TKT_RESCHED_H
#define TKT_RESCHED_H

#include "annotate.h"
#include "atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TKT_CLOCK_NS of the first look since the last rest; 0: none yet. */
extern __thread uint64_t tkt_x_on_cpu_since;
__attribute__((weak,
	       visibility("default"))) __thread uint64_t tkt_x_on_cpu_since;

/* Whether the calling thread should let others run.  One look at the clock. */
static inline bool tkt_x_resched_due(void)
{
	const uint64_t now = TKT_CLOCK_NS();

	if (!tkt_x_on_cpu_since)
		tkt_x_on_cpu_since = now;
	return now - tkt_x_on_cpu_since >= TKT_SLICE_NS;
}

/* The calling thread has just let others run. */
static inline void tkt_x_resched_done(void)
{
	tkt_x_on_cpu_since = 0;
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_RESCHED_H */
