/* SPDX-License-Identifier: MIT */
/*
 * tkt/atomic.h - every shared access of the library, by name
 *
 * All headers of the library touch shared memory, the clock and the scheduler
 * only through the macros below.  That is what lets the very same headers run
 * natively, with random pauses, on a simulated machine, or under a model
 * checker: a *back end* is one header, chosen by the macro TKT_BACKEND (a
 * header name with its delimiters), that defines all of them.
 *
 * Rules that code written against these macros keeps:
 *
 *  - A location is always accessed with one width, and each access names its
 *    memory order: TKT_RELAXED, TKT_ACQUIRE, TKT_RELEASE or TKT_ACQ_REL.
 *    Sequential consistency exists only as TKT_FENCE_SC().
 *  - A loop without bound waits through TKT_AWAIT, or gives the CPU away with
 *    TKT_YIELD or TKT_FUTEX_WAIT in each turn.  Any other loop has a limit.
 *  - Non-atomic shared data is read and written by TKT_READ and TKT_WRITE.
 *  - A node that others may point to is announced by TKT_NODE_BIRTH before its
 *    first access and by TKT_NODE_DEATH once nobody may touch it any more.
 *
 * Contract of a back end; p is a pointer to an object of an integer or
 * pointer type of 1, 2, 4 or 8 bytes, naturally aligned:
 *
 *  TKT_LOAD(p, mo)            atomic load; relaxed or acquire
 *  TKT_STORE(p, v, mo)        atomic store; relaxed or release
 *  TKT_XCHG(p, v, mo)         exchange; returns the old value
 *  TKT_FETCH_ADD(p, v, mo)    adds (unsigned wrap); returns the old value
 *  TKT_FETCH_OR(p, v, mo)     sets bits; returns the old value
 *  TKT_FETCH_AND(p, v, mo)    keeps bits; returns the old value
 *  TKT_CAS(p, e, v, mo, fail) strong compare-and-swap from *e (a local
 *                             variable, updated on failure) to v; returns
 *                             whether it happened.  fail is the order of a
 *                             failed attempt.
 *  TKT_CAS_WEAK(...)          the same, may fail spuriously
 *  TKT_CAS_PAIR(p, e0, e1, d0, d1, mo)
 *                             compare-and-swap of two adjacent uint32_t at
 *                             once, the first at p, p aligned to 8 bytes; on
 *                             failure nothing is changed, nothing returned but
 *                             false, and the order is relaxed
 *  TKT_FENCE_SC()             sequentially consistent fence; slow paths only
 *  TKT_AWAIT(p, v, cond, mo)  loads *p into a fresh variable named v until
 *                             the expression cond, which may name v, is true;
 *                             returns that value; the last load has order mo
 *  TKT_RELAX()                spin hint, once per turn of a counted spin
 *  TKT_PREFETCHW(p)           hint: *p is about to be written
 *  TKT_YIELD(p, v)            gives the CPU away once.  The caller has just
 *                             read *p as v and has nothing to do until it
 *                             changes (a hint: a back end may ignore it)
 *  TKT_FUTEX_WAIT(p, v, ns)   sleeps while the uint32_t *p equals v, at most
 *                             until the absolute time ns of TKT_CLOCK_NS, or
 *                             without limit for TKT_NO_DEADLINE.  Returns 0
 *                             when woken, else a positive errno value: EAGAIN
 *                             (*p was not v), EINTR, ETIMEDOUT.  May return 0
 *                             for no reason.
 *  TKT_FUTEX_WAKE(p, n)       wakes at most n sleepers on address p.  Does not
 *                             read *p, which may be freed memory by then; so
 *                             others who sleep there may be woken for nothing
 *  TKT_CLOCK_NS()             CLOCK_MONOTONIC in nanoseconds, uint64_t
 *  TKT_READ(p)                plain load of non-atomic data
 *  TKT_WRITE(p, v)            plain store of non-atomic data
 *  TKT_NODE_BIRTH(n)          *n may be accessed, and published, from here on
 *  TKT_NODE_DEATH(n)          no access to *n happens after this
 *
 * Futexes are private to the process.
 */
#ifndef TKT_ATOMIC_H
#define TKT_ATOMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

#define TKT_RELAXED __ATOMIC_RELAXED
#define TKT_ACQUIRE __ATOMIC_ACQUIRE
#define TKT_RELEASE __ATOMIC_RELEASE
#define TKT_ACQ_REL __ATOMIC_ACQ_REL

#define TKT_NO_DEADLINE UINT64_MAX

#ifndef TKT_BACKEND
#define TKT_BACKEND "backend_native.h"
#endif
#include TKT_BACKEND

#endif /* TKT_ATOMIC_H */
