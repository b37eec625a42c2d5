/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/workfile_fs.h - what the users of a workfile share
 *
 * One file system, made of the parts of the other kernels, each with the data
 * that its locks protect and with its checks:
 *
 *	dentry_tree     one directory's d_lock, and files in it
 *	orphans         directories with their i_mutex, and the orphan list
 *	bufwait         buffers, their hashed wait queues, and one journal
 *
 * Besides these, each user has an i_mutex of its own, for the file that it
 * reads and writes directly: nobody else's, as in AIM7.
 *
 * All locks are the lock under test, but that i_mutex is the library's mutex in
 * the variant `mutex`, and that the journal's state is a tkt_rwlock_t.  An
 * operation holds no lock when it returns, and waits for nobody but those who
 * are in an operation.
 */
#ifndef TKT_SRC_KERNELS_WORKFILE_FS_H
#define TKT_SRC_KERNELS_WORKFILE_FS_H

#include "bufwait_parts.h"
#include "dentry_tree.h"
#include "orphans.h"
#include "workfiles/footprint.h"

struct workfile_fs {
	struct dentry_tree tree;
	struct orphans *orphans;
	struct bufwait *buffers;
};

/* One user's part; in an array, for the checks. */
struct workfile_hand {
	struct dentry_user dentry;
	unsigned char own_i_mutex[LOCK_ALIGN];
	struct orphans_user *orphans;
	struct bufwait_thread *buffers;
	struct random random;
} __attribute__((aligned(LOCK_ALIGN)));

#define workfile_fs_build LOCK_PASTE(workfile, fs_build, LOCK_BACKEND)
#define workfile_fs_free LOCK_PASTE(workfile, fs_free, LOCK_BACKEND)
#define workfile_fs_open LOCK_PASTE(workfile, fs_open, LOCK_BACKEND)
#define workfile_fs_close LOCK_PASTE(workfile, fs_close, LOCK_BACKEND)
#define workfile_fs_run LOCK_PASTE(workfile, fs_run, LOCK_BACKEND)
#define workfile_fs_check LOCK_PASTE(workfile, fs_check, LOCK_BACKEND)

/*
 * Builds all of it, for config->threads users and with so many directories, of
 * the config's variant.  False, with why (KERNEL_WHY_BYTES): it could not.
 * The memory of *fs is aligned to LOCK_ALIGN.
 */
bool workfile_fs_build(struct workfile_fs *fs,
		       const struct kernel_config *config,
		       const struct lock_ops *lock, uint64_t directories,
		       char *why);
void workfile_fs_free(struct workfile_fs *fs);

/* On user number `index`'s thread, before and after; false: out of memory. */
bool workfile_fs_open(struct workfile_fs *fs,
		      const struct kernel_config *config,
		      struct workfile_hand *hand, unsigned int index);
void workfile_fs_close(struct workfile_fs *fs, struct workfile_hand *hand);

/* Does that operation once; false: the state is broken, and it could not. */
bool workfile_fs_run(struct workfile_fs *fs, struct workfile_hand *hand,
		     enum operation_id op);

/*
 * With no user at work: all checks of the parts, by the parts' names, and
 *
 *   listings-add-up  listings that the directories counted, under i_mutex,
 *                    against those that the users made
 *
 * The totals are of all hands.
 */
bool workfile_fs_check(struct workfile_fs *fs,
		       const struct dentry_totals *totals, char *why);

#endif /* TKT_SRC_KERNELS_WORKFILE_FS_H */
