/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/meeting.h - threads that try to meet in a critical section
 *
 * On a busy machine two threads may share one CPU for a whole run, and then a
 * lock that does not exclude hardly ever loses an update.  So at the end of
 * each run a few threads go into a critical section on purpose at the same
 * time: the one that is in stays there until the others, by all appearances,
 * either wait outside or are in, too.
 */
#ifndef TKT_SRC_KERNELS_MEETING_H
#define TKT_SRC_KERNELS_MEETING_H

#include "kernel.h"

struct meeting {
	uint32_t threads; /* that take part */
	uint32_t arrived; /* announcements of going in, of all rounds */
};

/* For a run of that many threads. */
void meeting_init(struct meeting *m, unsigned int threads);

/* On each thread after its last step; the kernel's check tells the result. */
void meeting_join(struct meeting *m, const struct kernel_ops *kernel,
		  void *state, void *thread, unsigned int index);

#endif /* TKT_SRC_KERNELS_MEETING_H */
