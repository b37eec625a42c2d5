/* SPDX-License-Identifier: MIT */
/*
 * src/locks/peer_cxx.c - std::mutex and Abseil's mutex
 *
 * Their functions are in another language, so each call is one more than a C++
 * program makes: about a nanosecond.
 */
#include <tkt/atomic.h>

#include "lock_ops.h"
#include "peer_cxx.h"

#define CXX_OPS(id, ...)                                                  \
	static const char *id##_init(void *lock,                          \
				     const struct lock_params *params)    \
	{                                                                 \
		(void)params;                                             \
		id##_open(lock);                                          \
		return NULL;                                              \
	}                                                                 \
	static inline void id##_lock(struct id *l, union lock_ctx *ctx)   \
	{                                                                 \
		(void)ctx;                                                \
		id##_acquire(l);                                          \
	}                                                                 \
	static inline void id##_unlock(struct id *l, union lock_ctx *ctx) \
	{                                                                 \
		(void)ctx;                                                \
		id##_release(l);                                          \
	}                                                                 \
	static bool id##_trylock(void *lock, union lock_ctx *ctx)         \
	{                                                                 \
		(void)ctx;                                                \
		return id##_try(lock);                                    \
	}                                                                 \
	LOCK_OPS(id, struct id, .init = id##_init, .destroy = id##_close, \
		 .trylock = id##_trylock, .traits = LOCK_SLEEPS, __VA_ARGS__)

#ifdef WITH_STD
CXX_OPS(peer_std, .name = "std-mutex",
	.summary = "std::mutex of the C++ library");
#endif
#ifdef WITH_ABSL
CXX_OPS(peer_absl, .name = "absl-mutex", .summary = "absl::Mutex of Abseil");
#endif
