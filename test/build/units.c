/* SPDX-License-Identifier: MIT */
/* test/build/units.c - a lock shared with a C++ unit: the C half, and main */
#include <pthread.h>
#include <stdio.h>

#include "units_shared.h"

tkt_lock_t units_lock = TKT_LOCK_INIT;
unsigned long units_count;

static void *add_from_cxx(void *unused)
{
	units_add_from_cxx();
	return unused;
}

int main(void)
{
	const unsigned long want = 2ul * UNITS_ROUNDS;
	pthread_t thread;

	if (pthread_create(&thread, NULL, add_from_cxx, NULL))
		return 1;
	for (int i = 0; i < UNITS_ROUNDS; i++) {
		UNITS_LOCK();
		units_count++;
		UNITS_UNLOCK();
	}
	pthread_join(thread, NULL);
	printf("%lu of %lu\n", units_count, want);
	return units_count != want || tkt_is_locked(&units_lock);
}
