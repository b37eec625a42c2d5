/* SPDX-License-Identifier: MIT */
/* src/cli/run_names.h - the names that `tkt run` takes */
#ifndef TKT_SRC_CLI_RUN_NAMES_H
#define TKT_SRC_CLI_RUN_NAMES_H

#include "run_options.h"

/* The kernel, or the workfile, of that name; sets kernel, label, workfile. */
bool run_target(struct run_options *o, const char *name, struct error *e);

/* A list of the kernel's variants, or `all`. */
bool run_variants(struct run_options *o, const char *names, struct error *e);

/*
 * A list of lock names, or `all`; after the variants, which may take none.
 */
bool run_locks(struct run_options *o, const char *names, struct error *e);

/*
 * The index of `word` among `words`, which ends with NULL; -1 with an error
 * that names the option and the words.
 */
int run_word(const char *option, const char *word, const char *const *words,
	     struct error *e);

#endif /* TKT_SRC_CLI_RUN_NAMES_H */
