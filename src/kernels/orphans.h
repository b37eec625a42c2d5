/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/orphans.h - inodes in directories, or on the list of orphans
 *
 * An inode is an entry of one directory, or deleted and open: then it is in
 * the hands of one thread, and on the list.  Locks nest: i_mutex, then the
 * orphan lock.
 */
#ifndef TKT_SRC_KERNELS_ORPHANS_H
#define TKT_SRC_KERNELS_ORPHANS_H

#include "directory.h"
#include "harness/random.h"
#include "list.h"

#define ORPHANS_OPEN_MAX 64

struct orphan {
	struct list_link link; /* first; on the list, or what it was there */
	uint32_t seen;	       /* by the check */
};

/* What the orphan lock protects, with the list. */
struct orphans_hot {
	struct list_link list;
	uint64_t sections;
};

struct orphans_user {
	union lock_ctx inode_ctx, orphan_ctx;
	struct random random;
	uint64_t sections; /* of the orphan lock */
	uint64_t listings, torn;
	uint64_t open[ORPHANS_OPEN_MAX + 1]; /* inode numbers, oldest first */
	uint32_t opened;
} __attribute__((aligned(LOCK_ALIGN)));

struct orphans {
	/* The orphan lock, then struct orphans_hot, as in a directory. */
	unsigned char lines[2][LOCK_ALIGN] __attribute__((aligned(LOCK_ALIGN)));
	struct directories all __attribute__((aligned(LOCK_ALIGN)));
	struct orphans_hot *hot;
	const struct lock_ops *lock;
	struct orphan *inode; /* number n is inode[n - 1] */
	uint64_t inodes;
	uint64_t seed;
	uint32_t cs_ns, think_ns, open, reads;
	unsigned int threads;
	struct orphans_user user[];
};

#define orphans_build LOCK_PASTE(orphans, build, LOCK_BACKEND)
#define orphans_free LOCK_PASTE(orphans, free, LOCK_BACKEND)
#define orphans_list LOCK_PASTE(orphans, list, LOCK_BACKEND)
#define orphans_unlink LOCK_PASTE(orphans, unlink, LOCK_BACKEND)
#define orphans_close LOCK_PASTE(orphans, close, LOCK_BACKEND)
#define orphans_create LOCK_PASTE(orphans, create, LOCK_BACKEND)
#define orphans_check LOCK_PASTE(orphans, check, LOCK_BACKEND)

/*
 * Builds directories with so many files each, room for twice as many, and an
 * empty list.  o->lock is set.  False, with why: it could not.
 */
bool orphans_build(struct orphans *o, const struct lock_ops *i_mutex,
		   const struct lock_params *params, enum kernel_layout layout,
		   unsigned int directories, unsigned int entries, char *why);
void orphans_free(struct orphans *o);

/* Lists some directory. */
void orphans_list(struct orphans *o, struct orphans_user *u);

/* Deletes a file of some directory, if that has one, and keeps it open. */
void orphans_unlink(struct orphans *o, struct orphans_user *u);

/* Closes the file that has been open longest; its number. */
uint64_t orphans_close(struct orphans *o, struct orphans_user *u);

/* Creates it anew, in some directory that has room. */
void orphans_create(struct orphans *o, struct orphans_user *u, uint64_t number);

/*
 * With no thread at work.  The checks, by name:
 *
 *   sections-add-up  orphan lock sections, counted under the lock, against
 *                    those that the threads made
 *   listing-torn     a listing did not agree with itself
 *   orphan-list      the list is damaged, or holds an inode twice
 *   one-place        an inode is not in exactly one place, or an open one is
 *                    not on the list
 */
bool orphans_check(struct orphans *o, char *why);

#endif /* TKT_SRC_KERNELS_ORPHANS_H */
