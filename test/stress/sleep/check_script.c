/* SPDX-License-Identifier: MIT */
/*
 * check_script.c - moments too short to meet by chance, one after the other
 *
 * One thread plays waker and waiters.  Where one has to act in the midst of
 * the other's step, the hook of the chaos back end does it; a back end without
 * the hook plays the rest.
 */
#include <errno.h>
#include <string.h>

#include <tkt/bitwait.h>
#include <tkt/rwlock.h>

#include "sleep.h"

static struct tkt_waitqueue queue;
static struct tkt_waiter one, two;
static int accesses; /* of those that a hook counts, so far */

static void hook(void (*acts)(uintptr_t address))
{
	accesses = 0;
	sleep_hook = acts;
}

static void unhook(void)
{
	sleep_hook = NULL;
}

static void count(uintptr_t address)
{
	(void)address;
	accesses++;
}

static bool hooks_work(void)
{
	hook(count);
	(void)TKT_LOAD(&one.state, TKT_RELAXED);
	unhook();
	return accesses;
}

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

/* Leaving while claimed: not before the waker has let go of the entry. */
static struct tkt_wakes claims;

static void waker_lets_go(uintptr_t address)
{
	/* One look to see that it is claimed, and another before it sleeps. */
	if (address != (uintptr_t)&one.state || ++accesses != 3)
		return;
	unhook();
	tkt_wakes_deliver(&claims);
}

static void claimed_leaving(void)
{
	start();
	(void)tkt_wake_up_locked(&queue.list, 1, NULL, &claims);
	if (!hooks_work())
		tkt_wakes_deliver(&claims);
	else
		hook(waker_lets_go);
	if (tkt_wait_leave(&one) != TKT_LEFT_WOKEN)
		sleep_fail("a claimed entry was not woken");
	unhook();
	if (claims.first)
		sleep_fail("a waiter left while a waker had its entry");
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
	hook(memory_goes);
	(void)tkt_wake_up(&queue, TKT_WAKE_ALL);
	unhook();
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

/* The bits; all on one queue. */
static struct tkt_bit_table table;
static struct tkt_bit_waiter same, other;
static uint32_t words[2];

static void bits_start(void)
{
	words[0] = words[1] = 0;
	tkt_bit_table_init(&table, &queue, 0);
	same = tkt_bit_waiter_init(&words[0], 0);
	other = tkt_bit_waiter_init(&words[1], 0);
}

/* Of two entries on a queue, the wake-up is that one's which waits for it. */
static void bits(void)
{
	bits_start();
	tkt_prepare_to_wait_exclusive(&queue, &other.waiter);
	tkt_prepare_to_wait_exclusive(&queue, &same.waiter);
	tkt_wake_up_bit(&table, &words[0], 0);
	if (!tkt_finish_wait(&queue, &same.waiter))
		sleep_fail("a waiter for another bit took the wake-up");
	if (tkt_finish_wait(&queue, &other.waiter))
		sleep_fail("woken for another bit");
}

/* Whoever waits finds the bit clear when it is told. */
static void bit_unlocked(void)
{
	bits_start();
	if (!tkt_trylock_bit(&words[0], 0))
		sleep_fail("a clear bit could not be set");
	tkt_prepare_to_wait_exclusive(&queue, &same.waiter);
	tkt_unlock_bit(&table, &words[0], 0);
	if (words[0] || !tkt_finish_wait(&queue, &same.waiter))
		sleep_fail("a bit was unlocked, and its waiter sleeps on");
}

/* Between a try's look at the bit and its setting it, another sets it. */
static void bit_is_set(uintptr_t address)
{
	if (address == (uintptr_t)&words[0] && ++accesses == 2)
		words[0] = 1;
}

static void bit_taken(void)
{
	bits_start();
	hook(bit_is_set);
	if (tkt_trylock_bit(&words[0], 0) && accesses)
		sleep_fail("a bit has two owners");
	unhook();
}

/*
 * One that wants the bit looks at it before it waits, when it is queued and
 * when its time is over.  Right after that the bit is unlocked.
 */
static void bit_comes_late(uintptr_t address)
{
	if (accesses < 3) {
		accesses += address == (uintptr_t)&words[0];
		return;
	}
	unhook();
	tkt_prepare_to_wait_exclusive(&queue, &same.waiter);
	tkt_unlock_bit(&table, &words[0], 0);
}

static void bit_given_up(void)
{
	bits_start();
	words[0] = 1;
	hook(bit_comes_late);
	if (tkt_wait_on_bit_lock(&table, &words[0], 0, 1) != ETIMEDOUT)
		sleep_fail("a bit that is held was locked");
	unhook();
	if (accesses && !tkt_finish_wait(&queue, &same.waiter))
		sleep_fail("a wake-up went to one who had given up the bit");
}

/*
 * Between a try's looks and its compare-and-swap, its third access, the others
 * go through a whole turn of the tickets; now a writer is in.
 */
static tkt_rwlock_t lock;

static void whole_turn(uintptr_t address)
{
	(void)address;
	if (++accesses == 3)
		lock.read = lock.write = lock.users - TKT_X_STEP;
}

static void turn(void)
{
	tkt_rwlock_init(&lock, TKT_WAIT_YIELD);
	hook(whole_turn);
	if (tkt_tryread(&lock) && accesses)
		sleep_fail("a reader in, and a writer");
	unhook();
}

/* One reader lets in another, and no writer. */
static void readers_in(void)
{
	tkt_rwlock_init(&lock, TKT_WAIT_YIELD);
	tkt_read_lock(&lock);
	if (!tkt_tryread(&lock))
		sleep_fail("a reader keeps another one out");
	if (tkt_trywrite(&lock))
		sleep_fail("a writer in, and a reader");
	tkt_read_unlock(&lock);
	tkt_read_unlock(&lock);
	if (!tkt_trywrite(&lock))
		sleep_fail("not free after two readers");
}

/* The moment the next writer is let in, it is in, and out again. */
static uint32_t ticket; /* the next writer's */
static bool was_in;

static void next_writer(uintptr_t address)
{
	(void)address;
	if (lock.write != ticket)
		return;
	unhook();
	was_in = true;
	tkt_write_unlock(&lock);
}

static void writers_in_a_row(void)
{
	tkt_rwlock_init(&lock, TKT_WAIT_YIELD);
	tkt_write_lock(&lock);
	ticket = tkt_x_rw_take(&lock);
	hook(next_writer);
	tkt_write_unlock(&lock);
	unhook();
	if (!was_in)
		tkt_write_unlock(&lock);
	if (!tkt_tryread(&lock))
		sleep_fail("two writers left, and a reader is not let in");
}

void check_script(void)
{
	leaving();
	claimed();
	claimed_leaving();
	told();
	gives_up();
	bits();
	bit_unlocked();
	bit_taken();
	bit_given_up();
	turn();
	readers_in();
	writers_in_a_row();
}
