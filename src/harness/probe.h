/* SPDX-License-Identifier: MIT */
/* src/harness/probe.h - how far apart two CPUs are at this moment */
#ifndef TKT_SRC_HARNESS_PROBE_H
#define TKT_SRC_HARNESS_PROBE_H

/*
 * Plays ping-pong with one cache line between threads on the first two
 * allowed CPUs, for about 2 ms, and gives the median one-way time in
 * nanoseconds.  NAN: there is only one CPU, or the two did not get to run at
 * the same time.  A virtual machine may move its CPUs between runs; this
 * labels a run with the distance that it was made at.
 */
double probe_line_ns(void);

#endif /* TKT_SRC_HARNESS_PROBE_H */
