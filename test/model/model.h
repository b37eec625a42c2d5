/* SPDX-License-Identifier: MIT */
/*
 * test/model/model.h - what clients and the back end ask of the checker
 *
 * A client is a handful of threads over some shared objects.  The checker runs
 * it again and again until each behaviour that the memory model allows has
 * been seen (explore.c), or one that must not be.
 *
 * Outside of threads, in setup and finish, the accessors work on plain memory.
 * What threads keep in ordinary variables (their own, or shared ones that the
 * checker does not see) must be set by setup, for each execution starts there.
 */
#ifndef TKT_TEST_MODEL_H
#define TKT_TEST_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_THREADS 4

/* One access in the source: static, so that its address names it. */
struct model_site {
	const char *file, *function, *what, *object;
	int line;
};

enum model_rmw {
	MODEL_XCHG,
	MODEL_ADD,
	MODEL_OR,
	MODEL_AND
};

/* The accessors, see <tkt/atomic.h>. */
uint64_t model_load(const void *p, size_t size, int mo,
		    const struct model_site *site);
void model_store(void *p, size_t size, uint64_t v, int mo,
		 const struct model_site *site);
uint64_t model_rmw(void *p, size_t size, enum model_rmw op, uint64_t v, int mo,
		   const struct model_site *site);
bool model_cas(void *p, size_t size, uint64_t *expected, uint64_t v, int mo,
	       int fail, bool weak, const struct model_site *site);
bool model_cas_pair(uint32_t *p, uint32_t e0, uint32_t e1, uint32_t d0,
		    uint32_t d1, int mo, const struct model_site *site);
/* Acquire, release, acq_rel and seq_cst; the headers use the last alone. */
void model_fence(int mo, const struct model_site *site);
/*
 * An await: model_await(), then, as long as model_await_judge() returns true,
 * model_await_verdict() on the value it gave; at last *v is the value read.
 */
void model_await(const void *p, size_t size, int mo,
		 const struct model_site *site);
bool model_await_judge(uint64_t *v);
void model_await_verdict(bool good);
void model_yield(const void *p, size_t size, uint64_t v,
		 const struct model_site *site);
int model_futex_wait(const uint32_t *p, uint32_t v, uint64_t ns,
		     const struct model_site *site);
void model_futex_wake(const uint32_t *p, unsigned int n,
		      const struct model_site *site);
/* A clock of each thread's own: one nanosecond later at each look. */
uint64_t model_clock(void);
/* Before a plain read; before, and after, a plain write. */
void model_read(const void *p, size_t size, const struct model_site *site);
void model_write(void *p, size_t size, const struct model_site *site);
void model_written(void *p, size_t size);
/*
 * From birth to death others may access the memory, if they come after the
 * birth and before the death by happens-before; else it is its owner's alone.
 */
void model_birth(void *p, size_t size, const struct model_site *site);
void model_death(void *p, size_t size, const struct model_site *site);

/* The calling thread, from 0 on. */
int model_self(void);

/* Fails the execution, with a trace; or for a limit of the checker's own. */
void model_fail(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void model_limit(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
#define model_assert(cond)                                                   \
	do {                                                                 \
		if (!(cond))                                                 \
			model_fail("%s:%d: %s is false", __FILE__, __LINE__, \
				   #cond);                                   \
	} while (0)

/*
 * Where in the modification order of the location at p a thread is: the place
 * of the latest value that it knows of; and of the first one that it has read
 * there since it last called model_look_again().  For properties about order.
 */
uint32_t model_place(const void *p);
void model_look_again(const void *p);
uint32_t model_first_look(const void *p);

/* Memory for one execution, aligned to 128 bytes. */
void *model_alloc(size_t bytes);

struct model_client {
	const char *name;
	int threads;
	void (*setup)(void);
	void (*thread)(int self);
	void (*finish)(void); /* after all threads; may be NULL */
	int preemptions;      /* bound; 0: none, all is explored */
	uint64_t sample;      /* so many random executions; 0: all */
	/* How often in one execution; 0: never. */
	int spurious, eintr, timeouts, weak_failures;
	int policy, rounds, variant; /* the client's own affair */
};

/* The one that runs. */
const struct model_client *model_client(void);

/* The program: runs the clients named among the arguments, or all. */
int model_main(int argc, char **argv, const struct model_client *clients,
	       size_t n);

/* Programs of their own: one exploration, see struct model_result. */
struct model_result {
	uint64_t executions; /* run to the end */
	uint64_t pruned;     /* ended early, equal to another */
	bool failed;	     /* an error, or a limit reached */
	bool limited;	     /* a limit */
	int preemptions;     /* the bound, or -1 */
	uint64_t sample;     /* of random executions, or 0 */
};
struct model_result model_explore(const struct model_client *client);

#endif /* TKT_TEST_MODEL_H */
