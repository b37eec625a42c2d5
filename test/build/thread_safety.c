/* SPDX-License-Identifier: MIT */
/*
 * thread_safety.c - correct use of the lock, and with MISUSE=n the n-th misuse
 *
 * For thread_safety.sh; compiled, never run.  MISUSE=0 is all of them.
 */
#include <tkt.h>

static tkt_lock_t lock;
static long guarded TKT_TSA_GUARDED_BY(lock);

long correct(bool want);
long correct_try(void);
long correct_until(uint64_t deadline);
void misuse(bool want);

static void grow(void) TKT_TSA_REQUIRES(lock);
static void grow(void)
{
	guarded++;
}

long correct(bool want)
{
	long seen = 0;

	tkt_lock(&lock);
	if (!want) {
		tkt_unlock(&lock);
		return 0;
	}
	grow();
	seen = guarded;
	tkt_unlock(&lock);
	return seen;
}

long correct_try(void)
{
	if (!tkt_trylock(&lock) && !tkt_tryspin(&lock, 1000))
		return 0;
	guarded++;
	tkt_unlock(&lock);
	return 1;
}

long correct_until(uint64_t deadline)
{
	if (!tkt_lock_until(&lock, deadline))
		return 0;
	guarded++;
	tkt_unlock(&lock);
	return 1;
}

#ifdef MISUSE
#define IS(n) (MISUSE == 0 || MISUSE == (n))

void misuse(bool want)
{
#if IS(1)
	tkt_lock(&lock);
	tkt_lock(&lock);
	tkt_unlock(&lock);
#endif
#if IS(2)
	tkt_unlock(&lock);
#endif
#if IS(3)
	tkt_lock(&lock);
#endif
#if IS(4)
	if (want)
		tkt_lock(&lock);
	guarded++;
	if (want)
		tkt_unlock(&lock);
#endif
#if IS(5)
	if (!tkt_trylock(&lock))
		tkt_unlock(&lock);
#endif
#if IS(6)
	guarded++;
#endif
#if IS(7)
	grow();
#endif
	(void)want;
}
#endif
