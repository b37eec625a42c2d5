/* SPDX-License-Identifier: MIT */
/*
 * tkt/lockref_types.h - a lockref's layout, tunables and arithmetic
 *
 * Include this alone where only the type is needed; lockref.h has the
 * operations, the notation, and the reasons.
 */
#ifndef TKT_LOCKREF_TYPES_H
#define TKT_LOCKREF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate.h"
#include "config.h"
#include "lock_types.h"

#if TKT_DEBUG
#include <stdio.h>
#include <stdlib.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * TKT_LOCKREF_TRIES: how many compare-and-swaps of one operation may fail
 * before it takes the lock.  0 (always take it, for tests) to 65535.  Each
 * failure is another thread's success, so with n threads that do nothing else
 * a try fails about n - 1 times in n; 100 of them in a row are rare up to
 * about 20 threads, and beyond that a queue serves better.
 */
#ifndef TKT_LOCKREF_TRIES
#define TKT_LOCKREF_TRIES 100
#endif
#if TKT_LOCKREF_TRIES < 0 || TKT_LOCKREF_TRIES > 65535
#error "tkt: TKT_LOCKREF_TRIES must be 0 to 65535"
#endif

/* TKT_LOCKREF_WAIT: TKT_WAIT_SPIN or TKT_WAIT_YIELD; wait.h says what each is. */
#ifndef TKT_LOCKREF_WAIT
#define TKT_LOCKREF_WAIT TKT_WAIT_YIELD
#endif
#if TKT_LOCKREF_WAIT != TKT_WAIT_SPIN && TKT_LOCKREF_WAIT != TKT_WAIT_YIELD
#error "tkt: TKT_LOCKREF_WAIT must be TKT_WAIT_SPIN or TKT_WAIT_YIELD"
#endif

typedef struct TKT_TSA_CAPABILITY("lockref") tkt_lockref_s {
	uint64_t word;
} __attribute__((aligned(8))) tkt_lockref_t;

TKT_X_STATIC_ASSERT(sizeof(tkt_lockref_t) == 8, "tkt: a lockref is 8 bytes");

/* A free lockref with that many references, 0 to TKT_LOCKREF_MAX - 1. */
#define TKT_LOCKREF_INIT(count)   \
	{                         \
		(uint32_t)(count) \
	}

/* A count that is stuck: never again changed. */
#define TKT_LOCKREF_MAX UINT32_C(0x7fffffff)

#define TKT_X_LR_DEAD UINT32_C(0x80000000)
#define TKT_X_LR_OWNER (UINT64_C(1) << 32)
#define TKT_X_LR_NEXT (UINT64_C(1) << 48)
#define TKT_X_LR_THREADS UINT32_C(0x8000)

TKT_X_INLINE uint32_t tkt_x_lr_count(uint64_t word)
{
	return (uint32_t)word & TKT_LOCKREF_MAX;
}

TKT_X_INLINE uint32_t tkt_x_lr_owner(uint64_t word)
{
	return (uint32_t)(word >> 32) & 0xffff;
}

TKT_X_INLINE uint32_t tkt_x_lr_next(uint64_t word)
{
	return (uint32_t)(word >> 48);
}

TKT_X_INLINE bool tkt_x_lr_free(uint64_t word)
{
	return tkt_x_lr_owner(word) == tkt_x_lr_next(word);
}

/* Misuse, in the debug build: one line on standard error, then abort. */
TKT_X_INLINE void tkt_x_lr_check(const tkt_lockref_t *l, bool good,
				 const char *fault)
{
#if TKT_DEBUG
	if (TKT_X_LIKELY(good))
		return;
	fprintf(stderr, "tkt: lockref %p: %s\n", (const void *)l, fault);
	abort();
#endif
	(void)l;
	(void)good;
	(void)fault;
}

/* What an operation on the count wants, and what it finds. */
enum tkt_x_lr_op {
	TKT_X_LR_GET,
	TKT_X_LR_GET_NOT_ZERO,
	TKT_X_LR_GET_NOT_DEAD,
	TKT_X_LR_PUT,
	TKT_X_LR_PUT_NOT_LAST,
};

/* Whether `op` applies to this word. */
TKT_X_INLINE bool tkt_x_lr_applies(enum tkt_x_lr_op op, uint64_t word)
{
	switch (op) {
	case TKT_X_LR_GET_NOT_ZERO:
		return !(word & TKT_X_LR_DEAD) && tkt_x_lr_count(word);
	case TKT_X_LR_GET_NOT_DEAD:
		return !(word & TKT_X_LR_DEAD);
	case TKT_X_LR_PUT_NOT_LAST:
		return tkt_x_lr_count(word) > 1;
	case TKT_X_LR_GET:
	case TKT_X_LR_PUT:
		break;
	}
	return true;
}

/*
 * What `op` adds to the word.  It never leaves the 31 bits of the count: a
 * count that overflows, or would fall below zero, is stuck at the maximum.
 */
TKT_X_INLINE uint64_t tkt_x_lr_delta(const tkt_lockref_t *l,
				     enum tkt_x_lr_op op, uint64_t word)
{
	const uint32_t count = tkt_x_lr_count(word);

	if (TKT_X_UNLIKELY(count == TKT_LOCKREF_MAX))
		return 0;
	if (op == TKT_X_LR_PUT || op == TKT_X_LR_PUT_NOT_LAST) {
		tkt_x_lr_check(l, count, "put without a reference");
		return TKT_X_LIKELY(count) ? UINT64_MAX : TKT_LOCKREF_MAX;
	}
	tkt_x_lr_check(l, count < TKT_LOCKREF_MAX - 1, "too many references");
	return 1;
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_LOCKREF_TYPES_H */
