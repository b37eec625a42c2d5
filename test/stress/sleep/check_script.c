/* SPDX-License-Identifier: MIT */
/*
 * check_script.c - moments too short to meet by chance, one after the other
 *
 * One thread plays waker and waiters.  Where a waiter has to act in the midst
 * of a waker's step, the hook of the chaos back end does it.
 */
#include <errno.h>
#include <string.h>

#include <tkt/bitwait.h>
#include <tkt/rwlock.h>

#include "sleep.h"

static struct tkt_waitqueue queue;
static struct tkt_waiter one, two;

static void start(void)
{
	tkt_waitqueue_init(&queue);
	one = two = (struct tkt_waiter)TKT_WAITER_INIT(tkt_wake_default);
	tkt_prepare_to_wait_exclusive(&queue, &one);
}

/* On its way out: the wake-up is the next one's. */
static void leaving(void)
{
	start();
	tkt_prepare_to_wait_exclusive(&queue, &two);
	if (tkt_wait_leave(&one) != TKT_LEFT_LISTED)
		sleep_fail("a waiter that nobody woke is not listed");
	(void)tkt_wake_up(&queue, 1);
	tkt_waitlist_remove(&queue.list, &one);
	if (!tkt_finish_wait(&queue, &two))
		sleep_fail("a waiter on its way out used up a wake-up");
}

/* Claimed and not told: it is on the waker's list and on no other. */
static void claimed(void)
{
	struct tkt_wakes wakes = { NULL, NULL };

	start();
	(void)tkt_wake_up_locked(&queue.list, 1, NULL, &wakes);
	tkt_prepare_to_wait_exclusive(&queue, &one);
	if (tkt_waitqueue_active(&queue))
		sleep_fail("an entry is on two lists");
	tkt_wakes_deliver(&wakes);
	if (!tkt_finish_wait(&queue, &one))
		sleep_fail("a claimed entry was not woken");
}

/* The moment it has been told, its memory is used for something else. */
static void memory_goes(uintptr_t address)
{
	if (address == (uintptr_t)&one.state &&
	    (one.state & TKT_X_WL_STAGE) == TKT_X_WL_WOKEN)
		memset((void *)&one, 0, sizeof(one));
}

static void told(void)
{
	start();
	tkt_prepare_to_wait_exclusive(&queue, &two);
	if (tkt_wait_sleep(&one, 1) != ETIMEDOUT)
		sleep_fail("woken by nobody");
	sleep_hook = memory_goes;
	(void)tkt_wake_up(&queue, TKT_WAKE_ALL);
	sleep_hook = NULL;
	if (tkt_wait_sleep(&two, 1) || !tkt_finish_wait(&queue, &two))
		sleep_fail("a waker looked at an entry that was gone");
}

/* The last look of the one that gives up; the wake-up comes right after it. */
static int looks;

static bool nothing_yet(void)
{
	if (++looks == 3) {
		tkt_prepare_to_wait_exclusive(&queue, &two);
		(void)tkt_wake_up(&queue, 1);
	}
	return false;
}

static void gives_up(void)
{
	looks = 0;
	start();
	(void)tkt_finish_wait(&queue, &one);
	if (TKT_WAIT_EVENT_FULL(&queue, nothing_yet(), true, 1, false) !=
	    ETIMEDOUT)
		sleep_fail("a wait for nothing ended well");
	if (!tkt_finish_wait(&queue, &two))
		sleep_fail("a wake-up went to one who had given up");
}

/* Of two entries on a queue, the wake-up is that one's which waits for it. */
static void bits(void)
{
	static uint32_t words[2];
	struct tkt_bit_table table;
	struct tkt_bit_waiter other = tkt_bit_waiter_init(&words[1], 0);
	struct tkt_bit_waiter same = tkt_bit_waiter_init(&words[0], 0);

	tkt_bit_table_init(&table, &queue, 0);
	tkt_prepare_to_wait_exclusive(&queue, &other.waiter);
	tkt_prepare_to_wait_exclusive(&queue, &same.waiter);
	tkt_wake_up_bit(&table, &words[0], 0);
	if (!tkt_finish_wait(&queue, &same.waiter))
		sleep_fail("a waiter for another bit took the wake-up");
	if (tkt_finish_wait(&queue, &other.waiter))
		sleep_fail("woken for another bit");
}

/*
 * Between a try's looks and its compare-and-swap, its third access, the others
 * go through a whole turn of the tickets; now a writer is in.
 */
static tkt_rwlock_t lock;
static int accesses;

static void whole_turn(uintptr_t address)
{
	(void)address;
	if (++accesses == 3)
		lock.read = lock.write = lock.users - TKT_X_STEP;
}

static void turn(void)
{
	tkt_rwlock_init(&lock, TKT_WAIT_YIELD);
	accesses = 0;
	sleep_hook = whole_turn;
	if (tkt_tryread(&lock) && accesses)
		sleep_fail("a reader in, and a writer");
	sleep_hook = NULL;
}

void check_script(void)
{
	leaving();
	claimed();
	told();
	gives_up();
	bits();
	turn();
}
