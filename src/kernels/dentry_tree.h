/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/dentry_tree.h - directories, children, references
 *
 * What AIM7 short spends its time on: each read and write of a file tells
 * fsnotify's watchers of the parent directory, and for that takes a reference
 * on the parent and drops it again, both under the parent's d_lock:
 *
 *	dget_parent:  lock(d_lock)  count++  unlock(d_lock)
 *	dput:         lock(d_lock)  count--  unlock(d_lock)
 *
 * The parent found before d_lock is taken may no longer be the parent once it
 * is: renames move children, holding the d_lock of both directories.
 *
 * Later kernels have d_lock and d_count in one word, tkt/lockref.h here, and
 * both calls count without the lock while it is free.  Built with a lockref in
 * each directory, the parent is checked after the count:
 *
 *	dget_parent:  get_not_zero(d_lockref), again if the child has moved
 *	dput:         put(d_lockref)
 *
 * References are counted as the real ones are: a directory has one of its
 * own, one for each child, and one for each user between the two calls.  None
 * of that ever brings a count down to zero.
 */
#ifndef TKT_SRC_KERNELS_DENTRY_TREE_H
#define TKT_SRC_KERNELS_DENTRY_TREE_H

#include <tkt/lockref.h>

#include "kernel.h"
#include "list.h"

#define DENTRY_NESTED 3 /* locks that a rename holds at once */

/* What d_lock protects and every call touches. */
struct dentry_hot {
	int64_t count;	   /* references, unless a lockref has them */
	uint64_t sections; /* d_lock sections so far, for the check */
};

struct dentry_child {
	struct list_link link; /* first; in its parent's list */
	struct dentry_dir *parent;
	uint32_t seen; /* by the check */
} __attribute__((aligned(LOCK_ALIGN)));

struct dentry_dir {
	/* The lock or lockref, then dentry_hot in the same line or the next. */
	unsigned char lines[2][LOCK_ALIGN] __attribute__((aligned(LOCK_ALIGN)));
	/* Seldom written. */
	struct list_link children __attribute__((aligned(LOCK_ALIGN)));
	uint64_t mask; /* what the notification reads; poison after death */
};

struct dentry_tree {
	const struct lock_ops *lock; /* NULL: lockrefs */
	size_t hot_offset;	     /* in struct dentry_dir */
	unsigned int dirs, children;
	unsigned int locks; /* made: the rename lock, and one in each dir */
	struct dentry_dir *dir;
	struct dentry_child *child;
	unsigned char rename_lock[LOCK_ALIGN]
		__attribute__((aligned(LOCK_ALIGN)));
};

/* One thread's part. */
struct dentry_user {
	union lock_ctx ctx[DENTRY_NESTED];
	uint32_t hold_ns;  /* busy in each d_lock section of get and put */
	uint64_t sections; /* d_lock sections that it made */
	uint64_t dead;	   /* references that it saw die under it */
	bool forgets;	   /* on purpose: the next dentry_put does nothing */
} __attribute__((aligned(LOCK_ALIGN)));

#define dentry_tree_build LOCK_PASTE(dentry, tree_build, LOCK_BACKEND)
#define dentry_tree_free LOCK_PASTE(dentry, tree_free, LOCK_BACKEND)
#define dentry_tree_check LOCK_PASTE(dentry, tree_check, LOCK_BACKEND)
#define dentry_user_open LOCK_PASTE(dentry, user_open, LOCK_BACKEND)
#define dentry_user_close LOCK_PASTE(dentry, user_close, LOCK_BACKEND)
#define dentry_get_parent LOCK_PASTE(dentry, get_parent, LOCK_BACKEND)
#define dentry_put LOCK_PASTE(dentry, put, LOCK_BACKEND)
#define dentry_notify LOCK_PASTE(dentry, notify, LOCK_BACKEND)
#define dentry_hold LOCK_PASTE(dentry, hold, LOCK_BACKEND)
#define dentry_rename LOCK_PASTE(dentry, rename, LOCK_BACKEND)

/*
 * Builds `dirs` directories with `per_dir` children each, 1 or more of both;
 * each with a lock of that kind, or, if `lock` is NULL, with a lockref.
 * False, with why (KERNEL_WHY_BYTES): it could not.  The memory of *tree is
 * aligned to LOCK_ALIGN.
 */
bool dentry_tree_build(struct dentry_tree *tree, const struct lock_ops *lock,
		       const struct lock_params *params,
		       enum kernel_layout layout, unsigned int dirs,
		       unsigned int per_dir, char *why);
void dentry_tree_free(struct dentry_tree *tree);

/* Before and after a thread's use of the tree; false: out of memory. */
bool dentry_user_open(const struct dentry_tree *tree, struct dentry_user *user);
void dentry_user_close(const struct dentry_tree *tree,
		       struct dentry_user *user);

/* References on a directory, with no thread in the tree. */
#define dentry_count LOCK_PASTE(dentry, count, LOCK_BACKEND)
int64_t dentry_count(const struct dentry_tree *tree,
		     const struct dentry_dir *dir);

/* A reference on the child's present parent, for dentry_put to drop. */
struct dentry_dir *dentry_get_parent(struct dentry_tree *tree,
				     struct dentry_user *user,
				     struct dentry_child *child);
void dentry_put(struct dentry_tree *tree, struct dentry_user *user,
		struct dentry_dir *dir);

/* One read or write of the child: get, look at the parent, put. */
void dentry_notify(struct dentry_tree *tree, struct dentry_user *user,
		   struct dentry_child *child);

/* Calls inside(arg) in a d_lock section of the first directory. */
void dentry_hold(struct dentry_tree *tree, struct dentry_user *user,
		 void (*inside)(void *arg), void *arg);

/* Moves the child to the end of that directory's list. */
void dentry_rename(struct dentry_tree *tree, struct dentry_user *user,
		   struct dentry_child *child, struct dentry_dir *to);

/* What all users did, summed by the caller from zeroes. */
struct dentry_totals {
	uint64_t sections, dead;
};

static inline void dentry_totals_add(struct dentry_totals *totals,
				     const struct dentry_user *user)
{
	totals->sections += user->sections;
	totals->dead += user->dead;
}

/*
 * With no thread in the tree: whether it agrees with what all its users did.
 * The checks, by name:
 *
 *   sections-add-up      d_lock sections, counted under the lock, against
 *                        those that the users made: a lost update shows at
 *                        once, and can never be made good by another
 *   use-after-last-put   a count came down to zero with references out
 *   count-balance        a count is not back at 1 + children
 *   one-list             a child is not on exactly one list, its parent's
 */
bool dentry_tree_check(struct dentry_tree *tree,
		       const struct dentry_totals *totals, char *why);

#endif /* TKT_SRC_KERNELS_DENTRY_TREE_H */
