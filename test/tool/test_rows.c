/* SPDX-License-Identifier: MIT */
/* test/tool/test_rows.c - csv, json and table of given rows; output files */
#include "cmocka_all.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/out.h"
#include "harness/rows.h"

static char text[16384];

static const char *printed(FILE *f)
{
	rewind(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	(void)fclose(f);
	return text;
}

static struct row example(void)
{
	struct row r;

	row_clear(&r);
	r.mode = "native";
	r.kernel = "counter";
	r.lock = "a,\"b\"";
	r.threads = 2;
	r.threshold = ROW_INF;
	r.cs_ns = 0;
	r.repeat = 1;
	r.seconds = 0.5;
	r.ops = UINT64_C(12345678901);
	r.ops_per_s = 1.0 / 3;
	return r;
}

static void csv(void **state)
{
	const struct row r = example();
	FILE *f = tmpfile();

	(void)state;
	rows_csv_header(f);
	rows_csv(f, &r);
	assert_string_equal(
		printed(f),
		"mode,kernel,variant,lock,machine,threads,users,threshold,wait,"
		"cs_ns,think_ns,layout,seed,repeat,seconds,ops,ops_per_s,"
		"jobs_per_min,bytes_per_s,jain,wait_p50_ns,wait_p99_ns,"
		"wait_max_ns,user_s,system_s,softirq_s,ctx_switches,queued,"
		"parked,probe_ns\n"
		"native,counter,,\"a,\"\"b\"\"\",,2,,inf,,0,,,,1,0.5,"
		"12345678901,0.333333333,,,,,,,,,,,,,\n");
}

static void json(void **state)
{
	struct row r[2] = { example(), example() };
	FILE *f = tmpfile();
	json_error_t error;
	json_t *array, *object;
	const char *key;
	json_t *value;
	size_t i = 0;

	(void)state;
	r[1].threshold = 4;
	rows_json(f, r, 2);
	array = json_loads(printed(f), 0, &error);
	assert_non_null(array);
	assert_int_equal(json_array_size(array), 2);
	object = json_array_get(array, 0);
	json_object_foreach(object, key, value)
		assert_string_equal(key, row_columns[i++].name);
	assert_int_equal(i, row_column_count);
	assert_string_equal(json_string_value(json_object_get(object, "lock")),
			    "a,\"b\"");
	assert_int_equal(json_integer_value(json_object_get(object, "ops")),
			 12345678901);
	assert_string_equal(
		json_string_value(json_object_get(object, "threshold")), "inf");
	assert_true(json_is_null(json_object_get(object, "users")));
	assert_true(json_is_null(json_object_get(object, "variant")));
	assert_true(json_is_null(json_object_get(object, "jain")));
	object = json_array_get(array, 1);
	assert_int_equal(
		json_integer_value(json_object_get(object, "threshold")), 4);
	json_decref(array);

	f = tmpfile();
	rows_json(f, r, 0);
	array = json_loads(printed(f), 0, &error);
	assert_true(json_is_array(array) && !json_array_size(array));
	json_decref(array);
}

/* Two repeats of one configuration and one of another, in mixed order. */
static void table(void **state)
{
	struct row r[4];
	FILE *f = tmpfile();
	const char *line;

	(void)state;
	for (int i = 0; i < 4; i++) {
		r[i] = example();
		r[i].lock = i == 1 ? "mcs" : "ticket";
		r[i].ops_per_s = (double[]){ 1e6, 5e6, 3e6, 2.5e6 }[i];
	}
	rows_table(f, r, 4);
	line = strchr(printed(f), '\n') + 1;
	assert_non_null(strstr(line, "threads"));
	line = strchr(line, '\n') + 1;
	assert_memory_equal(line, "ticket ", 7);
	assert_non_null(strstr(line, " 2.5M "));
	assert_non_null(strstr(line, " 1M..3M\n"));
	line = strchr(line, '\n') + 1;
	assert_memory_equal(line, "mcs ", 4);
	assert_non_null(strstr(line, " 5M..5M\n"));
	assert_string_equal(strchr(line, '\n'), "\n");

	f = tmpfile();
	rows_table(f, r, 0);
	assert_string_equal(printed(f), "");
}

static void content(const char *path, const char *want)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_string_equal(printed(f), want);
}

static void out_file(void **state)
{
	char dir[] = "/tmp/tkt-test-XXXXXX", path[64], linked[64];
	struct error e;
	struct stat s;
	struct out o;

	(void)state;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/out", dir);
	(void)snprintf(linked, sizeof(linked), "%s/link", dir);

	/* Nothing there before the close; nothing left after a discard. */
	assert_true(out_open(&o, path, &e));
	(void)fputs("one\n", o.stream);
	assert_int_equal(access(path, F_OK), -1);
	out_discard(&o);
	assert_int_equal(access(path, F_OK), -1);

	assert_true(out_open(&o, path, &e));
	(void)fputs("two\n", o.stream);
	assert_true(out_close(&o, &e));
	content(path, "two\n");

	/* A link stays a link, and its file keeps its mode. */
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(symlink("out", linked), 0);
	assert_true(out_open(&o, linked, &e));
	(void)fputs("three\n", o.stream);
	content(path, "two\n");
	assert_true(out_close(&o, &e));
	content(path, "three\n");
	assert_int_equal(lstat(linked, &s), 0);
	assert_true(S_ISLNK(s.st_mode));
	assert_int_equal(stat(path, &s), 0);
	assert_int_equal(s.st_mode & 07777, 0640);

	assert_false(out_open(&o, dir, &e));
	assert_non_null(strstr(e.text, dir));
	assert_false(out_open(&o, "/nonexistent/out", &e));
	assert_int_equal(unlink(linked), 0);
	assert_int_equal(unlink(path), 0);
	/* Only now empty, if no temporary stayed behind. */
	assert_int_equal(rmdir(dir), 0);

	assert_true(out_open(&o, "/dev/full", &e));
	(void)fputs("lost\n", o.stream);
	assert_false(out_close(&o, &e));
	assert_non_null(strstr(e.text, strerror(ENOSPC)));
	assert_int_equal(stat("/dev/full", &s), 0);
	assert_true(S_ISCHR(s.st_mode));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv),
		cmocka_unit_test(json),
		cmocka_unit_test(table),
		cmocka_unit_test(out_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
