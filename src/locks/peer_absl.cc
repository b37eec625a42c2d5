// SPDX-License-Identifier: MIT
// src/locks/peer_absl.cc - Abseil's mutex behind a C boundary
#include <new>

#include <absl/synchronization/mutex.h>

#include "peer_cxx.h"

static_assert(sizeof(absl::Mutex) <= sizeof(peer_absl), "it fits");

static absl::Mutex &mutex_of(void *lock)
{
	return *static_cast<absl::Mutex *>(lock);
}

// Debian builds the library with its search for lock cycles, which makes an
// uncontended pair ten times slower; a program that cares switches it off.
void peer_absl_open(void *lock)
{
	absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
	new (lock) absl::Mutex;
}

void peer_absl_close(void *lock)
{
	mutex_of(lock).~Mutex();
}

void peer_absl_acquire(void *lock)
{
	mutex_of(lock).Lock();
}

bool peer_absl_try(void *lock)
{
	return mutex_of(lock).TryLock();
}

void peer_absl_release(void *lock)
{
	mutex_of(lock).Unlock();
}
