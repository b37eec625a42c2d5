/* SPDX-License-Identifier: MIT */
/*
 * test/model/client_tickets.c - <tkt/lock.h> with tickets of a few bits
 *
 * Compiled with TKT_TICKET_BITS 2 and 3.  Thread 0 takes tickets round the
 * whole circle and one more, thread 1 comes in at any time, so that what it
 * knows of owner may be a turn old and equal its ticket by accident.
 */
#include "client.h"

#include <tkt/lock.h>

#define TICKETS (1 << TKT_TICKET_BITS)

static tkt_lock_t lock;
static uint32_t got;

static void setup(void)
{
	const struct model_client *c = model_client();

	tkt_lock_init_policy(&lock, (enum tkt_policy)c->policy);
	lock.owner += (uint32_t)c->variant * TKT_X_STEP;
	lock.next += (uint32_t)c->variant * TKT_X_STEP;
	model_word = got = 0;
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

static void turn(int self)
{
	for (int i = 0; i < (self ? 1 : TICKETS); i++)
		lock_once();
}

static void turn_of_tries(int self)
{
	for (int i = 0; i < (self ? 1 : TICKETS); i++)
		if (!self)
			lock_once();
		else if (tkt_trylock(&lock))
			section_and_unlock();
}

/* The other way round: the tries go round, and succeed if they are alone. */
static void tries_turn(int self)
{
	for (int i = 0; i < (self ? 1 : TICKETS); i++)
		if (self)
			lock_once();
		else if (tkt_trylock(&lock))
			section_and_unlock();
}

/* Two threads go across the wrap. */
static void wrap(int self)
{
	(void)self;
	for (int i = 0; i < model_client()->rounds; i++)
		lock_once();
}

static void finish(void)
{
	model_assert(model_word == got);
	model_assert(!tkt_x_out(lock.next, lock.owner));
	model_assert(!tkt_x_room(lock.tail));
}

#define TICKET_CLIENT(label, which, f, start)                                \
	{                                                                    \
		.name = label, .threads = 2, .setup = setup, .thread = f,    \
		.finish = finish, .policy = TKT_POLICY_##which, .rounds = 2, \
		.variant = start                                             \
	}

static const struct model_client clients[] = {
	TICKET_CLIENT("turn_winf", SPIN_INF, turn, 0),
	TICKET_CLIENT("turn_try_winf", SPIN_INF, turn_of_tries, 0),
	TICKET_CLIENT("tries_turn_winf", SPIN_INF, tries_turn, 0),
	TICKET_CLIENT("wrap_winf", SPIN_INF, wrap, TICKETS - 2),
#if TKT_TICKET_BITS > 2 /* threads and threshold fit half the tickets */
	TICKET_CLIENT("turn_w1", SPIN_1, turn, 0),
	TICKET_CLIENT("turn_try_w1", SPIN_1, turn_of_tries, 0),
	TICKET_CLIENT("wrap_w1", SPIN_1, wrap, TICKETS - 2),
	TICKET_CLIENT("wrap_yield_w1", YIELD_1, wrap, TICKETS - 1),
#endif
};

CLIENTS_MAIN(clients)
