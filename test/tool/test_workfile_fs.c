/* SPDX-License-Identifier: MIT */
/* test/tool/test_workfile_fs.c - operations of footprints, and their checks */
#include "cmocka_all.h"

#include <pthread.h>
#include <string.h>

#include "harness/cpus.h"
#include "harness/delay.h"
#include "kernels/workfile_fs.h"

/* Two users, single-threaded; i_mutex is the library's, the rest a ticket. */
static struct workfile_fs fs;
static struct workfile_hand hand[2];
static struct kernel_config config = { .threads = 2,
				       .variant = "mutex",
				       .lock = { .max_threads = 2 } };
static char why[KERNEL_WHY_BYTES];

static int build(void **state)
{
	(void)state;
	memset(&fs, 0, sizeof(fs));
	memset(hand, 0, sizeof(hand));
	return workfile_fs_build(&fs, &config, lock_find("ticket"), 3, why) &&
			       workfile_fs_open(&fs, &config, &hand[0], 0) &&
			       workfile_fs_open(&fs, &config, &hand[1], 1)
		       ? 0
		       : -1;
}

static int drop(void **state)
{
	(void)state;
	workfile_fs_close(&fs, &hand[1]);
	workfile_fs_close(&fs, &hand[0]);
	workfile_fs_free(&fs);
	return 0;
}

/* It lists the directories itself; not so that the next one would notice. */
static bool check(void)
{
	struct dentry_totals totals = { 0, 0 };
	uint64_t listings[3];
	bool passes;

	for (unsigned int i = 0; i < 3; i++)
		listings[i] = fs.orphans->all.dir[i].hot->listings;
	dentry_totals_add(&totals, &hand[0].dentry);
	dentry_totals_add(&totals, &hand[1].dentry);
	passes = workfile_fs_check(&fs, &totals, why);
	for (unsigned int i = 0; i < 3; i++)
		fs.orphans->all.dir[i].hot->listings = listings[i];
	return passes;
}

static void run(enum operation_id op)
{
	assert_true(workfile_fs_run(&fs, &hand[0], op));
	assert_true(workfile_fs_run(&fs, &hand[1], op));
}

static void fails_with(const char *name)
{
	if (check())
		fail_msg("%s: passes", name);
	if (strncmp(why, name, strlen(name)))
		fail_msg("%s: fails with %s", name, why);
}

static void notify(void **state)
{
	int64_t count = dentry_count(&fs.tree, &fs.tree.dir[0]);

	(void)state;
	assert_int_equal(fs.tree.dirs, 1);
	run(OP_NOTIFY);
	assert_int_equal(hand[0].dentry.sections, 2);
	assert_int_equal(dentry_count(&fs.tree, &fs.tree.dir[0]), count);
	assert_true(check());
	hand[1].dentry.sections--;
	fails_with("sections-add-up");
}

static void list(void **state)
{
	(void)state;
	assert_int_equal(fs.orphans->all.count, 3);
	run(OP_LIST);
	assert_int_equal(fs.orphans->all.dir[0].hot->listings, 2);
	run(OP_SEARCH);
	assert_int_equal(hand[0].orphans->listings, 2);
	assert_true(check());
	fs.orphans->all.dir[0].hot->listings--;
	fails_with("listings-add-up");
	fs.orphans->all.dir[0].hot->listings++;
	hand[1].orphans->torn++;
	fails_with("listing-torn");
}

/* One that is under way is seen as such. */
static void list_torn(void **state)
{
	(void)state;
	fs.orphans->all.dir[0].hot->begun++;
	run(OP_LIST);
	fs.orphans->all.dir[0].hot->ended++;
	assert_int_equal(hand[0].orphans->torn, 1);
	fails_with("listing-torn");
}

static void recreate(void **state)
{
	const struct orphans_hot *hot = fs.orphans->hot;

	(void)state;
	for (unsigned int i = 0; i < 500; i++)
		run(OP_RECREATE);
	assert_int_equal(hot->sections, 2000); /* add and del */
	assert_ptr_equal(hot->list.next, &hot->list);
	assert_true(check());
	hand[0].orphans->sections++;
	fails_with("sections-add-up");
}

static void recreate_lost(void **state)
{
	struct directory *dir = &fs.orphans->all.dir[1];

	(void)state;
	run(OP_RECREATE);
	(void)directory_take(dir, 0);
	fails_with("one-place");
}

static void buffer(void **state)
{
	(void)state;
	run(OP_BUFFER);
	assert_int_equal(hand[0].buffers->visits, 1);
	assert_int_equal(hand[0].buffers->handles, 0);
	assert_true(check());
	hand[0].buffers->visits++;
	fails_with("buffer-visits");
}

static void update(void **state)
{
	struct bufwait_journal *j = &fs.buffers->journal;

	(void)state;
	run(OP_UPDATE);
	assert_int_equal(hand[0].buffers->visits, 1);
	assert_int_equal(hand[1].buffers->handles, 1);
	assert_int_equal(j->open, 0);
	assert_true(check());
	hand[0].buffers->handles++;
	fails_with("handles-balance");
}

/* The commit is made by the one who waits for it, there being nobody else. */
static void sync_commits(void **state)
{
	struct bufwait_journal *j = &fs.buffers->journal;
	uint32_t before = j->running;

	(void)state;
	j->due_ns = UINT64_MAX;
	run(OP_UPDATE);
	assert_int_equal(j->running, before);
	j->due_ns = UINT64_MAX;
	assert_true(workfile_fs_run(&fs, &hand[0], OP_SYNC));
	assert_int_equal(j->running, before + 1);
	assert_int_equal(j->committed, before);
	assert_int_equal(hand[0].buffers->committed, 3);
	assert_true(check());
	hand[0].buffers->committed--;
	fails_with("handles-balance");
}

/* A commit that is due is made by the next update. */
static void commit_due(void **state)
{
	struct bufwait_journal *j = &fs.buffers->journal;
	uint32_t before = j->running;

	(void)state;
	j->due_ns = 0;
	assert_true(workfile_fs_run(&fs, &hand[0], OP_UPDATE));
	assert_int_equal(j->running, before + 1);
	assert_true(check());
}

/* On one's own file: not kept up by another user's. */
static void direct(void **state)
{
	const struct lock_ops *i_mutex = fs.orphans->all.lock;

	(void)state;
	assert_string_equal(i_mutex->name, "tkt-mutex");
	assert_true(i_mutex->trylock(hand[1].own_i_mutex,
				     &hand[1].orphans->inode_ctx));
	assert_true(workfile_fs_run(&fs, &hand[0], OP_DIRECT));
	i_mutex->unlock(hand[1].own_i_mutex, &hand[1].orphans->inode_ctx);
	run(OP_DIRECT);
	assert_true(check());
}

/* Buffers are left alone then; what their check found is reported. */
static void broken(void **state)
{
	(void)state;
	fs.buffers->broken = 1;
	assert_false(workfile_fs_run(&fs, &hand[0], OP_BUFFER));
	assert_false(workfile_fs_run(&fs, &hand[0], OP_SYNC));
	run(OP_NOTIFY);
	hand[0].buffers->lost = 1;
	fails_with("every-waiter-woken");
}

/*
 * Faults in the parts are found in the course of operations, too, not only by
 * threads that meet on purpose.  Rounds, since on a busy machine two threads
 * may not race for long; the operation is the one that the fault is in.
 */
static enum operation_id raced;

static void *race(void *arg)
{
	for (unsigned int i = 0; i < 5000; i++)
		if (!workfile_fs_run(&fs, arg, raced))
			break;
	return NULL;
}

static void race_finds(enum operation_id op, const char *name)
{
	raced = op;
	for (unsigned int i = 0; i < 2000 && check(); i++) {
		pthread_t other;

		assert_int_equal(pthread_create(&other, NULL, race, &hand[1]),
				 0);
		(void)race(&hand[0]);
		assert_int_equal(pthread_join(other, NULL), 0);
	}
	fails_with(name);
}

static void race_listing(void **state)
{
	struct cpus cpus;

	(void)state;
	/* On one CPU, a switch would have to hit a few instructions. */
	cpus_allowed(&cpus);
	if (cpus.count < 2)
		skip();
	/* Its memory will do for a lock that does nothing with it. */
	fs.orphans->all.lock = lock_find("busted");
	race_finds(OP_LIST, "listings-add-up");
	fs.orphans->all.lock = lock_find("tkt-mutex");
}

static void race_wakeup(void **state)
{
	(void)state;
	fs.buffers->buffers = 1;
	fs.buffers->drop_wakeups = true;
	race_finds(OP_UPDATE, "every-waiter-woken");
}

static void race_commit(void **state)
{
	(void)state;
	fs.buffers->hasty_commits = true;
	race_finds(OP_SYNC, "closed-handles");
}

static int setup(void **state)
{
	(void)state;
	delay_calibrate();
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, build, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(notify),	   TEST(list),		TEST(list_torn),
		TEST(recreate),	   TEST(recreate_lost), TEST(buffer),
		TEST(update),	   TEST(sync_commits),	TEST(commit_due),
		TEST(direct),	   TEST(broken),	TEST(race_listing),
		TEST(race_wakeup), TEST(race_commit),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
