/* SPDX-License-Identifier: MIT */
/*
 * anatomy.c - what an uncontended pair of lock and unlock is made of
 *
 *	tkt-anatomy [REPEATS]	(default: 9)
 *
 * One thread, nothing inside or outside.  From an atomic operation alone to the
 * ticket lock, a step at a time, and the locks that are made of these steps:
 *
 *	add		a fetch-and-add, nothing else
 *	add,apart	and a store to another cache line
 *	add,store	and a store of a constant to the same line: the least
 *			that a lock with one atomic operation can do
 *	add,ticket	the store writes what the fetch-and-add returned plus 1
 *	ticket,kept	and the owner is read and compared: a ticket lock whose
 *			unlock has the ticket in a register
 *	ticket		a ticket lock; unlock reads the owner again
 *	swap		an exchange, and a store to the same word: test-and-set
 *
 * The variants alternate; printed are the median and the range of all repeats,
 * in nanoseconds, each of LOOPS pairs.  The locks keep their distance, so that
 * no two share a line.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <tkt.h>

#define LOOPS 1000000
#define MAX_REPEATS 1001

struct words {
	uint32_t owner, next;
	uint32_t far __attribute__((aligned(256)));
} __attribute__((aligned(256)));

static struct words words;
static pthread_spinlock_t pthread_spin __attribute__((aligned(256)));
static tkt_lock_t product __attribute__((aligned(256)));
static tkt_lock_t product_spin
	__attribute__((aligned(256))) = TKT_LOCK_INIT_POLICY(TKT_POLICY_SPIN_4);

static uint32_t take(void)
{
	return __atomic_fetch_add(&words.next, 1u, __ATOMIC_ACQ_REL);
}

static void wait_for(uint32_t ticket)
{
	while (__atomic_load_n(&words.owner, __ATOMIC_ACQUIRE) != ticket)
		;
}

static void serve(uint32_t ticket)
{
	__atomic_store_n(&words.owner, ticket, __ATOMIC_RELEASE);
}

static uint64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A function that times LOOPS times what comes after its name, in ns. */
#define TIMED(name, ...)                          \
	static uint64_t name(void)                \
	{                                         \
		const uint64_t began = now();     \
                                                  \
		for (int i = 0; i < LOOPS; i++) { \
			__VA_ARGS__;              \
		}                                 \
		return now() - began;             \
	}

TIMED(add, (void)take())
TIMED(add_apart, (void)take();
      __atomic_store_n(&words.far, 1u, __ATOMIC_RELEASE))
TIMED(add_store, (void)take(); serve(1))
TIMED(add_ticket, serve(take() + 1))
TIMED(ticket_kept, const uint32_t t = take(); wait_for(t); serve(t + 1))
TIMED(ticket, wait_for(take());
      serve(__atomic_load_n(&words.owner, __ATOMIC_RELAXED) + 1))
TIMED(swap, while (__atomic_exchange_n(&words.next, 1u, __ATOMIC_ACQUIRE));
      __atomic_store_n(&words.next, 0u, __ATOMIC_RELEASE))
TIMED(spin, pthread_spin_lock(&pthread_spin);
      pthread_spin_unlock(&pthread_spin))
TIMED(tkt, tkt_lock(&product); tkt_unlock(&product))
TIMED(tkt_spin, tkt_lock(&product_spin); tkt_unlock(&product_spin))

static const struct {
	const char *name;
	uint64_t (*run)(void);
} variants[] = {
	{ "add", add },
	{ "add,apart", add_apart },
	{ "add,store", add_store },
	{ "add,ticket", add_ticket },
	{ "ticket,kept", ticket_kept },
	{ "ticket", ticket },
	{ "tkt", tkt },
	{ "tkt-spin", tkt_spin },
	{ "swap", swap },
	{ "pthread-spin", spin },
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t measured[VARIANTS][MAX_REPEATS];

static void measure(size_t variant, size_t repeat)
{
	/* The variants leave the words as they like. */
	words = (struct words){ 0 };
	measured[variant][repeat] = variants[variant].run();
}

static void print(size_t repeats)
{
	printf("%-14s%10s%10s%10s\n", "ns a pair", "median", "least", "most");
	for (size_t v = 0; v < VARIANTS; v++) {
		uint64_t *m = measured[v];

		qsort(m, repeats, sizeof(*m), by_value);
		printf("%-14s%10.2f%10.2f%10.2f\n", variants[v].name,
		       (double)m[repeats / 2] / LOOPS, (double)m[0] / LOOPS,
		       (double)m[repeats - 1] / LOOPS);
	}
}

int main(int argc, char **argv)
{
	unsigned long repeats = 9;
	char *end;

	if (argc > 1) {
		errno = 0;
		repeats = strtoul(argv[1], &end, 10);
		if (errno || *end || argc > 2 || repeats < 1 ||
		    repeats > MAX_REPEATS) {
			fprintf(stderr,
				"tkt-anatomy: repeats '%s': allowed is one "
				"number from 1 to %d\n",
				argv[1], MAX_REPEATS);
			return 2;
		}
	}
	if (pthread_spin_init(&pthread_spin, PTHREAD_PROCESS_PRIVATE))
		return 1;
	for (size_t r = 0; r < repeats; r++)
		for (size_t v = 0; v < VARIANTS; v++)
			measure(v, r);
	print(repeats);
	return 0;
}
