/* SPDX-License-Identifier: MIT */
/* test/model/waits.c - accessors that wait: await, yield and futex */
#include <errno.h>
#include <string.h>

#include "explore.h"

void model_await(const void *p, size_t size, int mo,
		 const struct model_site *site)
{
	const uint8_t bit = (uint8_t)(1 << model_self());

	if (!running)
		model_fail("an await outside of threads");
	begin(OP_AWAIT, site, p, size);
	running->op.weak = acquires(site_order(site, mo));
	for (struct message *m = running->op.at->first; m; m = m->next)
		m->judged &= (uint8_t)~bit;
}

bool model_await_judge(uint64_t *v)
{
	struct thread *t = running;
	const uint8_t bit = (uint8_t)(1 << t->k.self);
	struct outcome o;

	for (;;) {
		for (struct message *m = memory_readable(&t->k, t->op.at); m;
		     m = m->next) {
			if (m->judged & bit)
				continue;
			t->judging = m;
			*v = m->value;
			return true;
		}
		if (t->granted)
			break;
		pause_thread();
	}
	t->granted = false;
	o = outcomes[choose(op_outcomes(t, false, outcomes))];
	t->asleep = false;
	memory_check_atomic(&t->k, t->op.at, false);
	read_message(t->op.at, o.read, t->op.weak);
	trace_add(t->op.site, "", (void *)t->op.at->address, o.read->value, 0);
	*v = o.read->value;
	return false;
}

void model_await_verdict(bool good)
{
	const uint8_t bit = (uint8_t)(1 << running->k.self);
	struct message *m = running->judging;

	m->judged |= bit;
	m->good = (uint8_t)(good ? m->good | bit : m->good & ~bit);
}

void model_yield(const void *p, size_t size, uint64_t v,
		 const struct model_site *site)
{
	struct message *m;

	if (!running)
		return;
	begin(OP_YIELD, site, p, size);
	running->op.expected = v;
	m = take_turn().read;
	if (!m)
		return;
	memory_check_atomic(&running->k, running->op.at, false);
	read_message(running->op.at, m, false);
	trace_add(site, "until", p, m->value, 0);
}

/* The kernel's read of the word, after a fence that may rule values out. */
static struct message *futex_read(void)
{
	struct thread *t = running;
	uint32_t n;
	bool all;

	await_turn();
	all = !t->asleep || t->fences != fences;
	note_fence();
	memory_fence(&t->k, __ATOMIC_SEQ_CST);
	memory_check_atomic(&t->k, t->op.at, false);
	n = read_outcomes(t, all, outcomes);
	n = n ? n : read_outcomes(t, true, outcomes);
	t->asleep = false;
	n = choose(n);
	read_message(t->op.at, outcomes[n].read, false);
	return outcomes[n].read;
}

/* Asleep, until a wake-up picks this thread or it comes back by itself. */
static int futex_sleep(const uint32_t *p)
{
	const struct model_site *site = running->op.site;
	struct thread *t = running;
	int error;

	t->op.kind = OP_FUTEX_ASLEEP;
	t->op.address = (uintptr_t)p;
	t->woken = false;
	do
		pause_thread();
	while (!t->granted && !t->woken);
	t->granted = false;
	if (t->woken) {
		t->asleep = false;
		trace_add(site, "woken", p, 0, 0);
		return 0;
	}
	error = outcomes[choose(op_outcomes(t, false, outcomes))].error;
	t->asleep = false;
	note_fence();
	left.spurious -= !error;
	left.eintr -= error == EINTR;
	left.timeouts -= error == ETIMEDOUT && left.timeouts;
	trace_add(site, "returns", p, (uint64_t)error, 0);
	return error;
}

int model_futex_wait(const uint32_t *p, uint32_t v, uint64_t ns,
		     const struct model_site *site)
{
	struct message *m;

	if (!running)
		model_fail("a futex wait outside of threads");
	begin(OP_FUTEX_WAIT, site, p, sizeof(*p));
	m = futex_read();
	if (m->value != v) {
		trace_add(site, "not so", p, m->value, 0);
		return EAGAIN;
	}
	trace_add(site, "sleeps", p, m->value, 0);
	running->op.deadline = ns;
	return futex_sleep(p);
}

void model_futex_wake(const uint32_t *p, unsigned int n,
		      const struct model_site *site)
{
	if (!running)
		return;
	begin(OP_FUTEX_WAKE, site, NULL, 0);
	await_turn();
	running->asleep = false;
	note_fence();
	memory_fence(&running->k, __ATOMIC_SEQ_CST);
	trace_add(site, "", p, n, 0);
	while (n--) {
		struct thread *sleeper[MODEL_THREADS];
		uint32_t count = 0;

		for (int i = 0; i < MODEL_THREADS; i++)
			if (threads[i].op.kind == OP_FUTEX_ASLEEP &&
			    !threads[i].woken &&
			    threads[i].op.address == (uintptr_t)p)
				sleeper[count++] = &threads[i];
		if (!count)
			return;
		sleeper[0] = sleeper[choose(count)];
		sleeper[0]->woken = true;
		note_wake(sleeper[0]);
	}
}
