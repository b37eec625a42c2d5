/* SPDX-License-Identifier: MIT */
/*
 * tkt/bitwait.h - waiting for a bit, and bits as sleeping locks
 *
 * The smallest lock there is, for when there are very many of them and hardly
 * any is ever waited for: one bit of a word that holds other things, such as
 * the state of a disk buffer.  A bit has no room for a queue; threads that wait
 * for one sleep on a wait queue that they find in a table by hashing the
 * word's address and the bit.  Queues are shared by the bits that meet there:
 * entries say what they wait for, and their wake function ignores the rest.
 *
 * This is the scheme of the Linux kernel's wait_on_bit().  The table is the
 * caller's; there may be several.  All who use a bit must use the same one.
 *
 * An unlock clears the bit and then, without a lock, looks whether anybody is
 * on the queue.  The full fence between the two is what makes that safe
 * (tkt_wake_up_bit).  The lock is not fair: an arrival may take a bit that was
 * freed for a thread which has yet to wake up; that one then waits again, at
 * the end.
 *
 * When not to use it: where there is room for a lock; where all threads meet
 * at a few bits; where a bit's neighbours in the word are written without
 * atomic operations.  A wake-up of one bit walks past the entries of all
 * others on the same queue, so the table should have about as many queues as
 * there are threads that sleep.
 *
 * State of a lock bit: 0 free, 1 held.  Words are uint32_t; bits 0 to 31.
 */
#ifndef TKT_BITWAIT_H
#define TKT_BITWAIT_H

#include "annotate.h"
#include "atomic.h"
#include "waitlist.h"
#include "waitqueue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The queues, 2^bits of them, in memory of the caller's. */
struct tkt_bit_table {
	struct tkt_waitqueue *queue;
	unsigned int bits;
};

/* What an entry waits for, and what a wake-up is for (its key). */
struct tkt_bit {
	const uint32_t *word;
	uint32_t mask; /* one bit */
};

struct tkt_bit_waiter {
	struct tkt_waiter waiter; /* first, for tkt_wake_bit */
	struct tkt_bit bit;
};

/*
 * Makes a table of the 2^bits queues at `queue`, bits 0 to 16.  The caller sees
 * to it that nobody uses the table before this is known to them.
 */
static inline void tkt_bit_table_init(struct tkt_bit_table *t,
				      struct tkt_waitqueue *queue,
				      unsigned int bits)
{
	t->queue = queue;
	t->bits = bits;
	for (unsigned int i = 0; i < 1u << bits; i++)
		tkt_waitqueue_init(&queue[i]);
}

static inline struct tkt_bit tkt_x_bit(const uint32_t *word, unsigned int bit)
{
	const struct tkt_bit b = { word, UINT32_C(1) << bit };

	return b;
}

/*
 * Which of 2^bits queues is the bit's, bits 0 to 16.  For tables of another
 * kind, such as of queues with another lock.
 */
static inline size_t tkt_bit_hash(const uint32_t *word, unsigned int bit,
				  unsigned int bits)
{
	const uint64_t place = (uint64_t)(uintptr_t)word * 8 + bit;

	/* Multiplicative (Knuth): the upper bits of the product are mixed. */
	return (size_t)(place * UINT64_C(0x9e3779b97f4a7c15) >> 32 >>
			(32 - bits));
}

static inline struct tkt_waitqueue *
tkt_x_bit_queue(const struct tkt_bit_table *t, const uint32_t *word,
		unsigned int bit)
{
	return &t->queue[tkt_bit_hash(word, bit, t->bits)];
}

/*
 * The wake function of a tkt_bit_waiter; key is a struct tkt_bit.  Not for
 * another bit; nor if the bit is set again, since whoever has it wakes us when
 * it is done.
 */
static inline bool tkt_wake_bit(struct tkt_waiter *w, const void *key)
{
	const struct tkt_bit *mine = &((struct tkt_bit_waiter *)w)->bit;
	const struct tkt_bit *its = (const struct tkt_bit *)key;

	if (mine->word != its->word || mine->mask != its->mask ||
	    (TKT_LOAD(its->word, TKT_RELAXED) & its->mask))
		return false;
	return tkt_waiter_claim(w);
}

/* An entry that waits for that bit. */
static inline struct tkt_bit_waiter tkt_bit_waiter_init(const uint32_t *word,
							unsigned int bit)
{
	const struct tkt_bit_waiter w = { TKT_WAITER_INIT(tkt_wake_bit),
					  tkt_x_bit(word, bit) };

	return w;
}

/*
 * Sets the bit if it is clear; returns whether it did.  Never waits.  Acquires
 * if it returns true.
 */
static inline bool tkt_trylock_bit(uint32_t *word, unsigned int bit)
{
	const uint32_t mask = UINT32_C(1) << bit;

	if (TKT_LOAD(word, TKT_RELAXED) & mask)
		return false;
	/* BW1: pairs with BW2 */
	return !(TKT_FETCH_OR(word, mask, TKT_ACQUIRE) & mask);
}

/*
 * Clears the bit, and nothing else: to be followed by tkt_wake_up_bit().
 * Releases.
 */
static inline void tkt_clear_bit_unlock(uint32_t *word, unsigned int bit)
{
	/* BW2: pairs with BW1 and BW3; orders the section before the clear */
	(void)TKT_FETCH_AND(word, ~(UINT32_C(1) << bit), TKT_RELEASE);
}

/*
 * After the bit was cleared: wakes all who wait for it to be clear, and one of
 * those who want to set it.  Takes no lock if the queue is empty.  Reads the
 * word only if somebody waits for this very bit: so the next owner of the bit
 * may free it, if it knows that nobody else will come.
 */
static inline void tkt_wake_up_bit(const struct tkt_bit_table *t,
				   const uint32_t *word, unsigned int bit)
{
	struct tkt_waitqueue *q = tkt_x_bit_queue(t, word, bit);
	const struct tkt_bit key = tkt_x_bit(word, bit);

	/* A full fence after the clear; see WQ4. */
	if (tkt_waitqueue_active_ordered(q))
		(void)tkt_wake_up_key(q, 1, &key);
}

/* Both. */
static inline void tkt_unlock_bit(const struct tkt_bit_table *t, uint32_t *word,
				  unsigned int bit)
{
	tkt_clear_bit_unlock(word, bit);
	tkt_wake_up_bit(t, word, bit);
}

/* Whether the bit is clear, or, to lock it, was and is no more. */
static inline bool tkt_x_bit_got(uint32_t *word, unsigned int bit, bool lock)
{
	if (lock)
		return tkt_trylock_bit(word, bit);
	/* BW3: pairs with BW2 */
	return !(TKT_LOAD(word, TKT_ACQUIRE) & UINT32_C(1) << bit);
}

/* The wait of both; returns 0 or ETIMEDOUT. */
TKT_X_SLOW int tkt_bit_wait(const struct tkt_bit_table *t, uint32_t *word,
			    unsigned int bit, bool lock, uint64_t deadline)
{
	struct tkt_bit_waiter w = tkt_bit_waiter_init(word, bit);
	struct tkt_waitqueue *q = tkt_x_bit_queue(t, word, bit);
	bool got = false;
	int err = 0;

	while (!got && !err) {
		tkt_x_wq_prepare(q, &w.waiter, lock);
		got = tkt_x_bit_got(word, bit, lock);
		if (got)
			break;
		err = tkt_x_wq_sleep(&w.waiter, deadline, false);
		got = tkt_x_bit_got(word, bit, lock);
		if (got)
			tkt_waiter_use(&w.waiter);
	}
	/* One that got the bit will wake the next when it clears it. */
	if (tkt_finish_wait(q, &w.waiter) && lock && !got)
		tkt_wake_up_bit(t, word, bit);
	return got ? 0 : err;
}

/*
 * Waits until the bit is clear, or the time is `deadline` (nanoseconds of
 * CLOCK_MONOTONIC, or TKT_NO_DEADLINE).  Returns 0 or ETIMEDOUT.  Acquires
 * what was done before the bit was cleared, if 0.
 */
static inline int tkt_wait_on_bit(const struct tkt_bit_table *t, uint32_t *word,
				  unsigned int bit, uint64_t deadline)
{
	if (tkt_x_bit_got(word, bit, false))
		return 0;
	return tkt_bit_wait(t, word, bit, false, deadline);
}

/*
 * Waits until the bit is clear and sets it, or gives up at the time
 * `deadline`.  Returns 0 or ETIMEDOUT.  Acquires if 0.
 */
static inline int tkt_wait_on_bit_lock(const struct tkt_bit_table *t,
				       uint32_t *word, unsigned int bit,
				       uint64_t deadline)
{
	if (tkt_trylock_bit(word, bit))
		return 0;
	return tkt_bit_wait(t, word, bit, true, deadline);
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_BITWAIT_H */
