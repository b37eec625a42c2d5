/* SPDX-License-Identifier: MIT */
/* src/harness/workers.h - threads that do one thing together for a given time */
#ifndef TKT_SRC_HARNESS_WORKERS_H
#define TKT_SRC_HARNESS_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "usage.h"

#define WORKERS_FINISHED (-1L)

/* What the threads do.  All of it is called on the threads themselves. */
struct work {
	void *owner; /* for begin, after and end */
	void *state; /* for step */
	/* The thread's own part, for the others; NULL: it cannot start. */
	void *(*begin)(void *owner, unsigned int index);
	/*
	 * One turn, short: operations completed in it (0 or more), or
	 * WORKERS_FINISHED when this thread has nothing left to do.
	 */
	long (*step)(void *state, void *thread);
	/* Once all is counted: not part of any figure. */
	void (*after)(void *owner, void *thread, unsigned int index);
	void (*end)(void *owner, void *thread);
};

struct workers_result {
	/*
	 * From the common start to the moment at which the operations were
	 * counted: when the time was up, or the last thread had finished.
	 * What the threads do after that, until each has ended its turn, is
	 * not counted.
	 */
	double seconds;
	uint64_t ops;
	double jain; /* over the threads' operations */
	struct usage usage;
};

/*
 * Runs `threads` threads (1 or more) through `work`: all begin, all start
 * together, all step until `seconds` are over, all do what comes after, all
 * end.  With pin, thread i stays on CPU i mod n of the n allowed ones.  False:
 * a thread could not be started or begun; none has stepped.
 */
bool workers_run(const struct work *work, unsigned int threads, double seconds,
		 bool pin, struct workers_result *out, struct error *e);

#endif /* TKT_SRC_HARNESS_WORKERS_H */
