/* SPDX-License-Identifier: MIT */
/*
 * src/workfiles/footprint.h - what an AIM7 test does to the kernel's locks
 *
 * The tests are not run; what they make the kernel do to its locks is.  A
 * test's footprint is that of one job: a number of rounds, in each of which
 * the listed critical sections follow each other and the rest of the time is
 * think time, spread evenly.
 */
#ifndef TKT_SRC_WORKFILES_FOOTPRINT_H
#define TKT_SRC_WORKFILES_FOOTPRINT_H

#include <stddef.h>
#include <stdint.h>

/* Every user shares the one lock of a class; X(id, name, what it stands for) */
#define LOCK_CLASSES(X)                                                       \
	X(DENTRY, "dentry", "d_lock and d_count of a shared parent")          \
	X(INODE_MUTEX, "inode-mutex", "i_mutex of a shared directory")        \
	X(ORPHAN, "orphan", "the list of inodes that are deleted while open") \
	X(BUFFER_WAIT, "buffer-wait", "hashed wait queue of a buffer's lock") \
	X(JOURNAL, "journal", "state of the running transaction")

#define LOCK_CLASS_ID(id, name, what) LOCK_CLASS_##id,
enum lock_class {
	LOCK_CLASSES(LOCK_CLASS_ID) LOCK_CLASS_COUNT
};

extern const char *const lock_class_name[LOCK_CLASS_COUNT];
extern const char *const lock_class_what[LOCK_CLASS_COUNT];

#define FOOTPRINT_OPS_MAX 4
#define FOOTPRINT_LINES_MAX 8

struct footprint_op {
	enum lock_class class;
	unsigned int hold_ns; /* busy inside; dentry: in get and in put */
	unsigned int lines;   /* written inside; 0: the list ends here */
};

struct footprint {
	const char *test;
	unsigned int rounds;   /* in a job */
	unsigned int think_ns; /* in a round */
	struct footprint_op op[FOOTPRINT_OPS_MAX];
};

/* By name, ascending. */
extern const struct footprint footprints[];
extern const size_t footprint_count;

#define FOOTPRINTS_MAX 64 /* at least footprint_count, for arrays */

/* The footprint of that test; NULL: there is none of that name. */
const struct footprint *footprint_find(const char *test);

/* Number of critical sections in a round. */
unsigned int footprint_ops(const struct footprint *f);

#endif /* TKT_SRC_WORKFILES_FOOTPRINT_H */
