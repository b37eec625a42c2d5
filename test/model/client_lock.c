/* SPDX-License-Identifier: MIT */
/*
 * test/model/client_lock.c - <tkt/lock.h>: lock and unlock, and their order
 *
 * Every policy with windows of one, two and no limit.  Besides exclusion, each
 * checks the order that lock.h states: an attempt gets the lock before a
 * thread that is in the room only if it went to the room before that one, or
 * if it looked at tail before that one's joining, in the order of tail's
 * values.  (That a thread can look too early no more than once per turn of
 * another holds only where stores become visible to all at one moment, and is
 * not checked.)
 */
static void on_event(const void *lock, const char *name);
#define TKT_EVENT_HOOK(l, name) on_event((l), #name)
#include "client.h"

#include <string.h>

#include <tkt/lock.h>

#define ROUNDS 4

static tkt_lock_t lock;

struct attempt {
	int thread;
	uint32_t looked, joined; /* places in tail's order; joined 0: window */
};
static struct attempt taken[MODEL_THREADS * ROUNDS];
static int taken_count;
static struct attempt current[MODEL_THREADS];

static void on_event(const void *l, const char *name)
{
	if (l == &lock && !strcmp(name, "queued"))
		current[model_self()].joined = model_place(&lock.tail);
}

static void attempt_begin(int self)
{
	current[self] = (struct attempt){ self, 0, 0 };
	model_look_again(&lock.tail);
}

/* The calling thread holds the lock. */
static void attempt_end(int self)
{
	struct attempt *mine = &current[self];

	mine->looked = model_first_look(&lock.tail);
	for (int i = 0; mine->joined && i < taken_count; i++) {
		const struct attempt *other = &taken[i];

		if (other->thread == self)
			continue;
		model_assert(other->joined ? other->joined < mine->joined
					   : other->looked < mine->joined);
	}
	taken[taken_count++] = *mine;
}

static void setup(void)
{
	tkt_lock_init_policy(&lock, (enum tkt_policy)model_client()->policy);
	model_word = 0;
	taken_count = 0;
}

static void rounds(int self)
{
	for (int i = 0; i < model_client()->rounds; i++) {
		attempt_begin(self);
		tkt_lock(&lock);
		attempt_end(self);
		model_section();
		tkt_unlock(&lock);
	}
}

static void finish(void)
{
	const struct model_client *c = model_client();

	model_assert(model_word == (uint32_t)(c->threads * c->rounds));
	model_assert(!tkt_x_out(lock.next, lock.owner));
	model_assert(!tkt_x_room(lock.tail));
}

#define LOCKS(label, which, n, m)                                              \
	{                                                                      \
		.name = label, .threads = n, .setup = setup, .thread = rounds, \
		.finish = finish, .policy = TKT_POLICY_##which, .rounds = m    \
	}
/* Too many to go through them all in time. */
#define LOCKS_BOUNDED(label, which, n, m, bound)                               \
	{                                                                      \
		.name = label, .threads = n, .setup = setup, .thread = rounds, \
		.finish = finish, .preemptions = bound,                        \
		.policy = TKT_POLICY_##which, .rounds = m                      \
	}

static const struct model_client clients[] = {
	LOCKS("spin_w1_2x2", SPIN_1, 2, 2),
	LOCKS("spin_w2_2x2", SPIN_2, 2, 2),
	LOCKS("spin_winf_2x3", SPIN_INF, 2, 3),
	LOCKS("yield_w1_2x2", YIELD_1, 2, 2),
	LOCKS("yield_w2_2x2", YIELD_2, 2, 2),
	LOCKS("yield_winf_2x2", YIELD_INF, 2, 2),
	LOCKS("spin_w1_3x1", SPIN_1, 3, 1),
	LOCKS("spin_w2_3x1", SPIN_2, 3, 1),
	LOCKS("yield_w1_3x1", YIELD_1, 3, 1),
	LOCKS("yield_w2_3x1", YIELD_2, 3, 1),
	LOCKS("yield_winf_3x1", YIELD_INF, 3, 1),
	LOCKS("spin_winf_3x2", SPIN_INF, 3, 2),
	LOCKS("spin_winf_4x1", SPIN_INF, 4, 1),
	LOCKS("spin_w2_4x1", SPIN_2, 4, 1),
	LOCKS("spin_w1_4x1", SPIN_1, 4, 1),
	LOCKS_BOUNDED("spin_w1_3x2", SPIN_1, 3, 2, 1),
	LOCKS_BOUNDED("spin_w2_3x2", SPIN_2, 3, 2, 1),
};

CLIENTS_MAIN(clients)
