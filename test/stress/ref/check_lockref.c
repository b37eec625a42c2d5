/* SPDX-License-Identifier: MIT */
/*
 * check_lockref.c - objects that must not die under those who use them
 *
 * One object after the other is current: threads take references on it, use
 * it, take its lock, and drop the references; one of them takes out the
 * reference that kept it (*home*).  Whoever drops the last one buries it and
 * makes the next one current.  Memory is never reused, so that a late thread
 * is refused by an object that is dead.  Tickets begin just before their wrap.
 */
#include "ref.h"

#include <stdlib.h>

#include <tkt/lockref.h>

#define OBJECTS 65536u

struct object {
	tkt_lockref_t ref;
	uint32_t home;	   /* the reference that keeps it is still there */
	uint32_t alive;	   /* nobody has buried it */
	uint64_t sections; /* plain, under the lock */
	uint32_t uses[REF_THREADS_MAX]; /* plain, each thread's own */
} __attribute__((aligned(128)));

static struct object *objects;
static uint32_t current;

static void bury(struct object *o)
{
	uint64_t uses = 0;

	if (tkt_lockref_count(&o->ref) != 1)
		ref_fail("last reference, but %u of them",
			 tkt_lockref_count(&o->ref));
	if (tkt_lockref_is_dead(&o->ref))
		ref_fail("last reference of a dead object");
	tkt_lockref_mark_dead(&o->ref);
	if (tkt_lockref_put_locked(&o->ref))
		ref_fail("one more reference under the lock");
	tkt_lockref_unlock(&o->ref);
	/* Nobody is left: what all of them did is to be seen here. */
	for (unsigned int i = 0; i < REF_THREADS_MAX; i++)
		uses += TKT_READ(&o->uses[i]);
	if (TKT_READ(&o->sections) > uses)
		ref_fail("more sections than uses");
	if (!TKT_XCHG(&o->alive, 0u, TKT_RELAXED))
		ref_fail("died twice");
	TKT_STORE(&current, (uint32_t)(o - objects) + 1, TKT_RELEASE);
}

static void drop(struct object *o)
{
	if (!tkt_lockref_put_or_lock(&o->ref))
		bury(o);
}

static void look(const struct object *o)
{
	if (!TKT_LOAD(&o->alive, TKT_RELAXED))
		ref_fail("died with a reference out");
}

/* The count stands still while the lock is held. */
static void section(struct ref_thread *t, struct object *o)
{
	const uint64_t before = TKT_READ(&o->sections);
	const uint32_t count = tkt_lockref_count(&o->ref);

	for (uint32_t i = ref_random(t, 64); i; i--)
		TKT_RELAX();
	if (tkt_lockref_count(&o->ref) != count || !count)
		ref_fail("count changed under the lock, was %u", count);
	tkt_lockref_get_locked(&o->ref);
	if (tkt_lockref_put_locked(&o->ref) != count)
		ref_fail("count changed under the lock, was %u", count);
	TKT_WRITE(&o->sections, before + 1);
	tkt_lockref_unlock(&o->ref);
}

static void use(struct ref_thread *t, struct object *o)
{
	TKT_WRITE(&o->uses[t->id], TKT_READ(&o->uses[t->id]) + 1);
	switch (ref_random(t, 6)) {
	case 0:
		tkt_lockref_lock(&o->ref);
		section(t, o);
		break;
	case 1:
		if (tkt_lockref_trylock(&o->ref))
			section(t, o);
		break;
	case 2:
		tkt_lockref_get(&o->ref);
		look(o);
		if (!tkt_lockref_put(&o->ref))
			ref_fail("put: none left, but two were held");
		break;
	case 3:
		if (!tkt_lockref_get_not_zero(&o->ref))
			ref_fail("get_not_zero: none, but one is held");
		if (!tkt_lockref_put_not_zero(&o->ref))
			ref_fail("put_not_zero: the last of two");
		break;
	default:
		tkt_lockref_get(&o->ref);
		drop(o);
		break;
	}
	look(o);
}

static void lockref_body(struct ref_thread *t)
{
	while (ref_again()) {
		const uint32_t i = TKT_LOAD(&current, TKT_ACQUIRE);
		struct object *o = &objects[i];

		if (i == OBJECTS)
			return;
		if (!tkt_lockref_get_not_dead(&o->ref)) {
			ref_pause();
			continue;
		}
		look(o);
		use(t, o);
		if (!ref_random(t, 16) && TKT_XCHG(&o->home, 0u, TKT_RELAXED))
			drop(o);
		look(o);
		drop(o);
	}
}

static void check_object(const struct object *o, uint32_t i)
{
	const bool alive = i >= TKT_LOAD(&current, TKT_RELAXED);
	const uint32_t count = tkt_lockref_count(&o->ref);

	if (TKT_LOAD(&o->alive, TKT_RELAXED) != alive ||
	    tkt_lockref_is_dead(&o->ref) == alive || count != alive ||
	    TKT_LOAD(&o->home, TKT_RELAXED) != alive)
		ref_fail("object %u should be %s, with %u references left", i,
			 alive ? "alive" : "dead", count);
	if (tkt_lockref_is_locked(&o->ref))
		ref_fail("object %u is still locked", i);
}

void check_lockref(void)
{
	objects = aligned_alloc(128, OBJECTS * sizeof(*objects));
	if (!objects)
		abort();
	for (uint32_t i = 0; i < OBJECTS; i++) {
		objects[i] = (struct object){ .home = 1, .alive = 1 };
		objects[i].ref.word = UINT64_C(0xfffefffe) << 32 | 1;
	}
	ref_run(lockref_body);
	for (uint32_t i = 0; i < OBJECTS; i++)
		check_object(&objects[i], i);
	if (!current)
		ref_fail("nothing happened");
	free(objects);
}
