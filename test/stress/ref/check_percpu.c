/* SPDX-License-Identifier: MIT */
/*
 * check_percpu.c - killing a count while references come and go
 *
 * One count after the other is current.  Threads take references on it, hand
 * some of them to each other, and drop them wherever they are; one thread
 * kills it meanwhile.  Its release function makes the next one current.
 * Memory is never reused, so that a late tryget finds a killed count.
 */
#include "ref.h"

#include <stdlib.h>

#ifdef REF_ANY_SLOT
/* Each access in a slot at random, as if threads never stayed on a CPU. */
static __thread uint32_t any_slot;
#define TKT_CPU_HINT() ((any_slot = any_slot * 1664525u + 1013904223u) >> 24)
#endif

#include <tkt/percpu_ref.h>

#define COUNTS 65536u
#define SLOTS 4u
#define BOXES 4u

struct counted {
	tkt_percpu_ref_t ref;
	uint32_t home;			/* not killed yet */
	uint32_t released;		/* how often */
	uint32_t uses[REF_THREADS_MAX]; /* plain, each thread's own */
	struct tkt_percpu_slot slots[SLOTS];
};

static struct counted *counts;
static uint32_t current;
/* References on their way from thread to thread. */
static struct counted *box[BOXES];

static void release(tkt_percpu_ref_t *ref)
{
	struct counted *c = (struct counted *)ref;
	uint64_t uses = 0;

	if (TKT_FETCH_ADD(&c->released, 1u, TKT_RELAXED))
		ref_fail("released twice");
	if (TKT_LOAD(&c->home, TKT_RELAXED))
		ref_fail("released before it was killed");
	if (!tkt_percpu_ref_is_zero(ref))
		ref_fail("released, but not zero");
	/* Nobody is left: what all of them did is to be seen here. */
	for (unsigned int i = 0; i < REF_THREADS_MAX; i++)
		uses += TKT_READ(&c->uses[i]);
	if (!uses)
		ref_fail("released before it was used");
	TKT_STORE(&current, (uint32_t)(c - counts) + 1, TKT_RELEASE);
}

static void look(struct ref_thread *t, struct counted *c)
{
	if (TKT_LOAD(&c->released, TKT_RELAXED))
		ref_fail("released with a reference out");
	TKT_WRITE(&c->uses[t->id], TKT_READ(&c->uses[t->id]) + 1);
}

static void drop(struct ref_thread *t, struct counted *c)
{
	look(t, c);
	tkt_percpu_ref_put(&c->ref);
}

/* Leaves a reference there; drops the one that was there, if any. */
static void hand_over(struct ref_thread *t, struct counted *c)
{
	struct counted **to = &box[ref_random(t, BOXES)];
	struct counted *other = TKT_XCHG(to, c, TKT_ACQ_REL);

	if (other)
		drop(t, other);
}

static void kill_it(struct ref_thread *t, struct counted *c)
{
	look(t, c);
	tkt_percpu_ref_kill(&c->ref);
	/* The caller has a reference, so it is still there. */
	for (uint32_t i = 0; i < 2 * SLOTS; i++)
		if (tkt_percpu_ref_tryget(&c->ref))
			ref_fail("tryget after kill");
	if (tkt_percpu_ref_is_zero(&c->ref))
		ref_fail("zero with a reference out");
}

static void percpu_body(struct ref_thread *t)
{
	while (ref_again()) {
		const uint32_t i = TKT_LOAD(&current, TKT_ACQUIRE);
		struct counted *c = &counts[i];

		if (i == COUNTS)
			return;
		if (!tkt_percpu_ref_tryget(&c->ref)) {
			/* Killed, and perhaps some of it is in a box. */
			hand_over(t, NULL);
			ref_pause();
			continue;
		}
		look(t, c);
		tkt_percpu_ref_get(&c->ref);
		if (!ref_random(t, 16) && TKT_XCHG(&c->home, 0u, TKT_RELAXED))
			kill_it(t, c);
		if (ref_random(t, 4))
			drop(t, c);
		else
			hand_over(t, c);
		drop(t, c);
	}
}

static void check_count(struct counted *c, uint32_t i)
{
	const uint32_t before = TKT_LOAD(&c->released, TKT_RELAXED);
	const bool home = TKT_LOAD(&c->home, TKT_RELAXED);

	if (before == home)
		ref_fail("count %u: %s killed, released %u times", i,
			 home ? "not" : "was", before);
	if (!home)
		return;
	/* Still the owner's; used by somebody, as far as release can tell. */
	TKT_STORE(&c->home, 0u, TKT_RELAXED);
	c->uses[0]++;
	tkt_percpu_ref_kill(&c->ref);
	if (TKT_LOAD(&c->released, TKT_RELAXED) != 1)
		ref_fail("count %u: killed at the end, not released", i);
}

void check_percpu(void)
{
	counts = aligned_alloc(TKT_NODE_ALIGN, COUNTS * sizeof(*counts));
	if (!counts)
		abort();
	for (uint32_t i = 0; i < COUNTS; i++) {
		counts[i] = (struct counted){ .home = 1 };
		tkt_percpu_ref_init(&counts[i].ref, counts[i].slots, SLOTS,
				    release);
	}
	ref_run(percpu_body);
	if (!current)
		ref_fail("nothing happened, or a release was lost");
	for (unsigned int i = 0; i < BOXES; i++)
		if (box[i])
			tkt_percpu_ref_put(&box[i]->ref);
	for (uint32_t i = 0; i < COUNTS; i++)
		check_count(&counts[i], i);
	free(counts);
}
