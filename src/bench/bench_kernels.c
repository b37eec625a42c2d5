/* SPDX-License-Identifier: MIT */
/*
 * src/bench/bench_kernels.c - kernels that only a benchmark wants
 *
 *	trylock	tries that succeed, alone
 *	many	many locks, of which a few are wanted by all (Zipf)
 *	idle	a holder that sleeps, and waiters
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <tkt/atomic.h>

#include "bench_point.h"
#include "harness/random.h"
#include "kernels/setup.h"

#define BATCH 64u
#define HOLD_NS 10000000L

struct bench_thread {
	union lock_ctx ctx;
	struct random random;
	unsigned int index;
} __attribute__((aligned(LOCK_ALIGN)));

struct bench_state {
	const struct lock_ops *lock;
	size_t locks;
	double *below; /* of `many`: share of the locks up to this one */
	unsigned char *memory; /* LOCK_ALIGN bytes a lock */
	struct bench_thread *thread;
	uint64_t seed;
};

static void bench_destroy(void *state)
{
	struct bench_state *s = state;

	for (size_t i = 0; i < s->locks; i++)
		lock_destroy(s->lock, s->memory + i * LOCK_ALIGN);
	free(s->below);
	free(s->memory);
	free(s->thread);
	free(s);
}

/* P(rank r) ~ 1/r: the harmonic numbers, as shares of the last. */
static void zipf(double *below, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		below[i] = sum += 1.0 / (double)(i + 1);
	for (size_t i = 0; i < n; i++)
		below[i] /= sum;
}

static bool bench_alloc(struct bench_state *s, const struct kernel_config *c,
			size_t locks, char *why)
{
	s->memory = setup_alloc(locks * LOCK_ALIGN, why);
	s->thread = setup_alloc(c->threads * sizeof(*s->thread), why);
	s->below = setup_alloc(locks * sizeof(*s->below), why);
	return s->memory && s->thread && s->below;
}

static void *bench_setup_locks(const struct kernel_config *c,
			       const struct lock_ops *lock, size_t locks,
			       char *why)
{
	struct bench_state *s = calloc(1, sizeof(*s));
	const char *wrong = NULL;

	if (!s) {
		(void)setup_fail("out of memory", why);
		return NULL;
	}
	s->lock = lock;
	s->seed = c->seed;
	if (bench_alloc(s, c, locks, why)) {
		zipf(s->below, locks);
		while (s->locks < locks && !wrong) {
			wrong = lock->init(s->memory + s->locks * LOCK_ALIGN,
					   &c->lock);
			s->locks += !wrong;
		}
		if (!wrong)
			return s;
		(void)setup_fail(wrong, why);
	}
	bench_destroy(s);
	return NULL;
}

static void *one_setup(const struct kernel_config *c,
		       const struct lock_ops *lock, char *why)
{
	return bench_setup_locks(c, lock, 1, why);
}

static void *many_setup(const struct kernel_config *c,
			const struct lock_ops *lock, char *why)
{
	return bench_setup_locks(c, lock, c->option[0], why);
}

static void *bench_thread_setup(void *state, unsigned int index)
{
	struct bench_state *s = state;
	struct bench_thread *t = &s->thread[index];

	t->index = index;
	t->random = random_stream(s->seed, index + 1);
	return lock_ctx_open(s->lock, &t->ctx) ? t : NULL;
}

static void bench_thread_teardown(void *state, void *thread)
{
	struct bench_state *s = state;

	lock_ctx_close(s->lock, &((struct bench_thread *)thread)->ctx);
}

/* Whether they exclude is the stress tests' business. */
static bool bench_check(void *state, char *why)
{
	(void)state;
	(void)why;
	return true;
}

static long trylock_step(void *state, void *thread)
{
	struct bench_state *s = state;
	struct bench_thread *t = thread;
	long done = 0;

	for (unsigned int i = 0; i < BATCH; i++) {
		if (!s->lock->trylock(s->memory, &t->ctx))
			continue;
		s->lock->unlock(s->memory, &t->ctx);
		done++;
	}
	return done;
}

static size_t zipf_pick(const struct bench_state *s, struct random *random)
{
	const double x = (double)(random_next(random) >> 11) * 0x1p-53;
	size_t low = 0, high = s->locks - 1;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (s->below[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Writes in the lock's own line, behind it. */
static long many_step(void *state, void *thread)
{
	struct bench_state *s = state;
	struct bench_thread *t = thread;
	unsigned char *lock = s->memory + zipf_pick(s, &t->random) * LOCK_ALIGN;
	uint64_t *word =
		(void *)(lock + kernel_data_offset(s->lock, KERNEL_TOGETHER));

	s->lock->lock(lock, &t->ctx);
	if ((unsigned char *)(word + 1) <= lock + LOCK_ALIGN)
		TKT_WRITE(word, TKT_READ(word) + 1);
	s->lock->unlock(lock, &t->ctx);
	return 1;
}

static void nap(long ns)
{
	struct timespec left = { 0, ns };

	while (nanosleep(&left, &left))
		;
}

/* Thread 0 sleeps inside, and long enough outside for the others to pass. */
static long idle_step(void *state, void *thread)
{
	struct bench_state *s = state;
	struct bench_thread *t = thread;

	s->lock->lock(s->memory, &t->ctx);
	if (!t->index)
		nap(HOLD_NS);
	s->lock->unlock(s->memory, &t->ctx);
	/* Once each between two holds, or so: to wait is what is measured. */
	nap(HOLD_NS / (t->index ? 4 : 100));
	return 1;
}

static const struct kernel_option many_options[] = {
	{ "locks", "locks", 1, 65536, 16, "locks, picked by Zipf's law" },
	{ .name = NULL },
};

#define BENCH_KERNEL(id, what, ...)                                        \
	const struct kernel_ops id = { .name = #id,                        \
				       .summary = what,                    \
				       .destroy = bench_destroy,           \
				       .thread_setup = bench_thread_setup, \
				       .thread_teardown =                  \
					       bench_thread_teardown,      \
				       .check = bench_check,               \
				       __VA_ARGS__ }

BENCH_KERNEL(bench_trylock, "tries that succeed", .setup = one_setup,
	     .step = trylock_step);
BENCH_KERNEL(bench_many, "many locks", .setup = many_setup, .step = many_step,
	     .options = many_options);
BENCH_KERNEL(bench_idle, "a holder that sleeps", .setup = one_setup,
	     .step = idle_step);
