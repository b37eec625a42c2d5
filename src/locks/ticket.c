/* SPDX-License-Identifier: MIT */
/* src/locks/ticket.c - the plain ticket lock: the yardstick */
#include <tkt/atomic.h>

#include "lock_ops.h"

struct ticket {
	uint32_t owner;
	uint32_t next;
};

static inline void ticket_lock(struct ticket *l, union lock_ctx *ctx)
{
	const uint32_t mine = TKT_FETCH_ADD(&l->next, 1, TKT_RELAXED);

	(void)ctx;
	TKT_AWAIT(&l->owner, o, o == mine, TKT_ACQUIRE);
}

static inline void ticket_unlock(struct ticket *l, union lock_ctx *ctx)
{
	(void)ctx;
	TKT_STORE(&l->owner, TKT_LOAD(&l->owner, TKT_RELAXED) + 1, TKT_RELEASE);
}

static bool ticket_trylock(void *lock, union lock_ctx *ctx)
{
	struct ticket *l = lock;
	const uint32_t next = TKT_LOAD(&l->next, TKT_RELAXED);

	(void)ctx;
	if (TKT_LOAD(&l->owner, TKT_RELAXED) != next)
		return false;
	return TKT_CAS_PAIR(&l->owner, next, next, next, next + 1, TKT_ACQ_REL);
}

static const char *ticket_init(void *lock, const struct lock_params *params)
{
	(void)params;
	*(struct ticket *)lock = (struct ticket){ 0, 0 };
	return NULL;
}

LOCK_OPS(ticket, struct ticket, .name = "ticket",
	 .summary = "plain ticket lock",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = ticket_init,
	 .trylock = ticket_trylock);
