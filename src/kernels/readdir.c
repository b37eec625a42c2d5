/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/readdir.c - AIM7 five_sec: many readers of one directory
 *
 * getdents holds the directory's i_mutex while it reads, so the readers of one
 * directory stand in line.  An operation lists a directory, chosen at random;
 * a few of them rename an entry first.  i_mutex is the lock under test, or, in
 * the variant `mutex`, the library's mutex, whatever the lock under test.
 * Busy with --cs in each section, with --think between operations.
 *
 * Checks: no listing was torn; the listings that each directory counted, under
 * i_mutex, are those that were made; and all entries are still there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "directory.h"
#include "harness/delay.h"
#include "harness/random.h"
#include "setup.h"

enum {
	OPTION_DIRECTORIES,
	OPTION_ENTRIES,
	OPTION_RENAMES
};

static const struct kernel_option readdir_options[] = {
	[OPTION_DIRECTORIES] = { "directories", "directories", 1, 1024, 1,
				 "directories that the readers choose from" },
	[OPTION_ENTRIES] = { "entries", "entries", 1, 65536, 64,
			     "entries of each directory" },
	[OPTION_RENAMES] = { "rename-permille", "permille", 0, 1000, 20,
			     "of 1000 operations, so many rename first" },
	{ .name = NULL },
};

static const char *const readdir_variants[] = { "lock", "mutex", NULL };

struct reader {
	union lock_ctx ctx;
	struct random random;
	uint64_t listings, torn;
} __attribute__((aligned(LOCK_ALIGN)));

struct readdir {
	struct directories all;
	uint64_t seed;
	uint32_t cs_ns, think_ns, entries, renames;
	unsigned int threads;
	struct reader thread[];
};

static void readdir_destroy(void *state)
{
	struct readdir *r = state;

	directories_free(&r->all);
	free(r);
}

static void *readdir_setup(const struct kernel_config *config,
			   const struct lock_ops *lock, char *why)
{
	const size_t size = sizeof(struct readdir) +
			    config->threads * sizeof(struct reader);
	struct readdir *r = setup_alloc(size, why);

	if (!r)
		return NULL;
	r->seed = config->seed;
	r->cs_ns = config->cs_ns;
	r->think_ns = config->think_ns;
	r->threads = config->threads;
	r->entries = (uint32_t)config->option[OPTION_ENTRIES];
	r->renames = (uint32_t)config->option[OPTION_RENAMES];
	if (!directories_build(&r->all,
			       directory_lock(config->variant ? config->variant
							      : "lock",
					      lock),
			       &config->lock, config->layout,
			       (unsigned int)config->option[OPTION_DIRECTORIES],
			       r->entries, why)) {
		free(r);
		return NULL;
	}
	for (unsigned int i = 0; i < r->all.count; i++)
		for (uint32_t k = 0; k < r->entries; k++)
			(void)directory_put(&r->all.dir[i], k, k + 1);
	return r;
}

static void *readdir_thread_setup(void *state, unsigned int index)
{
	struct readdir *r = state;
	struct reader *t = &r->thread[index];

	t->random = random_stream(r->seed, index);
	return lock_ctx_open(r->all.lock, &t->ctx) ? t : NULL;
}

static void readdir_thread_teardown(void *state, void *thread)
{
	struct readdir *r = state;
	struct reader *t = thread;

	lock_ctx_close(r->all.lock, &t->ctx);
}

static long readdir_step(void *state, void *thread)
{
	struct readdir *r = state;
	struct reader *t = thread;
	struct directory *dir =
		&r->all.dir[random_below(&t->random, r->all.count)];
	const bool renames = random_below(&t->random, 1000) < r->renames;
	const uint32_t from = random_below(&t->random, r->entries);

	r->all.lock->lock(dir->lines[0], &t->ctx);
	if (renames)
		(void)directory_put(dir, from, directory_take(dir, from));
	t->torn += !directory_list(dir);
	t->listings++;
	delay_ns(r->cs_ns);
	r->all.lock->unlock(dir->lines[0], &t->ctx);
	delay_ns(r->think_ns);
	return 1;
}

static void readdir_hold(void *state, void *thread, void (*inside)(void *arg),
			 void *arg)
{
	struct readdir *r = state;
	struct reader *t = thread;
	struct directory_hot *hot = r->all.dir[0].hot;
	uint64_t listings;

	r->all.lock->lock(r->all.dir[0].lines[0], &t->ctx);
	listings = TKT_READ(&hot->listings);
	inside(arg);
	TKT_WRITE(&hot->listings, listings + 1);
	r->all.lock->unlock(r->all.dir[0].lines[0], &t->ctx);
	t->listings++;
}

static bool readdir_check(void *state, char *why)
{
	struct readdir *r = state;
	uint64_t made = 0, torn = 0, counted = 0;

	for (unsigned int i = 0; i < r->threads; i++) {
		made += r->thread[i].listings;
		torn += r->thread[i].torn;
	}
	for (unsigned int i = 0; i < r->all.count; i++)
		counted += TKT_READ(&r->all.dir[i].hot->listings);
	if (counted != made) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "listings-add-up: %" PRIu64
			       " counted under i_mutex, %" PRIu64 " made",
			       counted, made);
		return false;
	}
	if (torn) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "listing-torn: %" PRIu64 " of %" PRIu64
			       " listings are of no moment",
			       torn, made);
		return false;
	}
	for (unsigned int i = 0; i < r->all.count; i++) {
		struct directory *dir = &r->all.dir[i];

		if (directory_list(dir) &&
		    TKT_READ(&dir->hot->count) == r->entries &&
		    TKT_READ(&dir->hot->sum) ==
			    (uint64_t)r->entries * (r->entries + 1) / 2)
			continue;
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "entries-kept: directory %u lost some", i);
		return false;
	}
	return true;
}

/* The lock under test, that is. */
static bool readdir_takes_lock(const char *variant)
{
	return !strcmp(variant, readdir_variants[0]);
}

extern const struct kernel_ops KERNEL_SYM(readdir);
const struct kernel_ops KERNEL_SYM(readdir) = {
	.name = "readdir",
	.summary = "AIM7 five_sec: many readers of one directory's i_mutex",
	.traits = KERNEL_CS | KERNEL_THINK | KERNEL_LAYOUT,
	.options = readdir_options,
	.variants = readdir_variants,
	.takes_lock = readdir_takes_lock,
	.setup = readdir_setup,
	.destroy = readdir_destroy,
	.thread_setup = readdir_thread_setup,
	.thread_teardown = readdir_thread_teardown,
	.step = readdir_step,
	.hold = readdir_hold,
	.check = readdir_check,
};
