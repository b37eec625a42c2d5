/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/treelock.c - btrfs: a tree whose nodes spin or block
 *
 * An operation looks for a key in a B+ tree (btree.h), inserts or deletes it.
 * A few of them block on the way, with a node's lock held, as for a block that
 * has to come from the disk: asleep for --block-us, or, with --io 1, until a
 * block has been written to a file and the disk has it.  The variants are the
 * flavours of <tkt/treelock.h>; the locks of the table are not used.
 *
 * The regimes of the discussion of 2011: I/O forced, --io 1; in RAM with 50
 * clients, the default; very short waits and no I/O, --threads 10
 * --blocking-permille 0.
 *
 * Each key belongs to one thread, which knows whether it is in the tree, so
 * that every answer can be checked at once, while leaves have keys of all.
 */
/* SIMPLE and SPIN have the preemption point that SPIN2 skips. */
#define TKT_MUTEX_RESCHED 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "btree.h"
#include "harness/delay.h"
#include "harness/random.h"
#include "setup.h"
#include "treelock_report.h"

#define BLOCK_BYTES 4096

enum {
	OPTION_KEYS,
	OPTION_CHANGES,
	OPTION_BLOCKING,
	OPTION_BLOCK_US,
	OPTION_IO
};

static const struct kernel_option treelock_options[] = {
	[OPTION_KEYS] = { "keys", "keys", 1024, 1 << 24, 65536,
			  "keys that can be in the tree; half are" },
	[OPTION_CHANGES] = { "change-permille", "permille", 0, 1000, 500,
			     "of 1000 operations, so many insert or delete" },
	[OPTION_BLOCKING] = { "blocking-permille", "permille", 0, 1000, 20,
			      "of 1000 operations, so many block with a lock" },
	[OPTION_BLOCK_US] = { "block-us", "us", 0, 100000, 50,
			      "how long these sleep, without --io 1" },
	[OPTION_IO] = { "io", "", 0, 1, 0,
			"0: they sleep; 1: they write a block to a file" },
	{ .name = NULL },
};

static const char *const treelock_variants[] = { "dfl",	 "dfl-nospin", "simple",
						 "spin", "spin2",      NULL };
static const char *const treelock_controls[] = { "broken", NULL };
static const unsigned int treelock_threads[] = { 50, 0 };

struct client {
	struct random random;
	uint64_t visits, wrong;
	struct treelock *all;
	uint32_t first; /* of its keys; then every all->threads-th */
} __attribute__((aligned(LOCK_ALIGN)));

struct treelock {
	struct btree tree;
	unsigned char *present; /* a key's owner alone touches its byte */
	uint64_t seed;
	uint32_t keys, changes, blocking, block_us, think_ns;
	uint64_t visits; /* of the setup */
	unsigned int threads;
	FILE *file; /* NULL: no I/O */
	struct client client[];
};

static void treelock_destroy(void *state)
{
	struct treelock *t = state;

	if (t->file)
		(void)fclose(t->file);
	btree_free(&t->tree);
	free(t->present);
	free(t);
}

/* The flavour of a variant; *broken: the control. */
static enum tkt_treelock_flavour flavour_of(const char *variant, bool *broken)
{
	*broken = !strcmp(variant, treelock_controls[0]);
	for (unsigned int i = 0; treelock_variants[i]; i++)
		if (!strcmp(variant, treelock_variants[i]))
			return (enum tkt_treelock_flavour)i;
	return TKT_TREELOCK_SIMPLE;
}

static const char *treelock_fill(struct treelock *t, const char *variant,
				 bool io)
{
	bool broken;

	t->present = calloc(t->keys, 1);
	if (!t->present ||
	    !btree_build(&t->tree, t->keys, flavour_of(variant, &broken))) {
		free(t->present);
		return "out of memory";
	}
	t->tree.broken = broken;
	if (io) {
		t->file = tmpfile();
		if (!t->file) {
			btree_free(&t->tree);
			free(t->present);
			return "cannot make a temporary file";
		}
	}
	/* Odd steps through all keys: not in order, and half of them. */
	for (uint32_t i = 0; i < t->keys / 2; i++) {
		const uint32_t key = (uint32_t)((uint64_t)i * 40503 % t->keys);

		t->visits++;
		if (!btree_do(&t->tree, BTREE_INSERT, key, NULL))
			t->present[key] = 1;
	}
	return NULL;
}

static void *treelock_setup(const struct kernel_config *config,
			    const struct lock_ops *lock, char *why)
{
	struct treelock *t = setup_alloc(
		sizeof(*t) + config->threads * sizeof(t->client[0]), why);
	const char *variant = config->variant ? config->variant
					      : treelock_variants[0];
	const char *wrong;

	(void)lock;
	if (!t)
		return NULL;
	t->keys = (uint32_t)config->option[OPTION_KEYS];
	t->changes = (uint32_t)config->option[OPTION_CHANGES];
	t->blocking = (uint32_t)config->option[OPTION_BLOCKING];
	t->block_us = (uint32_t)config->option[OPTION_BLOCK_US];
	t->think_ns = config->think_ns;
	t->seed = config->seed;
	t->threads = config->threads;
	wrong = treelock_fill(t, variant, config->option[OPTION_IO]);
	if (!wrong)
		return t;
	(void)setup_fail(wrong, why);
	free(t);
	return NULL;
}

static void *treelock_thread_setup(void *state, unsigned int index)
{
	struct treelock *t = state;
	struct client *c = &t->client[index];

	c->random = random_stream(t->seed, index);
	c->all = t;
	c->first = index;
	return c;
}

static void treelock_thread_teardown(void *state, void *thread)
{
	(void)state;
	(void)thread;
}

/* With a node's lock held, which its owner has been told. */
static void block(void *arg)
{
	struct client *c = arg;
	const struct timespec time = {
		.tv_sec = 0, .tv_nsec = (long)c->all->block_us * 1000
	};
	char bytes[BLOCK_BYTES] = "";

	if (!c->all->file) {
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
		return;
	}
	/* What becomes of the block is not this kernel's matter. */
	if (pwrite(fileno(c->all->file), bytes, sizeof(bytes),
		   (off_t)c->first * BLOCK_BYTES) < 0 ||
	    fdatasync(fileno(c->all->file)))
		c->wrong++;
}

static long treelock_step(void *state, void *thread)
{
	struct treelock *t = state;
	struct client *c = thread;
	const uint32_t own = (t->keys - c->first + t->threads - 1) / t->threads;
	const uint32_t key =
		c->first + t->threads * random_below(&c->random, own);
	const bool there = t->present[key];
	enum btree_op op = BTREE_SEARCH;
	struct btree_walk walk = { .arg = c };

	if (random_below(&c->random, 1000) < t->changes)
		op = there ? BTREE_DELETE : BTREE_INSERT;
	if (random_below(&c->random, 1000) < t->blocking) {
		walk.pause = block;
		walk.pause_depth = random_below(&c->random, 4);
	}
	if (btree_do(&t->tree, op, key, &walk) != there)
		c->wrong++;
	if (op != BTREE_SEARCH)
		t->present[key] = op == BTREE_INSERT;
	c->visits++;
	delay_ns(t->think_ns);
	return 1;
}

static void treelock_hold(void *state, void *thread, void (*inside)(void *arg),
			  void *arg)
{
	struct treelock *t = state;
	struct client *c = thread;

	btree_hold(&t->tree, inside, arg);
	c->visits++;
}

static bool treelock_check(void *state, char *why)
{
	struct treelock *t = state;
	uint64_t visits = t->visits, wrong = 0;

	for (unsigned int i = 0; i < t->threads; i++) {
		visits += t->client[i].visits;
		wrong += t->client[i].wrong;
	}
	if (!btree_check(&t->tree, t->present, t->keys, visits, why))
		return false;
	if (!wrong)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "answers-right: %" PRIu64
		       " operations found a key that was not there, missed one "
		       "that was, or could not write",
		       wrong);
	return false;
}

static bool treelock_takes_lock(const char *variant)
{
	(void)variant;
	return false;
}

extern const struct kernel_ops KERNEL_SYM(treelock);
const struct kernel_ops KERNEL_SYM(treelock) = {
	.name = "treelock",
	.summary = "btrfs: a B+ tree, hand over hand; some block with a lock",
	.traits = KERNEL_THINK,
	.options = treelock_options,
	.variants = treelock_variants,
	.controls = treelock_controls,
	.threads = treelock_threads,
	.takes_lock = treelock_takes_lock,
	.setup = treelock_setup,
	.destroy = treelock_destroy,
	.thread_setup = treelock_thread_setup,
	.thread_teardown = treelock_thread_teardown,
	.step = treelock_step,
	.hold = treelock_hold,
	.check = treelock_check,
	.report = treelock_report,
};
