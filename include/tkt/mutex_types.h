/* SPDX-License-Identifier: MIT */
/*
 * tkt/mutex_types.h - the mutex's layout and its initialiser
 *
 * Include this alone where only the type is needed; mutex.h brings the
 * operations and explains the protocol.
 */
#ifndef TKT_MUTEX_TYPES_H
#define TKT_MUTEX_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "annotate.h"
#include "config.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The mutex: all zero when free.
 *
 * state     TKT_X_M_HELD, TKT_X_M_WAITERS and TKT_X_M_RESERVED; sleepers wait
 *           on this word.
 * turn      counts the holds; wraps.  Written by the holder alone, just after
 *           it got the mutex: how spinners see that the mutex is in use by
 *           somebody who runs.
 * owner     the holder (TKT_SELF), or 0.  Written by the holder alone, after
 *           it got the mutex and before it gives it up; so it may be 0 for a
 *           moment although the mutex is held, but is never that of a thread
 *           which does not hold it.
 * tail      the last node in the spinner queue, or 0.
 * spinners  threads in that queue, and those about to enter or just leaving.
 */
typedef struct TKT_TSA_CAPABILITY("mutex") tkt_mutex_s {
	uint32_t state;
	uint32_t turn;
	uintptr_t owner;
	uintptr_t tail;
	uint32_t spinners;
	uint32_t unused;
} tkt_mutex_t;

/* Somebody holds the mutex.  Set by whoever takes it, cleared by unlock. */
#define TKT_X_M_HELD UINT32_C(1)
/*
 * Somebody may be asleep: wake one on unlock.  Set before going to sleep, and
 * by each woken sleeper as it takes the mutex, for it does not know whether
 * others are left; cleared by unlock, which wakes one.  May be up with nobody
 * asleep (one wake-up for nothing).  Never down with somebody asleep, unless a
 * sleeper has been woken and is on its way.
 */
#define TKT_X_M_WAITERS UINT32_C(2)
/*
 * Only threads that have been asleep may take the mutex.  Set by a sleeper out
 * of patience, if nobody else has, and cleared by the same one alone: when it
 * gets the mutex, or gives up.
 */
#define TKT_X_M_RESERVED UINT32_C(4)

/*
 * What happens to waiters: name, meaning.  Nobody counts it, unless the program
 * defines TKT_MUTEX_EVENT_HOOK(m, name), in its configuration header or before
 * it includes mutex.h.
 */
#define TKT_MUTEX_EVENT_LIST(X)                               \
	X(queued, "waits that began in the spinner queue")    \
	X(queue_full, "waits that found no place there")      \
	X(spin_took, "spins that ended with the mutex")       \
	X(spin_stalled, "spins that were of no use any more") \
	X(spin_late, "spins that ran out of time")            \
	X(parked, "waits that went to sleep")                 \
	X(slept, "sleeps, several of which make a wait")      \
	X(woken, "sleeps that a wake-up ended")               \
	X(reserved, "sleepers that ran out of patience")

/* Static initialiser of a free mutex; zeroed memory is the same. */
#define TKT_MUTEX_INIT           \
	{                        \
		0, 0, 0, 0, 0, 0 \
	}

#ifdef __cplusplus
}
#endif

#endif /* TKT_MUTEX_TYPES_H */
