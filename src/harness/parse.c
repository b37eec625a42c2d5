/* SPDX-License-Identifier: MIT */
/* src/harness/parse.c - numbers and lists as the user writes them, strictly */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* Digits only, below 2^64. */
static bool digits(const char *text, uint64_t *out)
{
	uint64_t value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		const unsigned int digit = (unsigned int)*text - '0';

		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return true;
}

bool parse_number(const char *what, const char *text, struct range allowed,
		  uint64_t *out, struct error *e)
{
	if (allowed.inf && !strcmp(text, "inf")) {
		*out = NUMBER_INF;
		return true;
	}
	if (digits(text, out) && *out >= allowed.min && *out <= allowed.max)
		return true;
	return error_set(e,
			 "%s: '%.40s' is not a whole number from %" PRIu64
			 " to %" PRIu64 "%s",
			 what, text, allowed.min, allowed.max,
			 allowed.inf ? " or inf" : "");
}

bool parse_decimal(const char *what, const char *text, double min, double max,
		   double *out, struct error *e)
{
	const size_t length = strspn(text, "0123456789.");
	const char *point = strchr(text, '.');
	char *end = NULL;

	if (length && !text[length] && (!point || !strchr(point + 1, '.'))) {
		*out = strtod(text, &end);
		if (end == text + length && *out >= min && *out <= max)
			return true;
	}
	return error_set(e, "%s: '%.40s' is not a number from %g to %g", what,
			 text, min, max);
}

bool parse_item(const char **cursor, char *item, size_t size)
{
	const char *from = *cursor;
	size_t length, kept;

	if (!from)
		return false;
	length = strcspn(from, ",");
	kept = length < size ? length : size - 1;
	memcpy(item, from, kept);
	item[kept] = '\0';
	*cursor = from[length] ? from + length + 1 : NULL;
	return true;
}

bool parse_list(const char *what, const char *text, struct range allowed,
		struct list *out, struct error *e)
{
	char item[48];
	uint64_t value;

	out->count = 0;
	while (parse_item(&text, item, sizeof(item))) {
		if (!parse_number(what, item, allowed, &value, e))
			return false;
		for (unsigned int i = 0; i < out->count; i++)
			if (out->value[i] == value)
				return error_set(e,
						 "%s: '%s' is in the list "
						 "twice; once is allowed",
						 what, item);
		if (out->count == LIST_MAX)
			return error_set(e,
					 "%s: more than %d values, the most "
					 "that is allowed",
					 what, LIST_MAX);
		out->value[out->count++] = value;
	}
	return true;
}
