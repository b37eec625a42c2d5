/* SPDX-License-Identifier: MIT */
/*
 * tkt/treelock_dfl.h - a spin lock with a blocking bit, and its sleepers
 *
 * The flavours DFL and DFL_NOSPIN of treelock.h, which has the protocol and
 * its notation.  The steps of the slow path are out of line, so that a profile
 * shows which one the time goes to:
 *
 *  tkt_t_lock     the bit was found up: the way round, made of
 *  tkt_t_spin       watching the bit
 *  tkt_t_sleep      asleep until it is down
 *
 * Included by treelock.h; not meant to be included alone.
 */
#ifndef TKT_TREELOCK_DFL_H
#define TKT_TREELOCK_DFL_H

#include "annotate.h"
#include "atomic.h"
#include "lock.h"
#include "resched.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * spin  held by the owner while it spins, and by whoever looks at the bit.
 * word  TKT_X_T_BLOCKING, and above it the number of threads that sleep or are
 *       on their way to or from it.  Sleepers wait on this word.  The bit is
 *       raised by the owner, under spin, and lowered by the owner alone.
 */
struct tkt_x_t {
	tkt_lock_t spin;
	uint32_t word;
};

#define TKT_X_T_BLOCKING UINT32_C(1)
#define TKT_X_T_SLEEPER UINT32_C(2)

/* Whether the bit is down, for one who holds spin and so owns the lock then. */
TKT_X_INLINE bool tkt_x_t_mine(struct tkt_x_t *t)
{
	/*
	 * TL1: pairs with TL2.  Without acquire the new owner could miss what
	 * an owner did that blocked, and never held spin again.
	 */
	return !(TKT_LOAD(&t->word, TKT_ACQUIRE) & TKT_X_T_BLOCKING);
}

/*
 * Watches the bit for TKT_TREELOCK_SPINS turns; true: it is down.  Leaves at
 * once when others should run.
 */
TKT_X_SLOW bool tkt_t_spin(struct tkt_x_t *t)
{
	for (int i = 0; i < TKT_TREELOCK_SPINS; i++) {
		if (!(TKT_LOAD(&t->word, TKT_RELAXED) & TKT_X_T_BLOCKING))
			return true;
		if (!(i % TKT_SPIN_POLLS) && tkt_x_resched_due())
			return false;
		TKT_RELAX();
	}
	return false;
}

/* Sleeps until the bit is down.  The caller counts as a sleeper already. */
TKT_X_SLOW void tkt_t_sleep(struct tkt_x_t *t)
{
	for (;;) {
		const uint32_t seen = TKT_LOAD(&t->word, TKT_RELAXED);

		if (!(seen & TKT_X_T_BLOCKING))
			return;
		(void)TKT_FUTEX_WAIT(&t->word, seen, TKT_NO_DEADLINE);
		tkt_x_resched_done();
	}
}

/*
 * The caller holds spin, and has found the bit up: waits until it holds spin
 * with the bit down.  A turn of the loop waits in tkt_lock, if nowhere else.
 */
TKT_X_SLOW void tkt_t_lock(struct tkt_x_t *t, bool watch)
{
	bool counted = false;

	do {
		tkt_unlock(&t->spin);
		if (!watch || !tkt_t_spin(t)) {
			if (!counted)
				TKT_FETCH_ADD(&t->word, TKT_X_T_SLEEPER,
					      TKT_RELAXED);
			counted = true;
			tkt_t_sleep(t);
		}
		tkt_lock(&t->spin);
	} while (!tkt_x_t_mine(t));
	if (counted)
		TKT_FETCH_ADD(&t->word, 0 - TKT_X_T_SLEEPER, TKT_RELAXED);
}

TKT_X_INLINE bool tkt_x_t_try(struct tkt_x_t *t)
{
	if (!tkt_trylock(&t->spin))
		return false;
	if (TKT_X_LIKELY(tkt_x_t_mine(t)))
		return true;
	tkt_unlock(&t->spin);
	return false;
}

/* (s,0) -> (-,b) */
TKT_X_INLINE void tkt_x_t_block(struct tkt_x_t *t)
{
	TKT_FETCH_OR(&t->word, TKT_X_T_BLOCKING, TKT_RELAXED);
	tkt_unlock(&t->spin);
}

/* (-,b) -> (s,0).  Sleepers stay asleep: the unlock to come sees them. */
TKT_X_INLINE void tkt_x_t_unblock(struct tkt_x_t *t)
{
	tkt_lock(&t->spin);
	TKT_FETCH_AND(&t->word, ~TKT_X_T_BLOCKING, TKT_RELAXED);
}

/* (s,0) or (-,b) -> (-,0); wakes one sleeper. */
TKT_X_INLINE void tkt_x_t_unlock(struct tkt_x_t *t)
{
	uint32_t word = TKT_LOAD(&t->word, TKT_RELAXED);

	if (word & TKT_X_T_BLOCKING) {
		/* TL2: pairs with TL1 */
		word = TKT_FETCH_AND(&t->word, ~TKT_X_T_BLOCKING, TKT_RELEASE);
	} else {
		tkt_unlock(&t->spin);
	}
	if (TKT_X_UNLIKELY(word >= TKT_X_T_SLEEPER))
		TKT_FUTEX_WAKE(&t->word, 1);
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_TREELOCK_DFL_H */
