/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/workfile.c - users who run the jobs of a workfile
 *
 * Each thread is a user with a list of jobs: every test as often as its
 * weight says, in an order of the user's own.  At its end it begins again in
 * another order, unless --passes limits that.  A turn is one operation of the
 * present job's footprint with its share of the think time, so that a run ends
 * soon after its time; what is counted is the whole job.  workfile_fs.h says
 * what operations work on.
 *
 * Every i_mutex is the library's mutex, or, in the variant `lock`, the lock
 * under test like all the rest.
 */
#include <stdlib.h>

#include "harness/delay.h"
#include "setup.h"
#include "workfile_fs.h"
#include "workfiles/workfile.h"

enum {
	OPTION_PASSES,
	OPTION_DIRECTORIES
};

static const struct kernel_option workfile_options[] = {
	[OPTION_PASSES] = { "passes", "passes", 0, 1000000, 0,
			    "times that a user goes through its jobs; "
			    "0: until the time is up" },
	[OPTION_DIRECTORIES] = { "directories", "directories", 1, 1024, 16,
				 "directories that the users work in" },
	{ .name = NULL },
};

static const char *const workfile_variants[] = { "mutex", "lock", NULL };

struct workfile_user {
	struct workfile_hand hand;
	struct random random; /* for the order of the jobs */
	uint8_t *jobs;	      /* indexes into the workfile's tests */
	uint64_t passes_left;
	unsigned int job;   /* in jobs */
	unsigned int round; /* in the job's footprint */
	unsigned int op;    /* in the round */
} __attribute__((aligned(LOCK_ALIGN)));

struct workfile_run {
	struct workfile_fs fs;
	struct kernel_config config;
	unsigned int jobs; /* of a user, in one pass */
	struct workfile_user user[];
};

static void *workfile_setup(const struct kernel_config *config,
			    const struct lock_ops *lock, char *why)
{
	const size_t size = sizeof(struct workfile_run) +
			    config->threads * sizeof(struct workfile_user);
	struct workfile_run *w = setup_alloc(size, why);

	if (!w)
		return NULL;
	w->config = *config;
	if (!w->config.variant)
		w->config.variant = workfile_variants[0];
	for (unsigned int i = 0; i < config->workfile->count; i++)
		w->jobs += workfile_jobs(config->workfile, i);
	if (workfile_fs_build(&w->fs, &w->config, lock,
			      config->option[OPTION_DIRECTORIES], why))
		return w;
	free(w);
	return NULL;
}

static void workfile_destroy(void *state)
{
	struct workfile_run *w = state;

	workfile_fs_free(&w->fs);
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
	const struct workfile *file = w->config.workfile;
	const uint64_t passes = w->config.option[OPTION_PASSES];
	struct workfile_user *u = &w->user[index];
	unsigned int n = 0;

	u->jobs = malloc(w->jobs);
	if (!u->jobs)
		return NULL;
	if (!workfile_fs_open(&w->fs, &w->config, &u->hand, index)) {
		free(u->jobs);
		return NULL;
	}
	for (unsigned int i = 0; i < file->count; i++)
		for (unsigned int k = workfile_jobs(file, i); k; k--)
			u->jobs[n++] = (uint8_t)i;
	/* Not the stream of the operations: the order stays with the seed. */
	u->random = random_stream(~w->config.seed, index);
	shuffle(u, w->jobs);
	u->passes_left = passes ? passes : UINT64_MAX;
	return u;
}

static void workfile_thread_teardown(void *state, void *thread)
{
	struct workfile_run *w = state;
	struct workfile_user *u = thread;

	workfile_fs_close(&w->fs, &u->hand);
	free(u->jobs);
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
	f = w->config.workfile->test[u->jobs[u->job]].footprint;
	ops = footprint_ops(f);
	if (ops && !workfile_fs_run(&w->fs, &u->hand, footprint_op(f, u->op)))
		return KERNEL_FINISHED;
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

	dentry_hold(&w->fs.tree, &u->hand.dentry, inside, arg);
}

static bool workfile_check(void *state, char *why)
{
	struct workfile_run *w = state;
	struct dentry_totals totals = { 0, 0 };

	for (unsigned int i = 0; i < w->config.threads; i++)
		dentry_totals_add(&totals, &w->user[i].hand.dentry);
	return workfile_fs_check(&w->fs, &totals, why);
}

extern const struct kernel_ops KERNEL_SYM(workfile);
const struct kernel_ops KERNEL_SYM(workfile) = {
	.name = "workfile",
	.summary = "users who run the jobs of an AIM7 workfile",
	.traits = KERNEL_LAYOUT | KERNEL_JOBS,
	.options = workfile_options,
	.variants = workfile_variants,
	.setup = workfile_setup,
	.destroy = workfile_destroy,
	.thread_setup = workfile_thread_setup,
	.thread_teardown = workfile_thread_teardown,
	.step = workfile_step,
	.hold = workfile_hold,
	.check = workfile_check,
};
