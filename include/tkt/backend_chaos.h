/* SPDX-License-Identifier: MIT */
/*
 * tkt/backend_chaos.h - the native back end with a stumble at each access
 *
 * For stress tests.  Before each atomic access, plain access, yield and futex
 * call it calls tkt_chaos_point(), which the test program provides: typically
 * a seeded random choice between nothing, a short pause and sched_yield, so
 * that threads lose the CPU at the instants where it hurts.
 *
 * Choose it with -DTKT_BACKEND='<tkt/backend_chaos.h>'.
 */
#ifndef TKT_BACKEND_CHAOS_H
#define TKT_BACKEND_CHAOS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Called with the address that is about to be accessed. Any thread, any time. */
void tkt_chaos_point(uintptr_t address);
#ifdef __cplusplus
}
#endif

#define TKT_X_POINT(p) tkt_chaos_point((uintptr_t)(p))
#include "backend_native.h"

#endif /* TKT_BACKEND_CHAOS_H */
