/* SPDX-License-Identifier: MIT */
/* src/kernels/dio_look.c - reads and fsync of an inode, which look closely */
#include <inttypes.h>
#include <string.h>

#include <tkt/atomic.h>

#include "dio_inode.h"

#define SYNC_SAMPLE 8u /* blocks that each fsync is judged by */

void dio_condemn(char *why, const char *name, enum dio_verdict verdict,
		 unsigned int block, const void *content)
{
	uint64_t word[3];

	if (*why)
		return;
	memcpy(word, content, sizeof(word));
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "%s: block %u is %s (says row %" PRIu64
		       ", write %" PRIu64 " of block %" PRIu64 ")",
		       name, block,
		       verdict == DIO_TORN ? "not the whole of any write"
					   : "not what was last written",
		       word[1] >> 32, word[2], word[1] & UINT32_MAX);
}

static void judge(struct dio_inode *in, struct dio_job *job, const char *name,
		  unsigned int block, uint64_t mark)
{
	enum dio_verdict verdict;

	verdict = dio_shadow_judge(&in->shadow, block, job->block);
	if (mark == DIO_BUSY || !dio_shadow_quiet(&in->shadow, block, mark)) {
		job->busy++;
		return;
	}
	job->judged++;
	/* Without a lock on the blocks, what overlapped may be mixed. */
	if (verdict == DIO_TORN && !(in->scheme & DIO_LOCKS) &&
	    dio_shadow_allowed(&in->shadow, block) > 1)
		return;
	if (verdict != DIO_FINE)
		dio_condemn(job->why,
			    verdict == DIO_TORN ? "whole-block" : name, verdict,
			    block, job->block);
}

void dio_read(struct dio_inode *in, struct dio_job *job, unsigned int block)
{
	const bool locked = !(in->scheme & DIO_DROPS) ||
			    TKT_LOAD(&in->readers_lock, TKT_RELAXED);
	uint64_t mark;
	int err;

	if (locked)
		dio_lock(in, job);
	mark = dio_shadow_mark(&in->shadow, block);
	err = dio_file_read(in->file.fd, block, 1, job->block);
	if (err)
		dio_broken(in, job->why, "read", err);
	else
		judge(in, job, "read-last-write", block, mark);
	if (locked)
		dio_unlock(in, job);
}

/* One block that was complete when fsync was called. */
static void look_after_sync(struct dio_inode *in, struct dio_job *job,
			    unsigned int block, uint64_t mark)
{
	int err;

	dio_file_forget(&in->file, block);
	err = dio_file_read(in->file.reread, block, 1, job->block);
	if (err)
		dio_broken(in, job->why, "read", err);
	else
		judge(in, job, "fsync-has-written", block, mark);
}

/*
 * What is complete before fsync is called must be on the disk after it, no
 * matter who writes meanwhile.  The mutex keeps new writers out, but with
 * nolock not those that are in flight.
 *
 * Two looks are taken at blocks that nobody has touched since: whether the
 * page cache still has to write them, where the kernel tells, and whether
 * reading them past the page cache gives what was written.  The first shows
 * data that fsync left behind.  The second shows data that never came to the
 * file; a direct read writes back what it finds in the cache, so it cannot show
 * that it was fsync who wrote.  What only a crash shows, such as the disk's
 * own cache or the extent tree, neither can.
 */
void dio_sync(struct dio_inode *in, struct dio_job *job)
{
	unsigned int block[SYNC_SAMPLE];
	uint64_t mark[SYNC_SAMPLE];
	int err = 0;

	dio_lock(in, job);
	for (unsigned int i = 0; i < SYNC_SAMPLE; i++) {
		block[i] = random_below(&job->random, in->span);
		mark[i] = dio_shadow_mark(&in->shadow, block[i]);
	}
	if (!(in->scheme & DIO_BAD_SYNC))
		err = dio_file_sync(&in->file);
	if (err)
		dio_broken(in, job->why, "fsync", err);
	for (unsigned int i = 0; i < SYNC_SAMPLE; i++)
		if (dio_file_dirty(&in->file, block[i]) &&
		    mark[i] != DIO_BUSY &&
		    dio_shadow_quiet(&in->shadow, block[i], mark[i]) &&
		    !*job->why)
			(void)snprintf(job->why, KERNEL_WHY_BYTES,
				       "fsync-has-written: block %u was "
				       "complete and is not written yet",
				       block[i]);
	dio_unlock(in, job);
	for (unsigned int i = 0; i < SYNC_SAMPLE && !*job->why; i++)
		look_after_sync(in, job, block[i], mark[i]);
	TKT_FETCH_ADD(&in->looks, 1, TKT_RELAXED);
}
