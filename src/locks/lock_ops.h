/* SPDX-License-Identifier: MIT */
/*
 * src/locks/lock_ops.h - every lock behind one table
 *
 * A lock joins the project as one adapter file that ends in LOCK_OPS(...),
 * plus its name in registry.c.  Adapters are written against the accessors of
 * <tkt/atomic.h>, so that one source serves each back end: the file is
 * compiled once per back end, and LOCK_BACKEND, an identifier, keeps the
 * symbols apart.
 */
#ifndef TKT_SRC_LOCKS_LOCK_OPS_H
#define TKT_SRC_LOCKS_LOCK_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOCK_CTX_BYTES 256
#define LOCK_ALIGN 128

/*
 * What a lock keeps per acquisition (an MCS node, the slot of an array lock).
 * One per thread and nesting level: prepared once by ctx_init, used for one
 * held lock at a time, handed along if another thread unlocks, dropped by
 * ctx_destroy.
 */
union lock_ctx {
	unsigned char bytes[LOCK_CTX_BYTES];
} __attribute__((aligned(LOCK_ALIGN)));

#define LOCK_THRESHOLD_DEFAULT 0u
#define LOCK_THRESHOLD_INF UINT32_MAX

enum lock_wait {
	LOCK_WAIT_DEFAULT, /* as the lock's name says */
	LOCK_WAIT_SPIN,
	LOCK_WAIT_YIELD,
	LOCK_WAIT_PARK,
};

struct lock_params {
	uint32_t threshold; /* threads, or one of the two above */
	enum lock_wait wait;
	unsigned int max_threads; /* that will use the lock at once */
};

enum lock_trait {
	LOCK_FIFO = 1 << 0,	    /* serves in order of arrival, strictly */
	LOCK_SLEEPS = 1 << 1,	    /* waiters give up the CPU */
	LOCK_CROSS_UNLOCK = 1 << 2, /* any thread may unlock, given the ctx */
	LOCK_THRESHOLD = 1 << 3,    /* params.threshold means something */
	LOCK_WAIT = 1 << 4,	    /* params.wait means something */
	LOCK_BROKEN = 1 << 5,	    /* does not exclude, on purpose */
};

/* What all locks of one table did in this process so far. */
struct lock_events {
	uint64_t queued; /* waits that began in a queue */
	uint64_t parked; /* waits that went to sleep */
};

struct lock_ops {
	const char *name;
	const char *summary; /* one line for `tkt list locks` */
	unsigned int traits; /* of enum lock_trait */
	size_t size;	     /* bytes of the lock itself, at most LOCK_ALIGN */

	/*
	 * Prepares the lock at memory of `size` bytes, aligned to 16.  Returns
	 * NULL, or what is wrong with the parameters (a string constant: what
	 * is allowed).
	 */
	const char *(*init)(void *lock, const struct lock_params *params);
	void (*destroy)(void *lock);	       /* free, nobody waiting */
	bool (*ctx_init)(union lock_ctx *ctx); /* false: out of memory */
	void (*ctx_destroy)(union lock_ctx *ctx);

	void (*lock)(void *lock, union lock_ctx *ctx);
	bool (*trylock)(void *lock, union lock_ctx *ctx); /* NULL: has none */
	void (*unlock)(void *lock, union lock_ctx *ctx);

	/*
	 * What happened so far.  Only in tables compiled to count, which are
	 * slower, and there only for locks that can; else NULL.
	 */
	struct lock_events (*events)(void);

	/*
	 * n times lock, ++*word (plain; word may be NULL), unlock, inlined, so
	 * that a pair's own cost can be measured.
	 */
	void (*bump)(void *lock, union lock_ctx *ctx, uint64_t *word,
		     unsigned int n);
};

/* Calls of what a table may leave out. */
static inline void lock_destroy(const struct lock_ops *ops, void *lock)
{
	if (ops->destroy)
		ops->destroy(lock);
}

static inline bool lock_ctx_open(const struct lock_ops *ops,
				 union lock_ctx *ctx)
{
	return !ops->ctx_init || ops->ctx_init(ctx);
}

static inline void lock_ctx_close(const struct lock_ops *ops,
				  union lock_ctx *ctx)
{
	if (ops->ctx_destroy)
		ops->ctx_destroy(ctx);
}

#ifndef LOCK_BACKEND
#define LOCK_BACKEND native
#endif
#define LOCK_PASTE_(a, b, c) a##_##b##_##c
#define LOCK_PASTE(a, b, c) LOCK_PASTE_(a, b, c)
/* The table of lock ID in the back end that this file is compiled for. */
#define LOCK_SYM(id) LOCK_PASTE(lock_ops, id, LOCK_BACKEND)

/*
 * LOCK_OPS(id, lock_type, .field = value, ...): defines the table of one lock.
 * The file has defined, as static inline functions, id_lock(lock_type *,
 * union lock_ctx *) and id_unlock(same); the other operations are named among
 * the fields.  Fields left out get: no trylock, nothing to do per ctx or at
 * destroy.
 */
#define LOCK_OPS(id, lock_type, ...) \
	LOCK_OPS_WITH(id, lock_type, id##_lock, id##_unlock, __VA_ARGS__)

/* The same with these two functions, which several tables may share. */
#define LOCK_OPS_WITH(id, lock_type, acquire, release, ...)               \
	static void id##_lock_op(void *lock, union lock_ctx *ctx)         \
	{                                                                 \
		acquire((lock_type *)lock, ctx);                          \
	}                                                                 \
	static void id##_unlock_op(void *lock, union lock_ctx *ctx)       \
	{                                                                 \
		release((lock_type *)lock, ctx);                          \
	}                                                                 \
	static void id##_bump_op(void *lock, union lock_ctx *ctx,         \
				 uint64_t *word, unsigned int n)          \
	{                                                                 \
		if (!word) {                                              \
			while (n--) {                                     \
				acquire((lock_type *)lock, ctx);          \
				release((lock_type *)lock, ctx);          \
			}                                                 \
			return;                                           \
		}                                                         \
		while (n--) {                                             \
			acquire((lock_type *)lock, ctx);                  \
			TKT_WRITE(word, TKT_READ(word) + 1);              \
			release((lock_type *)lock, ctx);                  \
		}                                                         \
	}                                                                 \
	extern const struct lock_ops LOCK_SYM(id);                        \
	const struct lock_ops LOCK_SYM(id) = { .size = sizeof(lock_type), \
					       .lock = id##_lock_op,      \
					       .unlock = id##_unlock_op,  \
					       .bump = id##_bump_op,      \
					       __VA_ARGS__ }

/* All locks of this back end, in the order of `tkt list`; NULL at the end. */
#define lock_table LOCK_PASTE(lock, table, LOCK_BACKEND)
extern const struct lock_ops *const lock_table[];

/* The lock of that name, or NULL. */
#define lock_find LOCK_PASTE(lock, find, LOCK_BACKEND)
const struct lock_ops *lock_find(const char *name);

/*
 * The same in the table of the pseudo back end `counted`: native locks compiled
 * once more, with LOCK_BACKEND=counted and TKT_EVENTS, so that they count what
 * they do.  It is lock_find there; declared here by its whole name, because
 * native code asks for it.
 */
const struct lock_ops *lock_find_counted(const char *name);

#endif /* TKT_SRC_LOCKS_LOCK_OPS_H */
