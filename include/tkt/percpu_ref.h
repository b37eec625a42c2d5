/* SPDX-License-Identifier: MIT */
/*
 * tkt/percpu_ref.h - a reference count spread over CPUs
 *
 * A count that many CPUs change all the time costs a cache-line transfer per
 * change, however it is changed.  The known remedy (percpu-refcount, Linux
 * 3.11, 2013) uses that nobody asks whether it is zero as long as somebody,
 * the *owner*, has a reference that it will not drop soon: until then, each
 * CPU counts in a slot of its own.  When the owner gives its reference up, it
 * *kills* the count: the slots are added up into one central count, on which
 * the references left are dropped, and whoever drops the last one calls the
 * release function.
 *
 * The slots mean nothing one by one, for a reference may be taken on one CPU
 * and dropped on another; only their sum does.  The difficulty is the switch:
 * no get or put may fall between the slot, already added up, and the central
 * count.  The kernel waits until all CPUs have seen the switch (RCU); here
 * each slot has its own end.  A slot is one word: the count, doubled, and
 * bit 0, *closed*.  Users add 2 or -2 and look at the old value.  The killer
 * exchanges the word for "closed", and so takes the sum and closes the slot in
 * one step: an addition that came before is in the sum, and one that comes
 * later finds bit 0 set, counts for nothing there, and is made again on the
 * central count.
 *
 *	user                        killer
 *	add 2 to slot: was 6
 *	                            exchange slot for closed: had 8, sum 4
 *	add -2 to slot: closed
 *	add -1 to central           (further slots)
 *	                            add sums to central, take the bias off
 *
 * Meanwhile the central count sees puts whose gets are still in slots; a bias,
 * more than there can be references, keeps it from reaching zero.  It comes
 * off in the addition that brings in all the sums and drops the owner's
 * reference.  From then on the central count is exact, and zero only once:
 * a get in flight belongs to a thread that has a reference already, a put in
 * flight is one that still counts, and tryget never touches it.
 *
 * Which slot is a matter of speed alone (cpu.h): each change is one atomic
 * addition to a word that anybody may add to, so a thread that has moved to
 * another CPU in between only pays for the line.  A restartable sequence could
 * make the addition a plain one and save a few nanoseconds (NOTES.md, "Adding
 * to one's own line"), but then the killer's exchange could fall between its
 * load and its store and be lost; it would need a membarrier for each kill and
 * assembly for each processor, which no checker looks into.
 *
 * Assumptions: fewer than 2^61 references.  64-bit atomics.  When not to use
 * it: for many small objects (one line per slot); where the count itself is
 * asked for; where there is no owner whose end is known (lockref.h).
 *
 * State: central c, with the bias B until the switch is over; slots s1...sn.
 *
 *	init:  c = B + 1, s = 0               get: s += 2   put: s -= 2
 *	kill:  each s -> closed, sum += s/2   get: c += 1   put: c -= 1
 *	       c += sum - B - 1               c = 0: release
 */
#ifndef TKT_PERCPU_REF_H
#define TKT_PERCPU_REF_H

#include "annotate.h"
#include "atomic.h"
#include "cpu.h"

#if TKT_DEBUG
#include <stdio.h>
#include <stdlib.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One CPU's part, on a cache line (or pair of lines) of its own. */
struct tkt_percpu_slot {
	uint64_t word;
} __attribute__((aligned(TKT_NODE_ALIGN)));

typedef struct tkt_percpu_ref_s tkt_percpu_ref_t;

/*
 * Called once, by the thread that drops the last reference, or by the killer.
 * It has seen all that the users did before they dropped theirs.  It may free
 * *ref and its slots, or initialise them again.
 */
typedef void (*tkt_percpu_release_t)(tkt_percpu_ref_t *ref);

/* All but `central` is constant from initialisation on. */
struct tkt_percpu_ref_s {
	uint64_t central;
	struct tkt_percpu_slot *slots;
	uint32_t mask; /* number of slots, less one */
	tkt_percpu_release_t release;
};

#define TKT_X_PR_CLOSED UINT64_C(1)
#define TKT_X_PR_ONE UINT64_C(2) /* a reference, in a slot */
#define TKT_X_PR_BIAS (UINT64_C(1) << 62)

/* Misuse, in the debug build: one line on standard error, then abort. */
TKT_X_INLINE void tkt_x_pr_check(const tkt_percpu_ref_t *ref, bool good,
				 const char *fault)
{
#if TKT_DEBUG
	if (TKT_X_LIKELY(good))
		return;
	fprintf(stderr, "tkt: percpu_ref %p: %s\n", (const void *)ref, fault);
	abort();
#endif
	(void)ref;
	(void)good;
	(void)fault;
}

/*
 * Makes *ref a count of one reference, the owner's, in n slots at `slots`,
 * which are the caller's to provide and need not be set: n a power of two,
 * best not below the number of CPUs.  Nobody uses it yet.
 */
static inline void tkt_percpu_ref_init(tkt_percpu_ref_t *ref,
				       struct tkt_percpu_slot *slots,
				       uint32_t n, tkt_percpu_release_t release)
{
	tkt_x_pr_check(ref, n && !(n & (n - 1)),
		       "the number of slots is no power of two");
	for (uint32_t i = 0; i < n; i++)
		TKT_STORE(&slots[i].word, UINT64_C(0), TKT_RELAXED);
	TKT_STORE(&ref->central, TKT_X_PR_BIAS + 1, TKT_RELAXED);
	TKT_WRITE(&ref->slots, slots);
	TKT_WRITE(&ref->mask, n - 1);
	TKT_WRITE(&ref->release, release);
}

/* The word that the calling thread counts in, for now. */
TKT_X_INLINE uint64_t *tkt_x_pr_slot(tkt_percpu_ref_t *ref)
{
	return &TKT_READ(&ref->slots)[TKT_CPU_HINT() & TKT_READ(&ref->mask)]
			.word;
}

/* c -> c + change; the one who brings it to zero releases. */
TKT_X_SLOW void tkt_percpu_ref_central(tkt_percpu_ref_t *ref, uint64_t change)
{
	/*
	 * PR1: pairs with PR1 and PR5.  Release and acquire make a chain of
	 * all puts, whose end has seen what each user did.
	 */
	const uint64_t count =
		TKT_FETCH_ADD(&ref->central, change, TKT_ACQ_REL) + change;

	tkt_x_pr_check(ref, count < TKT_X_PR_BIAS + TKT_X_PR_BIAS,
		       "put without a reference");
	if (!count)
		TKT_READ (&ref->release)(ref);
}

/* One more reference.  The caller has one, and keeps it during the call. */
static inline void tkt_percpu_ref_get(tkt_percpu_ref_t *ref)
{
	if (TKT_X_UNLIKELY(TKT_FETCH_ADD(tkt_x_pr_slot(ref), TKT_X_PR_ONE,
					 TKT_RELAXED) &
			   TKT_X_PR_CLOSED))
		TKT_FETCH_ADD(&ref->central, UINT64_C(1), TKT_RELAXED);
}

/*
 * One more reference, unless the count is killed; returns whether.  Calls that
 * begin once kill has returned fail; while it runs, each may succeed or fail,
 * one thread's too, and those that succeed count.  A failed call has seen what
 * the killer did before.  The caller needs no reference, but must know from
 * elsewhere that *ref is still there.
 */
static inline bool tkt_percpu_ref_tryget(tkt_percpu_ref_t *ref)
{
	/* PR2: pairs with PR4: the reason for the failure is to be seen */
	const uint64_t old =
		TKT_FETCH_ADD(tkt_x_pr_slot(ref), TKT_X_PR_ONE, TKT_ACQUIRE);

	return TKT_X_LIKELY(!(old & TKT_X_PR_CLOSED));
}

/*
 * Drops a reference, no matter which thread took it, and calls release if it
 * was the last of a killed count.  *ref may be gone on return.
 */
static inline void tkt_percpu_ref_put(tkt_percpu_ref_t *ref)
{
	/*
	 * PR3: pairs with PR4.  Without release, the thread that releases
	 * might not see what this user did.
	 */
	const uint64_t old = TKT_FETCH_ADD(tkt_x_pr_slot(ref), 0 - TKT_X_PR_ONE,
					   TKT_RELEASE);

	if (TKT_X_UNLIKELY(old & TKT_X_PR_CLOSED))
		tkt_percpu_ref_central(ref, UINT64_MAX);
}

/*
 * Drops the owner's reference and switches to the central count.  Once, by one
 * thread.  May call release; *ref may be gone on return.  Takes time in
 * proportion to the number of slots.
 */
TKT_X_SLOW void tkt_percpu_ref_kill(tkt_percpu_ref_t *ref)
{
	struct tkt_percpu_slot *slots = TKT_READ(&ref->slots);
	uint64_t sum = 0;

	for (uint64_t i = 0; i <= TKT_READ(&ref->mask); i++) {
		/*
		 * PR4: pairs with PR2 and PR3.  All changes of a slot are
		 * read-modify-writes, so it has seen each put there.
		 */
		const uint64_t old =
			TKT_XCHG(&slots[i].word, TKT_X_PR_CLOSED, TKT_ACQ_REL);

		tkt_x_pr_check(ref, !(old & TKT_X_PR_CLOSED), "killed twice");
		sum += old;
	}
	/* Slots count in twos, and may be negative, as may be the sum. */
	tkt_percpu_ref_central(ref, (uint64_t)((int64_t)sum / 2) -
					    TKT_X_PR_BIAS - 1);
}

/*
 * Whether the last reference is gone: true from then on.  Acquires, when true.
 * For those who know that release does not free *ref.
 */
static inline bool tkt_percpu_ref_is_zero(const tkt_percpu_ref_t *ref)
{
	/* PR5: pairs with PR1, as the last put does */
	return !TKT_LOAD(&ref->central, TKT_ACQUIRE);
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_PERCPU_REF_H */
