/* SPDX-License-Identifier: MIT */
/* src/cli/run_options.h - what `tkt run` was asked for */
#ifndef TKT_SRC_CLI_RUN_OPTIONS_H
#define TKT_SRC_CLI_RUN_OPTIONS_H

#include "harness/error.h"
#include "harness/parse.h"
#include "kernels/kernel.h"
#include "locks/lock_ops.h"
#include "workfiles/workfile.h"

enum run_format {
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSON
};

struct run_options {
	bool help; /* nothing else was looked at, but the kernel */
	const struct kernel_ops *kernel;
	const char *label;	  /* of the kernel or the workfile, for rows */
	struct workfile workfile; /* if the kernel is kernel_workfile */
	const struct lock_ops *lock[LIST_MAX]; /* of variants that take one */
	unsigned int locks;
	struct list threads;	/* or users */
	struct list thresholds; /* empty: each lock's own */
	enum lock_wait wait;	/* LOCK_WAIT_DEFAULT: each lock's own */
	double seconds;
	unsigned int repeats;
	uint32_t cs_ns, think_ns;
	enum kernel_layout layout;
	uint64_t seed;
	const char *variant[LIST_MAX]; /* one NULL if there are none */
	unsigned int variants;
	uint64_t option[KERNEL_OPTIONS_MAX];
	bool pin, instrument;
	enum run_format format;
	const char *out; /* NULL: standard output */
	bool table;	 /* on standard output, besides */
	const char *dir; /* NULL: not said */
};

/* argv[0] is "run".  False: *e is set. */
bool run_options_parse(struct run_options *o, int argc, char **argv,
		       struct error *e);

/* The help for `tkt run`, or for `tkt run KERNEL` if kernel is not NULL. */
void run_help(const struct kernel_ops *kernel);

#endif /* TKT_SRC_CLI_RUN_OPTIONS_H */
