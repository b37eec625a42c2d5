/* SPDX-License-Identifier: MIT */
/* src/harness/rows.c - the columns, and rows as csv and json */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "rows.h"

/* Nine digits tell any two floats apart; clocks do not give more. */
#define ROW_DIGITS 9

#define COLUMN(kind, member) \
	{ #member, ROW_##kind, offsetof(struct row, member) },
const struct row_column row_columns[] = { ROW_COLUMNS(COLUMN) };
const size_t row_column_count = sizeof(row_columns) / sizeof(*row_columns);

#define CLEAR_TEXT NULL
#define CLEAR_COUNT ROW_NONE
#define CLEAR_REAL (double)NAN
#define CLEAR(type, name) .name = CLEAR_##type,

void row_clear(struct row *row)
{
	*row = (struct row){ .machine_user_s = (double)NAN,
			     .machine_system_s = (double)NAN,
			     .machine_switches = (double)NAN,
			     ROW_COLUMNS(CLEAR) };
}

static const void *field(const struct row *row, const struct row_column *c)
{
	return (const char *)row + c->offset;
}

void rows_csv_header(FILE *out)
{
	for (size_t i = 0; i < row_column_count; i++)
		(void)fprintf(out, "%s%s", i ? "," : "", row_columns[i].name);
	(void)fputc('\n', out);
}

/* In quotes, with quotes doubled, if the text would be misread otherwise. */
static void csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		(void)fputs(text, out);
		return;
	}
	(void)fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			(void)fputc('"', out);
		(void)fputc(*text, out);
	}
	(void)fputc('"', out);
}

void rows_csv(FILE *out, const struct row *row)
{
	for (size_t i = 0; i < row_column_count; i++) {
		const struct row_column *c = &row_columns[i];
		const char *text;
		uint64_t count;
		double real;

		if (i)
			(void)fputc(',', out);
		switch (c->type) {
		case ROW_TEXT:
			memcpy(&text, field(row, c), sizeof(text));
			if (text)
				csv_text(out, text);
			break;
		case ROW_COUNT:
			memcpy(&count, field(row, c), sizeof(count));
			if (count == ROW_INF)
				(void)fputs("inf", out);
			else if (count != ROW_NONE)
				(void)fprintf(out, "%" PRIu64, count);
			break;
		case ROW_REAL:
			memcpy(&real, field(row, c), sizeof(real));
			if (!isnan(real))
				(void)fprintf(out, "%.*g", ROW_DIGITS, real);
			break;
		}
	}
	(void)fputc('\n', out);
}

static json_t *json_field(const struct row *row, const struct row_column *c)
{
	const char *text;
	uint64_t count;
	double real;

	switch (c->type) {
	case ROW_TEXT:
		memcpy(&text, field(row, c), sizeof(text));
		return text ? json_string(text) : json_null();
	case ROW_COUNT:
		memcpy(&count, field(row, c), sizeof(count));
		if (count == ROW_INF)
			return json_string("inf");
		if (count == ROW_NONE)
			return json_null();
		return json_integer((json_int_t)count);
	case ROW_REAL:
		memcpy(&real, field(row, c), sizeof(real));
		return isnan(real) ? json_null() : json_real(real);
	}
	return json_null();
}

void rows_json(FILE *out, const struct row *rows, size_t count)
{
	(void)fputc('[', out);
	for (size_t i = 0; i < count; i++) {
		json_t *object = json_object();

		for (size_t k = 0; k < row_column_count; k++)
			(void)json_object_set_new(object, row_columns[k].name,
						  json_field(&rows[i],
							     &row_columns[k]));
		(void)fputs(i ? ",\n" : "\n", out);
		(void)json_dumpf(object, out,
				 JSON_REAL_PRECISION(ROW_DIGITS) |
					 JSON_PRESERVE_ORDER);
		json_decref(object);
	}
	(void)fputs("\n]\n", out);
}
