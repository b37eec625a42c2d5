/* SPDX-License-Identifier: MIT */
/*
 * src/locks/pthread_mutex.c - the C library's default mutex
 *
 * glibc's sleeps on a futex at once when the lock is held, and lets a running
 * thread overtake the one it woke.  Its accesses are the library's own, which
 * no back end but the native ones can carry out.  Unlock by another thread is
 * undefined.
 *
 * The functions are named posix_, for pthread_mutex_lock is taken.  A normal
 * mutex that was initialised and is used as it should be cannot fail, hence
 * the results that are dropped.
 */
#include <pthread.h>

#include <tkt/atomic.h>

#include "lock_ops.h"

static inline void posix_mutex_lock(pthread_mutex_t *l, union lock_ctx *ctx)
{
	(void)ctx;
	(void)pthread_mutex_lock(l);
}

static inline void posix_mutex_unlock(pthread_mutex_t *l, union lock_ctx *ctx)
{
	(void)ctx;
	(void)pthread_mutex_unlock(l);
}

static bool posix_mutex_trylock(void *lock, union lock_ctx *ctx)
{
	(void)ctx;
	return !pthread_mutex_trylock(lock);
}

static const char *posix_mutex_init(void *lock,
				    const struct lock_params *params)
{
	(void)params;
	if (pthread_mutex_init(lock, NULL))
		return "pthread-mutex: pthread_mutex_init failed";
	return NULL;
}

static void posix_mutex_destroy(void *lock)
{
	(void)pthread_mutex_destroy(lock);
}

LOCK_OPS(posix_mutex, pthread_mutex_t, .name = "pthread-mutex",
	 .summary = "pthread_mutex_lock of the C library, default type",
	 .traits = LOCK_SLEEPS, .init = posix_mutex_init,
	 .destroy = posix_mutex_destroy, .trylock = posix_mutex_trylock);
