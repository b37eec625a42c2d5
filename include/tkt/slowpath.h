/* SPDX-License-Identifier: MIT */
/*
 * tkt/slowpath.h - waiting in the window and in the room
 *
 * lock.h has the protocol and its notation.  Each step is a function of its
 * own, out of line, so that a profile shows which one the time goes to:
 *
 *  tkt_w_arrive    in the window on arrival: is it full now?
 *  tkt_w_spin      in the window, waiting for one's ticket
 *  tkt_spin_pass   the door, for whoever looks first: window or room?
 *  tkt_q_lock      the way through the room, made of
 *  tkt_q_enter       joining the queue
 *  tkt_q_do_spin     in the queue, waiting on one's own node
 *  tkt_q_head        first in the queue, waiting for a place in the window
 *  tkt_q_settle      leaving: who comes next, or is the room empty?
 *  tkt_q_hand_over   making the next one head
 *
 * Included by lock.h; not meant to be included alone.
 */
#ifndef TKT_SLOWPATH_H
#define TKT_SLOWPATH_H

#include "annotate.h"
#include "atomic.h"
#include "hooks.h"
#include "lock_types.h"
#include "wait.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tickets out, as a multiple of TKT_X_STEP; see "Torn peeks" in lock.h. */
TKT_X_INLINE int32_t tkt_x_out(uint32_t next, uint32_t owner)
{
	return (int32_t)((next & TKT_X_TICKETS) - owner);
}

/*
 * Tickets out at the moment when owner is read, or more: 0 only if the lock
 * was free then.
 */
TKT_X_INLINE int32_t tkt_x_out_now(const tkt_lock_t *l)
{
	/*
	 * A3: pairs with R1.  Without it next could be read first, and owner
	 * reach that value before it is read in turn.
	 */
	const uint32_t owner = TKT_LOAD(&l->owner, TKT_ACQUIRE);

	return tkt_x_out(TKT_LOAD(&l->next, TKT_RELAXED), owner);
}

/* Half the ticket space, the most that a signed difference can tell apart. */
#define TKT_X_HALF (UINT32_C(1) << (TKT_TICKET_BITS - 1))

/* `tickets` as tkt_x_out() counts; what it cannot tell apart is no limit. */
TKT_X_INLINE int32_t tkt_x_limit(uint32_t tickets)
{
	if (tickets >= TKT_X_HALF)
		return INT32_MAX;
	return (int32_t)(tickets * TKT_X_STEP);
}

TKT_X_INLINE struct tkt_policy_info tkt_x_policy(uint32_t next)
{
	return tkt_policy_describe((next & TKT_X_POLICY) >> TKT_X_POLICY_SHIFT);
}

/* Whether this value of tail says that somebody is in the room. */
TKT_X_INLINE bool tkt_x_room(uintptr_t tail)
{
	return tail & ~TKT_X_FULL;
}

/*
 * Takes a ticket: (o, n, q) -> (o, n+1, q).  Returns the old `next`, policy
 * included.
 */
TKT_X_INLINE uint32_t tkt_x_take(tkt_lock_t *l)
{
	/*
	 * T1: acquire and release, pairs with T1 and A2 of the tickets before.
	 * A thread that takes a ticket thereby knows of every unlock that an
	 * earlier taker knew of, so that the load of owner that follows cannot
	 * return a value which is a whole turn of the tickets old and equals
	 * this ticket by accident.
	 */
	return TKT_FETCH_ADD(&l->next, TKT_X_STEP, TKT_ACQ_REL);
}

/*
 * Takes a ticket only if it is served at once: (o, o, 0) -> (o, o+1, 0).
 * Looks first, so that a failed try writes nothing.
 */
TKT_X_INLINE bool tkt_x_try(tkt_lock_t *l)
{
	const uintptr_t tail = TKT_LOAD(&l->tail, TKT_RELAXED);
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);
	const uint32_t owner = TKT_LOAD(&l->owner, TKT_RELAXED);

	if (tkt_x_room(tail) || ((next ^ owner) & TKT_X_TICKETS))
		return false;
	/*
	 * A2: pairs with R1, and as T1 does with T1.  Both words are compared:
	 * next alone may be back at this value after a whole turn of tickets,
	 * with another holder.
	 */
	return TKT_CAS_PAIR(&l->owner, owner, next, owner, next + TKT_X_STEP,
			    TKT_ACQ_REL);
}

/*
 * Waits for the ticket in `next`, as tkt_x_take() returned it.
 * (t, n, q) holds when it returns.
 */
TKT_X_SLOW void tkt_w_spin(tkt_lock_t *l, uint32_t next)
{
	TKT_X_EVENT(l, window_spins);
	/* Acquires by W1 or W2, which pair with R1. */
	tkt_x_wait(&l->owner, next & TKT_X_TICKETS, true,
		   tkt_x_policy(next).wait);
}

/*
 * The same for an arrival that took its ticket without looking, and has seen
 * `owner` being served since: if the window is full now, it says so, and those
 * who come later look.
 */
TKT_X_SLOW void tkt_w_arrive(tkt_lock_t *l, uint32_t next, uint32_t owner)
{
	const int32_t limit = tkt_x_limit(tkt_x_policy(next).threshold);
	uintptr_t expected = 0;

	/* Fails once more threads than half the tickets use the lock. */
	TKT_X_ASSERT(l, tkt_x_out(next + TKT_X_STEP, owner) > 0);
	if (tkt_x_out(next + TKT_X_STEP, owner) >= limit &&
	    !TKT_LOAD(&l->tail, TKT_RELAXED))
		(void)TKT_CAS(&l->tail, &expected, TKT_X_FULL, TKT_RELAXED,
			      TKT_RELAXED);
	tkt_w_spin(l, next);
}

/*
 * Joins the queue: (o, n, q) -> (o, n, q+1).  Returns whether the room was
 * empty, that is, whether the caller is its head.  From E1 on only an attempt
 * that looked at tail before can overtake the caller.
 */
TKT_X_INLINE bool tkt_q_enter(tkt_lock_t *l, struct tkt_node *self)
{
	uintptr_t prev;

	TKT_STORE(&self->next, (struct tkt_node *)NULL, TKT_RELAXED);
	TKT_STORE(&self->state, TKT_X_WAITING, TKT_RELAXED);
	/*
	 * E1: pairs with E1.  Releases the first store above to the successor,
	 * whose L1 it would otherwise undo; acquires the predecessor's.
	 */
	prev = TKT_XCHG(&l->tail, (uintptr_t)self, TKT_ACQ_REL);
	if (tkt_x_room(prev)) {
		/*
		 * L1: pairs with S1, W3 and W4.  Without release the
		 * predecessor could make us head before our own store of
		 * TKT_X_WAITING, which would then hide it for ever.
		 */
		TKT_STORE(&((struct tkt_node *)prev)->next, self, TKT_RELEASE);
	}
	TKT_X_EVENT(l, queued);
	return !tkt_x_room(prev);
}

/* Waits, on a line of its own, to become head. */
TKT_X_SLOW void tkt_q_do_spin(struct tkt_node *self, uint32_t wait)
{
	/*
	 * Acquires by W1 or W2, which pair with H1: the predecessor's store to
	 * our node comes before whatever the stack holds there next.
	 */
	tkt_x_wait(&self->state, TKT_X_WAITING, false, wait);
}

/*
 * As head of the room, waits until fewer than two tickets are out (fewer than
 * one where the threshold is 1) and takes the next.  Only owner is waited on:
 * while somebody is in the room, hardly anybody else takes tickets.
 */
TKT_X_SLOW uint32_t tkt_q_head(tkt_lock_t *l, struct tkt_policy_info policy)
{
	const int32_t limit =
		tkt_x_limit(policy.threshold < 2 ? policy.threshold : 2);

	for (;;) {
		const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);
		const uint32_t owner = TKT_LOAD(&l->owner, TKT_RELAXED);

		if (tkt_x_out(next, owner) < limit)
			return tkt_x_take(l);
		tkt_x_wait(&l->owner, owner, false, policy.wait);
	}
}

/*
 * The head, ticket in hand but not served yet, finds out who succeeds it:
 * returns the successor, or NULL when it has left an empty room:
 * (o, n, 1) -> (o, n, 0).  Done here, where only this thread waits, and not
 * once it holds the lock, where everybody would: an arrival that is in the
 * queue but has not linked itself yet may have lost its CPU.
 */
TKT_X_SLOW struct tkt_node *tkt_q_settle(tkt_lock_t *l, struct tkt_node *self,
					 uint32_t wait)
{
	uintptr_t expected = (uintptr_t)self;
	struct tkt_node *next;

	/* S1: pairs with L1 */
	next = TKT_LOAD(&self->next, TKT_ACQUIRE);
	if (next)
		return next;
	if (TKT_LOAD(&l->tail, TKT_RELAXED) == (uintptr_t)self &&
	    TKT_CAS(&l->tail, &expected, TKT_X_FULL, TKT_RELAXED, TKT_RELAXED))
		return NULL;
	return tkt_x_wait_link(self, wait);
}

/* Makes `next` head.  Its node may be gone as soon as it knows. */
TKT_X_INLINE void tkt_q_hand_over(tkt_lock_t *l, struct tkt_node *next)
{
	TKT_X_EVENT(l, handed_over);
	TKT_X_ASSERT_DEEP(l,
			  TKT_LOAD(&next->state, TKT_RELAXED) == TKT_X_WAITING);
	/*
	 * H1: pairs with W1 and W2 in tkt_q_do_spin.  Without release, nothing
	 * would say that this store comes before the end of the node.
	 */
	TKT_STORE(&next->state, TKT_X_HEAD, TKT_RELEASE);
}

/*
 * Gets the lock by way of the room.  Headship is passed on only once the lock
 * is held, so one waiter at most polls the lock word from the room; and it is
 * passed before the critical section, so the node is dead by then.
 */
TKT_X_SLOW void tkt_q_lock(tkt_lock_t *l, struct tkt_policy_info policy)
{
	struct tkt_node self, *next;
	uint32_t ticket;

	TKT_X_NODE_BIRTH(&self);
	if (!tkt_q_enter(l, &self))
		tkt_q_do_spin(&self, policy.wait);
	tkt_x_headed(l);
	ticket = tkt_q_head(l, policy);
	next = tkt_q_settle(l, &self, policy.wait);
	tkt_w_spin(l, ticket);
	if (next)
		tkt_q_hand_over(l, next);
	TKT_X_EVENT(l, left);
	TKT_X_NODE_DEATH(&self);
}

/*
 * tkt_lock() found `tail` not 0: takes a place in the window if nobody is in
 * the room and the window has one, or else goes to the room.
 */
TKT_X_SLOW void tkt_spin_pass(tkt_lock_t *l, uintptr_t tail)
{
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);
	const uint32_t owner = TKT_LOAD(&l->owner, TKT_RELAXED);
	const struct tkt_policy_info policy = tkt_x_policy(next);
	const int32_t out = tkt_x_out(next, owner);

	if (tkt_x_room(tail) || out >= tkt_x_limit(policy.threshold)) {
		tkt_q_lock(l, policy);
		return;
	}
	/* Calm again: (o,o,0).  A threshold of 1 is worth the look always. */
	if (!out && policy.threshold > 1 &&
	    !(next / TKT_X_STEP % TKT_CALM_TICKETS))
		(void)TKT_CAS(&l->tail, &tail, (uintptr_t)0, TKT_RELAXED,
			      TKT_RELAXED);
	tkt_w_spin(l, tkt_x_take(l));
}

/*
 * Tries until the lock is taken or the clock reaches `until` (TKT_CLOCK_NS),
 * giving the CPU away now and then unless `wait` is TKT_WAIT_SPIN.  Never
 * queues, so it can give up at any time.
 */
TKT_X_SLOW bool tkt_try_until(tkt_lock_t *l, uint64_t until, uint32_t wait)
{
	uint64_t now = TKT_CLOCK_NS(), yield_at = now + TKT_SPIN_NS;

	while (now < until) {
		for (int i = 0; i < TKT_SPIN_POLLS; i++) {
			TKT_RELAX();
			if (tkt_x_try(l))
				return true;
		}
		now = TKT_CLOCK_NS();
		if (wait == TKT_WAIT_SPIN || now < yield_at)
			continue;
		TKT_YIELD(&l->owner, TKT_LOAD(&l->owner, TKT_RELAXED));
		yield_at = now + TKT_SPIN_NS;
	}
	return false;
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_SLOWPATH_H */
