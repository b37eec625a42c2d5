/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/dio_inode.h - an inode's mutex, and how I/O gets by without it
 *
 * The schemes, after the proposal to write to a file directly without its
 * mutex (fs-devel, 2013):
 *
 *   lock    the mutex is held across the I/O
 *   nolock  under the mutex the I/O is counted, then the mutex is dropped,
 *           and taken once more after it.  Truncate holds the mutex and waits
 *           for the count to drain.  A lock on each block keeps overlapping
 *           writes and hole punches apart.  Readers take neither mutex nor
 *           count, unless a flag says that they need the mutex, which
 *           truncate raises.
 *
 * Several tasks may then update the size at once.  Of the two answers given,
 * `within` does not write past the end without the mutex; `spin` does, and
 * updates the size under a spin lock.
 *
 * Order of locks: blocks, mutex, size lock.  Whoever holds the mutex waits
 * only for writes that need no more than the size lock to be counted out.
 *
 * The size here is the model's; the file has its own, which the file system
 * keeps right.  They must agree whenever no write is under way that may change
 * the size:
 *
 *   lock, within   always, under the mutex
 *   spin           under the mutex once the count has drained
 */
#ifndef TKT_SRC_KERNELS_DIO_INODE_H
#define TKT_SRC_KERNELS_DIO_INODE_H

#include "dio_file.h"
#include "dio_shadow.h"
#include "harness/random.h"
#include "kernel.h"

enum dio_scheme {
	DIO_LOCKS = 1 << 0,   /* uses the mutex at all */
	DIO_DROPS = 1 << 1,   /* drops it during the I/O: nolock */
	DIO_EXTENDS = 1 << 2, /* also if the write extends the file */

	/* Mistakes, for the checks to find. */
	DIO_BAD_SIZE = 1 << 3,	   /* size update without the size lock */
	DIO_BAD_TRUNCATE = 1 << 4, /* truncate does not wait */
	DIO_BAD_RANGE = 1 << 5,	   /* no lock on the blocks */
	DIO_BAD_EARLY = 1 << 6,	   /* a write counts as complete before it is */
	DIO_BAD_SYNC = 1 << 7,	   /* fsync does nothing */
	DIO_BAD = DIO_BAD_SIZE | DIO_BAD_TRUNCATE | DIO_BAD_RANGE |
		  DIO_BAD_EARLY | DIO_BAD_SYNC
};

struct dio_inode {
	unsigned char mutex[LOCK_ALIGN] __attribute__((aligned(LOCK_ALIGN)));
	unsigned char size_lock[LOCK_ALIGN]
		__attribute__((aligned(LOCK_ALIGN)));
	/* Under the mutex; the size under the size lock for DIO_EXTENDS. */
	uint64_t sections __attribute__((aligned(LOCK_ALIGN)));
	uint64_t size;		/* in blocks */
	uint64_t size_sections; /* under the size lock */
	uint32_t in_flight;	/* 2 for each I/O, 1: truncate waits; a futex */
	uint32_t readers_lock;	/* not 0: readers need the mutex */
	uint32_t cuts, looks;	/* truncates, fsyncs so far, for mistakes */
	/* Read by all, written by none, from here on. */
	const struct lock_ops *lock __attribute__((aligned(LOCK_ALIGN)));
	unsigned int scheme; /* of enum dio_scheme */
	unsigned int span;   /* blocks from the first on that are used */
	bool resizes;	     /* the file is going to be truncated */
	uint32_t *range;     /* a word for each block */
	struct dio_file file;
	struct dio_shadow shadow;
};

/* One thread's part. */
struct dio_job {
	union lock_ctx mutex_ctx, size_ctx;
	struct random random;
	unsigned int row;
	uint64_t seq;
	uint64_t sections, size_sections; /* that it made */
	uint64_t judged, busy; /* blocks looked at during the run; not judged */
	void *block;	       /* memory for one */
	char why[KERNEL_WHY_BYTES]; /* the first thing that went wrong, or "" */
} __attribute__((aligned(LOCK_ALIGN)));

/* NULL, or what is wrong with the lock's parameters. */
const char *dio_inode_init(struct dio_inode *in, const struct lock_ops *lock,
			   const struct lock_params *params);
void dio_inode_destroy(struct dio_inode *in);

void dio_lock(struct dio_inode *in, struct dio_job *job);
void dio_unlock(struct dio_inode *in, struct dio_job *job);

/*
 * For the mistakes: asleep until *word has been increased n times, or for
 * some 200 ms; and until the next full millisecond, as others then are.
 */
void dio_await(const uint32_t *word, uint32_t n);
void dio_meet(void);

/* One operation each; afterwards look at job->why. */
void dio_write(struct dio_inode *in, struct dio_job *job, unsigned int block);
void dio_read(struct dio_inode *in, struct dio_job *job, unsigned int block);
void dio_punch(struct dio_inode *in, struct dio_job *job, unsigned int block,
	       unsigned int n);
void dio_truncate(struct dio_inode *in, struct dio_job *job);
void dio_sync(struct dio_inode *in, struct dio_job *job);

/*
 * The first reason counts: all three write to why only if it is "".
 *
 * `what` could not be done with the file, for a reason that is not the lock's.
 */
void dio_broken(const struct dio_inode *in, char *why, const char *what,
		int err);

/*
 * Whether the sizes of file and inode agree; the checks truncate-waits (for
 * `within`) and size-agrees (for the others).
 */
bool dio_size_agrees(const struct dio_inode *in, char *why);

/* What a verdict other than DIO_FINE on that block means. */
void dio_condemn(char *why, const char *name, enum dio_verdict verdict,
		 unsigned int block, const void *content);

#endif /* TKT_SRC_KERNELS_DIO_INODE_H */
