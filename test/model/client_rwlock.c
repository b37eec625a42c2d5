/* SPDX-License-Identifier: MIT */
/*
 * test/model/client_rwlock.c - <tkt/rwlock.h>
 *
 * Compiled with tickets of full width, and of 2 bits, where what a thread
 * knows of a display may be a whole turn old.
 */
#include "client.h"

#include <tkt/rwlock.h>

static tkt_rwlock_t lock;
static uint32_t writes;

#define TRIES 16 /* in policy: thread 0 goes round by tries */

static void setup(void)
{
	tkt_rwlock_init(&lock, (uint32_t)model_client()->policy % TRIES);
	model_word = writes = 0;
}

static void read_section(void)
{
	(void)TKT_READ(&model_word);
	tkt_read_unlock(&lock);
}

static void write_section(void)
{
	model_section();
	TKT_FETCH_ADD(&writes, 1, TKT_RELAXED);
	tkt_write_unlock(&lock);
}

static void read_once(void)
{
	tkt_read_lock(&lock);
	read_section();
}

static void write_once(void)
{
	tkt_write_lock(&lock);
	write_section();
}

static void tryread_once(void)
{
	if (tkt_tryread(&lock))
		read_section();
}

static void trywrite_once(void)
{
	if (tkt_trywrite(&lock))
		write_section();
}

static void finish(void)
{
	model_assert(model_word == writes);
	model_assert(lock.read == lock.users && lock.write == lock.users);
}

#if TKT_TICKET_BITS > 2

/* The first `variant` threads write. */
static void locks(int self)
{
	for (int i = 0; i < model_client()->rounds; i++) {
		if (self < model_client()->variant)
			write_once();
		else
			read_once();
	}
}

/* One writer, one reader, and a try of each kind. */
static void tries(int self)
{
	switch (model_client()->variant + self) {
	case 0:
	case 6:
		write_once();
		break;
	case 1:
	case 3:
		read_once();
		break;
	case 2:
	case 4:
		tryread_once();
		break;
	default:
		trywrite_once();
	}
}

static void write_and_tryread(int self)
{
	if (self)
		tryread_once();
	else
		write_once();
}

static void write_and_trywrite(int self)
{
	if (self)
		trywrite_once();
	else
		write_once();
}

/* A try for reading lets the next reader in; both have seen the writer. */
static void tryread_and_read(int self)
{
	if (!self)
		write_once();
	else if (self == 1)
		tryread_once();
	else
		read_once();
}

/* A writer that knows to be the last may free the lock. */
static void setup_life(void)
{
	setup();
	TKT_NODE_BIRTH(&lock);
}

static void life(int self)
{
	if (self) {
		read_once();
		return;
	}
	TKT_AWAIT(&lock.users, u, u == TKT_X_STEP, TKT_RELAXED);
	tkt_write_lock(&lock);
	model_section();
	tkt_write_unlock(&lock);
	TKT_NODE_DEATH(&lock);
}

#else

/* Round the circle of tickets, against one that does not know it. */
static void turn(int self)
{
	if (self) {
		switch (model_client()->variant) {
		case 0:
			read_once();
			break;
		case 1:
			write_once();
			break;
		case 2:
			tryread_once();
			break;
		default:
			trywrite_once();
		}
		return;
	}
	for (int i = 0; i < 1 << TKT_TICKET_BITS; i++) {
		const bool writes_now = model_client()->rounds >> i & 1;

		if (model_client()->policy & TRIES)
			writes_now ? trywrite_once() : tryread_once();
		else
			writes_now ? write_once() : read_once();
	}
}

#endif

#define RW(label, n, f, which, v, m)                                        \
	{                                                                   \
		.name = label, .threads = n, .setup = setup, .thread = f,   \
		.finish = finish, .policy = TKT_WAIT_##which, .variant = v, \
		.rounds = m                                                 \
	}

static const struct model_client clients[] = {
#if TKT_TICKET_BITS > 2
	RW("write_2x2", 2, locks, SPIN, 2, 2),
	RW("both_2x2", 2, locks, SPIN, 1, 2),
	RW("both_2x2_yield", 2, locks, YIELD, 1, 2),
	RW("write_1_read_2", 3, locks, SPIN, 1, 1),
	RW("write_2_read_1", 3, locks, SPIN, 2, 1),
	RW("write_2_read_1_yield", 3, locks, YIELD, 2, 1),
	RW("write_1_read_3", 4, locks, SPIN, 1, 1),
	RW("write_2_read_2", 4, locks, SPIN, 2, 1),
	RW("tryread_2", 2, write_and_tryread, SPIN, 0, 1),
	RW("trywrite_2", 2, write_and_trywrite, SPIN, 0, 1),
	RW("tryread_read", 3, tryread_and_read, SPIN, 0, 1),
	RW("try_3", 3, tries, SPIN, 0, 1),
	RW("trywrite_3", 3, tries, SPIN, 3, 1),
	{ .name = "life",
	  .threads = 2,
	  .setup = setup_life,
	  .thread = life,
	  .policy = TKT_WAIT_SPIN },
#else
	RW("turn_read", 2, turn, SPIN, 0, 15),
	RW("turn_read_mixed", 2, turn, SPIN, 0, 5),
	RW("turn_write", 2, turn, SPIN, 1, 0),
	RW("turn_write_mixed", 2, turn, SPIN, 1, 10),
	RW("turn_tryread", 2, turn, SPIN, 2, 15),
	RW("turn_tryread_mixed", 2, turn, SPIN, 2, 5),
	RW("tryreads_turn_read", 2, turn, SPIN + TRIES, 0, 0),
	RW("tryreads_turn_write", 2, turn, SPIN + TRIES, 1, 0),
	RW("trywrites_turn_read", 2, turn, SPIN + TRIES, 0, 15),
	RW("trywrites_turn_write", 2, turn, SPIN + TRIES, 1, 15),
	RW("turn_trywrite", 2, turn, SPIN, 3, 0),
	RW("turn_trywrite_mixed", 2, turn, SPIN, 3, 10),
#endif
};

CLIENTS_MAIN(clients)
