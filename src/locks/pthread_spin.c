/* SPDX-License-Identifier: MIT */
/*
 * src/locks/pthread_spin.c - the C library's spin lock
 *
 * glibc's is a test-and-test-and-set lock.  Its accesses are the library's
 * own, which no back end but the native ones can carry out.  The standard has
 * the locking thread unlock, so cross-thread unlock is not claimed.
 *
 * The functions are named posix_, for pthread_spin_lock is taken.  A spin lock
 * that was initialised and is used as it should be cannot fail, hence the
 * results that are dropped.
 */
#include <pthread.h>

#include <tkt/atomic.h>

#include "lock_ops.h"

static inline void posix_spin_lock(pthread_spinlock_t *l, union lock_ctx *ctx)
{
	(void)ctx;
	(void)pthread_spin_lock(l);
}

static inline void posix_spin_unlock(pthread_spinlock_t *l, union lock_ctx *ctx)
{
	(void)ctx;
	(void)pthread_spin_unlock(l);
}

static bool posix_spin_trylock(void *lock, union lock_ctx *ctx)
{
	(void)ctx;
	return !pthread_spin_trylock(lock);
}

static const char *posix_spin_init(void *lock, const struct lock_params *params)
{
	(void)params;
	if (pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE))
		return "pthread-spin: pthread_spin_init failed";
	return NULL;
}

static void posix_spin_destroy(void *lock)
{
	(void)pthread_spin_destroy(lock);
}

LOCK_OPS(posix_spin, pthread_spinlock_t, .name = "pthread-spin",
	 .summary = "pthread_spin_lock of the C library", .traits = 0,
	 .init = posix_spin_init, .destroy = posix_spin_destroy,
	 .trylock = posix_spin_trylock);
