/* SPDX-License-Identifier: MIT */
/*
 * check_lifetime.c - the last owner frees the lock
 *
 * lock.h: a thread that has locked and unlocked, and knows that nobody else
 * will come, may free the memory, although the owner before it may still be in
 * its unlock.  Here that happens at once.  The memory becomes inaccessible:
 * by its address sanitizer, or else as a page without permissions, so that a
 * late look at the lock crashes as surely as a late write.
 */
#include "stress.h"

#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#ifndef ADDRESS_SANITIZER
#define ADDRESS_SANITIZER 0
#endif

#define PAGE 4096u
#define BATCH 64u

struct object {
	uint64_t lock[PAGE / 2 / sizeof(uint64_t)];
	unsigned int left; /* threads that are still to come; under the lock */
};

struct batch {
	struct object *object[BATCH];
	uint32_t arrived[BATCH];
};

static struct object *object_new(const struct trial *t)
{
	struct lock_params params = t->params;
	struct object *o;

	if (ADDRESS_SANITIZER)
		o = aligned_alloc(LOCK_ALIGN, PAGE);
	else
		o = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	params.max_threads = t->threads + 1;
	if (!o || o == MAP_FAILED || t->ops->size > sizeof(o->lock) ||
	    t->ops->init(o->lock, &params))
		abort();
	o->left = t->threads;
	return o;
}

static void object_free(const struct trial *t, struct object *o)
{
	if (t->ops->destroy)
		t->ops->destroy(o->lock);
	if (ADDRESS_SANITIZER)
		free(o);
	else if (mprotect(o, PAGE, PROT_NONE))
		abort();
}

static void lifetime_body(struct worker *w)
{
	const struct trial *t = w->harness->trial;
	struct batch *b = w->harness->shared;

	for (unsigned int i = 0; i < BATCH; i++) {
		struct object *o = b->object[i];
		unsigned int left;

		/* All at once, so that the last two are close together. */
		TKT_FETCH_ADD(&b->arrived[i], 1u, TKT_ACQ_REL);
		while (TKT_LOAD(&b->arrived[i], TKT_ACQUIRE) < t->threads)
			TKT_YIELD(&b->arrived[i], 0u);
		t->ops->lock(o->lock, w->ctx);
		left = TKT_READ(&o->left) - 1;
		TKT_WRITE(&o->left, left);
		worker_count(w);
		t->ops->unlock(o->lock, w->ctx);
		if (!left)
			object_free(t, o);
	}
}

/*
 * Finds an unlock that touches the lock after the store that frees it, and a
 * waiter that does so after its turn: by a crash.
 */
const char *check_lifetime(const struct trial *t)
{
	struct harness *r = harness_new(t, "lifetime", 1);
	const uint64_t until = TKT_CLOCK_NS() + t->ms * UINT64_C(1000000);
	struct batch b;

	r->shared = &b;
	do {
		for (unsigned int i = 0; i < BATCH; i++) {
			b.object[i] = object_new(t);
			b.arrived[i] = 0;
		}
		harness_run(r, lifetime_body);
		for (unsigned int i = 0; !ADDRESS_SANITIZER && i < BATCH; i++)
			(void)munmap(b.object[i], PAGE);
	} while (!r->failed && TKT_CLOCK_NS() < until);
	return harness_end(r);
}
