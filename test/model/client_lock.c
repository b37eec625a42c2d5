/* SPDX-License-Identifier: MIT */
/*
 * test/model/client_lock.c - <tkt/lock.h> in the model checker
 */
static void on_event(const void *lock, const char *name);
#define TKT_EVENT_HOOK(l, name) on_event((l), #name)
#define TKT_BACKEND "backend_model.h"
#define TKT_SPIN_NS 0
#define TKT_SPIN_POLLS 1
#ifndef TKT_CALM_TICKETS
#define TKT_CALM_TICKETS 2
#endif
#include <string.h>

#include <tkt/lock.h>

#define ROUNDS 4

static tkt_lock_t lock;
static uint32_t word; /* protected by it: plain, so that races show */
static uint32_t unlocked_by;

/*
 * Order, as lock.h states it: an attempt gets the lock before a thread that is
 * in the room only if it went to the room before that one, or looked at tail
 * before that one's joining, in the order of tail's values.
 */
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
	word = 0;
	taken_count = 0;
	unlocked_by = 0;
	TKT_NODE_BIRTH(&lock);
}

static void section(int self)
{
	attempt_end(self);
	TKT_WRITE(&word, TKT_READ(&word) + 1);
}

static void lock_rounds(int self)
{
	for (int i = 0; i < model_client()->rounds; i++) {
		attempt_begin(self);
		tkt_lock(&lock);
		section(self);
		tkt_unlock(&lock);
	}
}

static void all_done(void)
{
	const struct model_client *c = model_client();

	model_assert(word == (uint32_t)(c->threads * c->rounds));
	model_assert(!tkt_x_out(lock.next, lock.owner));
	model_assert(!tkt_x_room(lock.tail));
	TKT_NODE_DEATH(&lock);
}

#define LOCKS(client_name, which, n, m)                            \
	{                                                          \
		.name = client_name, .threads = n, .setup = setup, \
		.thread = lock_rounds, .finish = all_done,         \
		.policy = TKT_POLICY_##which, .rounds = m          \
	}

static const struct model_client clients[] = {
	LOCKS("w1_2x1", SPIN_1, 2, 1),	   LOCKS("w1_2x2", SPIN_1, 2, 2),
	LOCKS("w2_2x2", SPIN_2, 2, 2),	   LOCKS("winf_2x2", SPIN_INF, 2, 2),
	LOCKS("w1_3x1", SPIN_1, 3, 1),	   LOCKS("w2_3x1", SPIN_2, 3, 1),
	LOCKS("winf_3x1", SPIN_INF, 3, 1), LOCKS("winf_4x1", SPIN_INF, 4, 1),
	LOCKS("winf_3x2", SPIN_INF, 3, 2), LOCKS("w1_3x2", SPIN_1, 3, 2),
	LOCKS("w2_3x2", SPIN_2, 3, 2),	   LOCKS("w1_4x1", SPIN_1, 4, 1),
	LOCKS("w2_4x1", SPIN_2, 4, 1),
};

int main(int argc, char **argv)
{
	return model_main(argc, argv, clients,
			  sizeof(clients) / sizeof(clients[0]));
}
