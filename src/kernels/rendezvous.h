/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/rendezvous.h - threads that try to meet in a critical section
 *
 * On a busy machine two threads may share one CPU for a whole run, and then a
 * lock that does not exclude hardly ever loses an update.  So at the end of
 * each run a few threads go into a critical section on purpose at the same
 * time: the one that is in stays there until the others, by all appearances,
 * either wait outside or are in, too.
 */
#ifndef TKT_SRC_KERNELS_RENDEZVOUS_H
#define TKT_SRC_KERNELS_RENDEZVOUS_H

#include "kernel.h"

struct rendezvous {
	uint32_t threads; /* that take part */
	uint32_t come;	  /* of them: have ended their last step; a futex */
	uint32_t here;	  /* of them: going in, inside, or done */
};

/* For a run of that many threads. */
void rendezvous_init(struct rendezvous *r, unsigned int threads);

/*
 * On each thread after its last step, and not at all if one does not get
 * there; the kernel's check tells the result.
 */
void rendezvous_join(struct rendezvous *r, const struct kernel_ops *kernel,
		     void *state, void *thread, unsigned int index);

#endif /* TKT_SRC_KERNELS_RENDEZVOUS_H */
