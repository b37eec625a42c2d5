/* SPDX-License-Identifier: MIT */
/*
 * tkt/config.h - tunables
 *
 * Each can be set on the compiler's command line, or all together in a header
 * of your own, named by TKT_CONFIG_HEADER with its delimiters:
 *
 *	cc -DTKT_CONFIG_HEADER='"my_tkt_config.h"' ...
 *
 * Translation units that share a lock should agree on all of them, and must
 * agree on TKT_TICKET_BITS.  The layout is always the same.
 */
#ifndef TKT_CONFIG_H
#define TKT_CONFIG_H

#ifdef TKT_CONFIG_HEADER
#include TKT_CONFIG_HEADER
#endif

/*
 * TKT_THRESHOLD: the window of the default policy, in threads, the owner
 * included: so many may hold a ticket at once; the rest wait in the room.
 * 1 to 65535.  The choice is recorded in NOTES.md, "Threshold".
 */
#ifndef TKT_THRESHOLD
#define TKT_THRESHOLD 4
#endif
#if TKT_THRESHOLD < 1 || TKT_THRESHOLD > 65535
#error "tkt: TKT_THRESHOLD must be 1 to 65535"
#endif

/*
 * TKT_CALM_TICKETS: of so many arrivals, one that finds the lock free takes
 * the mark of a full window down again (TKT_X_FULL).  Until then arrivals look
 * at the tickets before they take one, which costs some nanoseconds where the
 * lock is free; taking the mark down too early costs an atomic operation each
 * time the window fills again.  A power of two, 1 to 65536.  The choice is
 * recorded in NOTES.md, "The mark of a full window".
 */
#ifndef TKT_CALM_TICKETS
#define TKT_CALM_TICKETS 16
#endif
#if TKT_CALM_TICKETS < 1 || TKT_CALM_TICKETS > 65536 || \
	(TKT_CALM_TICKETS & (TKT_CALM_TICKETS - 1))
#error "tkt: TKT_CALM_TICKETS must be a power of two from 1 to 65536"
#endif

/*
 * TKT_DEFAULT_WAIT: how a lock of the default policy waits; TKT_WAIT_SPIN or
 * TKT_WAIT_YIELD (wait.h says what they do).
 */
#ifndef TKT_DEFAULT_WAIT
#define TKT_DEFAULT_WAIT TKT_WAIT_YIELD
#endif

/*
 * TKT_SPIN_NS: how long, in nanoseconds, a waiter of policy yield spins
 * before it gives the CPU away; also the length of each later spin, between
 * two yields.  A time and not a count, because one spin hint takes 10 to 140
 * cycles depending on the processor.  0 to 1000000.  The choice is recorded
 * in NOTES.md, "Spin budget".
 */
#ifndef TKT_SPIN_NS
#define TKT_SPIN_NS 2000
#endif
#if TKT_SPIN_NS < 0 || TKT_SPIN_NS > 1000000
#error "tkt: TKT_SPIN_NS must be 0 to 1000000 (nanoseconds)"
#endif

/*
 * TKT_SPIN_POLLS: polls between two looks at the clock while a counted spin
 * lasts.  A look costs about 20 to 50 ns, so that it must not be each poll's.
 * 1 to 4096; tests set 1.
 */
#ifndef TKT_SPIN_POLLS
#define TKT_SPIN_POLLS 16
#endif
#if TKT_SPIN_POLLS < 1 || TKT_SPIN_POLLS > 4096
#error "tkt: TKT_SPIN_POLLS must be 1 to 4096"
#endif

/*
 * TKT_MUTEX_SPIN_NS: how long, in nanoseconds, a spinner of mutex.h watches
 * one and the same hold before it takes the holder to be off its CPU and goes
 * to sleep.  0 to 1000000; 0: waiters sleep at once.  The choice is recorded
 * in NOTES.md, "Is the owner running?".
 */
#ifndef TKT_MUTEX_SPIN_NS
#define TKT_MUTEX_SPIN_NS 20000
#endif
#if TKT_MUTEX_SPIN_NS < 0 || TKT_MUTEX_SPIN_NS > 1000000
#error "tkt: TKT_MUTEX_SPIN_NS must be 0 to 1000000 (nanoseconds)"
#endif

/*
 * TKT_MUTEX_HOLDS: a spinner that has seen the mutex change hands so many
 * times without getting it goes to sleep, however busy the holders are.  1 to
 * 65536; it bounds the spin to so many times TKT_MUTEX_SPIN_NS.
 */
#ifndef TKT_MUTEX_HOLDS
#define TKT_MUTEX_HOLDS 64
#endif
#if TKT_MUTEX_HOLDS < 1 || TKT_MUTEX_HOLDS > 65536
#error "tkt: TKT_MUTEX_HOLDS must be 1 to 65536"
#endif

/*
 * TKT_MUTEX_SPINNERS: waiters that may stand in a mutex's spinner queue at
 * once; the rest sleep.  One polls the mutex, and one more is enough to be
 * ready when it has left; the others only keep CPUs busy.  1 to 65535.
 */
#ifndef TKT_MUTEX_SPINNERS
#define TKT_MUTEX_SPINNERS 2
#endif
#if TKT_MUTEX_SPINNERS < 1 || TKT_MUTEX_SPINNERS > 65535
#error "tkt: TKT_MUTEX_SPINNERS must be 1 to 65535"
#endif

/*
 * TKT_MUTEX_PATIENCE: wake-ups that may find the mutex taken again before the
 * sleeper reserves it.  0 to 65535.  More lets running threads overtake for
 * longer, which is faster and less fair.
 */
#ifndef TKT_MUTEX_PATIENCE
#define TKT_MUTEX_PATIENCE 8
#endif
#if TKT_MUTEX_PATIENCE < 0 || TKT_MUTEX_PATIENCE > 65535
#error "tkt: TKT_MUTEX_PATIENCE must be 0 to 65535"
#endif

/*
 * TKT_MUTEX_RESCHED: 1: tkt_mutex_lock first gives the CPU away if the thread
 * has had it for TKT_SLICE_NS (resched.h), as a kernel's lock that may sleep
 * does; 0: it does not.
 */
#ifndef TKT_MUTEX_RESCHED
#define TKT_MUTEX_RESCHED 0
#endif
#if TKT_MUTEX_RESCHED < 0 || TKT_MUTEX_RESCHED > 1
#error "tkt: TKT_MUTEX_RESCHED must be 0 or 1"
#endif

/*
 * TKT_SLICE_NS: after how long on the CPU, in nanoseconds, a thread is due to
 * let others run (resched.h).  1000 to 1000000000.  The default is the slice
 * that Linux gives a thread with a handful of others waiting.
 */
#ifndef TKT_SLICE_NS
#define TKT_SLICE_NS 3000000
#endif
#if TKT_SLICE_NS < 1000 || TKT_SLICE_NS > 1000000000
#error "tkt: TKT_SLICE_NS must be 1000 to 1000000000 (nanoseconds)"
#endif

/*
 * TKT_TREELOCK_SPINS: turns for which a waiter of treelock.h watches the
 * blocking bit before it sleeps; 1 to 65536.  TKT_TREELOCK_ROUNDS: attempts of
 * tkt_treelock_try_spin; 1 to 64.  The defaults are those of the lock that it
 * models.
 */
#ifndef TKT_TREELOCK_SPINS
#define TKT_TREELOCK_SPINS 512
#endif
#if TKT_TREELOCK_SPINS < 1 || TKT_TREELOCK_SPINS > 65536
#error "tkt: TKT_TREELOCK_SPINS must be 1 to 65536"
#endif
#ifndef TKT_TREELOCK_ROUNDS
#define TKT_TREELOCK_ROUNDS 3
#endif
#if TKT_TREELOCK_ROUNDS < 1 || TKT_TREELOCK_ROUNDS > 64
#error "tkt: TKT_TREELOCK_ROUNDS must be 1 to 64"
#endif

/*
 * TKT_TICKET_BITS: width of a ticket, 2 to 24.  Threads that use one lock at
 * the same time, plus its threshold, must stay below 2^(bits - 1): 8388608 at
 * the default.  Tests use few bits, so that tickets wrap often.
 */
#ifndef TKT_TICKET_BITS
#define TKT_TICKET_BITS 24
#endif
#if TKT_TICKET_BITS < 2 || TKT_TICKET_BITS > 24
#error "tkt: TKT_TICKET_BITS must be 2 to 24"
#endif

/*
 * TKT_NODE_ALIGN: alignment, in bytes, of a waiter's node on its own stack:
 * the size of what one store takes away from other CPUs.  128 covers the
 * pairs of 64-byte lines that x86-64 prefetches together, and the 128-byte
 * lines of some aarch64.  A power of two, 16 to 4096.
 */
#ifndef TKT_NODE_ALIGN
#define TKT_NODE_ALIGN 128
#endif
#if TKT_NODE_ALIGN < 16 || TKT_NODE_ALIGN > 4096 || \
	(TKT_NODE_ALIGN & (TKT_NODE_ALIGN - 1))
#error "tkt: TKT_NODE_ALIGN must be a power of two from 16 to 4096"
#endif

/*
 * TKT_DEBUG: 0 off; 1 finds misuse (debug.h); 2 also checks the lock's own
 * invariants.  TKT_EVENTS: 0 off; 1 counts events (events.h).
 * TKT_VALGRIND: 0 off; 1 tells Valgrind's helgrind and drd what the lock does
 * (valgrind.h; needs Valgrind's headers).  TKT_PROBES: 0 off; 1 has static
 * tracing probes (probes.h; needs <sys/sdt.h>) and, for them, TKT_EVENTS.
 */
#ifndef TKT_PROBES
#define TKT_PROBES 0
#endif
#if TKT_PROBES < 0 || TKT_PROBES > 1
#error "tkt: TKT_PROBES must be 0 or 1"
#endif
#ifndef TKT_DEBUG
#define TKT_DEBUG 0
#endif
#if TKT_DEBUG < 0 || TKT_DEBUG > 2
#error "tkt: TKT_DEBUG must be 0, 1 or 2"
#endif
#ifndef TKT_EVENTS
#define TKT_EVENTS TKT_PROBES
#endif
#if TKT_EVENTS < 0 || TKT_EVENTS > 1
#error "tkt: TKT_EVENTS must be 0 or 1"
#endif
#if TKT_PROBES && !TKT_EVENTS
#error "tkt: TKT_PROBES needs TKT_EVENTS"
#endif
#ifndef TKT_VALGRIND
#define TKT_VALGRIND 0
#endif
#if TKT_VALGRIND < 0 || TKT_VALGRIND > 1
#error "tkt: TKT_VALGRIND must be 0 or 1"
#endif

#endif /* TKT_CONFIG_H */
