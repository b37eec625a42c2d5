/* SPDX-License-Identifier: MIT */
/* test/tool/test_dio.c - the shadow's judgement, the block lock, the file */
#include "cmocka_all.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tkt/atomic.h>

#include "kernels/dio_file.h"
#include "kernels/dio_range.h"
#include "kernels/dio_shadow.h"

#define ROWS 3
#define BLOCKS 4

static struct dio_shadow shadow;
static uint64_t block[DIO_BLOCK / sizeof(uint64_t)];

static int begin(void **state)
{
	(void)state;
	return dio_shadow_init(&shadow, ROWS, BLOCKS) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	dio_shadow_free(&shadow);
	return 0;
}

static void write_whole(unsigned int row, unsigned int number, uint64_t seq)
{
	dio_shadow_write(&shadow, row, number, seq);
	dio_shadow_written(&shadow, row, number);
}

/* What the shadow says of block 1 when it has that write; seq 0: zero. */
static enum dio_verdict judge(unsigned int row, uint64_t seq)
{
	if (seq)
		dio_block_make(block, row, 1, seq);
	else
		memset(block, 0, sizeof(block));
	return dio_shadow_judge(&shadow, 1, block);
}

static void only_the_last(void **state)
{
	(void)state;
	write_whole(0, 1, 1);
	assert_int_equal(judge(0, 1), DIO_FINE);
	assert_int_equal(judge(0, 0), DIO_STALE);
	write_whole(1, 1, 1);
	assert_int_equal(judge(1, 1), DIO_FINE);
	assert_int_equal(judge(0, 1), DIO_STALE);
	write_whole(0, 1, 2);
	assert_int_equal(judge(0, 2), DIO_FINE);
	assert_int_equal(judge(0, 1), DIO_STALE);
	assert_int_equal(judge(1, 1), DIO_STALE);
	assert_int_equal(judge(0, 3), DIO_STALE); /* never made */
	assert_int_equal(judge(ROWS, 1), DIO_STALE);
	assert_int_equal(dio_shadow_allowed(&shadow, 1), 1);
}

static void concurrent(void **state)
{
	(void)state;
	write_whole(2, 1, 1);
	dio_shadow_write(&shadow, 0, 1, 1);
	dio_shadow_write(&shadow, 1, 1, 1);
	dio_shadow_written(&shadow, 0, 1);
	dio_shadow_written(&shadow, 1, 1);
	assert_int_equal(dio_shadow_allowed(&shadow, 1), 2);
	assert_int_equal(judge(0, 1), DIO_FINE);
	assert_int_equal(judge(1, 1), DIO_FINE);
	assert_int_equal(judge(2, 1), DIO_STALE);
	/* One that has seen the end of one and not of the other. */
	dio_shadow_write(&shadow, 0, 1, 2);
	dio_shadow_write(&shadow, 1, 1, 2);
	dio_shadow_written(&shadow, 1, 1);
	dio_shadow_write(&shadow, 1, 1, 3);
	dio_shadow_written(&shadow, 1, 1);
	dio_shadow_written(&shadow, 0, 1);
	assert_int_equal(judge(0, 2), DIO_FINE);
	assert_int_equal(judge(1, 3), DIO_FINE);
	assert_int_equal(judge(1, 2), DIO_STALE);
}

static void zeroed(void **state)
{
	(void)state;
	write_whole(0, 1, 1);
	dio_shadow_zero(&shadow, 1, 0, BLOCKS);
	dio_shadow_zeroed(&shadow, 1, 0, BLOCKS);
	assert_int_equal(judge(0, 0), DIO_FINE);
	assert_int_equal(judge(0, 1), DIO_STALE);
	write_whole(0, 1, 2);
	assert_int_equal(judge(0, 0), DIO_STALE);
	assert_int_equal(judge(0, 2), DIO_FINE);
	/* A zeroing and a write at once: either. */
	dio_shadow_zero(&shadow, 0, 1, 1);
	dio_shadow_write(&shadow, 1, 1, 1);
	dio_shadow_zeroed(&shadow, 0, 1, 1);
	dio_shadow_written(&shadow, 1, 1);
	assert_int_equal(judge(0, 0), DIO_FINE);
	assert_int_equal(judge(1, 1), DIO_FINE);
	assert_int_equal(judge(0, 2), DIO_STALE);
}

/* Any change of any word shows, and a block in the wrong place. */
static void torn(void **state)
{
	(void)state;
	write_whole(0, 1, 7);
	for (size_t i = 0; i < DIO_BLOCK / sizeof(uint64_t); i++) {
		assert_int_equal(judge(0, 7), DIO_FINE);
		block[i] ^= UINT64_C(1) << i % 64;
		assert_int_equal(dio_shadow_judge(&shadow, 1, block), DIO_TORN);
	}
	assert_int_equal(judge(0, 7), DIO_FINE);
	memset(block, 0, sizeof(block) / 2);
	assert_int_equal(dio_shadow_judge(&shadow, 1, block), DIO_TORN);
	write_whole(0, 2, 7);
	dio_block_make(block, 0, 2, 7);
	assert_int_equal(dio_shadow_judge(&shadow, 2, block), DIO_FINE);
	assert_int_equal(dio_shadow_judge(&shadow, 1, block), DIO_STALE);
}

static void marks(void **state)
{
	uint64_t mark;

	(void)state;
	mark = dio_shadow_mark(&shadow, 1);
	assert_int_not_equal(mark, DIO_BUSY);
	write_whole(0, 2, 1);
	assert_true(dio_shadow_quiet(&shadow, 1, mark));
	dio_shadow_write(&shadow, 0, 1, 2);
	assert_int_equal(dio_shadow_mark(&shadow, 1), DIO_BUSY);
	assert_false(dio_shadow_quiet(&shadow, 1, mark));
	dio_shadow_written(&shadow, 0, 1);
	assert_false(dio_shadow_quiet(&shadow, 1, mark));
	mark = dio_shadow_mark(&shadow, 1);
	assert_true(dio_shadow_quiet(&shadow, 1, mark));
	dio_shadow_zero(&shadow, 0, 0, 2);
	assert_int_equal(dio_shadow_mark(&shadow, 1), DIO_BUSY);
	dio_shadow_zeroed(&shadow, 0, 0, 2);
	assert_int_not_equal(dio_shadow_mark(&shadow, 1), DIO_BUSY);
}

/* Ranges of 1 to 3 of 4 blocks, by 4 threads, some of which sleep inside. */
#define THREADS 4
#define TURNS 300

static uint32_t range[BLOCKS];
static uint64_t count[BLOCKS];

static void *visit(void *arg)
{
	const unsigned int number = *(unsigned int *)arg;
	const struct timespec pause = { 0, 50000 };

	for (unsigned int i = 0; i < TURNS; i++) {
		const unsigned int first = (i + number) % 2;
		const unsigned int n = 1 + (i / 2 + number) % 3;
		uint64_t seen[BLOCKS];

		dio_range_lock(range, first, n);
		for (unsigned int b = 0; b < n; b++)
			seen[b] = TKT_READ(&count[first + b]);
		if (i % 8 == number)
			(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		for (unsigned int b = 0; b < n; b++)
			TKT_WRITE(&count[first + b], seen[b] + 1);
		dio_range_unlock(range, first, n);
	}
	return NULL;
}

static void ranges_exclude(void **state)
{
	unsigned int number[THREADS];
	pthread_t thread[THREADS];
	uint64_t want[BLOCKS] = { 0 };

	(void)state;
	for (unsigned int t = 0; t < THREADS; t++) {
		number[t] = t;
		for (unsigned int i = 0; i < TURNS; i++)
			for (unsigned int b = 0; b < 1 + (i / 2 + t) % 3; b++)
				want[(i + t) % 2 + b]++;
		assert_int_equal(
			pthread_create(&thread[t], NULL, visit, &number[t]), 0);
	}
	for (unsigned int t = 0; t < THREADS; t++)
		assert_int_equal(pthread_join(thread[t], NULL), 0);
	assert_memory_equal(count, want, sizeof(want));
	for (unsigned int b = 0; b < BLOCKS; b++)
		assert_int_equal(range[b], 0);
}

static void file_works(void **state)
{
	struct dio_file f = { .blocks = DIO_RUN,
			      .pieces = 4,
			      .direct = true,
			      .dir = dio_file_dir(NULL) };
	uint64_t *from = dio_memory(2), *to = dio_memory(2), bytes;
	const uint64_t zero = 0;

	(void)state;
	assert_int_equal(dio_file_open(&f), 0);
	assert_int_equal(dio_file_size(&f, &bytes), 0);
	for (int backwards = 0; backwards < 2; backwards++) {
		dio_block_make(from, 1, 5, 1 + (uint64_t)backwards);
		assert_int_equal(dio_file_write(&f, 5, from, backwards), 0);
		assert_int_equal(dio_file_read(f.fd, 5, 1, to), 0);
		assert_memory_equal(from, to, DIO_BLOCK);
		assert_int_equal(dio_file_sync(&f), 0);
		dio_file_forget(&f, 5);
		assert_int_equal(dio_file_read(f.reread, 5, 1, to), 0);
		assert_memory_equal(from, to, DIO_BLOCK);
	}
	/* Past the end is zero, whatever was there before. */
	assert_int_equal(dio_file_truncate(&f, 6), 0);
	assert_int_equal(dio_file_size(&f, &bytes), 0);
	assert_int_equal(bytes, 6 * DIO_BLOCK);
	memset(to, 0xff, DIO_BLOCK * 2);
	assert_int_equal(dio_file_read(f.fd, 5, 2, to), 0);
	assert_memory_equal(from, to, DIO_BLOCK);
	for (size_t i = 0; i < DIO_BLOCK / sizeof(zero); i++)
		assert_int_equal(to[DIO_BLOCK / sizeof(zero) + i], 0);
	dio_file_close(&f);
	f.dir = "/nonexistent/dir";
	assert_int_equal(dio_file_open(&f), ENOENT);
	free(from);
	free(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_the_last, begin, end),
		cmocka_unit_test_setup_teardown(concurrent, begin, end),
		cmocka_unit_test_setup_teardown(zeroed, begin, end),
		cmocka_unit_test_setup_teardown(torn, begin, end),
		cmocka_unit_test_setup_teardown(marks, begin, end),
		cmocka_unit_test(ranges_exclude),
		cmocka_unit_test(file_works),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
