/* SPDX-License-Identifier: MIT */
/*
 * test/model/explore.c - runs a client until it has shown all it can do
 *
 * Threads are fibres with stacks of their own, switched by _setjmp and
 * _longjmp.  Each execution starts from setup.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "search.h"

#define STACK_BYTES (64 * 1024)
/* What a client uses of its stack; set to zero, so that it repeats itself. */
#define STACK_USED (6 * 1024)
#define ARENA_BYTES (16 * 1024)

struct thread threads[MODEL_THREADS];
struct thread *running;
struct budget left;
bool only_last_resorts;
struct explore_options options;

static char stacks[MODEL_THREADS][STACK_BYTES] __attribute__((aligned(4096)));
static char arena[ARENA_BYTES] __attribute__((aligned(128)));
static size_t arena_used;
static jmp_buf main_context, failed;
static char failure[512];
static bool limited;
static const struct model_client *client;

enum end {
	END_COMPLETE,
	END_PRUNED,
	END_FAILED
};

void model_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(failure, sizeof(failure), format, args);
	va_end(args);
	_longjmp(failed, 1);
}

void model_limit(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(failure, sizeof(failure), format, args);
	va_end(args);
	limited = true;
	_longjmp(failed, 1);
}

static void crash(int signal)
{
	snprintf(failure, sizeof(failure), "crash: %s", strsignal(signal));
	_longjmp(failed, 1);
}

static void catch_crashes(void)
{
	static char stack[64 * 1024];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = crash,
				    .sa_flags = SA_ONSTACK | SA_NODEFER };

	sigaltstack(&other, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

void *model_alloc(size_t bytes)
{
	void *p = &arena[arena_used];

	bytes = (bytes + 127) / 128 * 128;
	if (bytes > sizeof(arena) - arena_used)
		model_limit("no more than %d bytes", ARENA_BYTES);
	arena_used += bytes;
	return p;
}

void pause_thread(void)
{
	if (!_setjmp(running->context))
		_longjmp(main_context, 1);
}

static void thread_main(void)
{
	client->thread(running->k.self);
	running->op.kind = OP_DONE;
	pause_thread();
	abort();
}

/* Lets the thread run up to its next operation. */
static void resume(struct thread *t)
{
	running = t;
	if (!_setjmp(main_context)) {
		if (t->op.kind == OP_NONE)
			setcontext(&t->start);
		_longjmp(t->context, 1);
	}
	running = NULL;
}

static void prepare(int i)
{
	struct thread *t = &threads[i];

	/* The contexts at the end are written before they are read. */
	memset(t, 0, offsetof(struct thread, context));
	t->k.self = i;
	t->k.current.clock[i] = t->k.acquired.clock[i] = 1;
	memset(stacks[i] + STACK_BYTES - STACK_USED, 0, STACK_USED);
	getcontext(&t->start);
	t->start.uc_stack.ss_sp = stacks[i];
	t->start.uc_stack.ss_size = STACK_BYTES;
	makecontext(&t->start, thread_main, 0);
}

const struct model_client *model_client(void)
{
	return client;
}

static bool has_unjudged(const struct thread *t)
{
	struct message *m = memory_readable(&t->k, t->op.at);

	for (; m; m = m->next)
		if (!(m->judged >> t->k.self & 1))
			return true;
	return false;
}

/* What no turn is needed for: awaits look at new messages; the woken go on. */
static void settle(void)
{
	bool again = true;

	while (again) {
		again = false;
		for (int i = 0; i < client->threads; i++) {
			struct thread *t = &threads[i];

			if ((t->op.kind == OP_AWAIT && has_unjudged(t)) ||
			    (t->op.kind == OP_FUTEX_ASLEEP && t->woken)) {
				resume(t);
				again = true;
			}
		}
	}
}

static unsigned int threads_with_outcomes(bool all)
{
	unsigned int set = 0;

	for (int i = 0; i < client->threads; i++)
		if (op_outcomes(&threads[i], all, NULL))
			set |= 1u << i;
	return set;
}

static bool all_done(void)
{
	for (int i = 0; i < client->threads; i++)
		if (threads[i].op.kind != OP_DONE)
			return false;
	return true;
}

/* One turn; END_COMPLETE: to be continued. */
static enum end turn(int *last, int *preemptions)
{
	unsigned int enabled, candidates;
	int next;

	only_last_resorts = false;
	enabled = threads_with_outcomes(true);
	if (!enabled) {
		only_last_resorts = true;
		enabled = threads_with_outcomes(true);
	}
	if (!enabled)
		model_fail("deadlock: nobody can go on");
	candidates = threads_with_outcomes(false);
	if (!candidates)
		return END_PRUNED;
	if (*preemptions == 0 && candidates >> *last & 1)
		candidates = 1u << *last;
	next = choose_thread(candidates, enabled, *last);
	if (next != *last && candidates >> *last & 1)
		--*preemptions;
	*last = next;
	threads[next].after[next] = search_events();
	threads[next].granted = true;
	resume(&threads[next]);
	return END_COMPLETE;
}

static enum end execute(int bound)
{
	int last, preemptions;

	if (_setjmp(failed)) {
		running = NULL;
		return END_FAILED;
	}
	running = NULL;
	last = 0;
	preemptions = bound;
	memory_reset();
	trace_reset();
	search_begin();
	arena_used = 0;
	left = (struct budget){ client->spurious, client->eintr,
				client->timeouts, client->weak_failures };
	client->setup();
	for (int i = 0; i < client->threads; i++)
		prepare(i);
	for (int i = 0; i < client->threads; i++)
		resume(&threads[i]);
	for (;;) {
		settle();
		if (all_done())
			break;
		if (turn(&last, &preemptions) == END_PRUNED)
			return END_PRUNED;
	}
	if (client->finish)
		client->finish();
	return END_COMPLETE;
}

/* CPU time: what else the machine does is no matter. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void report(void)
{
	if (options.quiet)
		return;
	/* That a limit is reached is no fault of the execution that did. */
	if (!limited || options.replay) {
		trace_print();
		search_print();
	}
	printf("%s: %s: %s\n", client->name, limited ? "LIMIT" : "FAILED",
	       failure);
}

/* How the client is to be explored: what was asked for, or what it says. */
static struct model_result plan(const struct model_client *c)
{
	struct model_result r = { .preemptions = -1 };

	if (options.random)
		r.sample = options.random;
	else if (options.preemptions >= 0)
		r.preemptions = options.preemptions;
	else if (options.replay || options.full)
		return r;
	else if (c->sample)
		r.sample = c->sample;
	else if (c->preemptions)
		r.preemptions = c->preemptions;
	return r;
}

struct model_result model_explore(const struct model_client *c)
{
	struct model_result r = plan(c);
	const double until = now() + options.seconds;

	client = c;
	limited = false;
	catch_crashes();
	if (!search_start(!r.sample && r.preemptions < 0, r.sample)) {
		fprintf(stderr,
			"model: --replay '%s': numbers with dots "
			"between them are needed\n",
			options.replay);
		exit(2);
	}
	do {
		const enum end end = execute(r.preemptions);
		const uint64_t n = (r.executions += end == END_COMPLETE) +
				   (r.pruned += end == END_PRUNED);

		r.failed = end == END_FAILED;
		if (!r.failed && !r.sample &&
		    (n >= options.cap || (!(n % 256) && now() > until))) {
			snprintf(failure, sizeof(failure),
				 "not done after %llu executions",
				 (unsigned long long)n);
			r.failed = limited = true;
		}
	} while (!r.failed && (!r.sample || r.executions < r.sample) &&
		 search_next());
	r.limited = limited;
	if (r.failed)
		report();
	else if (options.replay)
		trace_print();
	memory_reset();
	return r;
}
