/* SPDX-License-Identifier: MIT */
/*
 * src/workfiles/workfile.h - AIM7 workfiles
 *
 * A workfile is a list of tests with weights:
 *
 *	# a comment, to the end of its line; blank lines are allowed
 *	FILESIZE 10k
 *	POOLSIZE 1M
 *	20 disk_rd
 *	10 creat_clo
 *
 * FILESIZE and POOLSIZE, which are optional, say how much data the original
 * tests move.  They are checked and kept, but footprints do not depend on
 * them: they describe locks, not data.
 */
#ifndef TKT_SRC_WORKFILES_WORKFILE_H
#define TKT_SRC_WORKFILES_WORKFILE_H

#include "footprint.h"
#include "harness/error.h"

#define WORKFILE_BYTES_MAX (1024u * 1024)
#define WORKFILE_LINE_MAX 255 /* bytes, without the newline */
#define WORKFILE_WEIGHT_MAX 10000
#define WORKFILE_SIZE_MAX (UINT64_C(1) << 40) /* of FILESIZE and POOLSIZE */

struct workfile_test {
	const struct footprint *footprint;
	unsigned int weight;
};

struct workfile {
	char name[32];		       /* what its results go by */
	unsigned int count, total;     /* tests, and their weights' sum */
	uint64_t file_size, pool_size; /* bytes; 0: not given */
	struct workfile_test test[FOOTPRINTS_MAX];
};

/*
 * Reads a workfile's text of `size` bytes.  `name` is for messages, which give
 * the line, too, and what is allowed there.  False: *e is set.
 */
bool workfile_parse(struct workfile *w, const char *name, const char *text,
		    size_t size, struct error *e);

/* Reads the file at that path. */
bool workfile_read(struct workfile *w, const char *path, struct error *e);

/*
 * Times that a user runs test i: its share of the weights in percent, rounded,
 * and at least 1.
 */
unsigned int workfile_jobs(const struct workfile *w, unsigned int i);

/*
 * The path of the shipped workfile of that name (short, custom, disk,
 * five_sec) in path[size]; false: there is none.
 */
bool workfile_shipped(const char *name, char *path, size_t size);

/* The names of the shipped ones; NULL at the end. */
extern const char *const workfile_names[];

#endif /* TKT_SRC_WORKFILES_WORKFILE_H */
