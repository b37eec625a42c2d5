/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/counter.c - a critical section that counts
 *
 * The plainest use of a lock: each operation adds one to each of a number of
 * counters, which are plain data in a line each; busy for a set time inside
 * and outside.  Counter 0 is in the lock's own line, unless split.
 *
 * Without busy times and with one counter at most, the lock's own loop does
 * the work, in batches: no indirect call between the pairs, so that a few
 * nanoseconds' difference between locks can be seen.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tkt/atomic.h>

#include "harness/delay.h"
#include "setup.h"

#define COUNTER_BATCH 64u
#define COUNTER_LINES_MAX 8

enum {
	OPTION_LINES
};

static const struct kernel_option counter_options[] = {
	[OPTION_LINES] = { "lines", "lines", 0, COUNTER_LINES_MAX, 2,
			   "shared lines that each critical section writes" },
	{ .name = NULL },
};

struct counter_thread {
	union lock_ctx ctx;
	uint64_t ops, holds;
} __attribute__((aligned(LOCK_ALIGN)));

struct counter {
	/* The lock and, behind it or in the next line, counter 0; then 1... */
	unsigned char lines[COUNTER_LINES_MAX + 1][LOCK_ALIGN]
		__attribute__((aligned(LOCK_ALIGN)));
	uint64_t held; /* turns of counter_hold */
	/* Read by all, written by none, from here to the threads. */
	uint64_t *word[COUNTER_LINES_MAX] __attribute__((aligned(LOCK_ALIGN)));
	const struct lock_ops *lock;
	unsigned int words, threads;
	uint32_t cs_ns, think_ns;
	bool batch;
	struct counter_thread thread[];
};

static void *counter_setup(const struct kernel_config *config,
			   const struct lock_ops *lock, char *why)
{
	const size_t size = sizeof(struct counter) +
			    config->threads * sizeof(struct counter_thread);
	struct counter *c = setup_alloc(size, why);
	const char *wrong;

	if (!c)
		return NULL;
	c->lock = lock;
	c->words = (unsigned int)config->option[OPTION_LINES];
	c->threads = config->threads;
	c->cs_ns = config->cs_ns;
	c->think_ns = config->think_ns;
	c->batch = !c->cs_ns && !c->think_ns && c->words <= 1;
	for (unsigned int i = 0; i < c->words; i++)
		c->word[i] = (void *)c->lines[i + 1];
	if (c->words)
		c->word[0] = (void *)(c->lines[0] +
				      kernel_data_offset(lock, config->layout));
	wrong = lock->init(c->lines[0], &config->lock);
	if (!wrong)
		return c;
	(void)setup_fail(wrong, why);
	free(c);
	return NULL;
}

static void counter_destroy(void *state)
{
	struct counter *c = state;

	lock_destroy(c->lock, c->lines[0]);
	free(c);
}

static void *counter_thread_setup(void *state, unsigned int index)
{
	struct counter *c = state;
	struct counter_thread *t = &c->thread[index];

	return lock_ctx_open(c->lock, &t->ctx) ? t : NULL;
}

static void counter_thread_teardown(void *state, void *thread)
{
	struct counter *c = state;
	struct counter_thread *t = thread;

	lock_ctx_close(c->lock, &t->ctx);
}

static long counter_step(void *state, void *thread)
{
	struct counter *c = state;
	struct counter_thread *t = thread;

	if (c->batch) {
		c->lock->bump(c->lines[0], &t->ctx, c->word[0], COUNTER_BATCH);
		t->ops += COUNTER_BATCH;
		return COUNTER_BATCH;
	}
	c->lock->lock(c->lines[0], &t->ctx);
	for (unsigned int i = 0; i < c->words; i++)
		TKT_WRITE(c->word[i], TKT_READ(c->word[i]) + 1);
	delay_ns(c->cs_ns);
	c->lock->unlock(c->lines[0], &t->ctx);
	t->ops++;
	delay_ns(c->think_ns);
	return 1;
}

/* Counts apart, so that there is something to check even with no lines. */
static void counter_hold(void *state, void *thread, void (*inside)(void *arg),
			 void *arg)
{
	struct counter *c = state;
	struct counter_thread *t = thread;
	uint64_t held;

	c->lock->lock(c->lines[0], &t->ctx);
	held = TKT_READ(&c->held);
	inside(arg);
	TKT_WRITE(&c->held, held + 1);
	c->lock->unlock(c->lines[0], &t->ctx);
	t->holds++;
}

static bool counter_check(void *state, char *why)
{
	struct counter *c = state;
	uint64_t ops = 0, holds = 0;

	for (unsigned int i = 0; i < c->threads; i++) {
		ops += c->thread[i].ops;
		holds += c->thread[i].holds;
	}
	if (TKT_READ(&c->held) != holds) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "exclusion: %" PRIu64 " of %" PRIu64
			       " sections were overwritten by another",
			       holds - c->held, holds);
		return false;
	}
	for (unsigned int i = 0; i < c->words; i++) {
		const uint64_t count = TKT_READ(c->word[i]);

		if (count == ops)
			continue;
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "counter-sum: line %u counts %" PRIu64
			       ", the threads made %" PRIu64 " operations",
			       i, count, ops);
		return false;
	}
	return true;
}

extern const struct kernel_ops KERNEL_SYM(counter);
const struct kernel_ops KERNEL_SYM(counter) = {
	.name = "counter",
	.summary = "counters in shared lines under one lock",
	.traits = KERNEL_CS | KERNEL_THINK | KERNEL_LAYOUT,
	.options = counter_options,
	.setup = counter_setup,
	.destroy = counter_destroy,
	.thread_setup = counter_thread_setup,
	.thread_teardown = counter_thread_teardown,
	.step = counter_step,
	.hold = counter_hold,
	.check = counter_check,
};
