/* SPDX-License-Identifier: MIT */
/* src/harness/parse.h - numbers and lists as the user writes them, strictly */
#ifndef TKT_SRC_HARNESS_PARSE_H
#define TKT_SRC_HARNESS_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define LIST_MAX 64
#define NUMBER_INF UINT64_MAX

struct range {
	uint64_t min, max;
	bool inf; /* the word `inf` is allowed too, and gives NUMBER_INF */
};

struct list {
	unsigned int count;
	uint64_t value[LIST_MAX];
};

/*
 * All of these take the whole text or nothing: no sign, no blanks, no other
 * base, no trailing characters.  `what` names the value in the message, which
 * says what is allowed.  False: *out is undefined and *e is set.
 */
bool parse_number(const char *what, const char *text, struct range allowed,
		  uint64_t *out, struct error *e);

/* Digits with at most one point in or before them: `2`, `0.5`, `.5`. */
bool parse_decimal(const char *what, const char *text, double min, double max,
		   double *out, struct error *e);

/* Numbers with commas between them, 1 to LIST_MAX, none twice. */
bool parse_list(const char *what, const char *text, struct range allowed,
		struct list *out, struct error *e);

/*
 * Copies the next item of the comma-separated list at *cursor to item and
 * moves *cursor on; false at the end of the list.  An item that does not fit
 * is cut.  An empty list has one item, the empty one.
 */
bool parse_item(const char **cursor, char *item, size_t size);

#endif /* TKT_SRC_HARNESS_PARSE_H */
