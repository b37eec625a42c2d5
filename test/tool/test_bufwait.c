/* SPDX-License-Identifier: MIT */
/* test/tool/test_bufwait.c - bufwait finds the faults it is meant to find */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "harness/delay.h"
#include "kernels/measure.h"
#include "locks/lock_ops.h"

#define RUNS 10

/* One buffer in one queue, held long: everybody meets there. */
static struct measure_plan plan_for(const char *lock, const char *variant)
{
	struct measure_plan p = { .kernel = kernel_find("bufwait"),
				  .lock = lock_find(lock),
				  .seconds = 0.1 };
	const struct kernel_option *k = p.kernel->options;

	p.config.threads = 2;
	p.config.cs_ns = 20000;
	p.config.seed = 1;
	p.config.variant = variant;
	p.config.lock.max_threads = 2;
	for (unsigned int i = 0; k[i].name; i++) {
		p.config.option[i] = k[i].preset;
		if (!strcmp(k[i].name, "buffers") || !strcmp(k[i].name, "hash"))
			p.config.option[i] = 1;
	}
	return p;
}

static int setup(void **state)
{
	(void)state;
	delay_calibrate();
	return 0;
}

static void fails_with(struct measure_plan p, const char *check)
{
	char text[64];
	struct measure_result r;
	struct error e;

	(void)snprintf(text, sizeof(text), "check failed: %s: ", check);
	for (unsigned int i = 0; i < RUNS; i++) {
		p.config.seed = i;
		assert_int_equal(measure_run(&p, &r, &e), ISOLATE_FAILED);
		if (strncmp(e.text, text, strlen(text)))
			fail_msg("run %u: %s", i, e.text);
	}
}

static void passes(void **state)
{
	struct measure_plan p = plan_for("tkt", NULL);
	struct measure_result r;
	struct error e;

	(void)state;
	for (unsigned int i = 0; i < RUNS; i++) {
		p.config.threads = 1 + i % 4;
		p.config.lock.max_threads = p.config.threads;
		p.config.layout = i % 2 ? KERNEL_SPLIT : KERNEL_TOGETHER;
		if (measure_run(&p, &r, &e) != ISOLATE_DONE)
			fail_msg("run %u: %s", i, e.text);
		assert_true(r.workers.ops > 0);
	}
}

static void no_exclusion(void **state)
{
	(void)state;
	fails_with(plan_for("busted", NULL), "section-exclusion");
}

static void lost_wakeup(void **state)
{
	(void)state;
	fails_with(plan_for("tkt", "lost-wakeup"), "every-waiter-woken");
}

static void hasty_commit(void **state)
{
	(void)state;
	fails_with(plan_for("tkt", "hasty-commit"), "closed-handles");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes),
		cmocka_unit_test(no_exclusion),
		cmocka_unit_test(lost_wakeup),
		cmocka_unit_test(hasty_commit),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
