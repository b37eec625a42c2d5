/* SPDX-License-Identifier: MIT */
/*
 * src/locks/pthread_adaptive.c - the C library's mutex that spins first
 *
 * PTHREAD_MUTEX_ADAPTIVE_NP of glibc: spins for up to about 100 turns, fewer
 * when spinning did not help lately, then sleeps as the default type does (see
 * pthread_mutex.c, whose remarks apply here too).  Only where the C library
 * has it.
 */
#include <pthread.h>

#include <tkt/atomic.h>

#include "lock_ops.h"

static inline void posix_adaptive_lock(pthread_mutex_t *l, union lock_ctx *ctx)
{
	(void)ctx;
	(void)pthread_mutex_lock(l);
}

static inline void posix_adaptive_unlock(pthread_mutex_t *l,
					 union lock_ctx *ctx)
{
	(void)ctx;
	(void)pthread_mutex_unlock(l);
}

static bool posix_adaptive_trylock(void *lock, union lock_ctx *ctx)
{
	(void)ctx;
	return !pthread_mutex_trylock(lock);
}

static const char *posix_adaptive_init(void *lock,
				       const struct lock_params *params)
{
	pthread_mutexattr_t attr;
	int err;

	(void)params;
	if (pthread_mutexattr_init(&attr))
		return "pthread-adaptive: pthread_mutexattr_init failed";
	err = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	if (!err)
		err = pthread_mutex_init(lock, &attr);
	(void)pthread_mutexattr_destroy(&attr);
	return err ? "pthread-adaptive: this C library has no such mutex"
		   : NULL;
}

static void posix_adaptive_destroy(void *lock)
{
	(void)pthread_mutex_destroy(lock);
}

LOCK_OPS(posix_adaptive, pthread_mutex_t, .name = "pthread-adaptive",
	 .summary = "pthread_mutex_lock, the type that spins before it sleeps",
	 .traits = LOCK_SLEEPS, .init = posix_adaptive_init,
	 .destroy = posix_adaptive_destroy, .trylock = posix_adaptive_trylock);
