/* SPDX-License-Identifier: MIT */
/* check_bitwait.c - bit locks exclude, and wake those who wait for them */
#include <sched.h>

#include <tkt/bitwait.h>

#include "sleep.h"

#define BITS 3u /* in each of two words */
#define ROUNDS 4

static struct tkt_waitqueue queues[2];
static struct tkt_bit_table table;
static uint32_t words[2];
static volatile uint64_t first[2][BITS], second[2][BITS]; /* under the bit */

static void visit(unsigned int word, unsigned int bit)
{
	const uint64_t seen = first[word][bit];

	first[word][bit] = seen + 1;
	sleep_dwell(32);
	if (second[word][bit] != seen)
		sleep_fail("a bit has two owners");
	second[word][bit] = seen + 1;
}

/* Some rounds, then all meet: whoever is not woken is missed soon. */
static void bits_body(struct sleeper *s)
{
	while (sleep_again_together()) {
		for (int i = 0; i < ROUNDS; i++) {
			const unsigned int word = sleep_random(s, 2);
			const unsigned int bit = sleep_random(s, BITS);
			const uint64_t limit =
				sleep_random(s, 2)
					? TKT_NO_DEADLINE
					: TKT_CLOCK_NS() +
						  sleep_random(s, 50000);

			if (!sleep_random(s, 4)) {
				(void)tkt_wait_on_bit(&table, &words[word], bit,
						      limit);
				continue;
			}
			if (tkt_wait_on_bit_lock(&table, &words[word], bit,
						 limit))
				continue;
			visit(word, bit);
			tkt_unlock_bit(&table, &words[word], bit);
		}
	}
}

void check_bits(void)
{
	tkt_bit_table_init(&table, queues, 1);
	sleep_run(bits_body);
	if (words[0] || words[1])
		sleep_fail("a bit is set in the end");
}

/*
 * Thread 0 has the bit and frees it once; thread 1 gives up soon; thread 2
 * must get it, whatever becomes of 1.
 */
static void bit_abort_body(struct sleeper *s)
{
	while (sleep_again_together()) {
		uint64_t limit = TKT_NO_DEADLINE;

		if (!s->id)
			(void)tkt_trylock_bit(&words[0], 0);
		(void)sleep_again_together();
		if (!s->id) {
			sleep_dwell(sleep_random(s, 4000));
			tkt_unlock_bit(&table, &words[0], 0);
			continue;
		}
		if (s->id == 1)
			limit = TKT_CLOCK_NS() + sleep_random(s, 60000);
		if (tkt_wait_on_bit_lock(&table, &words[0], 0, limit))
			continue;
		visit(0, 0);
		tkt_unlock_bit(&table, &words[0], 0);
	}
}

void check_bit_abort(void)
{
	trial.threads = 3;
	tkt_bit_table_init(&table, queues, 1);
	sleep_run(bit_abort_body);
}
