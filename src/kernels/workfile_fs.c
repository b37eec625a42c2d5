/* SPDX-License-Identifier: MIT */
/* src/kernels/workfile_fs.c - what the users of a workfile share */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tkt/atomic.h>

#include "harness/delay.h"
#include "workfile_fs.h"

#define FILES 64 /* in the directory whose d_lock is the users' */

/* The kernels that are built as a whole, as `tkt run` would build them. */
#define ORPHANS (&KERNEL_SYM(readdir_orphan))
#define BUFWAIT (&KERNEL_SYM(bufwait))
extern const struct kernel_ops KERNEL_SYM(readdir_orphan);
extern const struct kernel_ops KERNEL_SYM(bufwait);

static struct kernel_config config_for(const struct kernel_ops *kernel,
				       const struct kernel_config *from,
				       uint32_t cs_ns)
{
	struct kernel_config c = *from;

	c.cs_ns = cs_ns;
	c.think_ns = 0;
	for (unsigned int i = 0; kernel->options[i].name; i++)
		c.option[i] = kernel->options[i].preset;
	return c;
}

/* As --name value would. */
static void set_option(struct kernel_config *c, const struct kernel_ops *kernel,
		       const char *name, uint64_t value)
{
	for (unsigned int i = 0; kernel->options[i].name; i++)
		if (!strcmp(kernel->options[i].name, name))
			c->option[i] = value;
}

bool workfile_fs_build(struct workfile_fs *fs,
		       const struct kernel_config *config,
		       const struct lock_ops *lock, uint64_t directories,
		       char *why)
{
	struct kernel_config orphans =
		config_for(ORPHANS, config, operations[OP_RECREATE].hold_ns);
	struct kernel_config buffers =
		config_for(BUFWAIT, config, FOOTPRINT_COMMIT_NS);

	if (!dentry_tree_build(&fs->tree, lock, &config->lock, config->layout,
			       1, FILES, why))
		return false;
	set_option(&orphans, ORPHANS, "directories", directories);
	fs->orphans = ORPHANS->setup(&orphans, lock, why);
	if (!fs->orphans)
		goto no_orphans;
	buffers.variant = NULL;
	fs->buffers = BUFWAIT->setup(&buffers, lock, why);
	if (fs->buffers)
		return true;

	ORPHANS->destroy(fs->orphans);
no_orphans:
	dentry_tree_free(&fs->tree);
	return false;
}

void workfile_fs_free(struct workfile_fs *fs)
{
	BUFWAIT->destroy(fs->buffers);
	ORPHANS->destroy(fs->orphans);
	dentry_tree_free(&fs->tree);
}

bool workfile_fs_open(struct workfile_fs *fs,
		      const struct kernel_config *config,
		      struct workfile_hand *hand, unsigned int index)
{
	const struct lock_ops *i_mutex = fs->orphans->all.lock;

	hand->random = random_stream(config->seed, index);
	hand->dentry.hold_ns = operations[OP_NOTIFY].hold_ns;
	if (!dentry_user_open(&fs->tree, &hand->dentry))
		return false;
	hand->orphans = ORPHANS->thread_setup(fs->orphans, index);
	if (!hand->orphans)
		goto no_orphans;
	hand->buffers = BUFWAIT->thread_setup(fs->buffers, index);
	if (!hand->buffers)
		goto no_buffers;
	if (!i_mutex->init(hand->own_i_mutex, &config->lock))
		return true;

	BUFWAIT->thread_teardown(fs->buffers, hand->buffers);
no_buffers:
	ORPHANS->thread_teardown(fs->orphans, hand->orphans);
no_orphans:
	dentry_user_close(&fs->tree, &hand->dentry);
	return false;
}

void workfile_fs_close(struct workfile_fs *fs, struct workfile_hand *hand)
{
	const struct lock_ops *i_mutex = fs->orphans->all.lock;

	if (i_mutex->destroy)
		i_mutex->destroy(hand->own_i_mutex);
	BUFWAIT->thread_teardown(fs->buffers, hand->buffers);
	ORPHANS->thread_teardown(fs->orphans, hand->orphans);
	dentry_user_close(&fs->tree, &hand->dentry);
}

static void list(struct orphans *o, struct orphans_user *u, uint32_t which,
		 uint32_t hold_ns)
{
	struct directory *dir = &o->all.dir[which];

	o->all.lock->lock(dir->lines[0], &u->inode_ctx);
	u->torn += !directory_list(dir);
	u->listings++;
	delay_ns(hold_ns);
	o->all.lock->unlock(dir->lines[0], &u->inode_ctx);
}

/* A directory may be empty: then there is nothing to close. */
static void recreate(struct orphans *o, struct orphans_user *u)
{
	orphans_unlink(o, u);
	if (u->opened)
		orphans_create(o, u, orphans_close(o, u));
}

static void direct(struct workfile_fs *fs, struct workfile_hand *hand,
		   uint32_t hold_ns)
{
	const struct lock_ops *i_mutex = fs->orphans->all.lock;

	i_mutex->lock(hand->own_i_mutex, &hand->orphans->inode_ctx);
	delay_ns(hold_ns);
	i_mutex->unlock(hand->own_i_mutex, &hand->orphans->inode_ctx);
}

static bool update(struct bufwait *b, struct bufwait_thread *t,
		   struct bufwait_buffer *buf, uint32_t hold_ns, bool sync)
{
	bufwait_tid tid;
	bool changed;

	if (TKT_CLOCK_NS() >= TKT_LOAD(&b->journal.due_ns, TKT_RELAXED))
		(void)bufwait_commit(b, t);
	if (!bufwait_start(b, t, &tid))
		return false;
	changed = bufwait_change(b, t, buf, hold_ns);
	bufwait_stop(b, t, tid);
	if (sync && changed)
		bufwait_log_wait(b, t, tid);
	return changed;
}

/* Of those on buffers and the journal. */
static bool run_buffers(struct workfile_fs *fs, struct workfile_hand *hand,
			enum operation_id op)
{
	const uint32_t hold_ns = operations[op].hold_ns;
	struct bufwait *b = fs->buffers;
	struct bufwait_thread *t = hand->buffers;
	struct bufwait_buffer *buf =
		&b->buffer[random_below(&hand->random, b->buffers)];
	bool done;

	if (bufwait_broken(b))
		return false;
	bufwait_is(t, BUFWAIT_RUNNING);
	done = op == OP_BUFFER ? bufwait_change(b, t, buf, hold_ns)
			       : update(b, t, buf, hold_ns, op == OP_SYNC);
	bufwait_is(t, BUFWAIT_OUT);
	return done;
}

bool workfile_fs_run(struct workfile_fs *fs, struct workfile_hand *hand,
		     enum operation_id op)
{
	const uint32_t hold_ns = operations[op].hold_ns;
	struct dentry_tree *tree = &fs->tree;
	struct orphans *o = fs->orphans;

	switch (op) {
	case OP_NOTIFY:
		dentry_notify(tree, &hand->dentry,
			      &tree->child[random_below(&hand->random,
							tree->children)]);
		return true;
	case OP_LIST:
		list(o, hand->orphans, 0, hold_ns);
		return true;
	case OP_SEARCH:
		list(o, hand->orphans,
		     random_below(&hand->random, o->all.count), hold_ns);
		return true;
	case OP_RECREATE:
		recreate(o, hand->orphans);
		return true;
	case OP_DIRECT:
		direct(fs, hand, hold_ns);
		return true;
	case OP_BUFFER:
	case OP_UPDATE:
	case OP_SYNC:
		return run_buffers(fs, hand, op);
	case OPERATIONS:
		break;
	}
	return false;
}

static bool check_listings(struct orphans *o, char *why)
{
	uint64_t counted = 0, made = 0;

	for (unsigned int i = 0; i < o->threads; i++)
		made += o->user[i].listings;
	for (unsigned int i = 0; i < o->all.count; i++)
		counted += TKT_READ(&o->all.dir[i].hot->listings);
	if (counted == made)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "listings-add-up: %" PRIu64 " counted under i_mutex, "
		       "%" PRIu64 " made",
		       counted, made);
	return false;
}

bool workfile_fs_check(struct workfile_fs *fs,
		       const struct dentry_totals *totals, char *why)
{
	/* The listings first: the orphans' check makes more of them. */
	return dentry_tree_check(&fs->tree, totals, why) &&
	       check_listings(fs->orphans, why) &&
	       ORPHANS->check(fs->orphans, why) &&
	       BUFWAIT->check(fs->buffers, why);
}
