/* SPDX-License-Identifier: MIT */
/* test/unit/near_wrap.h - a lock whose tickets are about to wrap to zero */
#ifndef TEST_UNIT_NEAR_WRAP_H
#define TEST_UNIT_NEAR_WRAP_H

#include <tkt.h>

#define MASK TKT_X_TICKETS
/* Two tickets before the wrap. */
#define START (0u - 2 * TKT_X_STEP)

/* A lock of the given policy whose tickets are about to wrap. */
static inline tkt_lock_t near_wrap(enum tkt_policy policy)
{
	tkt_lock_t l = TKT_LOCK_INIT_POLICY(policy);

	l.owner = START;
	l.next |= START;
	return l;
}

static inline uint32_t tickets_out(const tkt_lock_t *l)
{
	const uint32_t next = __atomic_load_n(&l->next, __ATOMIC_ACQUIRE);
	const uint32_t owner = __atomic_load_n(&l->owner, __ATOMIC_ACQUIRE);

	return ((next & MASK) - owner) / TKT_X_STEP;
}

#endif /* TEST_UNIT_NEAR_WRAP_H */
