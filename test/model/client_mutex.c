/* SPDX-License-Identifier: MIT */
/*
 * test/model/client_mutex.c - <tkt/mutex.h>
 *
 * Compiled three times: spinners and sleepers, sleepers alone, and a mutex
 * that the first wake-up in vain reserves.  Sleeps end for no reason, or by a
 * signal, once in an execution, and at a time limit; no other time limit
 * could make up for a wake-up that is lost.
 */
#include "client.h"

#include <tkt/mutex.h>

static tkt_mutex_t mutex;
static uint32_t got;

static void setup(void)
{
	tkt_mutex_init(&mutex);
	model_word = got = 0;
}

static void section_and_unlock(void)
{
	model_assert(tkt_mutex_is_mine(&mutex));
	model_section();
	TKT_FETCH_ADD(&got, 1, TKT_RELAXED);
	tkt_mutex_unlock(&mutex);
}

static void lock_once(void)
{
	tkt_mutex_lock(&mutex);
	section_and_unlock();
}

static void rounds(int self)
{
	(void)self;
	for (int i = 0; i < model_client()->rounds; i++)
		lock_once();
}

static void finish(void)
{
	model_assert(model_word == got);
	model_assert(!(mutex.state & ~TKT_X_M_WAITERS));
	model_assert(!mutex.tail && !mutex.spinners && !mutex.owner);
}

static void tries(int self)
{
	if (self < 1)
		lock_once();
	else if (self == 1 ? tkt_mutex_trylock(&mutex)
			   : tkt_mutex_tryspin(&mutex, 2))
		section_and_unlock();
}

/* The last thread gives up when it has slept, or after two looks. */
static void until(int self)
{
	const uint64_t deadline = TKT_CLOCK_NS() + 2;

	if (self < model_client()->threads - 1)
		lock_once();
	else if (tkt_mutex_lock_until(&mutex, deadline))
		section_and_unlock();
}

/*
 * The queue of spinners by itself: of a mutex that is held all the time, or
 * free; with variant 1, thread 0 only joins if it is alone.
 */
static void setup_held(void)
{
	setup();
	mutex.state = TKT_X_M_HELD;
}

static void spinners(int self)
{
	const bool alone = model_client()->variant && !self;

	for (int i = 0; i < model_client()->rounds; i++) {
		if (!tkt_m_spin(&mutex, TKT_NO_DEADLINE, alone))
			continue;
		tkt_x_m_taken(&mutex);
		section_and_unlock();
	}
}

static void spinners_left(void)
{
	model_assert(model_word == got);
	model_assert(!mutex.tail && !mutex.spinners);
}

#define SPINNERS(label, n, begin, m, v)                                   \
	{                                                                 \
		.name = label, .threads = n, .setup = begin,              \
		.thread = spinners, .finish = spinners_left, .rounds = m, \
		.variant = v                                              \
	}

/* The last to lock frees the mutex. */
static void setup_life(void)
{
	setup();
	TKT_NODE_BIRTH(&mutex);
}

static void life(int self)
{
	bool last;

	(void)self;
	tkt_mutex_lock(&mutex);
	model_section();
	last = TKT_READ(&model_word) == (uint32_t)model_client()->threads;
	tkt_mutex_unlock(&mutex);
	if (last) {
		tkt_mutex_destroy(&mutex);
		TKT_NODE_DEATH(&mutex);
	}
}

#define MUTEX(label, n, f, m, ...)                                        \
	{                                                                 \
		.name = label, .threads = n, .setup = setup, .thread = f, \
		.finish = finish, .rounds = m, __VA_ARGS__                \
	}

/* With spinners, or a reservation, there is too much to see of these. */
#if TKT_MUTEX_SPIN_NS
#define BIG .sample = 50000
#elif !TKT_MUTEX_PATIENCE
#define BIG .preemptions = 1
#else
#define BIG .sample = 0
#endif

static const struct model_client clients[] = {
	SPINNERS("spinners_held", 2, setup_held, 1, 0),
	SPINNERS("spinners_held_alone", 2, setup_held, 2, 1),
	SPINNERS("spinners_free", 2, setup, 1, 0),
	SPINNERS("spinners_free_alone", 2, setup, 1, 1),
	SPINNERS("spinners_held_2x2", 2, setup_held, 2, 0),
	MUTEX("lock_2x1", 2, rounds, 1, .spurious = 1, .eintr = 1),
	MUTEX("lock_2x2", 2, rounds, 2, .spurious = 1, .preemptions = 1),
	MUTEX("until_2", 2, until, 1, .timeouts = 1, .eintr = 1),
	MUTEX("tries", 3, tries, 1, .spurious = 0),
	{ .name = "life_2", .threads = 2, .setup = setup_life, .thread = life },
	MUTEX("lock_3x1", 3, rounds, 1, BIG),
	MUTEX("until_3", 3, until, 1, .timeouts = 1, BIG),
};

CLIENTS_MAIN(clients)
