/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/kernel.h - every stress kernel behind one table
 *
 * A kernel joins the project as one file that defines KERNEL_SYM(id), plus
 * its name in registry.c.  It has no clock and no threads of its own: whoever
 * drives it calls step on each thread until the time is up.  All its shared
 * data goes through the accessors of <tkt/atomic.h> and its busy times
 * through delay_ns, so that one source serves each back end: like the locks
 * it is compiled once per back end, with LOCK_BACKEND to keep the symbols
 * apart.
 */
#ifndef TKT_SRC_KERNELS_KERNEL_H
#define TKT_SRC_KERNELS_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "locks/lock_ops.h"

#define KERNEL_OPTIONS_MAX 8
#define KERNEL_WHY_BYTES 256
#define KERNEL_FINISHED (-1L)
/* Begins a why that is the machine's fault (no space left): not a failed check */
#define KERNEL_MACHINE "machine: "

enum kernel_layout {
	KERNEL_TOGETHER, /* the lock and what it protects in one line */
	KERNEL_SPLIT,	 /* in two */
};

enum kernel_trait {
	KERNEL_CS = 1 << 0,	/* config.cs_ns means something */
	KERNEL_THINK = 1 << 1,	/* config.think_ns means something */
	KERNEL_LAYOUT = 1 << 2, /* config.layout means something */
	KERNEL_JOBS = 1 << 3,	/* threads are users, operations are jobs */
	KERNEL_DIR = 1 << 4,	/* config.dir means something */
};

/* An option of the kernel's own, on the command line as --name value. */
struct kernel_option {
	const char *name;
	const char *unit; /* what the value counts */
	uint64_t min, max, preset;
	const char *help;
};

struct row;
struct workfile;

struct kernel_config {
	unsigned int threads;
	uint32_t cs_ns, think_ns; /* 0 to 10^9 */
	enum kernel_layout layout;
	uint64_t seed;
	const char *variant; /* one of the kernel's, NULL if it has none */
	struct lock_params lock;
	uint64_t option[KERNEL_OPTIONS_MAX]; /* in the order of its table */
	const struct workfile *workfile;     /* for the kernel `workfile` */
	const char *dir; /* for files; NULL: $TMPDIR, or else /tmp */
};

struct kernel_ops {
	const char *name;
	const char *summary; /* one line for `tkt list kernels` */
	unsigned int traits; /* of enum kernel_trait */
	const struct kernel_option
		*options;	     /* ends with a NULL name; or NULL */
	const char *const *variants; /* the first is the default; or NULL */
	/*
	 * Variants that are wrong on purpose, for the check to find; or NULL.
	 * As the broken lock does, they run only when named.
	 */
	const char *const *controls;
	const unsigned int *threads; /* default of --threads, 0 at the end;
					NULL: 1, and one for each CPU */
	/*
	 * Whether that variant takes a lock at all; NULL: each does.  One
	 * that does not runs once where others run for each lock, is given
	 * kernel_no_lock, and may have no use for hold.
	 */
	bool (*takes_lock)(const char *variant);
	uint32_t op_bytes; /* that each operation moves; 0: has no meaning */

	/*
	 * NULL, or: whether this machine has what the config asks for; if not,
	 * why (KERNEL_WHY_BYTES) says what it lacks.  Called in the tool's own
	 * process, before anything is run or written.
	 */
	bool (*possible)(const struct kernel_config *config, char *why);

	/*
	 * Builds the state for config->threads threads and one lock.  NULL: it
	 * could not, and why (KERNEL_WHY_BYTES) says what went wrong.
	 */
	void *(*setup)(const struct kernel_config *config,
		       const struct lock_ops *lock, char *why);
	void (*destroy)(void *state);

	/*
	 * NULL, or: the variant as it is run here, if that is not what was
	 * asked for.  A string constant, since the tool that gets it has the
	 * constants of the process that ran the kernel, but not its memory.
	 */
	const char *(*label)(const void *state);

	/* On each thread, once, before its first step; NULL: out of memory. */
	void *(*thread_setup)(void *state, unsigned int index);
	void (*thread_teardown)(void *state, void *thread);

	/*
	 * One short turn: the number of operations it completed, or
	 * KERNEL_FINISHED when the thread has nothing left to do.  Holds no
	 * lock when it returns.
	 */
	long (*step)(void *state, void *thread);

	/*
	 * One more turn, for the check only: calls inside(arg) within a
	 * critical section, between the read and the write of something that
	 * the check looks at.  Two threads that hold at once lose an update,
	 * however few CPUs there are.  NULL: no variant takes a lock.
	 */
	void (*hold)(void *state, void *thread, void (*inside)(void *arg),
		     void *arg);

	/*
	 * After all threads are torn down: whether everything adds up.  If
	 * not, why (KERNEL_WHY_BYTES) gets `name-of-the-check: the figures`.
	 */
	bool (*check)(void *state, char *why);

	/*
	 * NULL, or: prints a table of the kernel's own, such as published
	 * figures beside ours, after the table of a command's n rows (see
	 * harness/rows.h), which are of this kernel, or of this workfile, and
	 * need not be complete.  Not called for csv and json.
	 */
	void (*report)(FILE *out, const struct row *rows, size_t n);
};

#define KERNEL_SYM(id) LOCK_PASTE(kernel_ops, id, LOCK_BACKEND)

/* All kernels, in the order of `tkt list`; NULL at the end. */
#define kernel_table LOCK_PASTE(kernel, table, LOCK_BACKEND)
extern const struct kernel_ops *const kernel_table[];

/* The kernel of that name, or NULL. */
#define kernel_find LOCK_PASTE(kernel, find, LOCK_BACKEND)
const struct kernel_ops *kernel_find(const char *name);

/* The lock, named none, of what takes no lock; not for use. */
#define kernel_no_lock LOCK_PASTE(kernel, no_lock, LOCK_BACKEND)
extern const struct lock_ops kernel_no_lock;

static inline bool kernel_takes_lock(const struct kernel_ops *kernel,
				     const char *variant)
{
	return !kernel->takes_lock || kernel->takes_lock(variant);
}

/* The kernel that runs config.workfile; it is not in the table. */
#define kernel_workfile KERNEL_SYM(workfile)
extern const struct kernel_ops kernel_workfile;

/*
 * How far behind a lock the data that it protects begins, for a lock at the
 * start of a line.
 */
static inline size_t kernel_data_offset(const struct lock_ops *lock,
					enum kernel_layout layout)
{
	return layout == KERNEL_SPLIT ? LOCK_ALIGN
				      : (lock->size + 7) & ~(size_t)7;
}

#endif /* TKT_SRC_KERNELS_KERNEL_H */
