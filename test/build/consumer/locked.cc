/* SPDX-License-Identifier: MIT */
/* test/build/consumer/locked.cc - a user's program: C++ half */
#include <mutex>

#include <tkt.h>

extern "C" tkt_lock_t consumer_lock;
extern "C" int consumer_is_locked(void);

int consumer_is_locked(void)
{
	tkt::spinlock own;
	std::lock_guard<tkt::spinlock> guard(own);

	return tkt_is_locked(&consumer_lock);
}
