/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/bioref.c - block layer: what counting context references costs
 *
 * A request of 512 bytes, a read or a write of a sector at random, goes down
 * through stacked devices, each of which clones it; the lowest copies the data
 * in memory.  A request belongs to an I/O context and to a group.  The
 * variants differ in how a clone sees to it that both outlive it:
 *
 *   none         not at all: what the rest costs
 *   borrowed     the request counts once, its clones borrow from it
 *   atomic       each clone gets the context and trygets the group, each on
 *                one atomic count, and drops both at its end
 *   atomic-cas   the same, and one empty compare-and-swap on the context's
 *                count at each clone and at each drop
 *   percpu       as atomic, on per-CPU counts (tkt/percpu_ref.h)
 *
 * All jobs share one context and one group, and no lock.  Each has sectors of
 * its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>
#include <tkt/percpu_ref.h>

#include "bioref_report.h"
#include "harness/random.h"
#include "setup.h"

#define SECTOR_WORDS 64u /* 512 bytes */
#define SECTORS 256u	 /* of each job */
#define SLOTS 64u
#define NESTING_MAX 16
/* A compare-and-swap that fails so often is followed by yields. */
#define EAGER_TRIES 16u

enum {
	OPTION_NESTING,
	OPTION_READS
};

static const struct kernel_option bioref_options[] = {
	[OPTION_NESTING] = { "nesting", "devices", 1, NESTING_MAX, 5,
			     "stacked devices, each of which clones" },
	[OPTION_READS] = { "read-percent", "percent", 0, 100, 50,
			   "of 100 requests, so many read" },
	{ .name = NULL },
};

static const char *const bioref_variants[] = { "atomic", "atomic-cas",
					       "percpu", "borrowed",
					       "none",	 NULL };
static const char *const bioref_controls[] = { "drop-twice", "lose-reference",
					       NULL };
static const unsigned int bioref_threads[] = { 12, 0 };

/* What a context or a group is counted by, one of the two. */
struct counted {
	tkt_percpu_ref_t percpu; /* first: release gets its address */
	uint64_t count __attribute__((aligned(LOCK_ALIGN)));
	uint32_t released __attribute__((aligned(LOCK_ALIGN)));
	struct tkt_percpu_slot slots[SLOTS];
};

struct bio {
	struct counted *context, *group; /* NULL: none, or borrowed */
	uint64_t sector;
	uint64_t *data;
	bool read;
};

struct bioref_job {
	struct random random;
	uint64_t requests,
		wrong; /* reads that did not return what was written */
	uint64_t data[SECTOR_WORDS];
	uint64_t written[SECTORS]; /* first word of each sector */
	uint64_t disk[SECTORS][SECTOR_WORDS];
} __attribute__((aligned(LOCK_ALIGN)));

struct bioref {
	struct counted context, group;
	bool counts, borrows, cas, percpu, drop_twice, lose;
	unsigned int nesting, reads, threads;
	uint64_t seed;
	struct bioref_job job[];
};

static void counted_release(tkt_percpu_ref_t *ref)
{
	TKT_FETCH_ADD(&((struct counted *)ref)->released, 1, TKT_RELAXED);
}

static void counted_init(struct counted *c)
{
	TKT_STORE(&c->count, 1, TKT_RELAXED);
	tkt_percpu_ref_init(&c->percpu, c->slots, SLOTS, counted_release);
}

static void counted_get(const struct bioref *b, struct counted *c)
{
	if (b->percpu)
		tkt_percpu_ref_get(&c->percpu);
	else
		TKT_FETCH_ADD(&c->count, 1, TKT_RELAXED);
}

/* One more unless there is none. */
static bool counted_tryget(const struct bioref *b, struct counted *c)
{
	uint64_t count;

	if (b->percpu)
		return tkt_percpu_ref_tryget(&c->percpu);
	count = TKT_LOAD(&c->count, TKT_RELAXED);
	for (unsigned int i = 0; count; i++) {
		if (TKT_CAS(&c->count, &count, count + 1, TKT_RELAXED,
			    TKT_RELAXED))
			return true;
		if (i >= EAGER_TRIES)
			TKT_YIELD(&c->count, count);
	}
	return false;
}

static void counted_put(const struct bioref *b, struct counted *c)
{
	if (b->percpu)
		tkt_percpu_ref_put(&c->percpu);
	/* B1: pairs with itself: the last one has seen what the others did */
	else if (TKT_FETCH_ADD(&c->count, UINT64_MAX, TKT_ACQ_REL) == 1)
		counted_release(&c->percpu);
}

/* The owner's reference. */
static void counted_kill(const struct bioref *b, struct counted *c)
{
	if (b->percpu)
		tkt_percpu_ref_kill(&c->percpu);
	else
		counted_put(b, c);
}

static bool counted_is_zero(const struct bioref *b, const struct counted *c)
{
	return b->percpu ? tkt_percpu_ref_is_zero(&c->percpu)
			 : !TKT_LOAD(&c->count, TKT_RELAXED);
}

/* Compares and swaps for nothing, as the one added to the kernel did. */
static void empty_cas(struct counted *c)
{
	uint64_t zero = 0;

	/* B2: pairs with itself; a full barrier, as the kernel's is */
	(void)TKT_CAS(&c->count, &zero, 0, TKT_ACQ_REL, TKT_RELAXED);
}

static void bio_associate(struct bioref *b, struct bio *bio)
{
	counted_get(b, &b->context);
	bio->context = &b->context;
	bio->group = counted_tryget(b, &b->group) ? &b->group : NULL;
	if (b->cas)
		empty_cas(&b->context);
}

static void bio_disassociate(struct bioref *b, struct bio *bio)
{
	if (b->cas)
		empty_cas(&b->context);
	counted_put(b, bio->context);
	if (bio->group)
		counted_put(b, bio->group);
}

static void copy_sector(uint64_t *to, const uint64_t *from)
{
	for (unsigned int i = 0; i < SECTOR_WORDS; i++)
		TKT_WRITE(&to[i], TKT_READ(&from[i]));
}

/* The lowest device. */
static void transfer(struct bioref_job *job, const struct bio *bio)
{
	uint64_t *sector = job->disk[bio->sector % SECTORS];

	copy_sector(bio->read ? bio->data : sector,
		    bio->read ? sector : bio->data);
}

/*
 * Down through the devices and up again.  A linear device maps a sector by
 * adding to it: here so that the sum over all is a whole number of disks.
 */
static void submit(struct bioref *b, struct bioref_job *job, struct bio *bio)
{
	struct bio stack[NESTING_MAX + 1];

	stack[0] = *bio;
	for (unsigned int i = 1; i <= b->nesting; i++) {
		stack[i] = stack[i - 1];
		stack[i].sector += SECTORS;
		if (b->counts)
			bio_associate(b, &stack[i]);
	}
	transfer(job, &stack[b->nesting]);
	for (unsigned int i = b->nesting; i && b->counts; i--)
		bio_disassociate(b, &stack[i]);
}

static void *bioref_setup(const struct kernel_config *config,
			  const struct lock_ops *lock, char *why)
{
	const size_t size = sizeof(struct bioref) +
			    config->threads * sizeof(struct bioref_job);
	struct bioref *b = setup_alloc(size, why);
	const char *variant = config->variant;

	(void)lock;
	if (!b)
		return NULL;
	counted_init(&b->context);
	counted_init(&b->group);
	b->borrows = !strcmp(variant, "borrowed");
	b->counts = !b->borrows && strcmp(variant, "none");
	b->cas = !strcmp(variant, "atomic-cas");
	b->percpu = !strcmp(variant, "percpu");
	b->drop_twice = !strcmp(variant, "drop-twice");
	b->lose = !strcmp(variant, "lose-reference");
	b->nesting = (unsigned int)config->option[OPTION_NESTING];
	b->reads = (unsigned int)config->option[OPTION_READS];
	b->threads = config->threads;
	b->seed = config->seed;
	return b;
}

static void bioref_destroy(void *state)
{
	free(state);
}

static void *bioref_thread_setup(void *state, unsigned int index)
{
	struct bioref *b = state;
	struct bioref_job *job = &b->job[index];

	job->random = random_stream(b->seed, index);
	return job;
}

static void bioref_thread_teardown(void *state, void *thread)
{
	(void)state;
	(void)thread;
}

/* The controls' mistake, once in each job. */
static void mistake(struct bioref *b)
{
	if (b->drop_twice)
		counted_put(b, &b->context);
	if (b->lose)
		counted_get(b, &b->group);
}

static long bioref_step(void *state, void *thread)
{
	struct bioref *b = state;
	struct bioref_job *job = thread;
	struct bio bio = { .data = job->data };
	const uint32_t sector = random_below(&job->random, SECTORS);

	bio.sector = sector;
	bio.read = random_below(&job->random, 100) < b->reads;
	if (!bio.read) {
		job->written[sector] = random_next(&job->random);
		TKT_WRITE(&job->data[0], job->written[sector]);
	}
	if (b->borrows)
		bio_associate(b, &bio);
	submit(b, job, &bio);
	if (b->borrows)
		bio_disassociate(b, &bio);
	if (TKT_READ(&job->data[0]) != job->written[sector])
		job->wrong++;
	if (!job->requests++)
		mistake(b);
	return 1;
}

static bool check_counted(struct bioref *b, struct counted *c, const char *name,
			  char *why)
{
	uint32_t released;
	bool zero;

	counted_kill(b, c);
	zero = counted_is_zero(b, c);
	released = TKT_LOAD(&c->released, TKT_RELAXED);
	if (!zero) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "zero-after-kill: the %s's count is %" PRId64
			       " with nobody left",
			       name,
			       b->percpu ? (int64_t)c->percpu.central
					 : (int64_t)TKT_LOAD(&c->count,
							     TKT_RELAXED));
		return false;
	}
	if (released != 1) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "release-once: the %s was released %" PRIu32
			       " times",
			       name, released);
		return false;
	}
	return true;
}

static bool bioref_check(void *state, char *why)
{
	struct bioref *b = state;

	for (unsigned int i = 0; i < b->threads; i++) {
		if (!b->job[i].wrong)
			continue;
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "data: job %u read %" PRIu64
			       " sectors that it had not written so",
			       i, b->job[i].wrong);
		return false;
	}
	return check_counted(b, &b->context, "context", why) &&
	       check_counted(b, &b->group, "group", why);
}

static bool bioref_takes_lock(const char *variant)
{
	(void)variant;
	return false;
}

extern const struct kernel_ops KERNEL_SYM(bioref);
const struct kernel_ops KERNEL_SYM(bioref) = {
	.name = "bioref",
	.summary =
		"block layer: references counted for each clone of a request",
	.options = bioref_options,
	.variants = bioref_variants,
	.controls = bioref_controls,
	.threads = bioref_threads,
	.takes_lock = bioref_takes_lock,
	.setup = bioref_setup,
	.destroy = bioref_destroy,
	.thread_setup = bioref_thread_setup,
	.thread_teardown = bioref_thread_teardown,
	.step = bioref_step,
	.check = bioref_check,
	.report = bioref_report,
};
