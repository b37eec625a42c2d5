/* SPDX-License-Identifier: MIT */
/* test/model/search.c - see search.h */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 8192
#define EVENTS 2000 /* turns in one execution */
#define NO_CHOICE (-1)

struct choice {
	bool turn; /* whose, else which outcome */
	uint32_t taken, count;
	/* Sets of threads, for a turn. */
	unsigned int todo, done, candidates, enabled;
};

struct event {
	int choice; /* its turn, if that was one */
	int thread;
	uint32_t after[MODEL_THREADS];
};

static struct choice path[DEPTH];
static int depth, known; /* choices made in this execution; to be replayed */
static struct event events[EVENTS];
static uint32_t event_count;
static uint32_t last_fence[MODEL_THREADS]; /* events, counted from 1 */
static bool reducing, sampling;
static uint64_t random_state;
uint32_t fences;

static uint32_t random_below(uint32_t n)
{
	/* xorshift64* (Vigna, 2016) */
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)(random_state * UINT64_C(0x2545f4914f6cdd1d) >> 33) %
	       n;
}

bool search_start(bool reduce, bool at_random)
{
	const char *s = options.replay;
	char *end;

	reducing = reduce && !options.no_reduction;
	sampling = at_random;
	random_state = options.seed * 2 + 1;
	known = 0;
	for (; s && *s; s = *end ? end + 1 : end) {
		const unsigned long v = strtoul(s, &end, 10);

		if (end == s || (*end && *end != '.') || known == DEPTH)
			return false;
		path[known++] = (struct choice){ .taken = (uint32_t)v };
	}
	return true;
}

void search_begin(void)
{
	depth = 0;
	if (sampling)
		known = 0;
	event_count = fences = 0;
	memset(last_fence, 0, sizeof(last_fence));
}

static struct choice *next_choice(void)
{
	if (depth == DEPTH)
		model_limit("more than %d choices", DEPTH);
	return &path[depth++];
}

uint32_t choose(uint32_t n)
{
	struct choice *c;

	if (n < 2)
		return 0;
	c = next_choice();
	if (depth > known) {
		*c = (struct choice){ .count = n };
		if (sampling)
			c->taken = random_below(n);
		known = depth;
	} else if (options.replay) {
		c->count = n;
	} else if (c->turn || c->count != n) {
		model_limit("the client does not repeat itself");
	}
	return c->taken < n ? c->taken : 0;
}

static int lowest(unsigned int set)
{
	return __builtin_ctz(set);
}

static void new_turn(struct choice *c, unsigned int candidates, int last)
{
	*c = (struct choice){ .turn = true, .candidates = candidates };
	c->taken =
		(uint32_t)(candidates >> last & 1 ? last : lowest(candidates));
	if (sampling) {
		unsigned int n =
			random_below((uint32_t)__builtin_popcount(candidates));

		while (n--)
			candidates &= candidates - 1;
		c->taken = (uint32_t)lowest(candidates);
	}
	c->todo = reducing ? 1u << c->taken : candidates;
	known = depth;
}

static int take_choice(unsigned int candidates, unsigned int enabled, int last)
{
	struct choice *c = next_choice();

	if (depth > known)
		new_turn(c, candidates, last);
	else if (options.replay)
		c->taken = candidates >> c->taken & 1
				   ? c->taken
				   : (uint32_t)lowest(candidates);
	else if (!c->turn || c->candidates != candidates)
		model_limit("the client does not repeat itself");
	c->enabled = enabled;
	for (int t = 0; t < MODEL_THREADS && reducing; t++) {
		if (!(c->done >> t & 1))
			continue;
		threads[t].asleep = true;
		threads[t].known = memory.messages;
		threads[t].fences = fences;
	}
	return (int)c->taken;
}

int choose_thread(unsigned int candidates, unsigned int enabled, int last)
{
	const bool several = candidates & (candidates - 1);
	struct event *e;

	if (event_count == EVENTS)
		model_fail("more than %d turns: threads go in circles, "
			   "or the client is too long",
			   EVENTS);
	e = &events[event_count++];
	e->choice = several ? depth : NO_CHOICE;
	e->thread = several ? take_choice(candidates, enabled, last)
			    : lowest(candidates);
	return e->thread;
}

bool search_next(void)
{
	if (options.replay)
		return false;
	if (sampling)
		return true;
	for (; known; known--) {
		struct choice *c = &path[known - 1];

		if (!c->turn) {
			if (++c->taken < c->count)
				return true;
			continue;
		}
		c->done |= 1u << c->taken;
		if (c->todo & ~c->done) {
			c->taken = (uint32_t)lowest(c->todo & ~c->done);
			return true;
		}
	}
	return false;
}

uint32_t search_events(void)
{
	return event_count;
}

void search_print(void)
{
	fputs("replay: ", stdout);
	for (int i = 0; i < depth; i++)
		printf("%s%u", i ? "." : "", path[i].taken);
	putchar('\n');
}

static void join(uint32_t *into, const uint32_t *from)
{
	for (int t = 0; t < MODEL_THREADS; t++)
		if (into[t] < from[t])
			into[t] = from[t];
}

/*
 * The running thread does something that depends on event e, which does not
 * come before it otherwise.  The other order has to be tried: at e's turn, let
 * the first of the events go on that lead to this one.  It has no other before
 * it, so its outcome was possible there.
 */
static void try_before(uint32_t e)
{
	struct choice *c;
	uint32_t first = e + 1;

	if (events[e - 1].choice == NO_CHOICE)
		return;
	c = &path[events[e - 1].choice];
	while (first <= event_count &&
	       running->after[events[first - 1].thread] < first)
		first++;
	if (first <= event_count &&
	    (c->enabled >> events[first - 1].thread & 1))
		c->todo |= 1u << events[first - 1].thread & c->candidates;
	else
		c->todo |= c->candidates;
}

static void find_races(const uint32_t *earlier)
{
	for (int i = 0; i < MODEL_THREADS && reducing; i++)
		if (i != running->k.self && earlier[i] > running->after[i])
			try_before(earlier[i]);
}

static void depend_on(const uint32_t *earlier)
{
	for (int i = 0; i < MODEL_THREADS; i++)
		if (i != running->k.self && earlier[i])
			join(running->after, events[earlier[i] - 1].after);
}

/* The thread whose turn it is; others only go on after a wake-up. */
static uint32_t this_event(void)
{
	return running->after[running->k.self];
}

/* What this event, and not a store that follows it, depends on. */
static void remember(void)
{
	memcpy(events[this_event() - 1].after, running->after,
	       sizeof(running->after));
}

void note_read(struct location *at, const struct message *m)
{
	if (m)
		join(running->after, m->after);
	at->reader[running->k.self] = this_event();
	remember();
}

void note_write_ahead(const struct location *at)
{
	find_races(at->reader);
}

void note_write(struct location *at, struct message *m, bool rmw)
{
	depend_on(at->reader);
	if (rmw)
		remember();
	memcpy(m->after, running->after, sizeof(m->after));
}

void note_fence(void)
{
	find_races(last_fence);
	depend_on(last_fence);
	last_fence[running->k.self] = this_event();
	remember();
	fences++;
}

void note_wake(struct thread *t)
{
	join(t->after, running->after);
}
