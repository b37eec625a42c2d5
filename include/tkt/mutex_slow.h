/* SPDX-License-Identifier: MIT */
/*
 * tkt/mutex_slow.h - waiting for a mutex: the spinner queue, and sleep
 *
 * mutex.h has the protocol and its notation.  Each step is a function of its
 * own, out of line, so that a profile shows which one the time goes to:
 *
 *  tkt_m_lock      both in turn, made of
 *  tkt_m_spin      the way through the spinner queue, made of
 *  tkt_m_queue       waiting there to become head
 *  tkt_m_poll        as head, watching the mutex and its owner
 *  tkt_m_leave       leaving, with a word to the next
 *  tkt_m_sleep     asleep on the mutex
 *  tkt_m_give_up   out of time, with the mutex reserved for oneself
 *  tkt_m_wake      unlock, with sleepers
 *
 * Included by mutex.h; not meant to be included alone.
 */
#ifndef TKT_MUTEX_SLOW_H
#define TKT_MUTEX_SLOW_H

#include "annotate.h"
#include "atomic.h"
#include "mutex_types.h"
#if TKT_MUTEX_RESCHED
#include "resched.h"
#endif
#if TKT_VALGRIND
#include "valgrind.h"
#endif
#include "wait.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TKT_X_M_EVENT(m, name): event `name` of TKT_MUTEX_EVENT_LIST happened to m. */
#if defined(TKT_MUTEX_EVENT_HOOK)
#define TKT_X_M_EVENT(m, name) TKT_MUTEX_EVENT_HOOK(m, name)
#else
#define TKT_X_M_EVENT(m, name) ((void)(m))
#endif

/* For Valgrind, as hooks.h has it for the lock. */
TKT_X_INLINE void tkt_x_m_look(const tkt_mutex_t *m)
{
#if TKT_VALGRIND
	tkt_x_valgrind_look(m, sizeof(*m));
#endif
	(void)m;
}

TKT_X_INLINE void tkt_m_node_birth(struct tkt_node *n)
{
	TKT_NODE_BIRTH(n);
#if TKT_VALGRIND
	tkt_x_valgrind_ignore(n, sizeof(*n));
#endif
}

TKT_X_INLINE void tkt_m_node_death(struct tkt_node *n)
{
	TKT_NODE_DEATH(n);
#if TKT_VALGRIND
	tkt_x_valgrind_forget(n, sizeof(*n));
#endif
}

/* In a node's state, beside TKT_X_WAITING and TKT_X_HEAD: leave the queue. */
#define TKT_X_M_QUIT UINT32_C(2)

/* How a spin ended. */
enum tkt_x_m_end {
	TKT_X_M_TOOK,	 /* with the mutex */
	TKT_X_M_STALLED, /* no use: the owner is off its CPU, or others first */
	TKT_X_M_LATE	 /* the caller's time is over */
};

/*
 * Takes the mutex if it is free: (-,w,r) -> (h,w,r).  `woken`: the caller has
 * been asleep, so it may take a reserved one, and restores the mark:
 * (-,w,r) -> (h,1,r).  `mine` is TKT_X_M_RESERVED if it is the caller who set
 * that, else 0; the reservation ends: (-,w,1) -> (h,1,0).
 */
TKT_X_INLINE bool tkt_m_take(tkt_mutex_t *m, bool woken, uint32_t mine)
{
	uint32_t s = TKT_LOAD(&m->state, TKT_RELAXED);

	if ((s & TKT_X_M_HELD) || ((s & TKT_X_M_RESERVED) && !woken))
		return false;
	/* MX2: as MX1 */
	return TKT_CAS(&m->state, &s,
		       (s | TKT_X_M_HELD | (woken ? TKT_X_M_WAITERS : 0)) &
			       ~mine,
		       TKT_ACQUIRE, TKT_RELAXED);
}

/* What a spinner knows of the hold that it watches. */
struct tkt_x_m_watch {
	uint64_t until; /* takes the owner to be running up to then */
	uint32_t turn;	/* of the hold */
	uint32_t holds; /* watched so far */
};

/*
 * The estimate: the owner runs if the present hold began less than
 * TKT_MUTEX_SPIN_NS ago, as far as this spinner could see.
 */
TKT_X_INLINE bool tkt_m_owner_runs(tkt_mutex_t *m, struct tkt_x_m_watch *w,
				   uint64_t now)
{
	const uint32_t turn = TKT_LOAD(&m->turn, TKT_RELAXED);

	if (w->holds && turn == w->turn)
		return now < w->until;
	w->turn = turn;
	w->until = now + TKT_MUTEX_SPIN_NS;
	return w->holds++ < TKT_MUTEX_HOLDS;
}

/* Head of the queue: polls until the clock reaches `until` at most. */
TKT_X_SLOW enum tkt_x_m_end tkt_m_poll(tkt_mutex_t *m, uint64_t until)
{
	struct tkt_x_m_watch watch = { 0, 0, 0 };
	uint64_t now;

	do {
		for (int i = 0; i < TKT_SPIN_POLLS; i++) {
			if (tkt_m_take(m, false, 0)) {
				TKT_X_M_EVENT(m, spin_took);
				return TKT_X_M_TOOK;
			}
			TKT_RELAX();
		}
		now = TKT_CLOCK_NS();
		if (now >= until) {
			TKT_X_M_EVENT(m, spin_late);
			return TKT_X_M_LATE;
		}
	} while (!(TKT_LOAD(&m->state, TKT_RELAXED) & TKT_X_M_RESERVED) &&
		 tkt_m_owner_runs(m, &watch, now));
	TKT_X_M_EVENT(m, spin_stalled);
	return TKT_X_M_STALLED;
}

/*
 * Waits in the queue for the predecessor's word, and returns it: TKT_X_HEAD or
 * TKT_X_M_QUIT.  Yields, for that thread may need this CPU.
 */
TKT_X_SLOW uint32_t tkt_m_queue(struct tkt_node *self)
{
	for (;;) {
		struct tkt_x_spin spin = { 0, 0 };
		uint32_t word;

		do {
			/*
			 * MX5: pairs with MX6: the predecessor's store to our
			 * node comes before whatever the stack holds there
			 * next.
			 */
			word = TKT_LOAD(&self->state, TKT_ACQUIRE);
			if (word != TKT_X_WAITING)
				return word;
			TKT_RELAX();
		} while (tkt_x_spin_more(&spin));
		TKT_YIELD(&self->state, word);
	}
}

/*
 * The successor has swapped itself into tail, but not linked itself: a handful
 * of instructions away, unless it lost its CPU there.
 */
TKT_X_SLOW struct tkt_node *tkt_m_link(struct tkt_node *self)
{
	for (;;) {
		struct tkt_x_spin spin = { 0, 0 };
		struct tkt_node *next;

		do {
			/* MX7: as MX8 */
			next = TKT_LOAD(&self->next, TKT_ACQUIRE);
			if (next)
				return next;
			TKT_RELAX();
		} while (tkt_x_spin_more(&spin));
		TKT_YIELD(&self->next, next);
	}
}

/* Leaves the queue and tells the next, if there is one, `word`. */
TKT_X_SLOW void tkt_m_leave(tkt_mutex_t *m, struct tkt_node *self,
			    uint32_t word)
{
	uintptr_t expected = (uintptr_t)self;
	struct tkt_node *next;

	/*
	 * MX8: pairs with MX9: the successor says that it waits before it is
	 * told not to.
	 */
	next = TKT_LOAD(&self->next, TKT_ACQUIRE);
	if (!next && !TKT_CAS(&m->tail, &expected, (uintptr_t)0, TKT_RELAXED,
			      TKT_RELAXED))
		next = tkt_m_link(self);
	if (next) {
		/*
		 * MX6: pairs with MX5.  The node may be gone once its thread
		 * knows.
		 */
		TKT_STORE(&next->state, word, TKT_RELEASE);
	}
	TKT_FETCH_ADD(&m->spinners, UINT32_MAX, TKT_RELAXED);
}

/*
 * Joins the queue; false: it is full, or (`alone`) somebody is in it.  Sets
 * *head to whether the caller is its head.
 */
TKT_X_INLINE bool tkt_m_join(tkt_mutex_t *m, struct tkt_node *self, bool alone,
			     bool *head)
{
	uintptr_t prev = 0;

	if (TKT_LOAD(&m->spinners, TKT_RELAXED) >= TKT_MUTEX_SPINNERS ||
	    (alone && TKT_LOAD(&m->tail, TKT_RELAXED)))
		return false;
	if (TKT_FETCH_ADD(&m->spinners, UINT32_C(1), TKT_RELAXED) >=
	    TKT_MUTEX_SPINNERS)
		goto refused;
	TKT_STORE(&self->next, (struct tkt_node *)NULL, TKT_RELAXED);
	TKT_STORE(&self->state, TKT_X_WAITING, TKT_RELAXED);
	tkt_m_node_birth(self);
	if (alone) {
		/*
		 * MX10: pairs with MX11: our link is empty before a successor
		 * fills it.
		 */
		if (!TKT_CAS(&m->tail, &prev, (uintptr_t)self, TKT_RELEASE,
			     TKT_RELAXED))
			goto dead;
	} else {
		/*
		 * MX11: pairs with MX10 and MX11.  Releases what MX10 does,
		 * acquires the same of the predecessor.
		 */
		prev = TKT_XCHG(&m->tail, (uintptr_t)self, TKT_ACQ_REL);
	}
	if (prev) {
		/* MX9: pairs with MX7 and MX8 */
		TKT_STORE(&((struct tkt_node *)prev)->next, self, TKT_RELEASE);
	}
	*head = !prev;
	return true;

dead:
	tkt_m_node_death(self);
refused:
	TKT_FETCH_ADD(&m->spinners, UINT32_MAX, TKT_RELAXED);
	return false;
}

/*
 * Spins for the mutex, until `until` at most; `alone`: only if nobody else
 * does.  The ranks behind the head leave when the head does so because it is
 * of no use to go on, and not one by one, each after a watch of its own.
 */
TKT_X_SLOW bool tkt_m_spin(tkt_mutex_t *m, uint64_t until, bool alone)
{
	enum tkt_x_m_end end = TKT_X_M_STALLED;
	struct tkt_node self;
	bool head;

	if (!tkt_m_join(m, &self, alone, &head)) {
		TKT_X_M_EVENT(m, queue_full);
		return false;
	}
	TKT_X_M_EVENT(m, queued);
	if (head || tkt_m_queue(&self) == TKT_X_HEAD)
		end = tkt_m_poll(m, until);
	tkt_m_leave(m, &self,
		    end == TKT_X_M_STALLED ? TKT_X_M_QUIT : TKT_X_HEAD);
	tkt_m_node_death(&self);
	return end == TKT_X_M_TOOK;
}

/*
 * The caller, out of time, ends its reservation.  If the mutex is free, the
 * last unlock may have found nobody else to wake, and a newcomer have gone to
 * sleep since, because it was reserved: somebody has to wake that one.  (A
 * wake-up that the caller was given and did not use is not lost: it raised the
 * mark again before it went back to sleep.)
 */
TKT_X_SLOW void tkt_m_give_up(tkt_mutex_t *m)
{
	if (!(TKT_FETCH_AND(&m->state, ~TKT_X_M_RESERVED, TKT_RELAXED) &
	      TKT_X_M_HELD))
		TKT_FUTEX_WAKE(&m->state, 1);
}

/*
 * Sleeps until it has the mutex, or the clock reaches `deadline`.
 *
 * A turn of the loop: try; raise the mark; sleep on the value that the state
 * would have with the mutex held and the mark up.  If it has another, such as
 * when the mutex came free in between, the sleep ends at once.  Only a
 * newcomer that may not take a reserved mutex sleeps on one that is free: some
 * sleeper has been woken for it and will wake others in turn.
 */
TKT_X_SLOW bool tkt_m_sleep(tkt_mutex_t *m, uint64_t deadline)
{
	uint32_t woken = 0, mine = 0, raise, seen;
	bool parked = false;

	for (;;) {
		int err;

		if (tkt_m_take(m, woken, mine))
			return true;
		raise = TKT_X_M_WAITERS;
		if (woken > TKT_MUTEX_PATIENCE)
			raise |= TKT_X_M_RESERVED;
		seen = TKT_FETCH_OR(&m->state, raise, TKT_RELAXED);
		if (raise & ~seen & TKT_X_M_RESERVED) {
			TKT_X_M_EVENT(m, reserved);
			mine = TKT_X_M_RESERVED;
		}
		seen |= raise;
		if (woken || !(seen & TKT_X_M_RESERVED))
			seen |= TKT_X_M_HELD;
		TKT_X_M_EVENT(m, slept);
		if (!parked)
			TKT_X_M_EVENT(m, parked);
		parked = true;
		err = TKT_FUTEX_WAIT(&m->state, seen, deadline);
#if TKT_MUTEX_RESCHED
		tkt_x_resched_done();
#endif
		if (!err) {
			TKT_X_M_EVENT(m, woken);
			woken++;
		} else if (err == ETIMEDOUT) {
			if (mine)
				tkt_m_give_up(m);
			return false;
		}
	}
}

/* Waits: in the spinner queue if that promises anything, then asleep. */
TKT_X_SLOW bool tkt_m_lock(tkt_mutex_t *m, uint64_t deadline)
{
	/* A place in the middle of the queue cannot be given up in time. */
	const bool alone = deadline != TKT_NO_DEADLINE;

	if (TKT_MUTEX_SPIN_NS && tkt_m_spin(m, deadline, alone))
		return true;
	return tkt_m_sleep(m, deadline);
}

/*
 * Unlock found more than (h,0,0): (h,w,r) -> (-,0,r), and wakes one sleeper,
 * by address: the mutex may be gone.
 */
TKT_X_SLOW void tkt_m_wake(tkt_mutex_t *m)
{
	uint32_t old;

	/* MX4: as MX3 */
	old = TKT_FETCH_AND(&m->state, TKT_X_M_RESERVED, TKT_RELEASE);
	if (old & TKT_X_M_WAITERS)
		TKT_FUTEX_WAKE(&m->state, 1);
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_MUTEX_SLOW_H */
