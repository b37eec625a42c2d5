/* SPDX-License-Identifier: MIT */
/* test/tool/test_kernels.c - the kernels' checks, which can fail */
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/delay.h"
#include "kernels/dentry_tree.h"
#include "kernels/measure.h"
#include "locks/lock_ops.h"
#include "workfiles/workfile.h"

/* Locks that go wrong: none excludes, two do not come back. */
static void lock_nothing(void *lock, union lock_ctx *ctx)
{
	(void)lock;
	(void)ctx;
}

static void lock_abort(void *lock, union lock_ctx *ctx)
{
	(void)lock;
	(void)ctx;
	__builtin_trap();
}

static void bump_nothing(void *lock, union lock_ctx *ctx, uint64_t *word,
			 unsigned int n)
{
	(void)lock;
	(void)ctx;
	if (word)
		*(volatile uint64_t *)word += n;
}

static const char *init_nothing(void *lock, const struct lock_params *params)
{
	(void)lock;
	return params->threshold == 3 ? "threshold must not be 3" : NULL;
}

static struct lock_ops nothing = { .name = "nothing",
				   .size = 8,
				   .init = init_nothing,
				   .lock = lock_nothing,
				   .unlock = lock_nothing,
				   .bump = bump_nothing };

static struct workfile file;
static char why[KERNEL_WHY_BYTES];

static struct measure_plan plan_for(const struct kernel_ops *kernel,
				    const struct lock_ops *lock)
{
	const struct kernel_option *k = kernel->options;
	struct measure_plan p = { .kernel = kernel,
				  .lock = lock,
				  .seconds = 0.02 };

	p.config.threads = 2;
	p.config.seed = 1;
	p.config.lock.max_threads = 2;
	p.config.workfile = &file;
	p.config.variant = kernel->variants ? kernel->variants[0] : NULL;
	for (unsigned int i = 0; k && k[i].name; i++)
		p.config.option[i] = k[i].preset;
	return p;
}

static int setup(void **state)
{
	char path[4096];
	struct error e;

	(void)state;
	delay_calibrate();
	return workfile_shipped("short", path, sizeof(path)) &&
			       workfile_read(&file, path, &e)
		       ? 0
		       : -1;
}

static void each_kernel(void (*test)(const struct kernel_ops *kernel))
{
	for (const struct kernel_ops *const *p = kernel_table; *p; p++)
		test(*p);
	test(&kernel_workfile);
}

static void variant_passes(const struct kernel_ops *kernel, const char *variant)
{
	const bool locks = kernel_takes_lock(kernel, variant);
	struct measure_plan p =
		plan_for(kernel, locks ? lock_table[0] : &kernel_no_lock);
	struct measure_result r;
	struct error e;

	p.config.variant = variant;
	for (int i = 0; i < 2; i++) {
		p.instrument = i;
		/* A busy machine may not let the threads run in time. */
		for (int try = 0; try < 20; try++) {
			if (measure_run(&p, &r, &e) != ISOLATE_DONE)
				fail_msg("%s: %s", kernel->name, e.text);
			if (r.workers.ops)
				break;
		}
		assert_true(r.workers.ops > 0 && r.workers.seconds > 0);
		assert_int_equal(isnan(r.wait_p50_ns), !i || !locks);
		assert_int_equal(isnan(r.wait_max_ns), !i || !locks);
	}
	if (!locks)
		return;
	assert_true(r.wait_p50_ns <= r.wait_p99_ns);
	assert_true(r.wait_p99_ns <= r.wait_max_ns);
}

static void passes(const struct kernel_ops *kernel)
{
	const char *const *v = kernel->variants;

	if (!v)
		variant_passes(kernel, NULL);
	for (; v && *v; v++)
		variant_passes(kernel, *v);
}

static void all_pass(void **state)
{
	(void)state;
	each_kernel(passes);
}

/* Tries: a busy machine may not let threads race within the time. */
static void fails(struct measure_plan *p, const char *how, int tries)
{
	struct measure_result r;
	struct error e;

	while (measure_run(p, &r, &e) != ISOLATE_FAILED)
		if (!--tries)
			fail_msg("%s, variant %s: found nothing",
				 p->kernel->name, p->config.variant);
	assert_memory_equal(e.text, how, strlen(how));
	assert_false(r.passed);
}

/* A lock that does not exclude, one that crashes. */
static void catches_lock(const struct kernel_ops *kernel, const char *variant)
{
	struct measure_plan p = plan_for(kernel, &nothing);
	struct lock_ops aborts = nothing;

	p.config.variant = variant;
	fails(&p, "check failed: ", 1);
	aborts.lock = lock_abort;
	p.lock = &aborts;
	p.instrument = true; /* so that bump goes through lock */
	fails(&p, "crash: ", 1);
}

/* Both with each variant that takes a lock; and the variants made to fail. */
static void catches(const struct kernel_ops *kernel)
{
	const char *const *v = kernel->variants;

	if (!v)
		catches_lock(kernel, NULL);
	for (; v && *v; v++)
		if (kernel_takes_lock(kernel, *v))
			catches_lock(kernel, *v);
	for (v = kernel->controls; v && *v; v++) {
		struct measure_plan p = plan_for(kernel, lock_table[0]);

		p.config.variant = *v;
		/* Some of them need help from the machine to be found. */
		if (kernel->possible && !kernel->possible(&p.config, why))
			continue;
		p.seconds = 0.1;
		fails(&p, "check failed: ", 20);
	}
}

static void all_catch(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		each_kernel(catches);
}

static void parameters(void **state)
{
	struct measure_plan p = plan_for(kernel_table[0], &nothing);
	struct error e;

	(void)state;
	assert_true(measure_allowed(&p, &e));
	p.config.lock.threshold = 3;
	assert_false(measure_allowed(&p, &e));
	assert_non_null(strstr(e.text, "lock nothing"));
	assert_non_null(strstr(e.text, "threshold 3"));
	assert_non_null(strstr(e.text, "must not be 3"));
}

/* A tree of 3 x 4 and one user, single-threaded. */
static struct dentry_tree tree;
static struct dentry_user user;

static int plant(void **state)
{
	const struct lock_params params = { .max_threads = 1 };

	(void)state;
	memset(&user, 0, sizeof(user));
	return dentry_tree_build(&tree, lock_table[0], &params, KERNEL_SPLIT, 3,
				 4, why) &&
			       dentry_user_open(&tree, &user)
		       ? 0
		       : -1;
}

static int fell(void **state)
{
	(void)state;
	dentry_user_close(&tree, &user);
	dentry_tree_free(&tree);
	return 0;
}

static bool check(void)
{
	struct dentry_totals totals = { 0, 0 };

	dentry_totals_add(&totals, &user);
	return dentry_tree_check(&tree, &totals, why);
}

static void fails_with(const char *name)
{
	assert_false(check());
	assert_memory_equal(why, name, strlen(name));
}

static struct dentry_hot *hot(unsigned int dir)
{
	return (void *)((unsigned char *)&tree.dir[dir] + tree.hot_offset);
}

static void tree_works(void **state)
{
	struct dentry_dir *dir;

	(void)state;
	assert_true(check());
	dir = dentry_get_parent(&tree, &user, &tree.child[5]);
	assert_ptr_equal(dir, &tree.dir[1]);
	assert_int_equal(hot(1)->count, 6);
	fails_with("count-balance");
	dentry_put(&tree, &user, dir);
	assert_int_equal(hot(1)->count, 5);
	assert_true(check());

	dentry_rename(&tree, &user, &tree.child[5], &tree.dir[0]);
	dentry_rename(&tree, &user, &tree.child[6], &tree.dir[1]);
	assert_int_equal(hot(0)->count, 6);
	assert_int_equal(hot(1)->count, 4);
	assert_ptr_equal(dentry_get_parent(&tree, &user, &tree.child[5]),
			 &tree.dir[0]);
	dentry_put(&tree, &user, &tree.dir[0]);
	for (int i = 0; i < 12; i++)
		dentry_notify(&tree, &user, &tree.child[i]);
	assert_true(check());
	assert_int_equal(user.dead, 0);
}

static void tree_lost_section(void **state)
{
	(void)state;
	dentry_notify(&tree, &user, &tree.child[0]);
	hot(0)->sections--;
	fails_with("sections-add-up");
}

static void tree_lost_reference(void **state)
{
	(void)state;
	hot(2)->count--;
	fails_with("count-balance");
}

static void tree_dead_parent(void **state)
{
	(void)state;
	hot(0)->count = 1; /* four references lost */
	dentry_put(&tree, &user, &tree.dir[0]);
	fails_with("use-after-last-put");
	hot(0)->count = 5;
	user.dead = 0;
	assert_true(check());
	/* The poison stays, and the next user sees it. */
	dentry_notify(&tree, &user, &tree.child[0]);
	fails_with("use-after-last-put");
}

static void tree_wrong_list(void **state)
{
	struct list_link *first = tree.dir[0].children.next;

	(void)state;
	tree.child[1].parent = &tree.dir[2];
	fails_with("one-list");
	tree.child[1].parent = &tree.dir[0];
	assert_true(check());
	/* A loop that never comes back to the head. */
	first->next->next = first;
	fails_with("one-list");
	first->next->next = &tree.child[2].link;
	assert_true(check());
	/* Off its list, with the count to match. */
	tree.child[3].link.prev->next = &tree.dir[0].children;
	tree.dir[0].children.prev = tree.child[3].link.prev;
	hot(0)->count--;
	fails_with("one-list");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_pass),
		cmocka_unit_test(all_catch),
		cmocka_unit_test(parameters),
		cmocka_unit_test_setup_teardown(tree_works, plant, fell),
		cmocka_unit_test_setup_teardown(tree_lost_section, plant, fell),
		cmocka_unit_test_setup_teardown(tree_lost_reference, plant,
						fell),
		cmocka_unit_test_setup_teardown(tree_dead_parent, plant, fell),
		cmocka_unit_test_setup_teardown(tree_wrong_list, plant, fell),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
