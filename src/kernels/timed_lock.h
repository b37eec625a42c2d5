/* SPDX-License-Identifier: MIT */
/* src/kernels/timed_lock.h - any lock, with its waits measured */
#ifndef TKT_SRC_KERNELS_TIMED_LOCK_H
#define TKT_SRC_KERNELS_TIMED_LOCK_H

#include "harness/stats.h"
#include "locks/lock_ops.h"

/*
 * A lock that behaves like *lock, whose memory it uses, and adds the time of
 * each lock call to the calling thread's histogram.  One at a time in a
 * process.  It costs two looks at the clock, more than most locks.
 */
const struct lock_ops *timed_lock(const struct lock_ops *lock);

/* The calling thread's histogram from here on; NULL: none. */
void timed_lock_histogram(struct histogram *histogram);

#endif /* TKT_SRC_KERNELS_TIMED_LOCK_H */
