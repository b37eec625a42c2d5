/* SPDX-License-Identifier: MIT */
/* test/tool/test_harness.c - workers, isolation, delay */
#include "cmocka_all.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tkt/atomic.h>

#include "harness/workers.h"
#include "harness/cpus.h"
#include "harness/delay.h"
#include "harness/isolate.h"

#define MEMBERS_MAX 8

struct team {
	uint64_t steps[MEMBERS_MAX];
	unsigned int index[MEMBERS_MAX];
	int cpu[MEMBERS_MAX];
	uint32_t begun, after, ended;
	uint64_t limit; /* steps of each; then finished */
	unsigned int bad;
};

static struct team team;

static void *begin(void *owner, unsigned int index)
{
	struct team *t = owner;

	TKT_FETCH_ADD(&t->begun, 1, TKT_RELAXED);
	if (index == t->bad)
		return NULL;
	t->index[index] = index;
	t->cpu[index] = sched_getcpu();
	return &t->index[index];
}

static long step(void *state, void *thread)
{
	struct team *t = state;
	const unsigned int i = *(unsigned int *)thread;

	if (t->steps[i] == t->limit)
		return WORKERS_FINISHED;
	t->steps[i]++;
	return i + 1;
}

static void after(void *owner, void *thread, unsigned int index)
{
	struct team *t = owner;

	assert_int_equal(*(unsigned int *)thread, index);
	TKT_FETCH_ADD(&t->after, 1, TKT_RELAXED);
}

static void end(void *owner, void *thread)
{
	struct team *t = owner;

	(void)thread;
	TKT_FETCH_ADD(&t->ended, 1, TKT_RELAXED);
}

static const struct work work = { &team, &team, begin, step, after, end };

static int reset(void **state)
{
	(void)state;
	memset(&team, 0, sizeof(team));
	team.limit = UINT64_MAX;
	team.bad = MEMBERS_MAX;
	return 0;
}

static void workers_until_time(void **state)
{
	struct workers_result r;
	struct error e;
	uint64_t all = 0;

	/* A busy machine may not let the threads run in time. */
	for (int try = 0; try < 20; try++) {
		(void)reset(state);
		assert_true(workers_run(&work, 3, 0.05, false, &r, &e));
		if (r.ops)
			break;
	}
	assert_int_equal(team.begun, 3);
	assert_int_equal(team.after, 3);
	assert_int_equal(team.ended, 3);
	assert_true(r.seconds >= 0.05);
	for (unsigned int i = 0; i < 3; i++)
		all += team.steps[i] * (i + 1);
	/* What was done after the count is not in it. */
	assert_true(r.ops > 0 && r.ops <= all);
	assert_true(r.jain > 0.3 && r.jain <= 1);
	assert_true(r.usage.user_s >= 0);
	/* The machine counts in ticks, so its times cannot be compared. */
	assert_true(r.usage.machine_user_s >= 0);
	assert_true(r.usage.machine_system_s >= 0);
	assert_true(r.usage.machine_switches >= r.usage.switches);
}

static void workers_until_finished(void **state)
{
	struct workers_result r;
	struct error e;

	(void)state;
	team.limit = 100;
	assert_true(workers_run(&work, 4, 3000, false, &r, &e));
	assert_int_equal(r.ops, 100 * (1 + 2 + 3 + 4));
	assert_true(r.seconds > 0 && r.seconds < 1000);
	assert_int_equal(team.after, 4);
	assert_int_equal(team.ended, 4);
}

static void workers_cannot_begin(void **state)
{
	struct workers_result r;
	struct error e;

	(void)state;
	team.bad = 2;
	assert_false(workers_run(&work, 4, 3000, false, &r, &e));
	assert_int_equal(team.ended, 3);
	assert_int_equal(team.after, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(team.steps[i], 0);
}

static void workers_pins(void **state)
{
	struct workers_result r;
	struct cpus cpus;
	struct error e;

	(void)state;
	cpus_allowed(&cpus);
	team.limit = 1;
	assert_true(workers_run(&work, MEMBERS_MAX, 3000, true, &r, &e));
	for (unsigned int i = 0; i < MEMBERS_MAX; i++)
		assert_int_equal(team.cpu[i], cpus.number[i % cpus.count]);
}

struct result {
	int value;
	char filler[100000]; /* more than a pipe holds */
};

static void succeed(const void *arg, void *result)
{
	struct result *r = result;

	r->value = *(const int *)arg + 1;
	memset(r->filler, 7, sizeof(r->filler));
}

static void crash(const void *arg, void *result)
{
	(void)arg;
	(void)result;
	(void)signal(SIGSEGV, SIG_DFL);
	(void)raise(SIGSEGV);
}

static void leave(const void *arg, void *result)
{
	(void)arg;
	(void)result;
	_exit(0); /* without a result: not done */
}

static void hang(const void *arg, void *result)
{
	(void)arg;
	(void)result;
	for (;;)
		(void)pause();
}

/* Gets on for a second; then ends, or hangs if there is no argument. */
static void linger(const void *arg, void *result)
{
	const struct timespec tenth = { 0, 100000000 };

	(void)result;
	for (int i = 0; i < 10; i++) {
		(void)nanosleep(&tenth, NULL);
		isolate_alive();
	}
	if (!arg)
		hang(NULL, NULL);
}

static void isolation(void **state)
{
	static struct result r;
	struct error e;
	const int one = 1;

	(void)state;
	assert_int_equal(isolate_run(succeed, &one, &r, sizeof(r), 60, 60, &e),
			 ISOLATE_DONE);
	assert_int_equal(r.value, 2);
	assert_int_equal(r.filler[sizeof(r.filler) - 1], 7);
	assert_int_equal(isolate_run(crash, NULL, &r, sizeof(r), 60, 60, &e),
			 ISOLATE_FAILED);
	assert_string_equal(e.text, "crash: Segmentation fault");
	assert_int_equal(isolate_run(leave, NULL, &r, sizeof(r), 60, 60, &e),
			 ISOLATE_FAILED);
	assert_string_equal(e.text, "crash: exit status 0");
	assert_int_equal(isolate_run(hang, NULL, &r, sizeof(r), 0.1, 0.1, &e),
			 ISOLATE_FAILED);
	assert_memory_equal(e.text, "hang: given up after ", 21);
	/* Ten signs of life, 0.1 s apart, and then none: not before that. */
	assert_int_equal(isolate_run(linger, &one, &r, sizeof(r), 0.3, 0.3, &e),
			 ISOLATE_DONE);
	assert_int_equal(isolate_run(linger, NULL, &r, sizeof(r), 0.3, 0.3, &e),
			 ISOLATE_FAILED);
	assert_memory_equal(e.text, "hang: given up after ", 21);
	assert_true(atof(e.text + 21) >= 1);
}

/* A signal for this process, from its child. */
static void interrupt(const void *arg, void *result)
{
	(void)arg;
	(void)result;
	(void)kill(getppid(), SIGTERM);
	for (;;)
		(void)pause();
}

static void interruption(void **state)
{
	struct result *r = test_malloc(sizeof(*r));
	struct error e;

	(void)state;
	isolate_catch_signals();
	assert_false(isolate_interrupted());
	assert_int_equal(isolate_run(interrupt, NULL, r, sizeof(*r), 60, 60,
				     &e),
			 ISOLATE_INTERRUPTED);
	assert_true(isolate_interrupted());
	test_free(r);
}

/* Only that it does not come back early: how late is the machine's affair. */
static void delays(void **state)
{
	uint64_t start;

	(void)state;
	delay_calibrate();
	assert_true(delay_turns_per_1024ns > 0);
	start = TKT_CLOCK_NS();
	delay_ns(2000000);
	assert_true(TKT_CLOCK_NS() - start >= 2000000);
	start = TKT_CLOCK_NS();
	delay_ns(0);
	for (int i = 0; i < 1000; i++)
		delay_ns(10000);
	/* Calibration is by the fastest try; a slow clock may differ by half. */
	assert_true(TKT_CLOCK_NS() - start >= 5000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(workers_until_time, reset),
		cmocka_unit_test_setup(workers_until_finished, reset),
		cmocka_unit_test_setup(workers_cannot_begin, reset),
		cmocka_unit_test_setup(workers_pins, reset),
		cmocka_unit_test(isolation),
		cmocka_unit_test(interruption),
		cmocka_unit_test(delays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
