/* SPDX-License-Identifier: MIT */
/* src/kernels/dentry_tree.c - directories, children, references */
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "dentry_tree.h"
#include "harness/delay.h"
#include "setup.h"

#define MASK_ALIVE UINT64_C(0x0000000000000003)
#define MASK_POISON UINT64_C(0x6b6b6b6b6b6b6b6b)

/* A child that keeps moving away is pinned by the rename lock after this. */
#define GET_PARENT_TRIES 8

static struct dentry_hot *hot_of(const struct dentry_tree *tree,
				 struct dentry_dir *dir)
{
	return (void *)((unsigned char *)dir + tree->hot_offset);
}

static tkt_lockref_t *lockref_of(const struct dentry_dir *dir)
{
	return (tkt_lockref_t *)(uintptr_t)dir->lines[0];
}

static void dir_lock(struct dentry_tree *tree, struct dentry_user *user,
		     struct dentry_dir *dir, unsigned int nested)
{
	if (tree->lock)
		tree->lock->lock(dir->lines[0], &user->ctx[nested]);
	else
		tkt_lockref_lock(lockref_of(dir));
}

/* Counts the section that ends here. */
static void dir_unlock(struct dentry_tree *tree, struct dentry_user *user,
		       struct dentry_dir *dir, unsigned int nested)
{
	struct dentry_hot *hot = hot_of(tree, dir);

	TKT_WRITE(&hot->sections, TKT_READ(&hot->sections) + 1);
	user->sections++;
	if (tree->lock)
		tree->lock->unlock(dir->lines[0], &user->ctx[nested]);
	else
		tkt_lockref_unlock(lockref_of(dir));
}

static void renames_lock(struct dentry_tree *tree, struct dentry_user *user)
{
	if (tree->lock)
		tree->lock->lock(tree->rename_lock, &user->ctx[2]);
	else
		tkt_lockref_lock((tkt_lockref_t *)(void *)tree->rename_lock);
}

static void renames_unlock(struct dentry_tree *tree, struct dentry_user *user)
{
	if (tree->lock)
		tree->lock->unlock(tree->rename_lock, &user->ctx[2]);
	else
		tkt_lockref_unlock((tkt_lockref_t *)(void *)tree->rename_lock);
}

/* Under dir's d_lock. */
static void add_reference(struct dentry_tree *tree, struct dentry_dir *dir)
{
	struct dentry_hot *hot = hot_of(tree, dir);

	if (tree->lock)
		TKT_WRITE(&hot->count, TKT_READ(&hot->count) + 1);
	else
		tkt_lockref_get_locked(lockref_of(dir));
}

/* So many references are left: the last one poisons what others may see. */
static void references_left(struct dentry_user *user, struct dentry_dir *dir,
			    int64_t count)
{
	if (count > 0)
		return;
	TKT_WRITE(&dir->mask, MASK_POISON);
	user->dead++;
}

/* Under dir's d_lock. */
static void drop_reference(struct dentry_tree *tree, struct dentry_user *user,
			   struct dentry_dir *dir)
{
	struct dentry_hot *hot = hot_of(tree, dir);
	int64_t count;

	if (tree->lock) {
		count = TKT_READ(&hot->count) - 1;
		TKT_WRITE(&hot->count, count);
	} else {
		count = tkt_lockref_put_locked(lockref_of(dir));
	}
	references_left(user, dir, count);
}

int64_t dentry_count(const struct dentry_tree *tree,
		     const struct dentry_dir *dir)
{
	const struct dentry_hot *hot =
		(const void *)((const unsigned char *)dir + tree->hot_offset);

	return tree->lock ? TKT_READ(&hot->count)
			  : (int64_t)tkt_lockref_count(lockref_of(dir));
}

/*
 * One attempt at a reference on `dir`, the child's parent a moment ago; pinned
 * if the caller keeps renames out.  A directory that is the parent once the
 * reference is there was so throughout, or has become so again: either will
 * do.
 */
static bool get_if_parent(struct dentry_tree *tree, struct dentry_user *user,
			  struct dentry_child *child, struct dentry_dir *dir,
			  bool pinned)
{
	bool found;

	if (!tree->lock) {
		if (!tkt_lockref_get_not_zero(lockref_of(dir))) {
			if (!pinned)
				return false;
			/* The parent, and dead: the check shall hear of it. */
			user->dead++;
			tkt_lockref_get(lockref_of(dir));
		}
		delay_ns(user->hold_ns);
		if (TKT_LOAD(&child->parent, TKT_RELAXED) == dir)
			return true;
		references_left(user, dir, tkt_lockref_put(lockref_of(dir)));
		return false;
	}
	dir_lock(tree, user, dir, 0);
	/* Parents change under their d_lock: this one stays, if so. */
	found = TKT_LOAD(&child->parent, TKT_RELAXED) == dir || pinned;
	if (found) {
		add_reference(tree, dir);
		delay_ns(user->hold_ns);
	}
	dir_unlock(tree, user, dir, 0);
	return found;
}

struct dentry_dir *dentry_get_parent(struct dentry_tree *tree,
				     struct dentry_user *user,
				     struct dentry_child *child)
{
	struct dentry_dir *dir = NULL;
	bool found = false, pinned = false;

	for (int try = 0; !found; try++) {
		if (try == GET_PARENT_TRIES) {
			renames_lock(tree, user);
			pinned = true;
		}
		dir = TKT_LOAD(&child->parent, TKT_RELAXED);
		found = get_if_parent(tree, user, child, dir, pinned);
	}
	if (pinned)
		renames_unlock(tree, user);
	return dir;
}

void dentry_put(struct dentry_tree *tree, struct dentry_user *user,
		struct dentry_dir *dir)
{
	if (user->forgets) {
		user->forgets = false;
		return;
	}
	if (!tree->lock) {
		delay_ns(user->hold_ns);
		references_left(user, dir, tkt_lockref_put(lockref_of(dir)));
		return;
	}
	dir_lock(tree, user, dir, 0);
	drop_reference(tree, user, dir);
	delay_ns(user->hold_ns);
	dir_unlock(tree, user, dir, 0);
}

void dentry_notify(struct dentry_tree *tree, struct dentry_user *user,
		   struct dentry_child *child)
{
	struct dentry_dir *dir = dentry_get_parent(tree, user, child);

	/* The reference, not the lock, keeps the parent alive here. */
	if (TKT_READ(&dir->mask) != MASK_ALIVE)
		user->dead++;
	dentry_put(tree, user, dir);
}

void dentry_hold(struct dentry_tree *tree, struct dentry_user *user,
		 void (*inside)(void *arg), void *arg)
{
	struct dentry_dir *dir = &tree->dir[0];
	struct dentry_hot *hot = hot_of(tree, dir);
	uint64_t sections;

	dir_lock(tree, user, dir, 0);
	sections = TKT_READ(&hot->sections);
	inside(arg);
	TKT_WRITE(&hot->sections, sections);
	dir_unlock(tree, user, dir, 0);
}

void dentry_rename(struct dentry_tree *tree, struct dentry_user *user,
		   struct dentry_child *child, struct dentry_dir *to)
{
	struct dentry_dir *from, *first, *second;

	renames_lock(tree, user);
	from = TKT_LOAD(&child->parent, TKT_RELAXED);
	first = (uintptr_t)from < (uintptr_t)to ? from : to;
	second = first == from ? to : from;
	dir_lock(tree, user, first, 0);
	if (first != second)
		dir_lock(tree, user, second, 1);

	list_remove(&child->link);
	list_add(&to->children, &child->link);
	TKT_STORE(&child->parent, to, TKT_RELAXED);
	/* The new parent's before the old one's: never one too few. */
	add_reference(tree, to);
	drop_reference(tree, user, from);

	if (first != second)
		dir_unlock(tree, user, second, 1);
	dir_unlock(tree, user, first, 0);
	renames_unlock(tree, user);
}

static void tree_populate(struct dentry_tree *tree, unsigned int per_dir)
{
	for (unsigned int i = 0; i < tree->dirs; i++) {
		struct dentry_dir *dir = &tree->dir[i];

		list_init(&dir->children);
		dir->mask = MASK_ALIVE;
		if (tree->lock)
			hot_of(tree, dir)->count = 1 + (int64_t)per_dir;
		else
			tkt_lockref_init(lockref_of(dir), 1 + per_dir);
		for (unsigned int k = 0; k < per_dir; k++) {
			struct dentry_child *child =
				&tree->child[i * per_dir + k];

			child->parent = dir;
			list_add(&dir->children, &child->link);
		}
	}
}

/* 0: the rename lock; then the d_lock of each directory. */
static void *lock_number(struct dentry_tree *tree, unsigned int i)
{
	return i ? tree->dir[i - 1].lines[0] : tree->rename_lock;
}

bool dentry_tree_build(struct dentry_tree *tree, const struct lock_ops *lock,
		       const struct lock_params *params,
		       enum kernel_layout layout, unsigned int dirs,
		       unsigned int per_dir, char *why)
{
	const char *wrong;

	memset(tree, 0, sizeof(*tree));
	tree->lock = lock;
	tree->hot_offset = lock ? kernel_data_offset(lock, layout)
			   : layout == KERNEL_SPLIT ? LOCK_ALIGN
						    : sizeof(tkt_lockref_t);
	tree->dirs = dirs;
	tree->children = dirs * per_dir;
	tree->dir = setup_alloc(dirs * sizeof(*tree->dir), why);
	tree->child = setup_alloc(tree->children * sizeof(*tree->child), why);
	if (!tree->dir || !tree->child)
		goto fail;
	/* A zeroed lockref is a free one. */
	for (; lock && tree->locks <= dirs; tree->locks++) {
		wrong = lock->init(lock_number(tree, tree->locks), params);
		if (wrong) {
			(void)setup_fail(wrong, why);
			goto fail;
		}
	}
	tree_populate(tree, per_dir);
	return true;
fail:
	dentry_tree_free(tree);
	return false;
}

void dentry_tree_free(struct dentry_tree *tree)
{
	for (unsigned int i = 0; i < tree->locks; i++)
		lock_destroy(tree->lock, lock_number(tree, i));
	free(tree->child);
	free(tree->dir);
}

bool dentry_user_open(const struct dentry_tree *tree, struct dentry_user *user)
{
	for (unsigned int i = 0; tree->lock && i < DENTRY_NESTED; i++) {
		if (lock_ctx_open(tree->lock, &user->ctx[i]))
			continue;
		while (i--)
			lock_ctx_close(tree->lock, &user->ctx[i]);
		return false;
	}
	return true;
}

void dentry_user_close(const struct dentry_tree *tree, struct dentry_user *user)
{
	for (unsigned int i = 0; tree->lock && i < DENTRY_NESTED; i++)
		lock_ctx_close(tree->lock, &user->ctx[i]);
}
