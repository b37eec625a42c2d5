/* SPDX-License-Identifier: MIT */
/*
 * tkt/cpu.h - where the calling thread runs, roughly and fast
 *
 * TKT_CPU_HINT() is a number, uint32_t, that threads on different CPUs mostly
 * do not share: for spreading accesses, never for excluding anybody, since the
 * thread may be elsewhere when it uses it.  A back end, or a test, may define
 * it first.
 *
 * The C library (glibc from 2.35 on) registers an area for restartable
 * sequences with the kernel, which keeps the CPU's number there up to date: a
 * load from thread-local memory.  Without it, or where the registration was
 * refused (an old kernel, Valgrind, qemu-user), threads are told apart by the
 * addresses of their errno instead.
 */
#ifndef TKT_CPU_H
#define TKT_CPU_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate.h"

#if defined(__GLIBC__) && defined(__has_include) && defined(__has_builtin)
#if __has_include(<sys/rseq.h>) && __has_builtin(__builtin_thread_pointer)
#include <sys/rseq.h>
#define TKT_X_RSEQ 1
#endif
#endif
#ifndef TKT_X_RSEQ
#define TKT_X_RSEQ 0
#endif

#ifndef TKT_CPU_HINT
#define TKT_CPU_HINT() tkt_x_cpu_hint()
#endif

/* A number of the calling thread's own, for as long as it lives. */
TKT_X_INLINE uint32_t tkt_x_thread_hint(void)
{
	/* Threads' areas are some power of two apart: mix, take high bits. */
	return ((uint32_t)((uintptr_t)&errno >> 4) * UINT32_C(0x9e3779b1)) >>
	       16;
}

/* The CPU's number; false: nobody keeps it up to date here. */
TKT_X_INLINE bool tkt_x_rseq_cpu(uint32_t *cpu)
{
#if TKT_X_RSEQ
	const char *self = (const char *)__builtin_thread_pointer();
	const struct rseq *area =
		(const struct rseq *)(const void *)(self + __rseq_offset);

	if (TKT_X_UNLIKELY(!__rseq_size))
		return false;
	/* The kernel writes it whenever this thread is moved. */
	*cpu = __atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED);
	/* Above all CPUs: not registered, or refused. */
	return TKT_X_LIKELY(*cpu < UINT32_C(0x80000000));
#else
	(void)cpu;
	return false;
#endif
}

TKT_X_INLINE uint32_t tkt_x_cpu_hint(void)
{
	uint32_t cpu;

	return tkt_x_rseq_cpu(&cpu) ? cpu : tkt_x_thread_hint();
}

#endif /* TKT_CPU_H */
