/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/dio_shadow.h - what each block of the file may contain
 *
 * Every write is told apart by the row of its writer (one row for each
 * thread, one for the set-up) and a sequence number, and both are in the
 * block, with a checksum.  For each row and block the shadow keeps the last
 * write and the last zeroing (hole punch or truncate), with the times of their
 * begin and end by a clock that counts begins and ends.
 *
 * The rule.  Once no write or zeroing of a block is under way, it contains
 * wholly one event E, and no other event of the block began after E had ended:
 * E is the last, or was concurrent with the last.  A row does one thing after
 * the other, so that only the last of each kind in each row can be E.
 *
 * While the block is busy, nothing is said about what a reader may see.  A
 * reader finds out afterwards whether it was: the block's mark, taken before,
 * has changed.
 *
 * No locks: a row is written by its thread alone; others read it only while
 * the mark says that nobody writes.
 */
#ifndef TKT_SRC_KERNELS_DIO_SHADOW_H
#define TKT_SRC_KERNELS_DIO_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIO_BUSY UINT64_MAX

struct dio_last {
	uint64_t seq; /* 0: none */
	uint64_t begin, end;
	uint64_t zero_begin, zero_end; /* 0: none */
};

/* begun == ended: quiet.  Counts of events, write or zeroing. */
struct dio_mark {
	uint64_t begun, ended;
};

struct dio_shadow {
	uint64_t clock;
	unsigned int rows, blocks;
	struct dio_last *last; /* of row r, block b: [r * blocks + b] */
	struct dio_mark *mark; /* of each block */
};

/* Bytes that dio_shadow_init takes. */
uint64_t dio_shadow_bytes(unsigned int rows, unsigned int blocks);

/* False: out of memory. */
bool dio_shadow_init(struct dio_shadow *s, unsigned int rows,
		     unsigned int blocks);
void dio_shadow_free(struct dio_shadow *s);

/* Around each write, seq 1 or more, and around each zeroing of n blocks. */
void dio_shadow_write(struct dio_shadow *s, unsigned int row,
		      unsigned int block, uint64_t seq);
void dio_shadow_written(struct dio_shadow *s, unsigned int row,
			unsigned int block);
void dio_shadow_zero(struct dio_shadow *s, unsigned int row, unsigned int block,
		     unsigned int n);
void dio_shadow_zeroed(struct dio_shadow *s, unsigned int row,
		       unsigned int block, unsigned int n);

/*
 * The block's mark, to be compared with a later one, or DIO_BUSY.  Acquires:
 * sees the rows of all events that it counts.
 */
uint64_t dio_shadow_mark(const struct dio_shadow *s, unsigned int block);

/* Whether the block has been quiet since that mark, which is not DIO_BUSY. */
bool dio_shadow_quiet(const struct dio_shadow *s, unsigned int block,
		      uint64_t mark);

enum dio_verdict {
	DIO_FINE,
	DIO_TORN, /* not the whole of one write, nor zero */
	DIO_STALE /* the whole of one that is not the last, or of none */
};

/* What to think of the content of a block that is quiet. */
enum dio_verdict dio_shadow_judge(const struct dio_shadow *s,
				  unsigned int block, const void *content);

/* How many events the content of a quiet block may stem from. */
unsigned int dio_shadow_allowed(const struct dio_shadow *s, unsigned int block);

/* Makes the DIO_BLOCK bytes of that write. */
void dio_block_make(void *to, unsigned int row, unsigned int block,
		    uint64_t seq);

#endif /* TKT_SRC_KERNELS_DIO_SHADOW_H */
