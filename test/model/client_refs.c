/* SPDX-License-Identifier: MIT */
/*
 * test/model/client_refs.c - <tkt/lockref.h> and <tkt/percpu_ref.h>
 *
 * Each user of a count writes to a plain word of its own before it drops its
 * reference; whoever drops the last reads them all, as if to free the object.
 */
#define TKT_LOCKREF_TRIES 1
#include "client.h"

#include <tkt/lockref.h>
#include <tkt/percpu_ref.h>

static tkt_lockref_t ref;
static uint32_t used[MODEL_THREADS], freed;

static void setup(void)
{
	const struct model_client *c = model_client();

	tkt_lockref_init(&ref, (uint32_t)c->threads);
	/* Tickets that wrap, if the client says so. */
	if (c->variant)
		ref.word |= UINT64_C(0xffffffff) << 32;
	for (int i = 0; i < MODEL_THREADS; i++)
		used[i] = 0;
	freed = model_word = 0;
}

static void free_object(void)
{
	for (int i = 0; i < model_client()->threads; i++)
		TKT_WRITE(&used[i], TKT_READ(&used[i]) + 1);
	TKT_WRITE(&freed, TKT_READ(&freed) + 1);
}

static void freed_once(void)
{
	model_assert(freed == 1);
	model_assert(!tkt_x_lr_count(ref.word) && tkt_x_lr_free(ref.word));
}

static void puts_only(int self)
{
	TKT_WRITE(&used[self], 1);
	if (!tkt_lockref_put(&ref))
		free_object();
}

/* Takes one more and drops both; or holds the lock meanwhile. */
static void gets(int self)
{
	if (self) {
		tkt_lockref_get(&ref);
		(void)tkt_lockref_put(&ref);
	} else {
		tkt_lockref_lock(&ref);
		model_section();
		tkt_lockref_unlock(&ref);
	}
	puts_only(self);
}

/* The lock protects the section, and the count stands still in it. */
static void locks(int self)
{
	if (self < 2) {
		uint32_t count;

		tkt_lockref_lock(&ref);
		count = tkt_lockref_count(&ref);
		model_section();
		model_assert(tkt_lockref_count(&ref) == count);
		tkt_lockref_unlock(&ref);
	}
	puts_only(self);
}

static void trylocks(int self)
{
	if (tkt_lockref_trylock(&ref)) {
		model_section();
		tkt_lockref_unlock(&ref);
	}
	puts_only(self);
}

/*
 * The last one to put gets the lock with its reference still there, and buries
 * the object under it; thread 0 finds it in a table, as it were, and gets a
 * reference only if it is not dead.
 */
static void setup_dead(void)
{
	setup();
	ref.word--;
}

static void bury_or_put(int self)
{
	TKT_WRITE(&used[self], 1);
	if (tkt_lockref_put_or_lock(&ref))
		return;
	tkt_lockref_mark_dead(&ref);
	(void)tkt_lockref_put_locked(&ref);
	tkt_lockref_unlock(&ref);
	free_object();
}

static void dead(int self)
{
	if (!self && !(model_client()->rounds ? tkt_lockref_get_not_zero(&ref)
					      : tkt_lockref_get_not_dead(&ref)))
		return;
	bury_or_put(self);
}

static void not_last(int self)
{
	TKT_WRITE(&used[self], 1);
	if (!tkt_lockref_put_not_zero(&ref))
		TKT_FETCH_ADD(&freed, 1, TKT_RELAXED);
}

static void one_left(void)
{
	model_assert(freed == 1 && tkt_x_lr_count(ref.word) == 1);
}

/* The per-CPU count: a slot per thread, so that gets and puts meet. */
static tkt_percpu_ref_t spread;
static struct tkt_percpu_slot slots[2];
static uint32_t reason;

static void release(tkt_percpu_ref_t *r)
{
	model_assert(r == &spread);
	free_object();
}

static void setup_spread(void)
{
	setup();
	tkt_percpu_ref_init(&spread, slots, 2, release);
	/* The other threads have one each. */
	slots[0].word += TKT_X_PR_ONE * (uint32_t)(model_client()->threads - 1);
	reason = 0;
}

static void spread_put(int self)
{
	TKT_WRITE(&used[self], 1);
	if (!self) {
		tkt_percpu_ref_kill(&spread);
		return;
	}
	if (model_client()->variant) {
		tkt_percpu_ref_get(&spread);
		tkt_percpu_ref_put(&spread);
	}
	tkt_percpu_ref_put(&spread);
}

/* A try that fails has seen why; a reference that it got counts. */
static void setup_tryget(void)
{
	setup_spread();
	slots[0].word = 0;
}

static void spread_tryget(int self)
{
	if (!self) {
		TKT_WRITE(&reason, 1);
		TKT_WRITE(&used[self], 1);
		tkt_percpu_ref_kill(&spread);
		return;
	}
	if (tkt_percpu_ref_tryget(&spread)) {
		TKT_WRITE(&used[self], 1);
		tkt_percpu_ref_put(&spread);
	} else {
		model_assert(TKT_READ(&reason) == 1);
	}
}

/* For those whose release does not free: look whether it is over. */
static void spread_zero(int self)
{
	if (self < model_client()->threads - 1) {
		spread_put(self);
		return;
	}
	tkt_percpu_ref_put(&spread);
	if (tkt_percpu_ref_is_zero(&spread))
		free_object();
}

static void no_release(tkt_percpu_ref_t *r)
{
	(void)r;
}

static void setup_zero(void)
{
	setup_spread();
	spread.release = no_release;
}

static void spread_freed(void)
{
	model_assert(freed == 1 && !spread.central);
}

static void spread_over(void)
{
	model_assert(!spread.central);
}

#define REFS(label, n, begin, f, end, ...)                                \
	{                                                                 \
		.name = label, .threads = n, .setup = begin, .thread = f, \
		.finish = end, __VA_ARGS__                                \
	}

static const struct model_client clients[] = {
	REFS("put_3", 3, setup, puts_only, freed_once, .variant = 0),
	REFS("put_3_wrap", 3, setup, puts_only, freed_once, .variant = 1),
	REFS("get_2", 2, setup, gets, freed_once, .variant = 0),
	REFS("lock_2", 2, setup, locks, freed_once, .variant = 1),
	REFS("trylock_2", 2, setup, trylocks, freed_once, .variant = 0),
	REFS("dead_3", 3, setup_dead, dead, freed_once, .rounds = 0),
	REFS("not_zero_3", 3, setup_dead, dead, freed_once, .rounds = 1),
	REFS("not_last_3", 3, setup, not_last, one_left, .variant = 0),
	REFS("percpu_put_2", 2, setup_spread, spread_put, spread_freed,
	     .variant = 0),
	REFS("percpu_put_3", 3, setup_spread, spread_put, spread_freed,
	     .variant = 0),
	REFS("percpu_get_2", 2, setup_spread, spread_put, spread_freed,
	     .variant = 1),
	REFS("percpu_get_3", 3, setup_spread, spread_put, spread_freed,
	     .variant = 1),
	REFS("percpu_tryget_3", 3, setup_tryget, spread_tryget, spread_freed,
	     .variant = 0),
	REFS("percpu_zero_3", 3, setup_zero, spread_zero, spread_over,
	     .variant = 0),
	REFS("lock_3", 3, setup, locks, freed_once, .preemptions = 1),
};

CLIENTS_MAIN(clients)
