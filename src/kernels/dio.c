/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/dio.c - random 4 KiB writes to a file, past the page cache
 *
 * A proposal of 2013 dropped the inode's mutex during direct writes, so that
 * several jobs keep the disk busy.  This does the same in user space, over a
 * real file: each thread is a job that writes a random block at a time, and
 * the locks under test are the inode's mutex and its size lock.  The real
 * inode's own lock is below it, the same in all variants, of which `baseline`
 * takes none of ours: what the file system gives.  dio_inode.h has the
 * protocol, dio_shadow.h what a block may contain.
 *
 * An operation is a block written.  Truncates, hole punches and fsyncs come on
 * top, between writes, and neither they nor reads are counted.
 *
 * Native only: the file is real.  The variants `bad-...`, not listed, make one
 * mistake each, with a pause where it matters and the options that expose it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "dio.h"
#include "setup.h"

#define BLOCKS_PER_MB (1024u * 1024 / DIO_BLOCK)
#define SHADOW_MB_MAX 1024u
#define PUNCH_BLOCKS 16u /* the most that are punched at once */

enum {
	OPTION_MB,
	OPTION_READERS,
	OPTION_PUNCHES,
	OPTION_TRUNCATES,
	OPTION_SYNCS,
	OPTION_DIRECT,
	OPTION_PIECES
};

static const struct kernel_option dio_options[] = {
	[OPTION_MB] = { "file-mb", "MiB", 1, 1024, 16, "size of the file" },
	[OPTION_READERS] = { "readers", "threads", 0, 1024, 0,
			     "of the threads, so many read; one writes" },
	[OPTION_PUNCHES] = { "punch-permille", "permille", 0, 1000, 0,
			     "of 1000 writes, so many punch a hole before" },
	[OPTION_TRUNCATES] = { "truncate-permille", "permille", 0, 1000, 0,
			       "of 1000 writes, so many truncate before" },
	[OPTION_SYNCS] = { "fsync-permille", "permille", 0, 1000, 0,
			   "of 1000 writes, so many fsync before" },
	[OPTION_DIRECT] = { "direct", "(0: no, 1: yes)", 0, 1, 1,
			    "O_DIRECT, if the file system has it" },
	[OPTION_PIECES] = { "pieces-log2", "powers of two", 0, 3, 0,
			    "a block is written in 2 to the N pieces" },
	{ .name = NULL },
};

#define VARIANT(name, scheme)                  \
	{                                      \
		name, name "/buffered", scheme \
	}
#define WITHIN (DIO_LOCKS | DIO_DROPS)
#define SPIN (DIO_LOCKS | DIO_DROPS | DIO_EXTENDS)

static const struct dio_variant variants[] = {
	VARIANT("lock", DIO_LOCKS),
	VARIANT("nolock-within", WITHIN),
	VARIANT("nolock-spin", SPIN),
	VARIANT("baseline", 0),
	VARIANT("bad-size", SPIN | DIO_BAD_SIZE),
	VARIANT("bad-truncate", WITHIN | DIO_BAD_TRUNCATE),
	VARIANT("bad-range", SPIN | DIO_BAD_RANGE),
	VARIANT("bad-early", SPIN | DIO_BAD_EARLY),
	VARIANT("bad-fsync", SPIN | DIO_BAD_SYNC),
};

static const char *const dio_variants[] = { "lock", "nolock-within",
					    "nolock-spin", "baseline", NULL };
static const char *const dio_controls[] = { "bad-size",	 "bad-truncate",
					    "bad-range", "bad-early",
					    "bad-fsync", NULL };
static const unsigned int dio_threads[] = { 1, 2, 4, 0 };

static const struct dio_variant *find_variant(const char *name)
{
	const struct dio_variant *v = variants;

	while (strcmp(v->name, name))
		v++;
	return v;
}

static bool dio_takes_lock(const char *variant)
{
	return find_variant(variant)->scheme & DIO_LOCKS;
}

static unsigned int blocks_of(const struct kernel_config *config)
{
	return (unsigned int)config->option[OPTION_MB] * BLOCKS_PER_MB;
}

/* Opens the file that the config asks for. */
static bool open_file(struct dio_inode *in, const struct kernel_config *config,
		      char *why)
{
	int err;

	in->file.dir = dio_file_dir(config->dir);
	in->file.blocks = blocks_of(config);
	in->file.pieces = 1u << config->option[OPTION_PIECES];
	in->file.direct = config->option[OPTION_DIRECT] &&
			  !(in->scheme & DIO_BAD_SYNC);
	if (in->scheme & DIO_BAD_RANGE)
		in->file.pieces = DIO_PIECES_MAX;
	*why = '\0';
	err = dio_file_open(&in->file);
	if (err)
		dio_broken(in, why, "make", err);
	return !err;
}

/* Whether the check that finds a missing fsync can work. */
static bool shows_dirt(struct dio_file *f)
{
	void *blocks = dio_memory(2);

	if (blocks && !dio_file_fill(f, 0, 2, blocks))
		dio_file_try_dirty(f, blocks);
	free(blocks);
	return f->dirt_seen;
}

static bool dio_possible(const struct kernel_config *config, char *why)
{
	struct dio_inode in = { .scheme =
					find_variant(config->variant)->scheme };
	const uint64_t mb =
		dio_shadow_bytes(config->threads + 1, blocks_of(config)) >> 20;
	int err = 0;

	if (mb > SHADOW_MB_MAX) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "--file-mb %" PRIu64 " with %u threads takes "
			       "%" PRIu64 " MiB of memory; allowed: %u",
			       config->option[OPTION_MB], config->threads, mb,
			       SHADOW_MB_MAX);
		return false;
	}
	if (!open_file(&in, config, why)) {
		/* No run has begun: what it is about goes without saying. */
		memmove(why, why + sizeof(KERNEL_MACHINE) - 1,
			strlen(why) + 2 - sizeof(KERNEL_MACHINE));
		return false;
	}
	if (config->option[OPTION_PUNCHES])
		err = dio_file_punch(&in.file, 0, 1);
	if ((in.scheme & DIO_BAD_SYNC) && !shows_dirt(&in.file)) {
		dio_file_close(&in.file);
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "--variant %s: in '%.100s' the kernel does not "
			       "tell what is yet to be written",
			       config->variant, in.file.dir);
		return false;
	}
	dio_file_close(&in.file);
	if (!err)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "--punch-permille %" PRIu64 ": cannot punch a hole "
		       "into a file in '%.100s': %.60s",
		       config->option[OPTION_PUNCHES], in.file.dir,
		       strerror(err));
	return false;
}

/* Every block written once, by a row of its own, and on the disk. */
static int fill(struct dio_inode *in, unsigned int row, unsigned char *run)
{
	int err = 0;

	for (unsigned int b = 0; b < in->file.blocks && !err; b += DIO_RUN) {
		for (unsigned int i = 0; i < DIO_RUN; i++) {
			dio_block_make(run + i * DIO_BLOCK, row, b + i, 1);
			dio_shadow_write(&in->shadow, row, b + i, 1);
			dio_shadow_written(&in->shadow, row, b + i);
		}
		err = dio_file_fill(&in->file, b, DIO_RUN, run);
	}
	if (err)
		return err;
	err = dio_file_sync(&in->file);
	dio_block_make(run, row, 0, 1);
	dio_file_try_dirty(&in->file, run);
	TKT_WRITE(&in->size, in->file.blocks);
	return err;
}

/* What a mistake needs to show within a few dozen operations. */
static void expose(struct dio *d)
{
	const unsigned int scheme = d->inode.scheme;

	if (scheme & (DIO_BAD_SIZE | DIO_BAD_TRUNCATE))
		d->truncates = 300;
	if (scheme & (DIO_BAD_EARLY | DIO_BAD_SYNC))
		d->syncs = 1000;
	if (scheme & DIO_BAD_RANGE)
		d->inode.span = 1;
	else if (scheme & (DIO_BAD_EARLY | DIO_BAD_SYNC))
		d->inode.span = 2;
}

static struct dio *dio_make(const struct kernel_config *config, char *why)
{
	const size_t size =
		sizeof(struct dio) + config->threads * sizeof(struct dio_job);
	const uint64_t readers = config->option[OPTION_READERS];
	struct dio *d = setup_alloc(size, why);
	struct dio_inode *in;

	if (!d)
		return NULL;
	in = &d->inode;
	d->variant = find_variant(config->variant);
	d->threads = config->threads;
	d->writers = readers < d->threads ? d->threads - (unsigned int)readers
					  : 1;
	d->punches = (uint32_t)config->option[OPTION_PUNCHES];
	d->truncates = (uint32_t)config->option[OPTION_TRUNCATES];
	d->syncs = (uint32_t)config->option[OPTION_SYNCS];
	d->seed = config->seed;
	in->scheme = d->variant->scheme;
	in->span = blocks_of(config);
	expose(d);
	in->resizes = d->truncates;
	in->range = calloc(in->span, sizeof(*in->range));
	if (in->range &&
	    dio_shadow_init(&in->shadow, d->threads + 1, blocks_of(config)))
		return d;
	(void)setup_fail("out of memory", why);
	free(in->range);
	free(d);
	return NULL;
}

static void dio_unmake(struct dio *d)
{
	free(d->inode.range);
	dio_shadow_free(&d->inode.shadow);
	free(d);
}

static void *dio_setup(const struct kernel_config *config,
		       const struct lock_ops *lock, char *why)
{
	struct dio *d = dio_make(config, why);
	unsigned char *run = dio_memory(DIO_RUN);
	const char *wrong;
	int err;

	if (!d)
		goto unmake;
	if (!run) {
		(void)setup_fail("out of memory", why);
		goto unmake;
	}
	wrong = dio_inode_init(&d->inode, lock, &config->lock);
	if (wrong) {
		(void)setup_fail(wrong, why);
		goto unmake;
	}
	if (!open_file(&d->inode, config, why))
		goto unmake;
	err = fill(&d->inode, d->threads, run);
	if (err) {
		dio_broken(&d->inode, why, "fill", err);
		dio_file_close(&d->inode.file);
		goto unmake;
	}
	free(run);
	return d;
unmake:
	free(run);
	if (d)
		dio_unmake(d);
	return NULL;
}

static void dio_destroy(void *state)
{
	struct dio *d = state;

	dio_inode_destroy(&d->inode);
	dio_file_close(&d->inode.file);
	dio_unmake(d);
}

static const char *dio_label(const void *state)
{
	const struct dio *d = state;

	return d->inode.file.direct ? d->variant->name : d->variant->buffered;
}

static void *dio_thread_setup(void *state, unsigned int index)
{
	struct dio *d = state;
	struct dio_job *job = &d->job[index];
	const struct lock_ops *lock = d->inode.lock;

	job->random = random_stream(d->seed, index);
	job->row = index;
	job->block = dio_memory(1);
	if (!job->block)
		return NULL;
	if (!lock_ctx_open(lock, &job->mutex_ctx))
		return NULL;
	if (lock_ctx_open(lock, &job->size_ctx))
		return job;
	lock_ctx_close(lock, &job->mutex_ctx);
	return NULL;
}

static void dio_thread_teardown(void *state, void *thread)
{
	struct dio *d = state;
	struct dio_job *job = thread;

	lock_ctx_close(d->inode.lock, &job->mutex_ctx);
	lock_ctx_close(d->inode.lock, &job->size_ctx);
	free(job->block);
}

static bool chance(struct dio_job *job, uint32_t permille)
{
	return permille && random_below(&job->random, 1000) < permille;
}

static void punch(struct dio_inode *in, struct dio_job *job)
{
	const unsigned int block = random_below(&job->random, in->span);
	const unsigned int most = in->span - block;
	const unsigned int n = random_below(&job->random, PUNCH_BLOCKS) + 1;

	dio_punch(in, job, block, n < most ? n : most);
}

static long dio_step(void *state, void *thread)
{
	struct dio *d = state;
	struct dio_job *job = thread;
	struct dio_inode *in = &d->inode;
	const unsigned int block = random_below(&job->random, in->span);

	if (job->row >= d->writers) {
		dio_read(in, job, block);
		return *job->why ? KERNEL_FINISHED : 0;
	}

	if (chance(job, d->truncates))
		dio_truncate(in, job);
	if (chance(job, d->punches))
		punch(in, job);
	if (chance(job, d->syncs))
		dio_sync(in, job);
	/* Those who look must not wait for a block of those who are early. */
	if ((in->scheme & DIO_BAD_EARLY) && !(job->row & 1))
		return *job->why ? KERNEL_FINISHED : 1;
	if (in->scheme & DIO_BAD_RANGE)
		dio_meet();
	dio_write(in, job, block);
	if (in->scheme & DIO_BAD_RANGE) {
		/* All have written, none has begun again. */
		dio_meet();
		dio_read(in, job, block);
	}
	return *job->why ? KERNEL_FINISHED : 1;
}

/* In the mutex; the size lock's sections are counted in each run. */
static void dio_hold(void *state, void *thread, void (*inside)(void *arg),
		     void *arg)
{
	struct dio *d = state;
	struct dio_job *job = thread;
	struct dio_inode *in = &d->inode;
	uint64_t sections;

	if (!(in->scheme & DIO_LOCKS))
		return;
	in->lock->lock(in->mutex, &job->mutex_ctx);
	sections = TKT_READ(&in->sections);
	inside(arg);
	TKT_WRITE(&in->sections, sections + 1);
	in->lock->unlock(in->mutex, &job->mutex_ctx);
	job->sections++;
}

static bool dio_kernel_check(void *state, char *why)
{
	return dio_check(state, why);
}

extern const struct kernel_ops KERNEL_SYM(dio);
const struct kernel_ops KERNEL_SYM(dio) = {
	.name = "dio",
	.summary = "direct I/O: random writes with the inode mutex, or without",
	.traits = KERNEL_DIR,
	.options = dio_options,
	.variants = dio_variants,
	.controls = dio_controls,
	.threads = dio_threads,
	.takes_lock = dio_takes_lock,
	.op_bytes = DIO_BLOCK,
	.possible = dio_possible,
	.setup = dio_setup,
	.destroy = dio_destroy,
	.label = dio_label,
	.thread_setup = dio_thread_setup,
	.thread_teardown = dio_thread_teardown,
	.step = dio_step,
	.hold = dio_hold,
	.check = dio_kernel_check,
	.report = dio_report,
};
