/* SPDX-License-Identifier: MIT */
/*
 * tkt/rwlock.h - a fair reader-writer ticket lock
 *
 * Joseph Seigh's algorithm (comp.programming.threads, about 2003).  Readers
 * and writers draw tickets from one row of numbers, and two displays instead
 * of one say who is served: a reader enters when its number is on the first, a
 * writer when its number is on the second.
 *
 *	read   moves on by one when a reader enters, and when a writer leaves:
 *	       so readers in a row let one another in, and the first writer
 *	       among them stops the rest
 *	write  moves on by one when anybody leaves: it reaches a writer's
 *	       number when all who came before are gone
 *
 * What is changed: the counters are words of their own, so that no access is
 * wider than a counter except in the two tries.  A writer's leaving, one
 * store to both displays in the usual 16-bit form, becomes a store and an
 * addition, in an order that matters (tkt_write_unlock).  A try for writing
 * decides on read and users together and looks at write afterwards; if it
 * finds readers in, it goes in and out as one of them (tkt_trywrite).
 *
 * Order: strictly first come, first served, for both kinds, except that
 * readers in a row run together.  Nobody starves.  The price is that a reader
 * behind a waiting writer waits although other readers are in, so reading
 * twice in one thread deadlocks as soon as a writer comes in between.
 *
 * When not to use it: where sections are short, a tkt_lock_t is faster even if
 * nearly all are readers, for each of them writes the lock's line three times
 * here.  It spins: all waiters watch this one line, and with many more threads
 * than CPUs even the policy yield is slow.  No way up from reader to writer.
 *
 * Assumptions: as for tkt_lock_t: threads that use one lock at once stay below
 * 2^TKT_TICKET_BITS, and waiting counts as holding.
 *
 * State: (r, w, u) for read, write and users, r and w never past u.  In units
 * of a ticket, u - w threads hold or wait.
 *
 *	(u,u,u)  free; the only state in which w = u
 *	(u,w,u)  w < u: u - w readers are in, nobody waits
 *	(r,r,u)  r < u: the writer with ticket r is in; or ticket r is a
 *		 reader's, which is about to enter
 *	(r,w,u)  w < r < u: r - w readers are in; ticket r is a writer's
 *
 *	reader   (r,w,u) -> (r,w,u+1), waits for r = its u -> (r+1,w,u)
 *		 leaves: (r,w,u) -> (r,w+1,u)
 *	writer   (r,w,u) -> (r,w,u+1), waits for w = its u
 *		 leaves: (w,w,u) -> (w+1,w,u) -> (w+1,w+1,u)
 */
#ifndef TKT_RWLOCK_H
#define TKT_RWLOCK_H

#include "annotate.h"
#include "atomic.h"
#include "lock_types.h"
#include "wait.h"

#if TKT_DEBUG
#include <stdio.h>
#include <stdlib.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The lock: 16 bytes; all-zero memory is a free lock of the default wait.
 *
 * read   written by one thread at a time: the reader that has just entered, or
 *        the writer that leaves
 * users  the next ticket; changes by fetch-and-add, or together with a look at
 *        read in the tries: hence the alignment, and the order of the two
 * write  tickets of all who left; changes by fetch-and-add
 * wait   TKT_WAIT_SPIN, TKT_WAIT_YIELD, or 0 for TKT_DEFAULT_WAIT; constant
 *
 * Tickets are in the top TKT_TICKET_BITS bits; below them always 0.
 */
typedef struct TKT_TSA_CAPABILITY("rwlock") tkt_rwlock_s {
	uint32_t read;
	uint32_t users;
	uint32_t write;
	uint32_t wait;
} __attribute__((aligned(8))) tkt_rwlock_t;

TKT_X_STATIC_ASSERT(sizeof(tkt_rwlock_t) == 16, "tkt: 16 bytes");

/* Static initialisers: the default wait, or one of the two by name. */
#define TKT_RWLOCK_INIT    \
	{                  \
		0, 0, 0, 0 \
	}
#define TKT_RWLOCK_INIT_WAIT(wait) \
	{                          \
		0, 0, 0, (wait)    \
	}

/*
 * Makes *l a free lock whose waiters wait as TKT_WAIT_SPIN or TKT_WAIT_YIELD
 * says.  The caller sees to it that nobody uses the lock before this is known
 * to them.
 */
static inline void tkt_rwlock_init(tkt_rwlock_t *l, uint32_t wait)
{
	TKT_STORE(&l->read, UINT32_C(0), TKT_RELAXED);
	TKT_STORE(&l->users, UINT32_C(0), TKT_RELAXED);
	TKT_STORE(&l->write, UINT32_C(0), TKT_RELAXED);
	TKT_STORE(&l->wait, wait, TKT_RELAXED);
}

#if TKT_DEBUG
/* Reports the fault and aborts. */
__attribute__((noinline, cold, noreturn, unused)) static void
tkt_x_rw_fault(const tkt_rwlock_t *l, const char *fault)
{
	fprintf(stderr, "tkt: rwlock %p: %s\n", (const void *)l, fault);
	abort();
}

/*
 * The caller gives the lock up, as a reader or a writer.  Misses a caller that
 * holds nothing if others hold the lock in the same way.
 */
static inline void tkt_x_rw_debug_leave(const tkt_rwlock_t *l, bool writer)
{
	/*
	 * RW8: pairs with RW3.  Without acquire a reader could see others
	 * leave, and not yet that they had entered.
	 */
	const uint32_t write = TKT_LOAD(&l->write, TKT_ACQUIRE);
	const uint32_t read = TKT_LOAD(&l->read, TKT_RELAXED);

	if (write == TKT_LOAD(&l->users, TKT_RELAXED))
		tkt_x_rw_fault(l, "unlocked, but not locked");
	if (writer && read != write)
		tkt_x_rw_fault(l, "unlocked by a writer, but readers hold it");
	if (!writer && read == write)
		tkt_x_rw_fault(l, "unlocked by a reader, but a writer has it");
}
#endif

/*
 * Ends the lock's life.  It must be free, with nobody waiting; the debug build
 * aborts otherwise.  Does nothing in a release build, and may be left out.
 */
static inline void tkt_rwlock_destroy(tkt_rwlock_t *l)
{
#if TKT_DEBUG
	const uint32_t write = TKT_LOAD(&l->write, TKT_RELAXED);

	if (write != TKT_LOAD(&l->users, TKT_RELAXED))
		tkt_x_rw_fault(l, "destroyed while held or waited for");
#endif
	(void)l;
}

/* Takes a ticket: (r,w,u) -> (r,w,u+1).  Returns u. */
TKT_X_INLINE uint32_t tkt_x_rw_take(tkt_rwlock_t *l)
{
	/*
	 * RW1: acquire and release, pairs with RW1, RW5 and RW6 of the tickets
	 * before: whoever takes a ticket knows what earlier takers knew, so
	 * that no display it reads afterwards is a whole turn of the tickets
	 * old.
	 */
	return TKT_FETCH_ADD(&l->users, TKT_X_STEP, TKT_ACQ_REL);
}

/* Moves the readers' display on from `ticket`: (r,w,u) -> (r+1,w,u). */
TKT_X_INLINE void tkt_x_rw_admit(tkt_rwlock_t *l, uint32_t ticket)
{
	/*
	 * RW2: pairs with RW4 and RW5, and with W1 and W2 in tkt_rw_spin.
	 * Without release the next reader would not see what the last writer
	 * did, which it may learn of from the reader before it alone.
	 */
	TKT_STORE(&l->read, ticket + TKT_X_STEP, TKT_RELEASE);
}

/* Leaves: (r,w,u) -> (r,w+1,u). */
TKT_X_INLINE void tkt_x_rw_leave(tkt_rwlock_t *l)
{
	/*
	 * RW3: pairs with RW4, RW7 and RW8, and with W1 and W2 in tkt_rw_spin.
	 * Without release the next writer could change what this thread is
	 * still reading.  Additions of other leavers keep it visible.
	 */
	(void)TKT_FETCH_ADD(&l->write, TKT_X_STEP, TKT_RELEASE);
}

/* Waits until *display, one of the two, shows `ticket`. */
TKT_X_SLOW void tkt_rw_spin(const tkt_rwlock_t *l, const uint32_t *display,
			    uint32_t ticket)
{
	const uint32_t wait = TKT_LOAD(&l->wait, TKT_RELAXED);

	/* Acquires by W1 or W2, which pair with RW2, RW3 and RW5. */
	tkt_x_wait(display, ticket, true, wait ? wait : TKT_DEFAULT_WAIT);
}

TKT_X_INLINE void tkt_x_rw_wait(const tkt_rwlock_t *l, const uint32_t *display,
				uint32_t ticket)
{
	/* RW4: pairs with RW2, RW3 and RW5 */
	if (TKT_X_UNLIKELY(TKT_LOAD(display, TKT_ACQUIRE) != ticket))
		tkt_rw_spin(l, display, ticket);
}

/*
 * Takes the lock for reading, together with other readers.  Waits for all
 * writers that came before.  Acquires: sees what earlier writers did.  Not by
 * a thread that holds the lock already, for reading or writing (deadlock).
 */
static inline void tkt_read_lock(tkt_rwlock_t *l)
	TKT_X_TSA(acquire_shared_capability(*l)) TKT_TSA_OFF;
static inline void tkt_read_lock(tkt_rwlock_t *l)
{
	const uint32_t ticket = tkt_x_rw_take(l);

	tkt_x_rw_wait(l, &l->read, ticket);
	tkt_x_rw_admit(l, ticket);
}

/*
 * Gives up a lock taken for reading; the debug build aborts if nobody, or a
 * writer, holds it.  Releases, so that the next writer does
 * not disturb what was read.  The lock is not touched after the access that
 * lets a writer in: a writer that knows that nobody else will come may free
 * it.
 */
static inline void tkt_read_unlock(tkt_rwlock_t *l)
	TKT_X_TSA(release_shared_capability(*l)) TKT_TSA_OFF;
static inline void tkt_read_unlock(tkt_rwlock_t *l)
{
#if TKT_DEBUG
	tkt_x_rw_debug_leave(l, false);
#endif
	tkt_x_rw_leave(l);
}

/*
 * Takes the lock for writing, alone.  Waits for all that came before.
 * Acquires.  Not by a thread that holds the lock already (deadlock).
 */
static inline void tkt_write_lock(tkt_rwlock_t *l)
	TKT_TSA_ACQUIRE(*l) TKT_TSA_OFF;
static inline void tkt_write_lock(tkt_rwlock_t *l)
{
	tkt_x_rw_wait(l, &l->write, tkt_x_rw_take(l));
}

/*
 * Gives up a lock taken for writing; the debug build aborts if nobody, or a
 * reader, holds it.  Releases.  The lock is still touched
 * after the first reader has been let in, so that a reader must not free it,
 * however sure it is to be the last; a writer may.
 *
 * Read before write.  The other way round:
 *
 *	this writer, ticket 4              the next writer, ticket 5
 *	write = 5
 *	                                   enters; leaves: read = 6, write = 6
 *	read = 5: ticket 6, if a reader's, is never served
 */
static inline void tkt_write_unlock(tkt_rwlock_t *l)
	TKT_TSA_RELEASE(*l) TKT_TSA_OFF;
static inline void tkt_write_unlock(tkt_rwlock_t *l)
{
#if TKT_DEBUG
	tkt_x_rw_debug_leave(l, true);
#endif
	/* While a writer is in, write is its ticket. */
	tkt_x_rw_admit(l, TKT_LOAD(&l->write, TKT_RELAXED));
	tkt_x_rw_leave(l);
}

/*
 * Takes the lock for reading if no writer holds it or waits for it; returns
 * whether it did.  Never waits.  Acquires if it returns true; a failed try
 * changes nothing.  It may fail although no writer is there, when another
 * reader is just entering.
 */
static inline bool tkt_tryread(tkt_rwlock_t *l)
	TKT_X_TSA(try_acquire_shared_capability(true, *l)) TKT_TSA_OFF;
static inline bool tkt_tryread(tkt_rwlock_t *l)
{
	const uint32_t users = TKT_LOAD(&l->users, TKT_RELAXED);

	if (TKT_LOAD(&l->read, TKT_RELAXED) != users)
		return false;
	/*
	 * RW5: (u,w,u) -> (u+1,w,u+1).  Pairs with RW2 of whoever moved read
	 * to u, with RW4, W1 and W2 of the next reader, and as RW1 with RW1
	 * and RW6.  Both words are compared, for users alone may be back at
	 * this value after a whole turn of the tickets, with a writer in.
	 */
	return TKT_CAS_PAIR(&l->read, users, users, users + TKT_X_STEP,
			    users + TKT_X_STEP, TKT_ACQ_REL);
}

/*
 * Takes the lock for writing if it is free; returns whether it did.  Never
 * waits.  Acquires if it returns true.  A failed try changes nothing, except
 * in the rare case below, where it acts as a reader that goes in and out.
 */
static inline bool tkt_trywrite(tkt_rwlock_t *l)
	TKT_TSA_TRY_ACQUIRE(true, *l) TKT_TSA_OFF;
static inline bool tkt_trywrite(tkt_rwlock_t *l)
{
	const uint32_t users = TKT_LOAD(&l->users, TKT_RELAXED);

	if (TKT_LOAD(&l->write, TKT_RELAXED) != users ||
	    TKT_LOAD(&l->read, TKT_RELAXED) != users)
		return false;
	/* RW6: (u,w,u) -> (u,w,u+1).  Pairs with RW1 and RW5, as RW1 does. */
	if (!TKT_CAS_PAIR(&l->read, users, users, users, users + TKT_X_STEP,
			  TKT_ACQ_REL))
		return false;
	/* RW7: pairs with RW3 */
	if (TKT_X_LIKELY(TKT_LOAD(&l->write, TKT_ACQUIRE) == users))
		return true;
	/*
	 * The tickets have come full circle since the first look, and there
	 * are readers in.  The ticket cannot be given back, but read shows it:
	 * as a reader this thread need not wait.
	 */
	tkt_x_rw_admit(l, users);
	tkt_x_rw_leave(l);
	return false;
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_RWLOCK_H */
