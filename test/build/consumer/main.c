/* SPDX-License-Identifier: MIT */
/* test/build/consumer/main.c - a user's program: C half */
#include <tkt.h>

tkt_lock_t consumer_lock = TKT_LOCK_INIT;

int consumer_is_locked(void); /* locked.cc */

int main(void)
{
	int held, free;

	tkt_lock(&consumer_lock);
	held = consumer_is_locked();
	tkt_unlock(&consumer_lock);
	free = !consumer_is_locked();
	return held && free ? 0 : 1;
}
