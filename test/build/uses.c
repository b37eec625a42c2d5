/* SPDX-License-Identifier: MIT */
/*
 * test/build/uses.c - every function of the interface, called from one object
 *
 * Valid as C and as C++.  symbols.sh sees to it that none is missing.
 */
#include <tkt.h>

TKT_X_STATIC_ASSERT(sizeof(tkt_lock_t) == 16, "16 bytes in each configuration");

int use_all(tkt_lock_t *l);

int use_all(tkt_lock_t *l)
{
	const int policy = tkt_policy_find(TKT_WAIT_SPIN, 4);
	int n = (int)tkt_policy_describe(TKT_POLICY_DEFAULT).threshold;

	tkt_lock_init(l);
	tkt_lock_init_policy(l, (enum tkt_policy)policy);
	tkt_lock(l);
	n += tkt_is_locked(l) + tkt_is_locked_ordered(l) + tkt_is_contended(l);
	tkt_unlock(l);
	if (tkt_trylock(l))
		tkt_unlock(l);
	if (tkt_tryspin(l, 1000))
		tkt_unlock(l);
	if (tkt_lock_until(l, tkt_clock_ns() + 1000))
		tkt_unlock(l);
#ifdef __cplusplus
	{
		tkt::spinlock own;

		own.lock();
		n += tkt_is_locked(own.native_handle());
		own.unlock();
	}
#else
	{
		TKT_GUARD(l);
		n++;
	}
#endif
#if TKT_EVENTS
	n += (int)tkt_events_read(l).queued + (int)tkt_events_total().queued;
#endif
	tkt_lock_destroy(l);
	return n;
}
