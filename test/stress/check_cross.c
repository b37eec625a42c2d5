/* SPDX-License-Identifier: MIT */
/* check_cross.c - locked by one thread, unlocked by another */
#include "stress.h"

#include <sched.h>

/*
 * Threads 2k and 2k+1 are a pair with a mailbox: the even one locks, the odd
 * one unlocks with the even one's context.  The section spans both.
 */
enum mail {
	MAIL_NONE,
	MAIL_HELD,
	MAIL_OVER
};

struct mailbox {
	uint32_t mail;
} __attribute__((aligned(128)));

struct cross {
	struct guarded guarded;
	struct mailbox box[STRESS_MAX_THREADS / 2];
};

static void even_body(struct worker *w, struct cross *c, struct mailbox *box)
{
	while (worker_again(w)) {
		worker_look(w);
		worker_lock(w, 0, 0);
		guarded_enter(w, &c->guarded, w->id + 1);
		TKT_STORE(&box->mail, MAIL_HELD, TKT_RELEASE);
		while (TKT_LOAD(&box->mail, TKT_ACQUIRE) != MAIL_NONE)
			(void)sched_yield();
		worker_count(w);
	}
	TKT_STORE(&box->mail, MAIL_OVER, TKT_RELEASE);
}

static void odd_body(struct worker *w, struct cross *c, struct mailbox *box)
{
	struct worker *even = w - 1;
	uint32_t mail;

	for (;;) {
		while (mail = TKT_LOAD(&box->mail, TKT_ACQUIRE),
		       mail == MAIL_NONE)
			(void)sched_yield();
		if (mail == MAIL_OVER)
			return;
		guarded_leave(w, &c->guarded, even->id + 1);
		worker_count(w);
		worker_unlock(even, 0, 0);
		TKT_STORE(&box->mail, MAIL_NONE, TKT_RELEASE);
	}
}

static void cross_body(struct worker *w)
{
	struct cross *c = w->harness->shared;

	if (w->id % 2)
		odd_body(w, c, &c->box[w->id / 2]);
	else
		even_body(w, c, &c->box[w->id / 2]);
}

/* Finds a lock that cares which thread unlocks. An even number of threads. */
const char *check_cross(const struct trial *t)
{
	struct harness *r = harness_new(t, "cross", 1);
	struct cross c = { .guarded = { 0, 0, 0 } };
	uint64_t rounds = 0;

	r->shared = &c;
	harness_run(r, cross_body);
	for (unsigned int i = 1; i < t->threads; i += 2)
		rounds += r->worker[i].done;
	if (!r->failed && (!rounds || rounds != c.guarded.first))
		harness_fail(r, "%llu rounds, counted %llu",
			     (unsigned long long)rounds,
			     (unsigned long long)c.guarded.first);
	return harness_end(r);
}
