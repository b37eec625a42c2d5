/* SPDX-License-Identifier: MIT */
/* src/kernels/dio_shadow.c - what each block of the file may contain */
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "dio_file.h"
#include "dio_shadow.h"
#include "harness/random.h"

#define BLOCK_WORDS (DIO_BLOCK / sizeof(uint64_t))

enum {
	WORD_SUM, /* over all other words */
	WORD_WHO, /* row, block */
	WORD_SEQ,
	WORD_FILL, /* the first of those that only fill */
};

uint64_t dio_shadow_bytes(unsigned int rows, unsigned int blocks)
{
	return (uint64_t)rows * blocks * sizeof(struct dio_last) +
	       (uint64_t)blocks * sizeof(struct dio_mark);
}

bool dio_shadow_init(struct dio_shadow *s, unsigned int rows,
		     unsigned int blocks)
{
	s->clock = 0;
	s->rows = rows;
	s->blocks = blocks;
	s->last = calloc((size_t)rows * blocks, sizeof(*s->last));
	s->mark = calloc(blocks, sizeof(*s->mark));
	if (s->last && s->mark)
		return true;
	dio_shadow_free(s);
	return false;
}

void dio_shadow_free(struct dio_shadow *s)
{
	free(s->last);
	free(s->mark);
}

static struct dio_last *last_of(const struct dio_shadow *s, unsigned int row,
				unsigned int block)
{
	return &s->last[(size_t)row * s->blocks + block];
}

/*
 * Begin and end each take a time; that two events are in order, end before
 * begin, is known by the times alone, so taking one orders, too.
 */
static uint64_t now(struct dio_shadow *s)
{
	/* T1: pairs with itself: what ended before a begin is seen to have */
	return TKT_FETCH_ADD(&s->clock, 1, TKT_ACQ_REL) + 1;
}

static void begin(struct dio_shadow *s, unsigned int block)
{
	/* The stores to the row that follow publish it (B1 to B3). */
	TKT_FETCH_ADD(&s->mark[block].begun, 1, TKT_RELAXED);
}

static void end(struct dio_shadow *s, unsigned int block)
{
	/* E1: pairs with Q1: who sees the end sees the row that goes with it */
	TKT_FETCH_ADD(&s->mark[block].ended, 1, TKT_RELEASE);
}

void dio_shadow_write(struct dio_shadow *s, unsigned int row,
		      unsigned int block, uint64_t seq)
{
	struct dio_last *l = last_of(s, row, block);

	begin(s, block);
	/* B1: pairs with Q2: a reader that has seen it sees the mark change */
	TKT_STORE(&l->seq, seq, TKT_RELEASE);
	/* B2: pairs with Q2, as B1 */
	TKT_STORE(&l->begin, now(s), TKT_RELEASE);
}

void dio_shadow_written(struct dio_shadow *s, unsigned int row,
			unsigned int block)
{
	TKT_STORE(&last_of(s, row, block)->end, now(s), TKT_RELAXED);
	end(s, block);
}

void dio_shadow_zero(struct dio_shadow *s, unsigned int row, unsigned int block,
		     unsigned int n)
{
	for (unsigned int b = block; b < block + n; b++) {
		begin(s, b);
		/* B3: pairs with Q2, as B1 */
		TKT_STORE(&last_of(s, row, b)->zero_begin, now(s), TKT_RELEASE);
	}
}

void dio_shadow_zeroed(struct dio_shadow *s, unsigned int row,
		       unsigned int block, unsigned int n)
{
	for (unsigned int b = block; b < block + n; b++) {
		TKT_STORE(&last_of(s, row, b)->zero_end, now(s), TKT_RELAXED);
		end(s, b);
	}
}

uint64_t dio_shadow_mark(const struct dio_shadow *s, unsigned int block)
{
	/* Q1: pairs with E1; before begun, which is never behind */
	const uint64_t ended = TKT_LOAD(&s->mark[block].ended, TKT_ACQUIRE);

	if (TKT_LOAD(&s->mark[block].begun, TKT_RELAXED) != ended)
		return DIO_BUSY;
	return ended;
}

bool dio_shadow_quiet(const struct dio_shadow *s, unsigned int block,
		      uint64_t mark)
{
	/* Q2: pairs with B1 to B3: what was read before this is not newer */
	TKT_FENCE_SC();
	return TKT_LOAD(&s->mark[block].begun, TKT_RELAXED) == mark;
}

/* When the last event of the block began; for a quiet block, as all below. */
static uint64_t last_begin(const struct dio_shadow *s, unsigned int block)
{
	uint64_t last = 0;

	for (unsigned int r = 0; r < s->rows; r++) {
		const struct dio_last *l = last_of(s, r, block);
		const uint64_t write = TKT_LOAD(&l->begin, TKT_RELAXED);
		const uint64_t zero = TKT_LOAD(&l->zero_begin, TKT_RELAXED);

		if (write > last)
			last = write;
		if (zero > last)
			last = zero;
	}
	return last;
}

static bool zero_allowed(const struct dio_shadow *s, unsigned int block,
			 uint64_t last)
{
	for (unsigned int r = 0; r < s->rows; r++)
		if (TKT_LOAD(&last_of(s, r, block)->zero_end, TKT_RELAXED) >
		    last)
			return true;
	return false;
}

unsigned int dio_shadow_allowed(const struct dio_shadow *s, unsigned int block)
{
	const uint64_t last = last_begin(s, block);
	unsigned int n = 0;

	for (unsigned int r = 0; r < s->rows; r++) {
		const struct dio_last *l = last_of(s, r, block);

		n += TKT_LOAD(&l->end, TKT_RELAXED) > last;
		n += TKT_LOAD(&l->zero_end, TKT_RELAXED) > last;
	}
	return n;
}

static uint64_t checksum(const uint64_t *word)
{
	uint64_t sum = 0;

	for (size_t i = WORD_SUM + 1; i < BLOCK_WORDS; i++)
		sum = ((sum << 7 | sum >> 57) ^ word[i]) *
		      UINT64_C(0x9e3779b97f4a7c15);
	return sum;
}

static bool all_zero(const uint64_t *word)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < BLOCK_WORDS; i++)
		bits |= word[i];
	return !bits;
}

enum dio_verdict dio_shadow_judge(const struct dio_shadow *s,
				  unsigned int block, const void *content)
{
	const uint64_t *word = content;
	const uint64_t last = last_begin(s, block);
	const struct dio_last *l;
	uint32_t row;

	if (all_zero(word))
		return zero_allowed(s, block, last) ? DIO_FINE : DIO_STALE;
	if (word[WORD_SUM] != checksum(word))
		return DIO_TORN;
	row = (uint32_t)(word[WORD_WHO] >> 32);
	if (row >= s->rows || (uint32_t)word[WORD_WHO] != block)
		return DIO_STALE;
	l = last_of(s, row, block);
	return TKT_LOAD(&l->seq, TKT_RELAXED) == word[WORD_SEQ] &&
			       TKT_LOAD(&l->end, TKT_RELAXED) > last
		       ? DIO_FINE
		       : DIO_STALE;
}

void dio_block_make(void *to, unsigned int row, unsigned int block,
		    uint64_t seq)
{
	uint64_t *word = to;
	uint64_t fill;

	word[WORD_WHO] = (uint64_t)row << 32 | block;
	word[WORD_SEQ] = seq;
	fill = random_mix(word[WORD_WHO] ^ random_mix(seq));
	for (size_t i = WORD_FILL; i < BLOCK_WORDS; i++)
		word[i] = fill += UINT64_C(0x9e3779b97f4a7c15);
	word[WORD_SUM] = checksum(word);
}
