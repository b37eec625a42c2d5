/* SPDX-License-Identifier: MIT */
/*
 * src/locks/array.c - Anderson's array-based queue lock
 *
 * "The performance of spin lock alternatives for shared-memory
 * multiprocessors", IEEE TPDS 1(1), 1990.  A ticket picks a slot of the
 * lock's array; each waiter spins on its own slot, and the holder of ticket t
 * serves slot t + 1.  Anderson's slots hold a flag that the holder resets; ours
 * hold the ticket that is served, which needs no reset, cannot be mistaken for
 * an older turn, and so allows a try-lock.
 *
 * State (next, served), served = the largest ticket in any slot; free when
 * they are equal.  Slot t % n is used by the tickets t, t + n, ...; n comes
 * from max_threads.  If more threads wait, some share a slot: slower, not
 * wrong, because t + n is written only after t has come and gone.
 *
 * Costs n lines of 128 bytes per lock: for a few hot locks only.
 */
#include <tkt/atomic.h>

#include "lock_mem.h"
#include "lock_ops.h"

#define ARRAY_THREADS_MAX 16384u /* 2 MiB of slots */

struct array_slot {
	uint64_t served; /* t: ticket t has the lock, or had it */
} __attribute__((aligned(LOCK_ALIGN)));

struct array {
	uint64_t next; /* next ticket to hand out; never wraps */
	struct array_slot *slots;
	uint64_t mask; /* number of slots, a power of two, less 1 */
};

/* Found at lock, so that unlock need not read the lock's contended line. */
struct array_ctx {
	struct array_slot *after; /* slot of the next ticket */
	uint64_t ticket;	  /* that ticket */
};

_Static_assert(sizeof(struct array_ctx) <= LOCK_CTX_BYTES, "fits the ctx");

static inline void array_took(struct array *l, union lock_ctx *ctx,
			      uint64_t mine)
{
	struct array_ctx *c = (void *)ctx->bytes;

	c->ticket = mine + 1;
	c->after = &l->slots[(mine + 1) & l->mask];
}

/* (n, s) -> (n + 1, s), then waits for s == n. */
static inline void array_lock(struct array *l, union lock_ctx *ctx)
{
	const uint64_t mine = TKT_FETCH_ADD(&l->next, 1, TKT_RELAXED);

	array_took(l, ctx, mine);
	/* A1: pairs with R1; else we miss what the last holder wrote. */
	TKT_AWAIT(&l->slots[mine & l->mask].served, s, s == mine, TKT_ACQUIRE);
}

/*
 * (n, n) -> (n + 1, n).  Served is read before the swap, yet is not stale when
 * the swap succeeds: ticket n, which nobody had before, has the lock.
 */
static bool array_trylock(void *lock, union lock_ctx *ctx)
{
	struct array *l = lock;
	uint64_t next = TKT_LOAD(&l->next, TKT_RELAXED);
	const uint64_t mine = next;

	/* A2: pairs with R1, as A1 does. */
	if (TKT_LOAD(&l->slots[mine & l->mask].served, TKT_ACQUIRE) != mine)
		return false;
	if (!TKT_CAS(&l->next, &next, mine + 1, TKT_RELAXED, TKT_RELAXED))
		return false;
	array_took(l, ctx, mine);
	return true;
}

/* (n, s) -> (n, s + 1) */
static inline void array_unlock(struct array *l, union lock_ctx *ctx)
{
	const struct array_ctx *c = (void *)ctx->bytes;

	(void)l;
	/* R1: pairs with A1, A2; hands over what this holder wrote. */
	TKT_STORE(&c->after->served, c->ticket, TKT_RELEASE);
}

static const char *array_init(void *lock, const struct lock_params *params)
{
	struct array *l = lock;
	uint64_t slots = 1;

	if (!params->max_threads || params->max_threads > ARRAY_THREADS_MAX)
		return "array: at least 1 thread, at most 16384";
	while (slots < params->max_threads)
		slots *= 2;
	l->slots = lock_mem_alloc(slots * sizeof(*l->slots));
	if (!l->slots)
		return "array: out of memory";
	l->mask = slots - 1;
	l->next = slots;
	/* The turn before: only the slot of the first ticket is served. */
	for (uint64_t i = 0; i < slots; i++)
		TKT_STORE(&l->slots[i].served, i ? i : slots, TKT_RELAXED);
	return NULL;
}

static void array_destroy(void *lock)
{
	lock_mem_free(((struct array *)lock)->slots);
}

LOCK_OPS(array, struct array, .name = "array",
	 .summary = "Anderson's array lock: each waiter spins on its slot",
	 .traits = LOCK_FIFO | LOCK_CROSS_UNLOCK, .init = array_init,
	 .destroy = array_destroy, .trylock = array_trylock);
