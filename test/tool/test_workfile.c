/* SPDX-License-Identifier: MIT */
/* test/tool/test_workfile.c - the workfile reader and the footprints */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workfiles/workfile.h"

static struct workfile w;
static struct error e;

static bool parse(const char *text)
{
	return workfile_parse(&w, "dir/workfile.mine", text, strlen(text), &e);
}

static void good(void **state)
{
	(void)state;
	assert_true(parse("# a comment\n"
			  "\n"
			  " \t \n"
			  "FILESIZE 10k\n"
			  "POOLSIZE 1M\n"
			  "20 disk_rd\n"
			  "\t1   creat_clo \t\n"
			  "#20 no_such_test\n"));
	assert_string_equal(w.name, "mine");
	assert_int_equal(w.count, 2);
	assert_int_equal(w.total, 21);
	assert_int_equal(w.file_size, 10240);
	assert_int_equal(w.pool_size, 1048576);
	assert_string_equal(w.test[0].footprint->test, "disk_rd");
	assert_string_equal(w.test[1].footprint->test, "creat_clo");
	assert_int_equal(w.test[1].weight, 1);
	assert_int_equal(workfile_jobs(&w, 0), 95);
	assert_int_equal(workfile_jobs(&w, 1), 5);
}

static void jobs_at_least_one(void **state)
{
	(void)state;
	assert_true(parse("10000 disk_rd\n1 creat_clo\n"));
	assert_int_equal(workfile_jobs(&w, 0), 100);
	assert_int_equal(workfile_jobs(&w, 1), 1);
	assert_true(parse("1 disk_rd\n1 creat_clo\n1 disk_cp\n"));
	assert_int_equal(workfile_jobs(&w, 2), 33);
	assert_true(parse("7 disk_rd\n1 creat_clo\n")); /* 87.5 and 12.5 */
	assert_int_equal(workfile_jobs(&w, 0), 88);
	assert_int_equal(workfile_jobs(&w, 1), 13);
}

/* Each with the line of the mistake and a word of the message. */
static void bad(void **state)
{
	static const struct {
		const char *text;
		const char *place, *word;
	} cases[] = {
		{ "20 disk_rd\n20 no_such\n", ":2: ", "'no_such'" },
		{ "0 disk_rd\n", ":1: ", "1 to 10000" },
		{ "10001 disk_rd\n", ":1: ", "1 to 10000" },
		{ "-1 disk_rd\n", ":1: ", "'-1'" },
		{ "1.5 disk_rd\n", ":1: ", "'1.5'" },
		{ "99999999999999999999 disk_rd\n", ":1: ", "1 to 10000" },
		{ "disk_rd 20\n", ":1: ", "'disk_rd'" },
		{ "20\n", ":1: ", "no test" },
		{ "20 disk_rd x\n", ":1: ", "'x'" },
		{ "20 disk_rd # not a comment\n", ":1: ", "'#'" },
		{ "20 disk_rd\n5 disk_rd\n", ":2: ", "twice" },
		{ "20 disk_rd", ":1: ", "newline" },
		{ "20 disk_rd\r\n", ":1: ", "unknown test" },
		{ "FILESIZE\n20 disk_rd\n", ":1: ", "FILESIZE" },
		{ "FILESIZE 10g\n", ":1: ", "k or M" },
		{ "FILESIZE 10kk\n", ":1: ", "k or M" },
		{ "FILESIZE 0\n", ":1: ", "from 1" },
		{ "FILESIZE 1048577M\n", ":1: ", "1048576M" },
		{ "FILESIZE 999999999999999M\n", ":1: ", "1048576M" },
		{ "\nPOOLSIZE 1k\nPOOLSIZE 1k\n", ":3: ", "second" },
		{ "", "mine: ", "empty" },
		{ "\n# nothing\n", "mine: ", "no tests" },
		{ "filesize 10k\n", ":1: ", "FILESIZE" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_false(parse(cases[i].text));
		if (!strstr(e.text, "dir/workfile.mine") ||
		    !strstr(e.text, cases[i].place) ||
		    !strstr(e.text, cases[i].word) ||
		    !strstr(e.text, "allowed: "))
			fail_msg("'%s': %s", cases[i].text, e.text);
	}
}

static void limits(void **state)
{
	const size_t size = WORKFILE_BYTES_MAX + 1;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	memset(text, '\n', size);
	memcpy(text, "1 disk_rd", 9);
	assert_true(workfile_parse(&w, "w", text, size - 1, &e));
	assert_false(workfile_parse(&w, "w", text, size, &e));
	assert_non_null(strstr(e.text, "1048576"));

	memset(text, '#', 300);
	text[WORKFILE_LINE_MAX] = '\n';
	memcpy(text + 256, "1 disk_rd\n", 10);
	assert_true(workfile_parse(&w, "w", text, 266, &e));
	text[WORKFILE_LINE_MAX] = '#';
	assert_false(workfile_parse(&w, "w", text, 266, &e));
	assert_non_null(strstr(e.text, "255"));

	assert_false(workfile_parse(&w, "w", "1 disk\0_rd\n", 11, &e));
	assert_non_null(strstr(e.text, ":1: a NUL byte"));
	free(text);
}

/* Every prefix of a good file is refused or is a whole number of lines. */
static void truncated(void **state)
{
	static const char text[] = "FILESIZE 10k\n20 disk_rd\n10 creat_clo\n";

	(void)state;
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		const bool lines = n > 13 && text[n - 1] == '\n';

		assert_int_equal(workfile_parse(&w, "w", text, n, &e), lines);
	}
}

static void shipped(void **state)
{
	static const unsigned int counts[] = { 17, 27, 20, 11 };
	static const unsigned int totals[] = { 340, 410, 400, 220 };
	char path[4096];

	(void)state;
	for (unsigned int i = 0; workfile_names[i]; i++) {
		assert_true(workfile_shipped(workfile_names[i], path,
					     sizeof(path)));
		if (!workfile_read(&w, path, &e))
			fail_msg("%s", e.text);
		assert_string_equal(w.name, workfile_names[i]);
		assert_int_equal(w.count, counts[i]);
		assert_int_equal(w.total, totals[i]);
		assert_true(w.file_size && w.pool_size);
	}
	assert_false(workfile_shipped("shorter", path, sizeof(path)));
	assert_false(workfile_read(&w, "/nonexistent/workfile", &e));
	assert_non_null(strstr(e.text, "/nonexistent/workfile"));
	assert_false(workfile_read(&w, "/", &e));
}

/*
 * Jobs of tens to hundreds of microseconds, in turns of ten or so at most;
 * sorted; operations or a reason why not; each operation used.
 */
static void footprint_table(void **state)
{
	unsigned int used[OPERATIONS] = { 0 };

	(void)state;
	for (size_t i = 0; i < footprint_count; i++) {
		const struct footprint *f = &footprints[i];
		const unsigned int ops = footprint_ops(f);
		unsigned int job = f->think_ns;

		if (i)
			assert_true(strcmp(footprints[i - 1].test, f->test) <
				    0);
		assert_ptr_equal(footprint_find(f->test), f);
		assert_int_equal(!ops, f->none != NULL);
		for (unsigned int k = 0; k < ops; k++) {
			const enum operation_id op = footprint_op(f, k);

			used[op]++;
			job += operations[op].hold_ns;
		}
		assert_in_range(f->rounds * job, 10000, 999999);
		assert_true(f->think_ns / (ops ? ops : 1) <= 10000);
	}
	for (int op = 0; op < OPERATIONS; op++) {
		assert_true(used[op]);
		assert_true(operations[op].hold_ns <= 10000);
		assert_true(operations[op].name && operations[op].locks &&
			    operations[op].what);
	}
	assert_null(footprint_find(""));
	assert_null(footprint_find("disk_r"));
	assert_null(footprint_find("zzz"));
}

/* A round's operations in order, each as often as it says. */
static void footprint_order(void **state)
{
	static const enum operation_id want[] = { OP_NOTIFY, OP_NOTIFY,
						  OP_DIRECT, OP_DIRECT,
						  OP_UPDATE };
	const struct footprint *f = footprint_find("disk_dio_cp");

	(void)state;
	assert_non_null(f);
	assert_int_equal(footprint_ops(f), 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(footprint_op(f, i), want[i]);
	assert_int_equal(footprint_ops(footprint_find("sieve")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(jobs_at_least_one),
		cmocka_unit_test(bad),
		cmocka_unit_test(limits),
		cmocka_unit_test(truncated),
		cmocka_unit_test(shipped),
		cmocka_unit_test(footprint_table),
		cmocka_unit_test(footprint_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
