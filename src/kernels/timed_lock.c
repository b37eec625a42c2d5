/* SPDX-License-Identifier: MIT */
/* src/kernels/timed_lock.c - any lock, with its waits measured */
#include <tkt/atomic.h>

#include "timed_lock.h"

static const struct lock_ops *inner;
static struct lock_ops outer;
static _Thread_local struct histogram *waits;

static void lock_timed(void *lock, union lock_ctx *ctx)
{
	const uint64_t start = TKT_CLOCK_NS();

	inner->lock(lock, ctx);
	if (waits)
		histogram_add(waits, TKT_CLOCK_NS() - start);
}

static void bump_timed(void *lock, union lock_ctx *ctx, uint64_t *word,
		       unsigned int n)
{
	while (n--) {
		lock_timed(lock, ctx);
		if (word)
			TKT_WRITE(word, TKT_READ(word) + 1);
		inner->unlock(lock, ctx);
	}
}

const struct lock_ops *timed_lock(const struct lock_ops *lock)
{
	inner = lock;
	outer = *lock;
	outer.lock = lock_timed;
	outer.bump = bump_timed;
	return &outer;
}

void timed_lock_histogram(struct histogram *histogram)
{
	waits = histogram;
}
