/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/workfile.c - users who run the jobs of a workfile
 *
 * Each thread is a user with a list of jobs: every test as often as its
 * weight says, in an order of the user's own.  At its end it begins again in
 * another order, unless --passes limits that.  A turn is one critical section
 * of the present job's footprint with its share of the think time, so that a
 * run ends soon after its time; the operation counted is the whole job.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "dentry_tree.h"
#include "harness/delay.h"
#include "harness/random.h"
#include "kernel.h"
#include "workfiles/workfile.h"

#define WORKFILE_CHILDREN 64 /* files in the one directory of class dentry */

enum {
	OPTION_PASSES
};

static const struct kernel_option workfile_options[] = {
	[OPTION_PASSES] = { "passes", "passes", 0, 1000000, 0,
			    "times that a user goes through its jobs; "
			    "0: until the time is up" },
	{ .name = NULL },
};

/* A lock and the lines it protects, for the classes without a kernel yet. */
struct class_lock {
	unsigned char lock[LOCK_ALIGN] __attribute__((aligned(LOCK_ALIGN)));
	struct {
		uint64_t count __attribute__((aligned(LOCK_ALIGN)));
	} line[FOOTPRINT_LINES_MAX];
};

struct workfile_user {
	struct dentry_user dentry;
	union lock_ctx ctx;
	/* Critical sections that wrote a line, for the check. */
	uint64_t wrote[LOCK_CLASS_COUNT][FOOTPRINT_LINES_MAX];
	struct random random;
	uint8_t *jobs; /* indexes into the workfile's tests */
	uint64_t passes_left;
	unsigned int job;   /* in jobs */
	unsigned int round; /* in the job's footprint */
	unsigned int op;    /* in the round */
} __attribute__((aligned(LOCK_ALIGN)));

struct workfile_run {
	struct class_lock class[LOCK_CLASS_COUNT];
	struct dentry_tree tree;
	const struct lock_ops *lock;
	const struct workfile *file;
	uint64_t seed, passes;
	unsigned int users, jobs; /* of a user, in one pass */
	struct workfile_user user[];
};

static void *fail(struct workfile_run *w, const char *what, char *why)
{
	if (what)
		(void)snprintf(why, KERNEL_WHY_BYTES, "setup: %s", what);
	free(w);
	return NULL;
}

static void *workfile_setup(const struct kernel_config *config,
			    const struct lock_ops *lock, char *why)
{
	const size_t size = sizeof(struct workfile_run) +
			    config->threads * sizeof(struct workfile_user);
	struct workfile_run *w = aligned_alloc(LOCK_ALIGN, size);
	const char *wrong;

	if (!w)
		return fail(NULL, "out of memory", why);
	memset(w, 0, size);
	w->lock = lock;
	w->file = config->workfile;
	w->seed = config->seed;
	w->users = config->threads;
	w->passes = config->option[OPTION_PASSES];
	for (unsigned int i = 0; i < w->file->count; i++)
		w->jobs += workfile_jobs(w->file, i);
	if (!dentry_tree_build(&w->tree, lock, &config->lock, config->layout, 1,
			       WORKFILE_CHILDREN, why))
		return fail(w, NULL, why);
	for (unsigned int i = 0; i < LOCK_CLASS_COUNT; i++) {
		wrong = lock->init(w->class[i].lock, &config->lock);
		if (!wrong)
			continue;
		while (lock->destroy && i--)
			lock->destroy(w->class[i].lock);
		dentry_tree_free(&w->tree);
		return fail(w, wrong, why);
	}
	return w;
}

static void workfile_destroy(void *state)
{
	struct workfile_run *w = state;

	for (unsigned int i = 0; w->lock->destroy && i < LOCK_CLASS_COUNT; i++)
		w->lock->destroy(w->class[i].lock);
	dentry_tree_free(&w->tree);
	free(w);
}

/* A new order for the jobs (Fisher and Yates). */
static void shuffle(struct workfile_user *u, unsigned int jobs)
{
	for (unsigned int i = jobs; i > 1; i--) {
		const unsigned int k = random_below(&u->random, i);
		const uint8_t job = u->jobs[k];

		u->jobs[k] = u->jobs[i - 1];
		u->jobs[i - 1] = job;
	}
}

static void *workfile_thread_setup(void *state, unsigned int index)
{
	struct workfile_run *w = state;
	struct workfile_user *u = &w->user[index];
	unsigned int n = 0;

	u->jobs = malloc(w->jobs);
	if (!u->jobs)
		return NULL;
	if (w->lock->ctx_init && !w->lock->ctx_init(&u->ctx))
		goto no_ctx;
	if (!dentry_user_open(&w->tree, &u->dentry))
		goto no_user;
	for (unsigned int i = 0; i < w->file->count; i++)
		for (unsigned int k = workfile_jobs(w->file, i); k; k--)
			u->jobs[n++] = (uint8_t)i;
	u->random = random_stream(w->seed, index);
	shuffle(u, w->jobs);
	u->passes_left = w->passes ? w->passes : UINT64_MAX;
	return u;

no_user:
	if (w->lock->ctx_destroy)
		w->lock->ctx_destroy(&u->ctx);
no_ctx:
	free(u->jobs);
	return NULL;
}

static void workfile_thread_teardown(void *state, void *thread)
{
	struct workfile_run *w = state;
	struct workfile_user *u = thread;

	dentry_user_close(&w->tree, &u->dentry);
	if (w->lock->ctx_destroy)
		w->lock->ctx_destroy(&u->ctx);
	free(u->jobs);
}

static void critical_section(struct workfile_run *w, struct workfile_user *u,
			     const struct footprint_op *op)
{
	struct class_lock *c = &w->class[op->class];

	w->lock->lock(c->lock, &u->ctx);
	for (unsigned int i = 0; i < op->lines; i++) {
		uint64_t *count = &c->line[i].count;

		TKT_WRITE(count, TKT_READ(count) + 1);
		u->wrote[op->class][i]++;
	}
	delay_ns(op->hold_ns);
	w->lock->unlock(c->lock, &u->ctx);
}

static void footprint_op_run(struct workfile_run *w, struct workfile_user *u,
			     const struct footprint_op *op)
{
	struct dentry_tree *tree = &w->tree;

	if (op->class != LOCK_CLASS_DENTRY) {
		critical_section(w, u, op);
		return;
	}
	u->dentry.hold_ns = op->hold_ns;
	dentry_notify(tree, &u->dentry,
		      &tree->child[random_below(&u->random, tree->children)]);
}

static long workfile_step(void *state, void *thread)
{
	struct workfile_run *w = state;
	struct workfile_user *u = thread;
	const struct footprint *f;
	unsigned int ops;

	if (u->job == w->jobs) {
		if (!--u->passes_left)
			return KERNEL_FINISHED;
		shuffle(u, w->jobs);
		u->job = 0;
	}
	f = w->file->test[u->jobs[u->job]].footprint;
	ops = footprint_ops(f);
	if (ops)
		footprint_op_run(w, u, &f->op[u->op]);
	delay_ns(ops ? f->think_ns / ops : f->think_ns);
	if (++u->op < ops)
		return 0;
	u->op = 0;
	if (++u->round < f->rounds)
		return 0;
	u->round = 0;
	u->job++;
	return 1;
}

static void workfile_hold(void *state, void *thread, void (*inside)(void *arg),
			  void *arg)
{
	struct workfile_run *w = state;
	struct workfile_user *u = thread;

	dentry_hold(&w->tree, &u->dentry, inside, arg);
}

static bool workfile_check(void *state, char *why)
{
	struct workfile_run *w = state;
	struct dentry_totals totals = { 0, 0 };

	for (unsigned int c = 0; c < LOCK_CLASS_COUNT; c++)
		for (unsigned int i = 0; i < FOOTPRINT_LINES_MAX; i++) {
			const uint64_t count =
				TKT_READ(&w->class[c].line[i].count);
			uint64_t wrote = 0;

			for (unsigned int k = 0; k < w->users; k++)
				wrote += w->user[k].wrote[c][i];
			if (count == wrote)
				continue;
			(void)snprintf(why, KERNEL_WHY_BYTES,
				       "class-sum: line %u of class %s counts "
				       "%" PRIu64 ", the users wrote it "
				       "%" PRIu64 " times",
				       i, lock_class_name[c], count, wrote);
			return false;
		}
	for (unsigned int k = 0; k < w->users; k++)
		dentry_totals_add(&totals, &w->user[k].dentry);
	return dentry_tree_check(&w->tree, &totals, why);
}

extern const struct kernel_ops KERNEL_SYM(workfile);
const struct kernel_ops KERNEL_SYM(workfile) = {
	.name = "workfile",
	.summary = "users who run the jobs of an AIM7 workfile",
	.traits = KERNEL_LAYOUT | KERNEL_JOBS,
	.options = workfile_options,
	.setup = workfile_setup,
	.destroy = workfile_destroy,
	.thread_setup = workfile_thread_setup,
	.thread_teardown = workfile_thread_teardown,
	.step = workfile_step,
	.hold = workfile_hold,
	.check = workfile_check,
};
