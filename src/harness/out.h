/* SPDX-License-Identifier: MIT */
/* src/harness/out.h - where results go: all of them, or nothing */
#ifndef TKT_SRC_HARNESS_OUT_H
#define TKT_SRC_HARNESS_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"

struct out {
	FILE *stream;
	const char *name; /* for messages */
	char *target;	  /* the file to appear; NULL: written directly */
	char *temporary;  /* its name until then, in the same directory */
	int lost;	  /* errno of the first write that failed; or 0 */
};

/*
 * Opens the file of that name, or standard output for NULL.  A regular file
 * is replaced only by out_close; until then its old content stays.  Devices
 * and pipes are written directly.
 */
bool out_open(struct out *o, const char *name, struct error *e);

/* Passes on what was written so far; false if any of it was lost. */
bool out_flush(struct out *o);

/* Completes the output; false if any of it could not be written. */
bool out_close(struct out *o, struct error *e);

/* Gives up: nothing appears. */
void out_discard(struct out *o);

#endif /* TKT_SRC_HARNESS_OUT_H */
