/* SPDX-License-Identifier: MIT */
/*
 * tkt/backend_native.h - the accessors of atomic.h on the real machine
 *
 * Compiler builtins only: they are valid in C and C++, and ThreadSanitizer
 * understands them, which it does not with inline assembly.
 *
 * A second back end that only wants to do something at each access (chaos)
 * defines TKT_X_POINT(p) before it includes this file.
 */
#ifndef TKT_BACKEND_NATIVE_H
#define TKT_BACKEND_NATIVE_H

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include "arch/x86_64.h"
#elif defined(__aarch64__)
#include "arch/aarch64.h"
#elif defined(__riscv)
#include "arch/riscv.h"
#else
#include "arch/generic.h"
#endif

#ifndef TKT_X_POINT
#define TKT_X_POINT(p) ((void)0)
#endif

#define TKT_LOAD(p, mo) (TKT_X_POINT(p), __atomic_load_n((p), (mo)))
#define TKT_STORE(p, v, mo) (TKT_X_POINT(p), __atomic_store_n((p), (v), (mo)))
#define TKT_XCHG(p, v, mo) (TKT_X_POINT(p), __atomic_exchange_n((p), (v), (mo)))
#define TKT_FETCH_ADD(p, v, mo) \
	(TKT_X_POINT(p), __atomic_fetch_add((p), (v), (mo)))
#define TKT_FETCH_OR(p, v, mo) \
	(TKT_X_POINT(p), __atomic_fetch_or((p), (v), (mo)))
#define TKT_FETCH_AND(p, v, mo) \
	(TKT_X_POINT(p), __atomic_fetch_and((p), (v), (mo)))
#define TKT_CAS(p, e, v, mo, fail) \
	(TKT_X_POINT(p),           \
	 __atomic_compare_exchange_n((p), (e), (v), false, (mo), (fail)))
#define TKT_CAS_WEAK(p, e, v, mo, fail) \
	(TKT_X_POINT(p),                \
	 __atomic_compare_exchange_n((p), (e), (v), true, (mo), (fail)))
#define TKT_CAS_PAIR(p, e0, e1, d0, d1, mo)                                   \
	__extension__({                                                       \
		uint64_t tkt_x_e = tkt_x_pair((e0), (e1));                    \
		TKT_X_POINT(p);                                               \
		__atomic_compare_exchange_n((tkt_x_pair_t *)(void *)(p),      \
					    &tkt_x_e, tkt_x_pair((d0), (d1)), \
					    false, (mo), TKT_RELAXED);        \
	})

#define TKT_AWAIT(p, v, cond, mo)                                \
	__extension__({                                          \
		__typeof__(__atomic_load_n((p), TKT_RELAXED)) v; \
		while (v = TKT_LOAD((p), (mo)), !(cond))         \
			TKT_RELAX();                             \
		v;                                               \
	})

#define TKT_RELAX() tkt_arch_relax()
#define TKT_PREFETCHW(p) __builtin_prefetch((p), 1)
#define TKT_YIELD(p, v) ((void)(p), (void)(v), TKT_X_POINT(p), tkt_x_yield())
#define TKT_FUTEX_WAIT(p, v, ns) \
	(TKT_X_POINT(p), tkt_x_futex_wait((p), (v), (ns)))
#define TKT_FUTEX_WAKE(p, n) (TKT_X_POINT(p), tkt_x_futex_wake((p), (n)))
#define TKT_CLOCK_NS() tkt_x_clock_ns()
#define TKT_READ(p) (TKT_X_POINT(p), *(p))
#define TKT_WRITE(p, v) (TKT_X_POINT(p), (void)(*(p) = (v)))
#define TKT_NODE_BIRTH(n) ((void)(n))
#define TKT_NODE_DEATH(n) ((void)(n))

/*
 * gcc's ThreadSanitizer does not see fences and warns about them; there, a
 * sequentially consistent read-modify-write of a local stands in for one.
 */
#if defined(__SANITIZE_THREAD__)
#define TKT_FENCE_SC()                                                 \
	do {                                                           \
		int tkt_x_fence = 0;                                   \
		__atomic_fetch_add(&tkt_x_fence, 1, __ATOMIC_SEQ_CST); \
	} while (0)
#else
#define TKT_FENCE_SC() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

/*
 * Two adjacent uint32_t as the one 8-byte word they are in memory.  It must be
 * swapped by the processor: a library's lock would not exclude the accesses to
 * one of the two.
 */
typedef uint64_t __attribute__((may_alias, aligned(8))) tkt_x_pair_t;

#if !defined(__i386__) && __GCC_ATOMIC_LLONG_LOCK_FREE != 2
#error "tkt: this target has no 8-byte compare-and-swap"
#endif

static inline uint64_t tkt_x_pair(uint32_t first, uint32_t second)
{
	const uint32_t two[2] = { first, second };
	uint64_t word;

	__builtin_memcpy(&word, two, sizeof(word));
	return word;
}

/*
 * System calls.  An includer that compiles with -std=c11 and no feature
 * macros has <time.h> and <unistd.h> hide two functions that the C library
 * still has; in C it is valid to declare them again.
 */
#ifndef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
long syscall(long number, ...);
int clock_gettime(int clock_id, struct timespec *now);
#pragma GCC diagnostic pop
#endif
#define TKT_X_CLOCK_MONOTONIC 1

static inline uint64_t tkt_x_clock_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(TKT_X_CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)ts.tv_nsec;
}

static inline void tkt_x_yield(void)
{
	(void)sched_yield();
}

#ifdef SYS_futex
#define TKT_X_SYS_FUTEX SYS_futex
#else /* 32-bit targets born with a 64-bit time_t */
#define TKT_X_SYS_FUTEX SYS_futex_time64
#endif

static inline int tkt_x_futex_wait(const uint32_t *p, uint32_t v, uint64_t ns)
{
	struct timespec ts, *limit = NULL;
	int saved = errno, err = 0;

	if (ns != TKT_NO_DEADLINE) {
		ts.tv_sec = (__typeof__(ts.tv_sec))(ns / UINT64_C(1000000000));
		ts.tv_nsec =
			(__typeof__(ts.tv_nsec))(ns % UINT64_C(1000000000));
		limit = &ts;
	}
	/* WAIT_BITSET, for its time limit is absolute and on this clock. */
	if (syscall(TKT_X_SYS_FUTEX, p, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
		    v, limit, NULL, FUTEX_BITSET_MATCH_ANY))
		err = errno;
	errno = saved;
	return err;
}

static inline void tkt_x_futex_wake(const uint32_t *p, unsigned int n)
{
	int saved = errno;

	(void)syscall(TKT_X_SYS_FUTEX, p, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, n,
		      NULL, NULL, 0);
	errno = saved;
}

#endif /* TKT_BACKEND_NATIVE_H */
