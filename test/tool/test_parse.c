/* SPDX-License-Identifier: MIT */
/* test/tool/test_parse.c - numbers and lists, and their messages */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "harness/parse.h"

static const struct range to_1024 = { 1, 1024, false };
static const struct range window = { 1, 65535, true };

static void numbers(void **state)
{
	static const char *const bad[] = {
		"",	"0",
		"1025", "-1",
		"+1",	" 1",
		"1 ",	"1x",
		"0x10", "1.0",
		"1e3",	"99999999999999999999",
		"inf",	"18446744073709551617",
	};
	struct error e;
	uint64_t v;

	(void)state;
	assert_true(parse_number("--n", "1", to_1024, &v, &e) && v == 1);
	assert_true(parse_number("--n", "1024", to_1024, &v, &e) && v == 1024);
	assert_true(parse_number("--n", "007", to_1024, &v, &e) && v == 7);
	assert_true(parse_number("--w", "inf", window, &v, &e));
	assert_true(v == NUMBER_INF);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(parse_number("--n", bad[i], to_1024, &v, &e));
		assert_non_null(strstr(e.text, "--n: '"));
		assert_non_null(strstr(e.text, "from 1 to 1024"));
	}
	assert_true(parse_number("--s", "18446744073709551615",
				 (struct range){ 0, UINT64_MAX, false }, &v,
				 &e) &&
		    v == UINT64_MAX);
	assert_false(parse_number("--s", "18446744073709551616",
				  (struct range){ 0, UINT64_MAX, false }, &v,
				  &e));
}

static void decimals(void **state)
{
	static const char *const bad[] = { "",	  ".",	   "1.2.3", "-1",
					   "1e3", "nan",   "inf",   "0x1",
					   "0",	  "0.009", "3601",  " 1",
					   "1s",  "1,5" };
	struct error e;
	double v;

	(void)state;
	assert_true(parse_decimal("--s", "0.5", 0.01, 3600, &v, &e));
	assert_true(v == 0.5);
	assert_true(parse_decimal("--s", ".25", 0.01, 3600, &v, &e));
	assert_true(v == 0.25);
	assert_true(parse_decimal("--s", "3600", 0.01, 3600, &v, &e));
	assert_true(v == 3600);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(parse_decimal("--s", bad[i], 0.01, 3600, &v, &e));
		assert_non_null(strstr(e.text, "from 0.01 to 3600"));
	}
}

static void lists(void **state)
{
	static const char *const bad[] = { "",	  ",",	 "1,",	 ",1", "1,,2",
					   "1,1", "1;2", "1, 2", "1,0" };
	char text[512] = "1";
	struct error e;
	struct list l;

	(void)state;
	assert_true(parse_list("--n", "1,2,16", to_1024, &l, &e));
	assert_int_equal(l.count, 3);
	assert_true(l.value[0] == 1 && l.value[1] == 2 && l.value[2] == 16);
	assert_true(parse_list("--w", "4,inf", window, &l, &e));
	assert_true(l.value[1] == NUMBER_INF);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(parse_list("--n", bad[i], to_1024, &l, &e));
	for (int i = 2; i <= LIST_MAX; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
			       ",%d", i);
	assert_true(parse_list("--n", text, to_1024, &l, &e));
	assert_int_equal(l.count, LIST_MAX);
	(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), ",99");
	assert_false(parse_list("--n", text, to_1024, &l, &e));
	assert_non_null(strstr(e.text, "64"));
}

/* Whatever the user types, the message is one line. */
static void one_line(void **state)
{
	char text[2000];
	struct error e;
	struct list l;

	(void)state;
	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(parse_list("--n", text, to_1024, &l, &e));
	assert_null(strchr(e.text, '\n'));
	assert_non_null(strstr(e.text, "from 1 to 1024"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(decimals),
		cmocka_unit_test(lists),
		cmocka_unit_test(one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
