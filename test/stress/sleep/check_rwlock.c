/* SPDX-License-Identifier: MIT */
/* check_rwlock.c - readers together, writers alone, in order */
#include <sched.h>

#include <tkt/rwlock.h>

#include "sleep.h"

static tkt_rwlock_t lock;

/*
 * What the lock protects: plain, so that ThreadSanitizer sees a missing order,
 * and volatile, so that each access stays where it stands.
 */
static volatile uint64_t first __attribute__((aligned(128)));
static volatile uint64_t second __attribute__((aligned(128)));
static uint32_t readers, writers;

static void visit_reading(void)
{
	uint64_t seen;

	(void)TKT_FETCH_ADD(&readers, 1u, TKT_RELAXED);
	seen = first;
	if (TKT_LOAD(&writers, TKT_RELAXED))
		sleep_fail("a reader in, and a writer");
	sleep_dwell(8);
	if (seen != first || seen != second)
		sleep_fail("the data changed under a reader");
	(void)TKT_FETCH_ADD(&readers, -1u, TKT_RELAXED);
}

static void visit_writing(void)
{
	const uint64_t seen = first;

	if (TKT_FETCH_ADD(&writers, 1u, TKT_RELAXED))
		sleep_fail("two writers in");
	if (TKT_LOAD(&readers, TKT_RELAXED))
		sleep_fail("a writer in, and a reader");
	first = seen + 1;
	sleep_dwell(8);
	if (second != seen)
		sleep_fail("the data changed under a writer");
	second = seen + 1;
	(void)TKT_FETCH_ADD(&writers, -1u, TKT_RELAXED);
}

static void rw_body(struct sleeper *s)
{
	while (sleep_again()) {
		switch (sleep_random(s, 6)) {
		case 0:
		case 1:
			tkt_read_lock(&lock);
			visit_reading();
			tkt_read_unlock(&lock);
			break;
		case 2:
		case 3:
			tkt_write_lock(&lock);
			visit_writing();
			tkt_write_unlock(&lock);
			break;
		case 4:
			if (!tkt_tryread(&lock))
				break;
			visit_reading();
			tkt_read_unlock(&lock);
			break;
		default:
			if (!tkt_trywrite(&lock))
				break;
			visit_writing();
			tkt_write_unlock(&lock);
		}
	}
}

/* Any mix of all the operations, from near the wrap on. */
void check_rw(void)
{
	tkt_rwlock_init(&lock, trial.wait);
	lock.read = lock.write = lock.users = 0u - 2 * TKT_X_STEP;
	sleep_run(rw_body);
	if (!tkt_trywrite(&lock))
		sleep_fail("not free in the end");
}

/*
 * A play for 3 threads: 0 reads; 1 comes to write; 2 comes to read, and must
 * wait for 1.  Then all three read at once, each waiting inside for the others.
 */
static uint32_t act, together;

static void act_is(uint32_t next)
{
	TKT_STORE(&act, next, TKT_RELEASE);
}

static void await_act(uint32_t which)
{
	SLEEP_UNTIL((int32_t)(TKT_LOAD(&act, TKT_ACQUIRE) - which) >= 0,
		    "a thread never got in");
}

static void await_users(uint32_t users)
{
	SLEEP_UNTIL(TKT_LOAD(&lock.users, TKT_ACQUIRE) == users,
		    "a thread took no ticket");
}

static void play(unsigned int role, uint32_t round)
{
	const uint32_t base = 4 * round, users = 6 * round * TKT_X_STEP;

	if (role == 0) {
		tkt_read_lock(&lock);
		act_is(base + 1);
		await_users(users + 3 * TKT_X_STEP);
		sleep_dwell(200);
		if (tkt_tryread(&lock) || tkt_trywrite(&lock))
			sleep_fail("a try went past those who wait");
		if (TKT_LOAD(&act, TKT_ACQUIRE) != base + 1)
			sleep_fail("a writer or a later reader is in");
		tkt_read_unlock(&lock);
	} else if (role == 1) {
		await_act(base + 1);
		tkt_write_lock(&lock);
		await_users(users + 3 * TKT_X_STEP);
		sleep_dwell(200);
		if (TKT_LOAD(&act, TKT_ACQUIRE) != base + 1)
			sleep_fail("a reader overtook a writer");
		act_is(base + 2);
		tkt_write_unlock(&lock);
	} else {
		await_users(users + 2 * TKT_X_STEP);
		tkt_read_lock(&lock);
		if (TKT_LOAD(&act, TKT_ACQUIRE) != base + 2)
			sleep_fail("a reader overtook a writer");
		act_is(base + 3);
		tkt_read_unlock(&lock);
	}
}

static void order_body(struct sleeper *s)
{
	for (uint32_t round = 0; sleep_again_together(); round++) {
		play(s->id, round);
		await_act(4 * round + 3);
		tkt_read_lock(&lock);
		(void)TKT_FETCH_ADD(&together, 1u, TKT_RELAXED);
		SLEEP_UNTIL(TKT_LOAD(&together, TKT_RELAXED) >= 3 * (round + 1),
			    "readers keep one another out");
		tkt_read_unlock(&lock);
	}
}

void check_rw_order(void)
{
	trial.threads = 3;
	tkt_rwlock_init(&lock, trial.wait);
	sleep_run(order_body);
}
