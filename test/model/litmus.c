/* SPDX-License-Identifier: MIT */
/*
 * test/model/litmus.c - the checker's own test: known programs, known outcomes
 *
 * Each program is a few loads and stores per thread.  All final states of
 * registers and memory are collected, and their number must be that of RC11
 * without load buffering, as an independent checker (herd7) finds it.  The
 * forbidden outcome of each is looked for by name.  The names are the usual
 * ones (Alglave, Maranget and Tautschnig, TOPLAS 2014); relaxed where they do
 * not say otherwise.
 *
 * Also: how many executions there are of a ticket lock, one for each order of
 * tickets; random programs with and without the reductions, which must not
 * lose a state; and that each kind of error is found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TKT_BACKEND "backend_model.h"
#include <tkt/atomic.h>

#include "explore.h"

#define RLX TKT_RELAXED
#define ACQ TKT_ACQUIRE
#define REL TKT_RELEASE

#define REGISTERS 4
#define STATES 4096

static uint32_t x, y;
static uint32_t regs[REGISTERS];

static uint64_t states[STATES];
static size_t state_count;
static int failures;

static void start(void)
{
	x = y = 0;
	memset(regs, 0, sizeof(regs));
}

static void add_state(uint64_t state)
{
	for (size_t i = 0; i < state_count; i++)
		if (states[i] == state)
			return;
	if (state_count < STATES)
		states[state_count++] = state;
}

static uint64_t state(uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3,
		      uint32_t end_x, uint32_t end_y)
{
	return r0 | r1 << 4 | r2 << 8 | r3 << 12 | end_x << 16 |
	       (uint64_t)end_y << 20;
}

static void collect(void)
{
	add_state(state(regs[0], regs[1], regs[2], regs[3], x, y));
}

static void expect(bool good, const char *name, const char *what)
{
	if (good)
		return;
	printf("FAIL: %s: %s\n", name, what);
	failures++;
}

/*
 * PROGRAM(NAME, T0, T1, T2, T3): threads as statements over x, y and r0 to r3;
 * empty ones are left out from the end.
 */
#define W(l, v, mo) TKT_STORE(&(l), UINT32_C(v), mo)
#define R(n, l, mo) (regs[n] = TKT_LOAD(&(l), mo))
#define SC() TKT_FENCE_SC()
#define FENCE(mo) model_fence(mo, TKT_X_SITE("fence", mo))

#define PROGRAM(name, t0, t1, t2, t3) \
	static void name(int self)    \
	{                             \
		switch (self) {       \
		case 0:               \
			t0;           \
			break;        \
		case 1:               \
			t1;           \
			break;        \
		case 2:               \
			t2;           \
			break;        \
		case 3:               \
			t3;           \
			break;        \
		}                     \
	}
#define NONE (void)0

/* clang-format off */
PROGRAM(sb, W(x, 1, RLX); R(0, y, RLX), W(y, 1, RLX); R(1, x, RLX), NONE, NONE)
PROGRAM(sb_sc, W(x, 1, RLX); SC(); R(0, y, RLX),
	W(y, 1, RLX); SC(); R(1, x, RLX), NONE, NONE)
PROGRAM(mp, W(x, 1, RLX); W(y, 1, RLX), R(0, y, RLX); R(1, x, RLX), NONE, NONE)
PROGRAM(mp_ra, W(x, 1, RLX); W(y, 1, REL), R(0, y, ACQ); R(1, x, RLX),
	NONE, NONE)
PROGRAM(mp_fences, W(x, 1, RLX); FENCE(REL); W(y, 1, RLX),
	R(0, y, RLX); FENCE(ACQ); R(1, x, RLX), NONE, NONE)
PROGRAM(s, W(x, 2, RLX); W(y, 1, RLX), R(0, y, RLX); W(x, 1, RLX), NONE, NONE)
PROGRAM(s_ra, W(x, 2, RLX); W(y, 1, REL), R(0, y, ACQ); W(x, 1, RLX),
	NONE, NONE)
PROGRAM(r, W(x, 1, RLX); W(y, 1, RLX), W(y, 2, RLX); R(0, x, RLX), NONE, NONE)
PROGRAM(r_sc, W(x, 1, RLX); SC(); W(y, 1, RLX),
	W(y, 2, RLX); SC(); R(0, x, RLX), NONE, NONE)
PROGRAM(two_w, W(x, 1, RLX); W(y, 2, RLX), W(y, 1, RLX); W(x, 2, RLX),
	NONE, NONE)
PROGRAM(two_w_rel, W(x, 1, RLX); W(y, 2, REL), W(y, 1, RLX); W(x, 2, REL),
	NONE, NONE)
PROGRAM(two_w_sc, W(x, 1, RLX); SC(); W(y, 2, RLX),
	W(y, 1, RLX); SC(); W(x, 2, RLX), NONE, NONE)
PROGRAM(lb, R(0, x, RLX); W(y, 1, RLX), R(1, y, RLX); W(x, 1, RLX), NONE, NONE)
PROGRAM(iriw, W(x, 1, REL), W(y, 1, REL), R(0, x, ACQ); R(1, y, ACQ),
	R(2, y, ACQ); R(3, x, ACQ))
PROGRAM(iriw_sc, W(x, 1, RLX), W(y, 1, RLX), R(0, x, RLX); SC(); R(1, y, RLX),
	R(2, y, RLX); SC(); R(3, x, RLX))
PROGRAM(wrc, W(x, 1, REL), R(0, x, ACQ); W(y, 1, REL),
	R(1, y, ACQ); R(2, x, ACQ), NONE)
PROGRAM(corr, W(x, 1, RLX); W(x, 2, RLX), R(0, x, RLX); R(1, x, RLX),
	R(2, x, RLX); R(3, x, RLX), NONE)
/* clang-format on */

static const struct litmus {
	const char *name;
	void (*thread)(int self);
	int threads;
	size_t states;
	uint64_t forbidden; /* 0: nothing */
} litmus[] = {
	{ "SB", sb, 2, 4, 0 },
	{ "SB+scfences", sb_sc, 2, 3, 0x110000 },
	{ "MP", mp, 2, 4, 0 },
	{ "MP+relacq", mp_ra, 2, 3, 0x110001 },
	{ "MP+fences", mp_fences, 2, 3, 0x110001 },
	{ "S", s, 2, 4, 0 },
	{ "S+relacq", s_ra, 2, 3, 0x120001 },
	{ "R", r, 2, 4, 0 },
	{ "R+scfences", r_sc, 2, 3, 0x210000 },
	{ "2+2W", two_w, 2, 4, 0 },
	{ "2+2W+rel", two_w_rel, 2, 4, 0 },
	{ "2+2W+scfences", two_w_sc, 2, 3, 0x110000 },
	{ "LB", lb, 2, 3, 0x110011 },
	{ "IRIW+relacq", iriw, 4, 16, 0 },
	{ "IRIW+scfences", iriw_sc, 4, 15, 0x110101 },
	{ "WRC+relacq", wrc, 3, 7, 0x110011 },
	{ "CoRR", corr, 3, 36, 0 },
};

static void run_litmus(const struct litmus *l)
{
	const struct model_client client = { .name = l->name,
					     .threads = l->threads,
					     .setup = start,
					     .thread = l->thread,
					     .finish = collect };
	const struct model_result r = (state_count = 0, model_explore(&client));
	bool forbidden = false;

	for (size_t i = 0; i < state_count; i++)
		forbidden |= l->forbidden && states[i] == l->forbidden;
	printf("%s: %zu states, %llu executions\n", l->name, state_count,
	       (unsigned long long)r.executions);
	expect(!r.failed, l->name, "an error");
	expect(!l->states || state_count == l->states, l->name,
	       "not the number of states it should have");
	expect(!forbidden, l->name, "a forbidden state");
}

/* A ticket lock: as many executions as there are orders of the tickets. */
static uint32_t owner, next_ticket, word;

static void ticket_start(void)
{
	owner = next_ticket = word = 0;
}

static void ticket(int self)
{
	const uint32_t mine = TKT_FETCH_ADD(&next_ticket, 1, RLX);

	(void)self;
	TKT_AWAIT(&owner, o, o == mine, ACQ);
	TKT_WRITE(&word, TKT_READ(&word) + 1);
	TKT_STORE(&owner, TKT_LOAD(&owner, RLX) + 1, REL);
}

static void ticket_finish(void)
{
	model_assert(word == owner && word == next_ticket);
}

static void run_ticket(int n, uint64_t executions)
{
	const struct model_client client = { .name = "ticket",
					     .threads = n,
					     .setup = ticket_start,
					     .thread = ticket,
					     .finish = ticket_finish };
	const struct model_result r = model_explore(&client);

	printf("ticket, %d threads: %llu executions, %llu pruned\n", n,
	       (unsigned long long)r.executions, (unsigned long long)r.pruned);
	expect(!r.failed && r.executions == executions, "ticket",
	       "not one execution for each order");
}

/*
 * Random programs: the reductions must lose no state, and find none that is
 * not there.
 */
enum step_kind {
	LOAD,
	STORE,
	ADD,
	CAS,
	FENCE_SC,
	STEPS
};
#define STEPS_MAX 3

static struct step {
	enum step_kind kind;
	uint32_t *at;
	uint32_t value;
	int order;
} program[MODEL_THREADS][STEPS_MAX];
static unsigned int programs_seed;

static unsigned int draw(unsigned int n)
{
	programs_seed = programs_seed * 1103515245 + 12345;
	return programs_seed / 65536 % n;
}

static void draw_program(void)
{
	static const int orders[][4] = {
		[LOAD] = { RLX, ACQ, RLX, ACQ },
		[STORE] = { RLX, REL, RLX, REL },
		[ADD] = { RLX, ACQ, REL, TKT_ACQ_REL },
		[CAS] = { RLX, ACQ, REL, TKT_ACQ_REL },
	};

	for (int t = 0; t < MODEL_THREADS; t++)
		for (int i = 0; i < STEPS_MAX; i++) {
			struct step *s = &program[t][i];

			s->kind = (enum step_kind)draw(STEPS);
			s->at = draw(2) ? &x : &y;
			s->value = 1 + draw(2);
			s->order = s->kind == FENCE_SC
					   ? 0
					   : orders[s->kind][draw(4)];
		}
}

static void run_program(int self)
{
	for (int i = 0; i < STEPS_MAX; i++) {
		const struct step *s = &program[self][i];
		uint32_t *seen = &regs[self], v = 0;

		switch (s->kind) {
		case LOAD:
			v = TKT_LOAD(s->at, s->order);
			break;
		case STORE:
			TKT_STORE(s->at, s->value, s->order);
			break;
		case ADD:
			v = TKT_FETCH_ADD(s->at, 1, s->order);
			break;
		case CAS:
			(void)TKT_CAS(s->at, &v, s->value, s->order, RLX);
			break;
		case FENCE_SC:
			TKT_FENCE_SC();
			break;
		case STEPS:
			break;
		}
		*seen = *seen * 8 + v;
	}
}

static void collect_program(void)
{
	uint64_t all = 0;

	for (int t = 0; t < REGISTERS; t++)
		all = all * 512 + regs[t];
	add_state(all * 64 + x * 8 + y);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;

	return (*p > *q) - (*p < *q);
}

static void run_programs(int n, unsigned int count)
{
	const struct model_client client = { .name = "random program",
					     .threads = n,
					     .setup = start,
					     .thread = run_program,
					     .finish = collect_program };
	static uint64_t all[STATES];
	uint64_t full = 0, reduced = 0;

	for (programs_seed = 1; count--;) {
		size_t all_count;

		draw_program();
		state_count = 0;
		options.no_reduction = true;
		full += model_explore(&client).executions;
		options.no_reduction = false;
		all_count = state_count;
		memcpy(all, states, sizeof(all));
		state_count = 0;
		reduced += model_explore(&client).executions;
		qsort(all, all_count, sizeof(all[0]), compare);
		qsort(states, state_count, sizeof(states[0]), compare);
		expect(all_count < STATES && all_count == state_count &&
			       !memcmp(all, states, all_count * sizeof(all[0])),
		       "random program", "the reductions change the states");
	}
	printf("random programs, %d threads: %llu executions, or %llu\n", n,
	       (unsigned long long)full, (unsigned long long)reduced);
	expect(reduced < full, "random program", "the reductions do nothing");
}

/* Errors that must be found, and the same without them. */
#define DATA() TKT_WRITE(&word, TKT_READ(&word) + 1)

static void wake_x(void)
{
	TKT_STORE(&x, 1, RLX);
	TKT_FUTEX_WAKE(&x, 1);
}

static void sleep_on_x(bool look)
{
	while (!look || !TKT_LOAD(&x, RLX))
		if (!TKT_FUTEX_WAIT(&x, look ? 0 : TKT_LOAD(&x, RLX),
				    TKT_NO_DEADLINE))
			return;
}

static void touch(bool ordered)
{
	const int order = ordered ? ACQ : RLX;

	if (TKT_LOAD(&x, order))
		TKT_STORE(&y, 1, RLX);
}

static void publish(void)
{
	model_birth(&y, sizeof(y), TKT_X_SITE("birth", y));
	TKT_STORE(&x, 1, REL);
}

static void bury(bool early)
{
	model_birth(&y, sizeof(y), TKT_X_SITE("birth", y));
	if (early)
		model_death(&y, sizeof(y), TKT_X_SITE("death", y));
	TKT_STORE(&x, 1, REL);
}

/* clang-format off */
PROGRAM(race, DATA(), DATA(), NONE, NONE)
PROGRAM(no_race, DATA(); W(x, 1, REL), if (R(0, x, ACQ)) DATA(), NONE, NONE)
PROGRAM(stuck, (void)TKT_AWAIT(&x, v, v == 2, RLX), W(x, 1, RLX), NONE, NONE)
PROGRAM(not_stuck, (void)TKT_AWAIT(&x, v, v == 2, RLX), W(x, 2, RLX), NONE, NONE)
PROGRAM(lost, wake_x(), sleep_on_x(false), NONE, NONE)
PROGRAM(not_lost, wake_x(), sleep_on_x(true), NONE, NONE)
PROGRAM(unordered, publish(), touch(false), NONE, NONE)
PROGRAM(is_ordered, publish(), touch(true), NONE, NONE)
PROGRAM(dead, bury(true), touch(true), NONE, NONE)
PROGRAM(alive, bury(false), touch(true), NONE, NONE)
PROGRAM(circles, while (!R(0, x, RLX)) NONE, W(y, 1, RLX), NONE, NONE)
PROGRAM(no_circles, while (!R(0, x, RLX)) TKT_YIELD(&x, 0), W(x, 1, RLX),
	NONE, NONE)
/* clang-format on */

static const struct error {
	const char *name;
	void (*bad)(int self), (*good)(int self);
} errors[] = {
	{ "a data race", race, no_race },
	{ "an await that never ends", stuck, not_stuck },
	{ "a lost wake-up", lost, not_lost },
	{ "a node that is not ordered after its birth", unordered, is_ordered },
	{ "a dead node", dead, alive },
	{ "a loop that never ends", circles, no_circles },
};

static void errors_start(void)
{
	start();
	word = 0;
}

static void run_error(const struct error *e)
{
	struct model_client client = { .name = e->name,
				       .threads = 2,
				       .setup = errors_start,
				       .thread = e->bad };

	expect(model_explore(&client).failed, e->name, "not found");
	client.thread = e->good;
	expect(!model_explore(&client).failed, e->name, "where there is none");
}

int main(void)
{
	options = (struct explore_options){
		.cap = 10000000, .seconds = 60, .preemptions = -1, .quiet = true
	};
	for (size_t i = 0; i < sizeof(litmus) / sizeof(litmus[0]); i++)
		run_litmus(&litmus[i]);
	run_ticket(3, 6);
	run_ticket(4, 24);
	run_programs(2, 1000);
	run_programs(3, 100);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		run_error(&errors[i]);
	printf("%d failed\n", failures);
	return failures > 0;
}
