/* SPDX-License-Identifier: MIT */
/*
 * src/locks/pthread.c - the C library's locks
 *
 * glibc's spin lock is a test-and-test-and-set lock.  Its default mutex sleeps
 * on a futex at once when it is held, and lets a running thread overtake the
 * one it woke; the adaptive type spins first, for up to about 100 turns, fewer
 * when that did not help lately.  Unlock by another thread is undefined for
 * the mutexes, and the standard does not allow it for the spin lock.
 *
 * Their accesses are the library's own, which no back end but the native ones
 * can carry out.  A lock that was initialised and is used as it should be
 * cannot fail, hence the results that are dropped.  The identifiers begin with
 * posix_, for pthread_spin_lock and others are taken.
 */
#include <pthread.h>

#include <tkt/atomic.h>

#include "lock_ops.h"

static const char *spin_init(void *lock, const struct lock_params *params)
{
	(void)params;
	if (pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE))
		return "pthread-spin: pthread_spin_init failed";
	return NULL;
}

static const char *mutex_init(void *lock, const struct lock_params *params)
{
	(void)params;
	if (pthread_mutex_init(lock, NULL))
		return "pthread-mutex: pthread_mutex_init failed";
	return NULL;
}

static const char *adaptive_init(void *lock, const struct lock_params *params)
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

/* One entry of the table, on calls_lock, calls_unlock and so on. */
#define POSIX_OPS(id, lock_type, calls, ...)                              \
	static inline void id##_lock(lock_type *l, union lock_ctx *ctx)   \
	{                                                                 \
		(void)ctx;                                                \
		(void)calls##_lock(l);                                    \
	}                                                                 \
	static inline void id##_unlock(lock_type *l, union lock_ctx *ctx) \
	{                                                                 \
		(void)ctx;                                                \
		(void)calls##_unlock(l);                                  \
	}                                                                 \
	static bool id##_trylock(void *lock, union lock_ctx *ctx)         \
	{                                                                 \
		(void)ctx;                                                \
		return !calls##_trylock(lock);                            \
	}                                                                 \
	static void id##_destroy(void *lock)                              \
	{                                                                 \
		(void)calls##_destroy(lock);                              \
	}                                                                 \
	LOCK_OPS(id, lock_type, .trylock = id##_trylock,                  \
		 .destroy = id##_destroy, __VA_ARGS__)

POSIX_OPS(posix_spin, pthread_spinlock_t, pthread_spin, .name = "pthread-spin",
	  .summary = "pthread_spin_lock of the C library", .traits = 0,
	  .init = spin_init);
POSIX_OPS(posix_mutex, pthread_mutex_t, pthread_mutex, .name = "pthread-mutex",
	  .summary = "pthread_mutex_lock of the C library, default type",
	  .traits = LOCK_SLEEPS, .init = mutex_init);
POSIX_OPS(posix_adaptive, pthread_mutex_t, pthread_mutex,
	  .name = "pthread-adaptive",
	  .summary = "pthread_mutex_lock, the type that spins before it sleeps",
	  .traits = LOCK_SLEEPS, .init = adaptive_init);
