/* SPDX-License-Identifier: MIT */
/* src/bench/bench_point.h - what a point is made of */
#ifndef TKT_SRC_BENCH_POINT_H
#define TKT_SRC_BENCH_POINT_H

#include "bench_api.h"
#include "kernels/kernel.h"

struct bench_point {
	const char *suite, *label;
	const struct kernel_ops *kernel;
	unsigned int threads;
	bool pin, try; /* try: for locks with a trylock only */
	uint32_t cs_ns, think_ns;
	uint64_t option; /* the kernel's first, if it has one of its own here */
};

/* Kernels of the benches' own, beside those of src/kernels. */
extern const struct kernel_ops bench_trylock, bench_many, bench_idle;

/* Threads of bench_idle: one holds, the others wait. */
#define BENCH_IDLE_THREADS 17u

#endif /* TKT_SRC_BENCH_POINT_H */
