/* SPDX-License-Identifier: MIT */
/*
 * test/model/client_waitqueue.c - <tkt/waitqueue.h> and <tkt/bitwait.h>
 */
#include "client.h"

#include <tkt/bitwait.h>
#include <tkt/waitqueue.h>

static struct tkt_waitqueue queue;
static uint32_t tokens, flag, bits;
static struct tkt_bit_table table;

static void setup(void)
{
	tkt_waitqueue_init(&queue);
	tkt_bit_table_init(&table, &queue, 0);
	tokens = flag = bits = model_word = 0;
}

static bool take_token(void)
{
	uint32_t n = TKT_LOAD(&tokens, TKT_RELAXED);

	/* Not one try: one that fails says nothing about what is left. */
	while (n)
		if (TKT_CAS(&tokens, &n, n - 1, TKT_ACQUIRE, TKT_RELAXED))
			return true;
	return false;
}

static void give_token(void)
{
	TKT_FETCH_ADD(&tokens, 1, TKT_RELEASE);
	(void)tkt_wake_up(&queue, 1);
}

static void nobody_left(void)
{
	model_assert(!queue.list.first);
	model_assert(!tkt_x_out(queue.lock.next, queue.lock.owner));
}

/* Not exclusive: one wake-up for all who wait for the flag. */
static void event(int self)
{
	if (!self) {
		TKT_WRITE(&model_word, 1);
		TKT_STORE(&flag, 1, TKT_RELEASE);
		(void)tkt_wake_up(&queue, 1);
		return;
	}
	TKT_WAIT_EVENT(&queue, TKT_LOAD(&flag, TKT_ACQUIRE));
	model_assert(TKT_READ(&model_word) == 1);
}

/* A waker that looks first whether anybody waits. */
static void active(int self)
{
	if (self) {
		TKT_WAIT_EVENT(&queue, TKT_LOAD(&flag, TKT_RELAXED));
		return;
	}
	TKT_STORE(&flag, 1, TKT_RELAXED);
	if (tkt_waitqueue_active_ordered(&queue))
		(void)tkt_wake_up(&queue, 1);
}

/* By hand, without a condition of its own: the wake-up itself acquires. */
static void by_hand(int self)
{
	struct tkt_waiter w = TKT_WAITER_INIT(tkt_wake_default);

	if (!self) {
		TKT_AWAIT(&flag, f, f, TKT_RELAXED);
		TKT_WRITE(&model_word, 1);
		model_assert(tkt_wake_up(&queue, 1) == 1);
		return;
	}
	tkt_prepare_to_wait_exclusive(&queue, &w);
	TKT_STORE(&flag, 1, TKT_RELAXED);
	while (tkt_wait_sleep(&w, TKT_NO_DEADLINE))
		;
	model_assert(TKT_READ(&model_word) == 1);
	model_assert(tkt_finish_wait(&queue, &w));
}

/*
 * The same, but the entry is used, or finished, without another sleep, and put
 * on the queue again at once.
 */
static void again(int self)
{
	struct tkt_waiter w = TKT_WAITER_INIT(tkt_wake_default);

	if (!self) {
		TKT_AWAIT(&flag, f, f, TKT_RELAXED);
		TKT_WRITE(&model_word, 1);
		(void)tkt_wake_up(&queue, TKT_WAKE_ALL);
		return;
	}
	tkt_prepare_to_wait_exclusive(&queue, &w);
	TKT_STORE(&flag, 1, TKT_RELAXED);
	if (model_client()->variant == 1)
		tkt_waiter_use(&w);
	tkt_prepare_to_wait_exclusive(&queue, &w);
	if (tkt_finish_wait(&queue, &w))
		model_assert(TKT_READ(&model_word) == 1);
}

/* Two takers, two tokens, each given with a wake-up for one. */
static void takers(int self)
{
	if (self < 2)
		TKT_WAIT_EVENT_EXCLUSIVE(&queue, take_token());
	else
		for (int i = 0; i < 2; i++)
			give_token();
}

/*
 * Thread 0 may be out of time, or be interrupted, as it is woken, and then has
 * to pass the wake-up on; if it gets the token it gives it back.
 */
static void swallow(int self)
{
	if (self == 2) {
		give_token();
		return;
	}
	if (self) {
		TKT_WAIT_EVENT_EXCLUSIVE(&queue, take_token());
		return;
	}
	if (!TKT_WAIT_EVENT_FULL(&queue, take_token(), true, 1, true))
		give_token();
}

/* A wake function of one's own: only the waker with the right key. */
static bool by_key(struct tkt_waiter *w, const void *key)
{
	return key == &tokens && tkt_waiter_claim(w);
}

static void keys(int self)
{
	struct tkt_waiter w = TKT_WAITER_INIT(by_key);

	if (self) {
		const void *key = self == 1 ? &tokens : &flag;

		if (self == 1)
			TKT_STORE(&tokens, 1, TKT_RELAXED);
		(void)tkt_wake_up_key(&queue, 1, key);
		return;
	}
	for (;;) {
		tkt_prepare_to_wait_exclusive(&queue, &w);
		if (TKT_LOAD(&tokens, TKT_RELAXED))
			break;
		(void)tkt_wait_sleep(&w, TKT_NO_DEADLINE);
	}
	(void)tkt_abort_wait(&queue, &w, &tokens);
}

/* A bit as a lock; thread 2 only waits for it, or is out of time. */
static void bit(int self)
{
	if (self == 2) {
		if (!tkt_wait_on_bit(&table, &bits, 3, 1))
			return;
	} else {
		while (tkt_wait_on_bit_lock(&table, &bits, 3, TKT_NO_DEADLINE))
			;
		model_section();
		tkt_unlock_bit(&table, &bits, 3);
	}
}

/* What was done before the bit was cleared is seen by who waits for that. */
static void bit_cleared(int self)
{
	if (self) {
		(void)tkt_wait_on_bit(&table, &bits, 3, TKT_NO_DEADLINE);
		model_assert(TKT_READ(&model_word) == 1);
		return;
	}
	model_section();
	tkt_unlock_bit(&table, &bits, 3);
}

static void setup_bit(void)
{
	setup();
	bits = 1u << 3;
}

static void bits_done(void)
{
	nobody_left();
	model_assert(!bits);
}

#define WAITS(label, n, f, ...)                                           \
	{                                                                 \
		.name = label, .threads = n, .setup = setup, .thread = f, \
		.finish = nobody_left, __VA_ARGS__                        \
	}

static const struct model_client clients[] = {
	WAITS("event_2", 2, event, .spurious = 1, .eintr = 1),
	WAITS("active", 2, active, .spurious = 1),
	WAITS("by_hand", 2, by_hand, .spurious = 1, .eintr = 1),
	WAITS("again_finish", 2, again, .spurious = 0),
	WAITS("again_use", 2, again, .variant = 1),
	WAITS("keys", 3, keys, .spurious = 1),
	{ .name = "bit_cleared",
	  .threads = 2,
	  .setup = setup_bit,
	  .thread = bit_cleared,
	  .finish = bits_done },
	{ .name = "bit_2",
	  .threads = 2,
	  .setup = setup,
	  .thread = bit,
	  .finish = bits_done,
	  .spurious = 1 },
	WAITS("event_3", 3, event, .spurious = 0),
	WAITS("swallow", 3, swallow, .timeouts = 1, .eintr = 1,
	      .preemptions = 1),
	WAITS("takers", 3, takers, .preemptions = 1),
	{ .name = "bit_3",
	  .threads = 3,
	  .setup = setup,
	  .thread = bit,
	  .finish = bits_done,
	  .timeouts = 1,
	  .preemptions = 2 },
};

CLIENTS_MAIN(clients)
