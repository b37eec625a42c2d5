/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/dentry.c - AIM7 short: reference counts on a shared parent
 *
 * An operation is a read or write of one of the children, at random: a
 * reference on its parent taken and dropped (dentry_tree.h).  A few of them
 * rename the child first, to another directory if there is one.  Busy with
 * --cs in each of the two critical sections, with --think between operations.
 *
 * Variant `lock` is the d_lock and d_count of the time; `lockref` has both in
 * one word, where there is no section to be busy in: --cs passes with the
 * reference in hand.  `lockref-forgets` is wrong on purpose: each thread keeps
 * its first reference.
 */
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "dentry_tree.h"
#include "harness/delay.h"
#include "harness/random.h"
#include "setup.h"

enum {
	OPTION_PARENTS,
	OPTION_CHILDREN,
	OPTION_RENAMES
};

static const struct kernel_option dentry_options[] = {
	[OPTION_PARENTS] = { "parents", "directories", 1, 1024, 1,
			     "directories that the children are spread over" },
	[OPTION_CHILDREN] = { "children", "files", 1, 1024, 16,
			      "children of each directory at the start" },
	[OPTION_RENAMES] = { "rename-permille", "permille", 0, 1000, 1,
			     "of 1000 operations, so many rename first" },
	{ .name = NULL },
};

static const char *const dentry_variants[] = { "lock", "lockref", NULL };
static const char *const dentry_controls[] = { "lockref-forgets", NULL };

static bool dentry_takes_lock(const char *variant)
{
	return !strcmp(variant, "lock");
}

struct dentry_thread {
	struct dentry_user user;
	struct random random;
} __attribute__((aligned(LOCK_ALIGN)));

struct dentry {
	struct dentry_tree tree;
	uint64_t seed;
	unsigned int threads;
	uint32_t hold_ns, think_ns, renames;
	bool forgets;
	struct dentry_thread thread[];
};

static void *dentry_setup(const struct kernel_config *config,
			  const struct lock_ops *lock, char *why)
{
	const size_t size = sizeof(struct dentry) +
			    config->threads * sizeof(struct dentry_thread);
	struct dentry *d = setup_alloc(size, why);

	if (!d)
		return NULL;
	if (!dentry_takes_lock(config->variant))
		lock = NULL;
	if (!dentry_tree_build(&d->tree, lock, &config->lock, config->layout,
			       (unsigned int)config->option[OPTION_PARENTS],
			       (unsigned int)config->option[OPTION_CHILDREN],
			       why)) {
		free(d);
		return NULL;
	}
	d->hold_ns = config->cs_ns;
	d->think_ns = config->think_ns;
	d->renames = (uint32_t)config->option[OPTION_RENAMES];
	d->seed = config->seed;
	d->threads = config->threads;
	d->forgets = !strcmp(config->variant, "lockref-forgets");
	return d;
}

static void dentry_destroy(void *state)
{
	struct dentry *d = state;

	dentry_tree_free(&d->tree);
	free(d);
}

static void *dentry_thread_setup(void *state, unsigned int index)
{
	struct dentry *d = state;
	struct dentry_thread *t = &d->thread[index];

	t->random = random_stream(d->seed, index);
	t->user.hold_ns = d->hold_ns;
	t->user.forgets = d->forgets;
	return dentry_user_open(&d->tree, &t->user) ? t : NULL;
}

static void dentry_thread_teardown(void *state, void *thread)
{
	struct dentry *d = state;
	struct dentry_thread *t = thread;

	dentry_user_close(&d->tree, &t->user);
}

/* Any directory but the present one, unless it is the only one. */
static struct dentry_dir *another_dir(struct dentry *d, struct dentry_thread *t,
				      struct dentry_child *child)
{
	struct dentry_dir *now = TKT_LOAD(&child->parent, TKT_RELAXED);
	unsigned int i;

	if (d->tree.dirs == 1)
		return now;
	i = random_below(&t->random, d->tree.dirs - 1);
	return &d->tree.dir[i + (&d->tree.dir[i] >= now)];
}

static long dentry_step(void *state, void *thread)
{
	struct dentry *d = state;
	struct dentry_thread *t = thread;
	struct dentry_child *child =
		&d->tree.child[random_below(&t->random, d->tree.children)];

	if (d->renames && random_below(&t->random, 1000) < d->renames)
		dentry_rename(&d->tree, &t->user, child,
			      another_dir(d, t, child));
	dentry_notify(&d->tree, &t->user, child);
	delay_ns(d->think_ns);
	return 1;
}

static void dentry_kernel_hold(void *state, void *thread,
			       void (*inside)(void *arg), void *arg)
{
	struct dentry *d = state;
	struct dentry_thread *t = thread;

	dentry_hold(&d->tree, &t->user, inside, arg);
}

static bool dentry_check(void *state, char *why)
{
	struct dentry *d = state;
	struct dentry_totals totals = { 0, 0 };

	for (unsigned int i = 0; i < d->threads; i++)
		dentry_totals_add(&totals, &d->thread[i].user);
	return dentry_tree_check(&d->tree, &totals, why);
}

extern const struct kernel_ops KERNEL_SYM(dentry);
const struct kernel_ops KERNEL_SYM(dentry) = {
	.name = "dentry",
	.summary = "AIM7 short: dget_parent and dput on a shared parent",
	.traits = KERNEL_CS | KERNEL_THINK | KERNEL_LAYOUT,
	.options = dentry_options,
	.variants = dentry_variants,
	.controls = dentry_controls,
	.takes_lock = dentry_takes_lock,
	.setup = dentry_setup,
	.destroy = dentry_destroy,
	.thread_setup = dentry_thread_setup,
	.thread_teardown = dentry_thread_teardown,
	.step = dentry_step,
	.hold = dentry_kernel_hold,
	.check = dentry_check,
};
