// SPDX-License-Identifier: MIT
// src/locks/peer_std.cc - std::mutex behind a C boundary
#include <mutex>
#include <new>

#include "peer_cxx.h"

static_assert(sizeof(std::mutex) <= sizeof(peer_std), "it fits");

static std::mutex &mutex_of(void *lock)
{
	return *static_cast<std::mutex *>(lock);
}

void peer_std_open(void *lock)
{
	new (lock) std::mutex;
}

void peer_std_close(void *lock)
{
	mutex_of(lock).~mutex();
}

void peer_std_acquire(void *lock)
{
	mutex_of(lock).lock();
}

bool peer_std_try(void *lock)
{
	return mutex_of(lock).try_lock();
}

void peer_std_release(void *lock)
{
	mutex_of(lock).unlock();
}
