/* SPDX-License-Identifier: MIT */
/* src/harness/isolate.h - running something that may crash or hang */
#ifndef TKT_SRC_HARNESS_ISOLATE_H
#define TKT_SRC_HARNESS_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

enum isolate_end {
	ISOLATE_DONE,	     /* it ended well, and its result is there */
	ISOLATE_FAILED,	     /* crashed, exited, or hung: *e says which */
	ISOLATE_INTERRUPTED, /* this process was asked to stop */
};

/*
 * Calls body(arg, result) in a child process and copies what it left in the
 * `size` bytes at result back here.  A child that is not done after `seconds`
 * is killed, unless it has called isolate_alive() since the start; then it
 * has another `more` seconds to be done or to call again, and so on.  The
 * process must have one thread only.
 */
enum isolate_end isolate_run(void (*body)(const void *arg, void *result),
			     const void *arg, void *result, size_t size,
			     double seconds, double more, struct error *e);

/* In the child, on any thread: it gets on.  Elsewhere, nothing. */
void isolate_alive(void);

/*
 * From here on SIGINT and SIGTERM no longer end this process: they end the
 * child, and isolate_run says so, then and in later calls.
 */
void isolate_catch_signals(void);

/* Whether one of these signals has come. */
bool isolate_interrupted(void);

#endif /* TKT_SRC_HARNESS_ISOLATE_H */
