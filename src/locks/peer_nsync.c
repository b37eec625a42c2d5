/* SPDX-License-Identifier: MIT */
/*
 * src/locks/peer_nsync.c - the mutex of nsync
 *
 * A word and a list of waiters, each of which sleeps on a semaphore of its own
 * after a few spins.
 */
#include <tkt/atomic.h>

#include <nsync.h>

#include "lock_ops.h"

static const char *peer_nsync_init(void *lock, const struct lock_params *params)
{
	(void)params;
	nsync_mu_init(lock);
	return NULL;
}

static inline void peer_nsync_lock(nsync_mu *l, union lock_ctx *ctx)
{
	(void)ctx;
	nsync_mu_lock(l);
}

static inline void peer_nsync_unlock(nsync_mu *l, union lock_ctx *ctx)
{
	(void)ctx;
	nsync_mu_unlock(l);
}

static bool peer_nsync_trylock(void *lock, union lock_ctx *ctx)
{
	(void)ctx;
	return nsync_mu_trylock(lock);
}

LOCK_OPS(peer_nsync, nsync_mu, .name = "nsync",
	 .summary = "nsync_mu_lock of nsync", .traits = LOCK_SLEEPS,
	 .init = peer_nsync_init, .trylock = peer_nsync_trylock);
