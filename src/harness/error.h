/* SPDX-License-Identifier: MIT */
/* src/harness/error.h - one line that says what went wrong */
#ifndef TKT_SRC_HARNESS_ERROR_H
#define TKT_SRC_HARNESS_ERROR_H

#include <stdbool.h>

struct error {
	char text[512];
};

/*
 * Formats the message into *e.  Control characters, which arrive with names
 * and arguments of the user's, become '?', so that the message is one line.
 * Always returns false, for `return error_set(...)`.
 */
bool error_set(struct error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* TKT_SRC_HARNESS_ERROR_H */
