/* SPDX-License-Identifier: MIT */
/*
 * tkt/lock_types.h - the lock's layout, its initialisers and its policies
 *
 * Include this alone where only the type is needed, such as in a structure
 * that embeds a lock; lock.h brings the operations.
 */
#ifndef TKT_LOCK_TYPES_H
#define TKT_LOCK_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "annotate.h"
#include "config.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The lock: 16 bytes, all zero when free, meant to share a cache line with
 * the data it protects.  lock.h explains the protocol.
 *
 * owner  the ticket being served, in the top TKT_TICKET_BITS bits; the rest
 *        is always 0.  Written by the holder alone, when it unlocks.
 * next   the next ticket to hand out, in the same top bits; below them the
 *        policy (TKT_X_POLICY), constant from initialisation on, and four
 *        reserved bits, 0.  Changes by fetch-and-add, or, in trylock, together
 *        with a look at owner; hence the alignment.
 * tail   the address of the last node in the waiting room, or 0 or TKT_X_FULL
 *        when the room is empty.  Changes by exchange and compare-and-swap.
 *
 * The order of the fields is part of the protocol: trylock swaps the pair
 * owner and next.
 */
typedef struct TKT_TSA_CAPABILITY("spinlock") tkt_lock_s {
	uint32_t owner;
	uint32_t next;
	uintptr_t tail;
} __attribute__((aligned(8))) tkt_lock_t;

/* One ticket, and the bits that hold tickets. */
#define TKT_X_STEP (UINT32_C(1) << (32 - TKT_TICKET_BITS))
#define TKT_X_TICKETS (~(TKT_X_STEP - 1))

/*
 * In tail: the room is empty, but the window has been found full, so look at
 * next and owner before taking a ticket.  Raised, from 0 only, by whoever
 * waits for a ticket in a full window, and left behind by the last one to
 * leave the room; lowered now and then by an arrival that finds the lock free.
 * May be up for long after the rush, or down for a moment in it.
 */
#define TKT_X_FULL ((uintptr_t)1)

/* The policy number, constant from initialisation on. */
#define TKT_X_POLICY UINT32_C(0xf0)
#define TKT_X_POLICY_SHIFT 4

/* How a waiter passes the time; wait.h says what each does. */
#define TKT_WAIT_SPIN 1
#define TKT_WAIT_YIELD 2

#if TKT_DEFAULT_WAIT != TKT_WAIT_SPIN && TKT_DEFAULT_WAIT != TKT_WAIT_YIELD
#error "tkt: TKT_DEFAULT_WAIT must be TKT_WAIT_SPIN or TKT_WAIT_YIELD"
#endif

#define TKT_THRESHOLD_INF UINT32_MAX

/*
 * Policies: the wait and the threshold of a lock, fixed when it is
 * initialised, because waiters that disagree would lose wake-ups.  Number,
 * name, wait, threshold.
 */
#define TKT_POLICY_LIST(X)                               \
	X(0, DEFAULT, TKT_DEFAULT_WAIT, TKT_THRESHOLD)   \
	X(1, SPIN, TKT_WAIT_SPIN, TKT_THRESHOLD)         \
	X(2, YIELD, TKT_WAIT_YIELD, TKT_THRESHOLD)       \
	X(3, SPIN_1, TKT_WAIT_SPIN, 1)                   \
	X(4, SPIN_2, TKT_WAIT_SPIN, 2)                   \
	X(5, SPIN_4, TKT_WAIT_SPIN, 4)                   \
	X(6, SPIN_8, TKT_WAIT_SPIN, 8)                   \
	X(7, SPIN_16, TKT_WAIT_SPIN, 16)                 \
	X(8, SPIN_INF, TKT_WAIT_SPIN, TKT_THRESHOLD_INF) \
	X(9, YIELD_1, TKT_WAIT_YIELD, 1)                 \
	X(10, YIELD_2, TKT_WAIT_YIELD, 2)                \
	X(11, YIELD_4, TKT_WAIT_YIELD, 4)                \
	X(12, YIELD_8, TKT_WAIT_YIELD, 8)                \
	X(13, YIELD_16, TKT_WAIT_YIELD, 16)              \
	X(14, YIELD_INF, TKT_WAIT_YIELD, TKT_THRESHOLD_INF)

enum tkt_policy {
#define TKT_X_ENUM(number, name, wait, threshold) TKT_POLICY_##name = number,
	TKT_POLICY_LIST(TKT_X_ENUM)
#undef TKT_X_ENUM
	TKT_POLICY_COUNT
};

struct tkt_policy_info {
	uint32_t threshold; /* threads; TKT_THRESHOLD_INF: no room at all */
	uint32_t wait;	    /* TKT_WAIT_* */
};

/* What goes into next; a number that is no policy counts as the default. */
#define TKT_X_POLICY_BITS(policy) \
	((uint32_t)(policy) << TKT_X_POLICY_SHIFT & TKT_X_POLICY)

/*
 * Static initialisers: TKT_LOCK_INIT, or all-zero memory, is a free lock of
 * the default policy; TKT_LOCK_INIT_POLICY(TKT_POLICY_SPIN), say, of another.
 */
/* clang-format off */
#define TKT_LOCK_INIT_POLICY(policy) { 0, TKT_X_POLICY_BITS(policy), 0 }
/* clang-format on */
#define TKT_LOCK_INIT TKT_LOCK_INIT_POLICY(TKT_POLICY_DEFAULT)

/*
 * The wait and threshold of policy number `policy`.  Unknown numbers are those
 * of the default.
 */
static inline struct tkt_policy_info tkt_policy_describe(uint32_t policy)
{
	static const struct tkt_policy_info list[] = {
#define TKT_X_ENTRY(number, name, wait, threshold) { (threshold), (wait) },
		TKT_POLICY_LIST(TKT_X_ENTRY)
#undef TKT_X_ENTRY
	};

	return list[policy < TKT_POLICY_COUNT ? policy : 0];
}

/*
 * The policy with this wait (TKT_WAIT_*) and threshold (threads, or
 * TKT_THRESHOLD_INF), or -1 if the list has none.
 */
static inline int tkt_policy_find(uint32_t wait, uint32_t threshold)
{
	for (uint32_t i = TKT_POLICY_SPIN; i < TKT_POLICY_COUNT; i++) {
		const struct tkt_policy_info info = tkt_policy_describe(i);

		if (info.wait == wait && info.threshold == threshold)
			return (int)i;
	}
	return -1;
}

/* Spreads addresses over the side tables of debug.h and events.h; 16 bits. */
static inline uint32_t tkt_x_hash(const tkt_lock_t *l)
{
	return ((uint32_t)((uintptr_t)l >> 3) * UINT32_C(0x9e3779b1)) >> 16;
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_LOCK_TYPES_H */
