/* SPDX-License-Identifier: MIT */
/*
 * src/bench/bench_api.h - the benches, seen from either side of the boundary
 *
 * The benches are C and know nothing of google-benchmark: each is a *point*, a
 * kernel at one setting, which one call runs once under one lock.  The wrapper
 * (bench_main.cc) is the only C++; it decides what runs how often, and prints.
 */
#ifndef TKT_SRC_BENCH_API_H
#define TKT_SRC_BENCH_API_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_WHY_BYTES 512

/* Its name is suite/label; both are constants. */
struct bench_point;

/* Rates and shares of one run; NAN: not measured. */
struct bench_result {
	double ns_per_op; /* of wall time: seconds / operations of all threads */
	double ops_per_s;
	double jain;	       /* over the threads' operations, 1: fair */
	double cpu_s_per_mop;  /* CPU seconds of the process per 10^6 ops */
	double cpu_share;      /* CPUs kept busy on average */
	double switches_per_s; /* context switches, of both kinds */
	double wait_p50_ns, wait_p99_ns, wait_p999_ns, wait_max_ns;
	double probe_ns; /* one-way time of a line between two CPUs */
};

/* To be called once, before anything is run. */
void bench_init(void);

size_t bench_points(void);
const struct bench_point *bench_point_at(size_t index);
const char *bench_suite(const struct bench_point *p);
const char *bench_label(const struct bench_point *p);

/* Locks that keep others out, in the order of `tkt list locks`. */
size_t bench_locks(void);
const char *bench_lock(size_t index);

/* Whether that point says something of that lock: some have no trylock. */
bool bench_applies(const struct bench_point *p, size_t lock);

/*
 * Runs the point once, for `seconds`, in a child process.  With waits, each
 * lock call is timed, which costs more than most locks, so that only the four
 * wait times are to be used; without, they are NAN.  False: it failed, and
 * why (BENCH_WHY_BYTES) says how.
 */
bool bench_run(const struct bench_point *p, size_t lock, double seconds,
	       bool waits, struct bench_result *out, char *why);

/* Whether the user wants it to stop (SIGINT, SIGTERM). */
bool bench_interrupted(void);

#ifdef __cplusplus
}
#endif

#endif /* TKT_SRC_BENCH_API_H */
