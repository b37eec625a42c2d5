/* SPDX-License-Identifier: MIT */
/*
 * tkt/cxx.h - the lock as a C++ class
 *
 * tkt::spinlock meets the standard's Lockable requirements, so std::lock_guard,
 * std::unique_lock and std::scoped_lock work with it, and has try_lock_for and
 * try_lock_until for std::chrono::steady_clock.  It is 16 bytes, constant
 * initialised, and neither copied nor moved.  In C this header is empty.
 */
#ifndef TKT_CXX_H
#define TKT_CXX_H

#ifdef __cplusplus

#include <chrono>

#include "lock.h"

namespace tkt
{

class TKT_TSA_CAPABILITY("spinlock") spinlock
{
      public:
	explicit constexpr spinlock(
		enum tkt_policy policy = TKT_POLICY_DEFAULT) noexcept
	    : l_ TKT_LOCK_INIT_POLICY(policy)
	{
	}

	~spinlock()
	{
		tkt_lock_destroy(&l_);
	}

	spinlock(const spinlock &) = delete;
	spinlock &operator=(const spinlock &) = delete;

	void lock() noexcept TKT_TSA_ACQUIRE() TKT_TSA_OFF
	{
		tkt_lock(&l_);
	}

	bool try_lock() noexcept TKT_TSA_TRY_ACQUIRE(true) TKT_TSA_OFF
	{
		return tkt_trylock(&l_);
	}

	void unlock() noexcept TKT_TSA_RELEASE() TKT_TSA_OFF
	{
		tkt_unlock(&l_);
	}

	/* tkt_lock_until: never queues, best effort on a busy lock. */
	template <class Duration>
	bool try_lock_until(
		const std::chrono::time_point<std::chrono::steady_clock,
					      Duration> &deadline) noexcept
		TKT_TSA_TRY_ACQUIRE(true) TKT_TSA_OFF
	{
		/* steady_clock is CLOCK_MONOTONIC on Linux. */
		const auto ns =
			std::chrono::duration_cast<std::chrono::nanoseconds>(
				deadline.time_since_epoch());

		return tkt_lock_until(
			&l_,
			ns.count() < 0 ? 0 : static_cast<uint64_t>(ns.count()));
	}

	template <class Rep, class Period>
	bool
	try_lock_for(const std::chrono::duration<Rep, Period> &time) noexcept
		TKT_TSA_TRY_ACQUIRE(true) TKT_TSA_OFF
	{
		return try_lock_until(std::chrono::steady_clock::now() + time);
	}

	/* For the functions of lock.h that have no counterpart here. */
	tkt_lock_t *native_handle() noexcept
	{
		return &l_;
	}

      private:
	tkt_lock_t l_;
};

static_assert(sizeof(spinlock) == sizeof(tkt_lock_t),
	      "tkt: the class adds nothing to the lock");

} /* namespace tkt */

#endif /* __cplusplus */

#endif /* TKT_CXX_H */
