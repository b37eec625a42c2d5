/* SPDX-License-Identifier: MIT */
/*
 * test/model/client_calls.c - <tkt/lock.h>: the other calls, against the lock
 *
 * Tries of all kinds, unlock by another thread, destruction after the last
 * unlock, and looks at the lock.
 */
#include "client.h"

#include <tkt/lock.h>

static tkt_lock_t lock;
static uint32_t flag, got;

static void setup(void)
{
	tkt_lock_init_policy(&lock, (enum tkt_policy)model_client()->policy);
	model_word = flag = got = 0;
}

static void section_and_unlock(void)
{
	model_section();
	TKT_FETCH_ADD(&got, 1, TKT_RELAXED);
	tkt_unlock(&lock);
}

static void lock_once(void)
{
	tkt_lock(&lock);
	section_and_unlock();
}

static void try_once(void)
{
	if (tkt_trylock(&lock))
		section_and_unlock();
}

static void finish(void)
{
	model_assert(model_word == got);
	model_assert(!tkt_x_out(lock.next, lock.owner));
	model_assert(!tkt_x_room(lock.tail));
}

/* Threads 0 and 1 lock, the others try. */
static void tries(int self)
{
	if (self < model_client()->variant)
		lock_once();
	else
		try_once();
}

static void try_twice(int self)
{
	try_once();
	if (self)
		lock_once();
	else
		try_once();
}

static void tryspin(int self)
{
	if (self < 2)
		lock_once();
	else if (tkt_tryspin(&lock, 2))
		section_and_unlock();
}

/* The time is up after so many looks at the clock as the client says. */
static void until(int self)
{
	if (self < 2) {
		lock_once();
		return;
	}
	if (tkt_lock_until(&lock,
			   tkt_clock_ns() + (uint64_t)model_client()->variant))
		section_and_unlock();
}

/* Thread 1 unlocks what thread 0 has locked; thread 2 locks, too. */
static void cross(int self)
{
	if (self == 0) {
		tkt_lock(&lock);
		model_section();
		TKT_STORE(&flag, 1, TKT_RELEASE);
	} else if (self == 1) {
		TKT_AWAIT(&flag, f, f, TKT_ACQUIRE);
		TKT_FETCH_ADD(&got, 1, TKT_RELAXED);
		tkt_unlock(&lock);
	} else {
		lock_once();
	}
}

/* The last to lock knows that nobody else will come, and frees the lock. */
static void setup_life(void)
{
	setup();
	TKT_NODE_BIRTH(&lock);
}

static void life(int self)
{
	bool last;

	(void)self;
	tkt_lock(&lock);
	model_section();
	last = TKT_READ(&model_word) == (uint32_t)model_client()->threads;
	tkt_unlock(&lock);
	if (last) {
		tkt_lock_destroy(&lock);
		TKT_NODE_DEATH(&lock);
	}
}

/*
 * The lock passes from thread 0 to thread 1, who keeps it; 0 unlocks only when
 * it has seen that 1 waits.  So it is never free.
 */
static void setup_glance(void)
{
	setup();
	lock.next += TKT_X_STEP;
}

static void glance(int self)
{
	if (self == 0) {
		TKT_AWAIT(&lock.next, n,
			  tkt_x_out(n, 0) == (int32_t)(2 * TKT_X_STEP),
			  TKT_RELAXED);
		tkt_unlock(&lock);
	} else if (self == 1) {
		tkt_lock(&lock);
	} else {
		model_assert(tkt_is_locked(&lock));
	}
}

/* Thread 1 announces, and looks; 0 locks and looks.  One sees the other. */
static void announce(int self)
{
	if (self == 0) {
		tkt_lock(&lock);
		TKT_FENCE_SC();
		got += TKT_LOAD(&flag, TKT_RELAXED) ? 0 : 1;
	} else {
		TKT_STORE(&flag, 1, TKT_RELAXED);
		got += tkt_is_locked_ordered(&lock) ? 0 : 2;
	}
}

static void announced(void)
{
	model_assert(got != 3);
}

#define CALLS(label, which, n, f, v)                                         \
	{                                                                    \
		.name = label, .threads = n, .setup = setup, .thread = f,    \
		.finish = finish, .policy = TKT_POLICY_##which, .variant = v \
	}

static const struct model_client clients[] = {
	CALLS("try_2_w2", SPIN_2, 2, tries, 1),
	CALLS("try_3_w1", SPIN_1, 3, tries, 2),
	CALLS("try_3_w2", SPIN_2, 3, tries, 2),
	CALLS("try_3_winf", SPIN_INF, 3, tries, 1),
	CALLS("try_all", SPIN_2, 3, tries, 0),
	CALLS("try_again", SPIN_2, 2, try_twice, 0),
	CALLS("tryspin_w1", SPIN_1, 3, tryspin, 0),
	CALLS("tryspin_w2", SPIN_2, 3, tryspin, 0),
	CALLS("until_1_w1", SPIN_1, 3, until, 1),
	CALLS("until_2_w2", SPIN_2, 3, until, 2),
	CALLS("until_2_yield_w1", YIELD_1, 3, until, 2),
	CALLS("until_3_yield_w2", YIELD_2, 3, until, 3),
	CALLS("cross_w1", SPIN_1, 3, cross, 0),
	CALLS("cross_w2", SPIN_2, 3, cross, 0),
	{ .name = "life_w1",
	  .threads = 3,
	  .setup = setup_life,
	  .thread = life,
	  .policy = TKT_POLICY_SPIN_1 },
	{ .name = "life_w2",
	  .threads = 3,
	  .setup = setup_life,
	  .thread = life,
	  .policy = TKT_POLICY_SPIN_2 },
	{ .name = "life_winf",
	  .threads = 3,
	  .setup = setup_life,
	  .thread = life,
	  .policy = TKT_POLICY_YIELD_INF },
	{ .name = "glance",
	  .threads = 3,
	  .setup = setup_glance,
	  .thread = glance,
	  .policy = TKT_POLICY_SPIN_2 },
	{ .name = "announce",
	  .threads = 2,
	  .setup = setup,
	  .thread = announce,
	  .finish = announced,
	  .policy = TKT_POLICY_SPIN_2 },
};

CLIENTS_MAIN(clients)
