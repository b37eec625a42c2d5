/* SPDX-License-Identifier: MIT */
/*
 * src/workfiles/footprint.h - what an AIM7 test does to the kernel's locks
 *
 * The tests are not run; what they make the kernel do to its locks is.  A
 * test's footprint is that of one job: a number of rounds, in each of which
 * the listed operations follow each other, each so many times, and the rest
 * of the time is think time, spread evenly behind them.
 */
#ifndef TKT_SRC_WORKFILES_FOOTPRINT_H
#define TKT_SRC_WORKFILES_FOOTPRINT_H

#include <stddef.h>
#include <stdint.h>

/* What of the kernel's a test can make use of; operations[] says more. */
enum operation_id {
	OP_NOTIFY,
	OP_LIST,
	OP_SEARCH,
	OP_RECREATE,
	OP_BUFFER,
	OP_UPDATE,
	OP_SYNC,
	OP_DIRECT,
	OPERATIONS
};

struct operation {
	const char *name;
	unsigned int hold_ns; /* busy in its critical section */
	const char *locks;    /* that it takes, and what of */
	const char *what;     /* it stands for */
};

/* Indexed by enum operation_id. */
extern const struct operation operations[OPERATIONS];

/* Busy in a commit, which holds nothing then but keeps those who wait. */
#define FOOTPRINT_COMMIT_NS 400u

struct footprint_part {
	enum operation_id op;
	unsigned int times; /* in a round; 0: the list ends here */
};

struct footprint {
	const char *test;
	unsigned int rounds;   /* in a job */
	unsigned int think_ns; /* in a round */
	const struct footprint_part *part;
	const char *none; /* if there are no operations, why */
};

/* By name, ascending. */
extern const struct footprint footprints[];
extern const size_t footprint_count;

#define FOOTPRINTS_MAX 64 /* at least footprint_count, for arrays */

/* The footprint of that test; NULL: there is none of that name. */
const struct footprint *footprint_find(const char *test);

/* Operations of a round, each as often as it is done. */
unsigned int footprint_ops(const struct footprint *f);

/* Operation number n of a round, n below footprint_ops(f). */
enum operation_id footprint_op(const struct footprint *f, unsigned int n);

#endif /* TKT_SRC_WORKFILES_FOOTPRINT_H */
