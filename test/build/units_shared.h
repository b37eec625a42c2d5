/* SPDX-License-Identifier: MIT */
/* test/build/units_shared.h - what the C and the C++ unit share */
#ifndef TEST_BUILD_UNITS_SHARED_H
#define TEST_BUILD_UNITS_SHARED_H

#include <tkt.h>

#ifndef UNITS_ROUNDS
#define UNITS_ROUNDS 20000
#endif

/* Without the lock: what a tool that looks for races has to find. */
#ifdef UNITS_NO_LOCK
#define UNITS_LOCK() ((void)0)
#define UNITS_UNLOCK() ((void)0)
#else
#define UNITS_LOCK() tkt_lock(&units_lock)
#define UNITS_UNLOCK() tkt_unlock(&units_lock)
#endif

#ifdef __cplusplus
extern "C" {
#endif

extern tkt_lock_t units_lock; /* defined by the C unit */
extern unsigned long units_count;

/* Adds UNITS_ROUNDS to units_count, one critical section each. */
void units_add_from_cxx(void);

#ifdef __cplusplus
}
#endif

#endif /* TEST_BUILD_UNITS_SHARED_H */
