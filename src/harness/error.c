/* SPDX-License-Identifier: MIT */
/* src/harness/error.c - one line that says what went wrong */
#include <stdarg.h>
#include <stdio.h>

#include "error.h"

bool error_set(struct error *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	for (char *p = e->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return false;
}
