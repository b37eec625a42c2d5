/* SPDX-License-Identifier: MIT */
/* src/kernels/dio_inode.c - writes, punches and truncates of an inode */
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include <tkt/atomic.h>

#include "dio_inode.h"
#include "dio_range.h"

#define IN_FLIGHT 2u
#define DRAINING 1u

/* How long a mistake keeps the door open: about two writes. */
#define WRITE_NS 300000
#define AWAIT_NS 100000
#define AWAIT_TURNS 2000
#define MEET_NS UINT64_C(1000000)

static void nap(long ns)
{
	const struct timespec t = { 0, ns };

	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

void dio_await(const uint32_t *word, uint32_t n)
{
	const uint32_t start = TKT_LOAD(word, TKT_RELAXED);

	for (int i = 0; i < AWAIT_TURNS; i++) {
		if (TKT_LOAD(word, TKT_RELAXED) - start >= n)
			break;
		nap(AWAIT_NS);
	}
}

void dio_meet(void)
{
	nap((long)(MEET_NS - TKT_CLOCK_NS() % MEET_NS));
}

const char *dio_inode_init(struct dio_inode *in, const struct lock_ops *lock,
			   const struct lock_params *params)
{
	const char *wrong = lock->init(in->mutex, params);

	in->lock = lock;
	if (wrong)
		return wrong;
	return lock->init(in->size_lock, params);
}

void dio_inode_destroy(struct dio_inode *in)
{
	lock_destroy(in->lock, in->mutex);
	lock_destroy(in->lock, in->size_lock);
}

void dio_broken(const struct dio_inode *in, char *why, const char *what,
		int err)
{
	if (!*why)
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       KERNEL_MACHINE "cannot %s a file in '%.120s': "
					      "%.60s",
			       what, in->file.dir, strerror(err));
}

/*
 * With the mutex dropped and none but it to guard the size, the two can differ
 * only if a write has outlived a truncate and made the file longer again.
 */
bool dio_size_agrees(const struct dio_inode *in, char *why)
{
	const char *name = (in->scheme & (DIO_DROPS | DIO_EXTENDS)) == DIO_DROPS
				   ? "truncate-waits"
				   : "size-agrees";
	const uint64_t want = TKT_READ(&in->size) * DIO_BLOCK;
	uint64_t bytes;
	const int err = dio_file_size(&in->file, &bytes);

	if (err)
		dio_broken(in, why, "look at", err);
	else if (bytes != want && !*why)
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "%s: the file has %" PRIu64
			       " bytes, its inode says %" PRIu64,
			       name, bytes, want);
	return !err && bytes == want;
}

void dio_lock(struct dio_inode *in, struct dio_job *job)
{
	if (!(in->scheme & DIO_LOCKS))
		return;
	in->lock->lock(in->mutex, &job->mutex_ctx);
	TKT_WRITE(&in->sections, TKT_READ(&in->sections) + 1);
	job->sections++;
}

void dio_unlock(struct dio_inode *in, struct dio_job *job)
{
	if (in->scheme & DIO_LOCKS)
		in->lock->unlock(in->mutex, &job->mutex_ctx);
}

static void lock_size(struct dio_inode *in, struct dio_job *job)
{
	if (!(in->scheme & DIO_EXTENDS) || (in->scheme & DIO_BAD_SIZE))
		return;
	in->lock->lock(in->size_lock, &job->size_ctx);
	TKT_WRITE(&in->size_sections, TKT_READ(&in->size_sections) + 1);
	job->size_sections++;
}

static void unlock_size(struct dio_inode *in, struct dio_job *job)
{
	if ((in->scheme & DIO_EXTENDS) && !(in->scheme & DIO_BAD_SIZE))
		in->lock->unlock(in->size_lock, &job->size_ctx);
}

/* The block has been written: is the file longer now? */
static void grow(struct dio_inode *in, struct dio_job *job, unsigned int block)
{
	const uint64_t end = (uint64_t)block + 1;
	bool grows;

	lock_size(in, job);
	grows = end > TKT_READ(&in->size);
	/* The smaller the size, the later: so that it is the one that stays. */
	if (grows && (in->scheme & DIO_BAD_SIZE))
		nap(2 * WRITE_NS - (long)(WRITE_NS * end / in->file.blocks));
	if (grows)
		TKT_WRITE(&in->size, end);
	unlock_size(in, job);
}

/* Every other job makes those that wait for what another does. */
static bool mistakes(const struct dio_inode *in, const struct dio_job *job,
		     unsigned int mistake)
{
	return (in->scheme & mistake) && (job->row & 1);
}

/* The I/O itself, with what it means to the shadow. */
static void transfer(struct dio_inode *in, struct dio_job *job,
		     unsigned int block)
{
	const bool early = mistakes(in, job, DIO_BAD_EARLY);
	int err;

	dio_block_make(job->block, job->row, block, ++job->seq);
	dio_shadow_write(&in->shadow, job->row, block, job->seq);
	if (early) {
		dio_shadow_written(&in->shadow, job->row, block);
		/* The first may have begun before. */
		dio_await(&in->looks, 3);
	}
	err = dio_file_write(&in->file, block, job->block, job->row & 1);
	if (err)
		dio_broken(in, job->why, "write", err);
	if (!early)
		dio_shadow_written(&in->shadow, job->row, block);
}

/* Under the mutex from here to the end. */
static void write_held(struct dio_inode *in, struct dio_job *job,
		       unsigned int block)
{
	transfer(in, job, block);
	grow(in, job, block);
	if (in->resizes)
		(void)dio_size_agrees(in, job->why);
}

/* The count is a word of its own: leaving it needs no lock. */
static void count_in(struct dio_inode *in)
{
	TKT_FETCH_ADD(&in->in_flight, IN_FLIGHT, TKT_RELAXED);
}

static void count_out(struct dio_inode *in)
{
	/* C1: pairs with C2: truncate sees all that the write did */
	if (TKT_FETCH_ADD(&in->in_flight, 0u - IN_FLIGHT, TKT_RELEASE) ==
	    (IN_FLIGHT | DRAINING))
		TKT_FUTEX_WAKE(&in->in_flight, INT_MAX);
}

/*
 * Under the mutex: none is counted in meanwhile, and nobody else drains.  If
 * the mutex does not exclude, two that drain at once should still end, for
 * the checks to tell what is wrong; so each raises the flag at every turn.
 */
static void drain(struct dio_inode *in)
{
	for (;;) {
		/* C2: pairs with C1 */
		const uint32_t now =
			TKT_FETCH_OR(&in->in_flight, DRAINING, TKT_ACQUIRE) |
			DRAINING;

		if (now == DRAINING)
			break;
		(void)TKT_FUTEX_WAIT(&in->in_flight, now, TKT_NO_DEADLINE);
	}
	TKT_FETCH_AND(&in->in_flight, ~DRAINING, TKT_RELAXED);
}

static void lock_blocks(struct dio_inode *in, unsigned int block,
			unsigned int n)
{
	if ((in->scheme & DIO_DROPS) && !(in->scheme & DIO_BAD_RANGE))
		dio_range_lock(in->range, block, n);
}

static void unlock_blocks(struct dio_inode *in, unsigned int block,
			  unsigned int n)
{
	if ((in->scheme & DIO_DROPS) && !(in->scheme & DIO_BAD_RANGE))
		dio_range_unlock(in->range, block, n);
}

static void write_dropped(struct dio_inode *in, struct dio_job *job,
			  unsigned int block)
{
	lock_blocks(in, block, 1);
	dio_lock(in, job);
	if (!(in->scheme & DIO_EXTENDS) && block >= TKT_READ(&in->size)) {
		write_held(in, job, block);
		dio_unlock(in, job);
		unlock_blocks(in, block, 1);
		return;
	}
	count_in(in);
	dio_unlock(in, job);
	if (mistakes(in, job, DIO_BAD_TRUNCATE))
		dio_await(&in->cuts, 1);
	transfer(in, job, block);
	if (in->scheme & DIO_EXTENDS)
		grow(in, job, block);
	count_out(in);
	unlock_blocks(in, block, 1);
	dio_lock(in, job);
	if (in->resizes && !(in->scheme & DIO_EXTENDS))
		(void)dio_size_agrees(in, job->why);
	dio_unlock(in, job);
}

void dio_write(struct dio_inode *in, struct dio_job *job, unsigned int block)
{
	if (in->scheme & DIO_DROPS) {
		write_dropped(in, job, block);
	} else if (in->scheme & DIO_LOCKS) {
		dio_lock(in, job);
		write_held(in, job, block);
		dio_unlock(in, job);
	} else {
		transfer(in, job, block);
	}
}

void dio_punch(struct dio_inode *in, struct dio_job *job, unsigned int block,
	       unsigned int n)
{
	int err;

	lock_blocks(in, block, n);
	dio_lock(in, job);
	dio_shadow_zero(&in->shadow, job->row, block, n);
	err = dio_file_punch(&in->file, block, n);
	if (err)
		dio_broken(in, job->why, "punch a hole into", err);
	dio_shadow_zeroed(&in->shadow, job->row, block, n);
	dio_unlock(in, job);
	unlock_blocks(in, block, n);
}

/* Cuts off what is behind the first `to` blocks. */
static void cut(struct dio_inode *in, struct dio_job *job, unsigned int to)
{
	const unsigned int n = in->file.blocks - to;
	int err;

	dio_shadow_zero(&in->shadow, job->row, to, n);
	err = dio_file_truncate(&in->file, to);
	if (err)
		dio_broken(in, job->why, "truncate", err);
	dio_shadow_zeroed(&in->shadow, job->row, to, n);
}

/*
 * To something from a quarter of the whole file up to its present size; with
 * a mistake to show, always to the quarter.
 */
static unsigned int cut_to(struct dio_inode *in, struct dio_job *job,
			   uint64_t size)
{
	const unsigned int least = in->file.blocks / 4;
	const unsigned int now = (unsigned int)size;

	if ((in->scheme & DIO_BAD) && now > least)
		return least;
	return now > least ? least + random_below(&job->random, now - least)
			   : now;
}

static void truncate_unlocked(struct dio_inode *in, struct dio_job *job)
{
	uint64_t bytes;
	const int err = dio_file_size(&in->file, &bytes);

	if (err)
		dio_broken(in, job->why, "look at", err);
	else
		cut(in, job, cut_to(in, job, bytes / DIO_BLOCK));
}

void dio_truncate(struct dio_inode *in, struct dio_job *job)
{
	unsigned int to;

	if (!(in->scheme & DIO_LOCKS)) {
		truncate_unlocked(in, job);
		return;
	}
	dio_lock(in, job);
	/*
	 * Readers that looked before go on: they see what was there, or zero.
	 * The flag only keeps the others from seeing the cut half done.
	 */
	TKT_STORE(&in->readers_lock, 1, TKT_RELAXED);
	if ((in->scheme & DIO_DROPS) && !(in->scheme & DIO_BAD_TRUNCATE))
		drain(in);
	(void)dio_size_agrees(in, job->why);
	lock_size(in, job);
	to = cut_to(in, job, TKT_READ(&in->size));
	cut(in, job, to);
	TKT_WRITE(&in->size, to);
	unlock_size(in, job);
	TKT_FETCH_ADD(&in->cuts, 1, TKT_RELAXED);
	TKT_STORE(&in->readers_lock, 0, TKT_RELAXED);
	dio_unlock(in, job);
}
