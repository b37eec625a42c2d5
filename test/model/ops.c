/* SPDX-License-Identifier: MIT */
/*
 * test/model/ops.c - the accessors as operations of a thread
 *
 * What only matters to the thread itself is done at once: stores, since each
 * goes to any place in the modification order that it may have in the end, so
 * that doing it early loses nothing; fences of acquire and release; and plain
 * accesses, which have one outcome or are errors.  Everything else waits for
 * its turn.
 */
#include <string.h>

#include "explore.h"

/* Waits for the operation's turn. */
void await_turn(void)
{
	do
		pause_thread();
	while (!running->granted);
	running->granted = false;
}

/* The same; returns the outcome to make true. */
struct outcome take_turn(void)
{
	struct thread *t = running;
	uint32_t n;

	await_turn();
	n = op_outcomes(t, false, outcomes);
	t->asleep = false;
	return outcomes[choose(n)];
}

void begin(enum op_kind kind, const struct model_site *site, const void *p,
	   size_t size)
{
	struct op *op = &running->op;

	memset(op, 0, sizeof(*op));
	op->kind = kind;
	op->site = site;
	if (p)
		op->at = memory_atomic(&running->k, p, size);
}

/* Reads m, and remembers the first look (model_look_again). */
void read_message(struct location *at, struct message *m, bool acquire)
{
	struct thread *t = running;

	if (t->look_address == at->address && !t->look_stamp)
		t->look_stamp = m->stamp;
	note_read(at, m);
	memory_read(&t->k, at, m, acquire);
}

static void write_message(struct location *at, struct message *place,
			  uint64_t value, bool release, bool rmw)
{
	struct message *m = memory_insert(&running->k, at, place, value,
					  release, rmw ? place : NULL);

	place->consumed = rmw ? true : place->consumed;
	note_write(at, m, rmw);
}

/*
 * A compare-and-swap fails.  Had its turn come before somebody else's swap
 * from the same value, it might have succeeded.
 */
static void note_failure(const struct location *at, uint64_t expected)
{
	for (const struct message *m = memory_readable(&running->k, at); m;
	     m = m->next)
		if (m->consumed && m->value == expected) {
			note_write_ahead(at);
			return;
		}
}

static uint64_t native_load(const void *p, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, p, size);
	return v;
}

uint64_t model_load(const void *p, size_t size, int mo,
		    const struct model_site *site)
{
	struct op *op;
	struct message *m;

	if (!running)
		return native_load(p, size);
	op = &running->op;
	begin(OP_LOAD, site, p, size);
	m = take_turn().read;
	memory_check_atomic(&running->k, op->at, false);
	read_message(op->at, m, acquires(site_order(site, mo)));
	trace_add(site, m->next ? "old" : "", p, m->value, 0);
	return m->value;
}

void model_store(void *p, size_t size, uint64_t v, int mo,
		 const struct model_site *site)
{
	struct knowledge *k;
	struct location *at;
	uint32_t n = 0;

	if (!running) {
		memcpy(p, &v, size);
		return;
	}
	k = &running->k;
	at = memory_atomic(k, p, size);
	memory_check_atomic(k, at, true);
	for (struct message *m = memory_readable(k, at); m; m = m->next)
		if (may_follow(m))
			outcomes[n++].read = m;
	n = n == 1 ? 0 : n - 1 - choose(n); /* the end comes first */
	trace_add(site, outcomes[n].read->next ? "before others" : "", p, v, 0);
	note_write_ahead(at);
	write_message(at, outcomes[n].read, v, releases(site_order(site, mo)),
		      false);
}

static uint64_t rmw_value(enum model_rmw op, uint64_t old, uint64_t v)
{
	switch (op) {
	case MODEL_XCHG:
		return v;
	case MODEL_ADD:
		return old + v;
	case MODEL_OR:
		return old | v;
	case MODEL_AND:
		return old & v;
	}
	return 0;
}

uint64_t model_rmw(void *p, size_t size, enum model_rmw op, uint64_t v, int mo,
		   const struct model_site *site)
{
	struct location *at;
	struct message *m;
	uint64_t new;

	if (!running) {
		const uint64_t old = native_load(p, size);

		new = rmw_value(op, old, v);
		memcpy(p, &new, size);
		return old;
	}
	mo = site_order(site, mo);
	begin(OP_RMW, site, p, size);
	at = running->op.at;
	m = take_turn().read;
	memory_check_atomic(&running->k, at, false);
	memory_check_atomic(&running->k, at, true);
	new = rmw_value(op, m->value, v);
	trace_add(site, "was, becomes", p, m->value, new);
	note_write_ahead(at);
	read_message(at, m, acquires(mo));
	write_message(at, m, new, releases(mo), true);
	return m->value;
}

bool model_cas(void *p, size_t size, uint64_t *expected, uint64_t v, int mo,
	       int fail, bool weak, const struct model_site *site)
{
	struct outcome o;
	struct op *op;

	if (!running) {
		const uint64_t old = native_load(p, size);
		const bool same = old == *expected;

		*expected = old;
		if (same)
			memcpy(p, &v, size);
		return same;
	}
	mo = site_order(site, mo);
	begin(OP_CAS, site, p, size);
	op = &running->op;
	op->expected = *expected;
	op->weak = weak;
	o = take_turn();
	memory_check_atomic(&running->k, op->at, false);
	if (o.fails) {
		left.weak_failures -= o.read->value == *expected;
		trace_add(site, "fails on", p, o.read->value, 0);
		note_failure(op->at, *expected);
		read_message(op->at, o.read, acquires(fail));
		*expected = o.read->value;
		return false;
	}
	memory_check_atomic(&running->k, op->at, true);
	trace_add(site, "was, becomes", p, o.read->value, v);
	note_write_ahead(op->at);
	read_message(op->at, o.read, acquires(mo));
	write_message(op->at, o.read, v, releases(mo), true);
	return true;
}

bool model_cas_pair(uint32_t *p, uint32_t e0, uint32_t e1, uint32_t d0,
		    uint32_t d1, int mo, const struct model_site *site)
{
	struct knowledge *k;
	struct outcome o;
	struct op *op;

	if (!running) {
		if (p[0] != e0 || p[1] != e1)
			return false;
		p[0] = d0;
		p[1] = d1;
		return true;
	}
	k = &running->k;
	mo = site_order(site, mo);
	begin(OP_PAIR, site, p, sizeof(*p));
	op = &running->op;
	op->at2 = memory_atomic(k, p + 1, sizeof(*p));
	op->expected = e0;
	op->expected2 = e1;
	op->weak = acquires(mo);
	o = take_turn();
	memory_check_atomic(k, op->at, false);
	memory_check_atomic(k, op->at2, false);
	if (o.fails) {
		trace_add(site, "fails", p, e0, e1);
		note_failure(op->at, e0);
		note_failure(op->at2, e1);
		note_read(op->at, NULL);
		note_read(op->at2, NULL);
		return false;
	}
	memory_check_atomic(k, op->at, true);
	memory_check_atomic(k, op->at2, true);
	trace_add(site, "becomes", p, d0, d1);
	note_write_ahead(op->at);
	note_write_ahead(op->at2);
	read_message(op->at, o.read, acquires(mo));
	read_message(op->at2, o.read2, acquires(mo));
	write_message(op->at, o.read, d0, releases(mo), true);
	write_message(op->at2, o.read2, d1, releases(mo), true);
	return true;
}

void model_fence(int mo, const struct model_site *site)
{
	if (!running)
		return;
	mo = site_order(site, mo);
	if (mo != __ATOMIC_SEQ_CST) {
		memory_fence(&running->k, mo);
		return;
	}
	begin(OP_FENCE, site, NULL, 0);
	await_turn();
	running->asleep = false;
	note_fence();
	memory_fence(&running->k, mo);
	trace_add(site, "", NULL, 0, 0);
}

uint64_t model_clock(void)
{
	return running ? ++running->clock : 0;
}

void model_read(const void *p, size_t size, const struct model_site *site)
{
	if (!running)
		return;
	memory_check_plain(&running->k, memory_locate(p, size), false);
	trace_add(site, "", p, native_load(p, size > 8 ? 8 : size), 0);
}

void model_write(void *p, size_t size, const struct model_site *site)
{
	if (!running)
		return;
	trace_add(site, "", p, 0, 0);
	memory_check_plain(&running->k, memory_locate(p, size), true);
}

void model_written(void *p, size_t size)
{
	struct location *at;
	struct message *last;

	if (!running)
		return;
	at = memory_locate(p, size);
	if (!at->first)
		return;
	for (last = at->first; last->next; last = last->next)
		;
	note_write_ahead(at);
	write_message(at, last, native_load(p, size), false, false);
}

void model_birth(void *p, size_t size, const struct model_site *site)
{
	trace_add(site, "", p, 0, 0);
	memory_birth(running ? &running->k : NULL, p, size);
}

void model_death(void *p, size_t size, const struct model_site *site)
{
	trace_add(site, "", p, 0, 0);
	memory_death(running ? &running->k : NULL, p, size);
}

int model_self(void)
{
	return running ? running->k.self : 0;
}

uint32_t model_place(const void *p)
{
	const struct location *at = memory_find(p);

	return at ? running->k.current.stamp[memory_index(at)] : 0;
}

void model_look_again(const void *p)
{
	running->look_address = (uintptr_t)p;
	running->look_stamp = 0;
}

uint32_t model_first_look(const void *p)
{
	return running->look_address == (uintptr_t)p ? running->look_stamp : 0;
}
