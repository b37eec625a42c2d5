/* SPDX-License-Identifier: MIT */
/*
 * test/model/client_locks.c - the comparison locks of src/locks
 *
 * Their adapters, through the table of operations that everything else uses.
 */
#define LOCK_BACKEND model
#define LOCK_MEM_HEADER "lock_mem_model.h"
#define RFC2013_QUEUES 1u
#define QSPIN_PENDING_HINTS 1
#include "client.h"

#include "locks/clh.c"
#include "locks/mcs.c"
#include "locks/qspin.c"
#include "locks/rfc2013.c"
#include "locks/ticket.c"

#include <string.h>

#define ROUNDS 2

static const struct lock_ops *const table[] = {
	&LOCK_SYM(ticket), &LOCK_SYM(mcs),     &LOCK_SYM(clh),
	&LOCK_SYM(qspin),  &LOCK_SYM(rfc2013),
};
enum {
	TICKET,
	MCS,
	CLH,
	QSPIN,
	RFC2013
};

static unsigned char lock[LOCK_ALIGN] __attribute__((aligned(LOCK_ALIGN)));
static union lock_ctx ctx[MODEL_THREADS];
static const struct lock_ops *ops;
static uint32_t got;

static void setup(void)
{
	const struct lock_params params = {
		.threshold = model_client()->variant
				     ? (uint32_t)model_client()->variant
				     : LOCK_THRESHOLD_DEFAULT,
		.max_threads = MODEL_THREADS
	};

	ops = table[model_client()->policy];
	memset(lock, 0, sizeof(lock));
	memset(ctx, 0, sizeof(ctx));
	if (ops->init(lock, &params))
		model_fail("init");
	for (int i = 0; i < model_client()->threads; i++)
		if (!lock_ctx_open(ops, &ctx[i]))
			model_fail("ctx_init");
	model_word = got = 0;
}

static void section_and_unlock(int self)
{
	model_section();
	TKT_FETCH_ADD(&got, 1, TKT_RELAXED);
	ops->unlock(lock, &ctx[self]);
}

static void rounds(int self)
{
	for (int i = 0; i < model_client()->rounds; i++) {
		ops->lock(lock, &ctx[self]);
		section_and_unlock(self);
	}
}

/* Thread 0 locks, the others try. */
static void tries(int self)
{
	if (!self)
		rounds(self);
	else if (ops->trylock(lock, &ctx[self]))
		section_and_unlock(self);
}

static void finish(void)
{
	model_assert(model_word == got);
	for (int i = 0; i < model_client()->threads; i++)
		lock_ctx_close(ops, &ctx[i]);
	lock_destroy(ops, lock);
}

#define LOCKS(label, which, n, f, m, ...)                                   \
	{                                                                   \
		.name = label, .threads = n, .setup = setup, .thread = f,   \
		.finish = finish, .policy = which, .rounds = m, __VA_ARGS__ \
	}

static const struct model_client clients[] = {
	LOCKS("ticket_4x1", TICKET, 4, rounds, 1, .variant = 0),
	LOCKS("ticket_3x2", TICKET, 3, rounds, 2, .variant = 0),
	LOCKS("ticket_try_3", TICKET, 3, tries, 2, .variant = 0),
	LOCKS("mcs_3x2", MCS, 3, rounds, 2, .variant = 0),
	LOCKS("mcs_4x1", MCS, 4, rounds, 1, .variant = 0),
	LOCKS("mcs_try_3", MCS, 3, tries, 1, .variant = 0),
	LOCKS("clh_3x2", CLH, 3, rounds, 2, .variant = 0),
	LOCKS("clh_4x1", CLH, 4, rounds, 1, .variant = 0),
	LOCKS("qspin_2x2", QSPIN, 2, rounds, 2, .weak_failures = 1),
	LOCKS("qspin_try_3", QSPIN, 3, tries, 1, .variant = 0),
	LOCKS("qspin_3x1", QSPIN, 3, rounds, 1, .variant = 0),
	LOCKS("qspin_4x1", QSPIN, 4, rounds, 1, .variant = 0, .preemptions = 1),
	LOCKS("rfc2013_2x2", RFC2013, 2, rounds, 2, .variant = 1),
	LOCKS("rfc2013_try_3", RFC2013, 3, tries, 1, .variant = 1),
	LOCKS("rfc2013_3x1", RFC2013, 3, rounds, 1, .variant = 1),
	LOCKS("rfc2013_4x1", RFC2013, 4, rounds, 1, .variant = 1,
	      .preemptions = 1),
	LOCKS("rfc2013_4x1_n2", RFC2013, 4, rounds, 1, .variant = 2,
	      .preemptions = 1),
};

CLIENTS_MAIN(clients)
