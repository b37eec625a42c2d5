/* SPDX-License-Identifier: MIT */
/* src/kernels/dio.h - the kernel's state, for its parts */
#ifndef TKT_SRC_KERNELS_DIO_H
#define TKT_SRC_KERNELS_DIO_H

#include "dio_inode.h"

struct row;

struct dio_variant {
	const char *name, *buffered; /* the second if there is no O_DIRECT */
	unsigned int scheme;	     /* of enum dio_scheme */
};

struct dio {
	struct dio_inode inode;
	const struct dio_variant *variant;
	unsigned int threads, writers; /* the first write, the others read */
	uint32_t punches, truncates, syncs; /* of 1000 writes */
	uint64_t seed;
	struct dio_job job[];
};

/*
 * With nobody at work: whether file, inode, shadow and jobs agree.  The
 * checks, by name, in this order:
 *
 *   truncate-waits     the file was longer than its inode said, under the
 *                      mutex: a write in flight has outlived a truncate
 *   size-agrees        the sizes differed when no write was in flight
 *   whole-block        a block is not the whole of any one write
 *   fsync-has-written  a block that was complete when fsync was called was
 *                      not what the disk had after it
 *   read-last-write    a block that nobody was writing read as something else
 *                      than its last write
 *   sections-add-up    sections counted under the mutex, or the size lock,
 *                      against those that the jobs made
 *   last-write         at the end a block is not the last write, nor one that
 *                      was concurrent with the last
 */
bool dio_check(struct dio *d, char *why);

/* Published figures beside ours. */
void dio_report(FILE *out, const struct row *rows, size_t n);

#endif /* TKT_SRC_KERNELS_DIO_H */
