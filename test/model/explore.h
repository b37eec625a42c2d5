/* SPDX-License-Identifier: MIT */
/*
 * test/model/explore.h - threads, their pending operations, and choices
 *
 * Private to the checker.  An accessor (ops.c) describes its operation in the
 * thread's op and pauses; the search (explore.c) decides whose operation comes
 * next and resumes that thread, which carries it out, asking choose() wherever
 * there are several outcomes.
 */
#ifndef TKT_TEST_MODEL_EXPLORE_H
#define TKT_TEST_MODEL_EXPLORE_H

#include <setjmp.h>
#include <ucontext.h>

#include "memory.h"

enum op_kind {
	OP_NONE, /* not started, or running */
	OP_LOAD,
	OP_RMW,
	OP_CAS,
	OP_PAIR,
	OP_FENCE,
	OP_AWAIT,
	OP_YIELD,
	OP_FUTEX_WAIT,
	OP_FUTEX_ASLEEP,
	OP_FUTEX_WAKE,
	OP_DONE
};

struct op {
	enum op_kind kind;
	const struct model_site *site;
	struct location *at, *at2;
	uint64_t expected, expected2;
	bool weak;
	uint64_t deadline; /* of a futex wait */
	uintptr_t address; /* of a futex */
};

struct thread {
	struct knowledge k;
	struct op op;
	bool granted; /* resumed to carry out op, not to judge messages */
	struct message *judging;
	bool woken;
	/*
	 * Asleep in the sense of sleep sets: what the operation could do when
	 * there were `known` messages and `fences` fences has been explored.
	 */
	bool asleep;
	uint32_t known, fences;
	uint32_t after
		[MODEL_THREADS]; /* events that come before; see search.c */
	uint64_t clock;
	uintptr_t look_address;
	uint32_t look_stamp;
	jmp_buf context;
	ucontext_t start;
};

struct budget {
	int spurious, eintr, timeouts, weak_failures;
};

extern struct thread threads[MODEL_THREADS];
extern struct thread *running; /* NULL in setup and finish */
extern uint32_t fences;	       /* fences and futex operations so far */
extern struct budget left;
/* Nothing can happen any more, but for time limits and yields for nothing. */
extern bool only_last_resorts;

/* One of n outcomes, 0 to n - 1; each will be taken in some execution. */
uint32_t choose(uint32_t n);
/* Back to the search, until the operation's turn comes. */
void pause_thread(void);

/*
 * An outcome of an operation: the message that is read, or two for a pair; or
 * the error that a futex sleep ends with.
 */
struct outcome {
	struct message *read, *read2;
	bool fails; /* a compare-and-swap */
	int error;
};
#define OUTCOMES MESSAGES
extern struct outcome outcomes[OUTCOMES]; /* for short use */

/*
 * Lists the outcomes of the thread's operation, or counts them if list is
 * NULL; `all`: also those that are asleep.
 */
uint32_t op_outcomes(struct thread *t, bool all, struct outcome *list);
uint32_t read_outcomes(struct thread *t, bool all, struct outcome *list);
/* Whether a message may be inserted behind m. */
bool may_follow(const struct message *m);

/* Describes the running thread's operation; p may be NULL. */
void begin(enum op_kind kind, const struct model_site *site, const void *p,
	   size_t size);
/* Waits for its turn; take_turn() then returns the outcome to make true. */
void await_turn(void);
struct outcome take_turn(void);
/* Reads m, and remembers the first look (model_look_again). */
void read_message(struct location *at, struct message *m, bool acquire);

/*
 * The running thread's event is to add a message there, has read, has added
 * one, or has been a fence (search.c).  In this order: a read-modify-write is
 * to be tried before the one whose message it reads.
 */
void note_write_ahead(const struct location *at);
void note_read(struct location *at, const struct message *m);
void note_write(struct location *at, struct message *m, bool rmw);
void note_fence(void);
void note_wake(struct thread *t); /* goes on because of it */

/* report.c */
struct trace_line {
	const struct model_site *site;
	int thread;
	const char *text;
	uintptr_t address;
	uint64_t value, value2;
};
void trace_reset(void);
void trace_add(const struct model_site *site, const char *text,
	       const volatile void *p, uint64_t value, uint64_t value2);
void trace_print(void);
/* The order of the access at that site, weakened if it is the one to be. */
int site_order(const struct model_site *site, int mo);
/* "FILE:FIRST-LAST:acquire|release|fence"; false: not of that form. */
bool site_weaken(const char *spec);
bool site_weakened_ran(void);

/* explore.c */
struct explore_options {
	uint64_t cap;	 /* executions; reached is failed */
	double seconds;	 /* the same */
	uint64_t random; /* so many random executions instead */
	uint64_t seed;
	const char *replay; /* choices of one execution, or NULL */
	int preemptions;    /* instead of the client's, if not -1 */
	bool full; /* no bound, no sample: all, whatever the client says */
	bool quiet, no_reduction;
};
extern struct explore_options options;

#endif /* TKT_TEST_MODEL_EXPLORE_H */
