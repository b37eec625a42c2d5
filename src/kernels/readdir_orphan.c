/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/readdir_orphan.c - AIM7 custom: readdir, and the orphan list
 *
 * Half of the operations, by default, list a directory under its i_mutex.  The
 * others delete a file that stays open: under i_mutex of its directory the
 * entry goes, and the inode is put on the file system's one list of orphans,
 * under the orphan lock; when it is closed, some deletions later, it comes off
 * the list again, and is created anew in some directory.  The orphan lock is
 * the lock under test; i_mutex is the library's mutex, or, in the variant
 * `lock`, the lock under test, too.  Busy with --cs in each section, with
 * --think between operations.
 */
#include <stdlib.h>

#include <tkt/atomic.h>

#include "harness/delay.h"
#include "orphans.h"
#include "setup.h"

enum {
	OPTION_DIRECTORIES,
	OPTION_ENTRIES,
	OPTION_OPEN,
	OPTION_READS
};

static const struct kernel_option orphan_options[] = {
	[OPTION_DIRECTORIES] = { "directories", "directories", 1, 1024, 16,
				 "directories that all threads work in" },
	[OPTION_ENTRIES] = { "entries", "entries", 1, 65536, 64,
			     "files of each directory at the start" },
	[OPTION_OPEN] = { "open-files", "files", 1, ORPHANS_OPEN_MAX, 4,
			  "deleted files that each thread keeps open" },
	[OPTION_READS] = { "readdir-permille", "permille", 0, 1000, 500,
			   "of 1000 operations, so many list a directory" },
	{ .name = NULL },
};

static const char *const orphan_variants[] = { "mutex", "lock", NULL };

static void *orphan_setup(const struct kernel_config *config,
			  const struct lock_ops *lock, char *why)
{
	const size_t size = sizeof(struct orphans) +
			    config->threads * sizeof(struct orphans_user);
	struct orphans *o = setup_alloc(size, why);

	if (!o)
		return NULL;
	o->lock = lock;
	o->seed = config->seed;
	o->cs_ns = config->cs_ns;
	o->think_ns = config->think_ns;
	o->threads = config->threads;
	o->open = (uint32_t)config->option[OPTION_OPEN];
	o->reads = (uint32_t)config->option[OPTION_READS];
	if (!orphans_build(o,
			   directory_lock(config->variant ? config->variant
							  : "mutex",
					  lock),
			   &config->lock, config->layout,
			   (unsigned int)config->option[OPTION_DIRECTORIES],
			   (unsigned int)config->option[OPTION_ENTRIES], why)) {
		free(o);
		return NULL;
	}
	return o;
}

static void orphan_destroy(void *state)
{
	struct orphans *o = state;

	orphans_free(o);
	free(o);
}

static void *orphan_thread_setup(void *state, unsigned int index)
{
	struct orphans *o = state;
	struct orphans_user *u = &o->user[index];

	u->random = random_stream(o->seed, index);
	if (!lock_ctx_open(o->lock, &u->orphan_ctx))
		return NULL;
	if (lock_ctx_open(o->all.lock, &u->inode_ctx))
		return u;
	lock_ctx_close(o->lock, &u->orphan_ctx);
	return NULL;
}

static void orphan_thread_teardown(void *state, void *thread)
{
	struct orphans *o = state;
	struct orphans_user *u = thread;

	lock_ctx_close(o->lock, &u->orphan_ctx);
	lock_ctx_close(o->all.lock, &u->inode_ctx);
}

static long orphan_step(void *state, void *thread)
{
	struct orphans *o = state;
	struct orphans_user *u = thread;

	if (random_below(&u->random, 1000) < o->reads) {
		orphans_list(o, u);
	} else {
		orphans_unlink(o, u);
		if (u->opened > o->open)
			orphans_create(o, u, orphans_close(o, u));
	}
	delay_ns(o->think_ns);
	return 1;
}

static void orphan_hold(void *state, void *thread, void (*inside)(void *arg),
			void *arg)
{
	struct orphans *o = state;
	struct orphans_user *u = thread;
	uint64_t sections;

	o->lock->lock(o->lines[0], &u->orphan_ctx);
	sections = TKT_READ(&o->hot->sections);
	inside(arg);
	TKT_WRITE(&o->hot->sections, sections + 1);
	o->lock->unlock(o->lines[0], &u->orphan_ctx);
	u->sections++;
}

static bool orphan_check(void *state, char *why)
{
	return orphans_check(state, why);
}

extern const struct kernel_ops KERNEL_SYM(readdir_orphan);
const struct kernel_ops KERNEL_SYM(readdir_orphan) = {
	.name = "readdir_orphan",
	.summary = "AIM7 custom: readdir and unlink, one list of orphans",
	.traits = KERNEL_CS | KERNEL_THINK | KERNEL_LAYOUT,
	.options = orphan_options,
	.variants = orphan_variants,
	.setup = orphan_setup,
	.destroy = orphan_destroy,
	.thread_setup = orphan_thread_setup,
	.thread_teardown = orphan_thread_teardown,
	.step = orphan_step,
	.hold = orphan_hold,
	.check = orphan_check,
};
