/* SPDX-License-Identifier: MIT */
/* src/kernels/dio_range.c - a lock on each block of a file */
#include <tkt/atomic.h>

#include "dio_range.h"

enum {
	FREE,
	HELD,
	WAITED /* held, and somebody may be asleep */
};

static void lock_block(uint32_t *word)
{
	uint32_t seen = FREE;

	/* A1: pairs with R1: what the last holder wrote is there */
	if (TKT_CAS(word, &seen, HELD, TKT_ACQUIRE, TKT_RELAXED))
		return;
	/*
	 * A2: pairs with R1, as A1.  Whoever was asleep cannot know whether
	 * others still are, so it leaves the mark for them.
	 */
	while (TKT_XCHG(word, WAITED, TKT_ACQUIRE) != FREE)
		(void)TKT_FUTEX_WAIT(word, WAITED, TKT_NO_DEADLINE);
}

static void unlock_block(uint32_t *word)
{
	/* R1: pairs with A1 and A2: without it a write could be seen late */
	if (TKT_XCHG(word, FREE, TKT_RELEASE) == WAITED)
		TKT_FUTEX_WAKE(word, 1);
}

void dio_range_lock(uint32_t *word, unsigned int block, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		lock_block(&word[block + i]);
}

void dio_range_unlock(uint32_t *word, unsigned int block, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		unlock_block(&word[block + i]);
}
