/* SPDX-License-Identifier: MIT */
/* src/cli/run_names.c - the names that `tkt run` takes */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run_names.h"

#define NAMES_BYTES 384

static void append(char names[NAMES_BYTES], const char *name)
{
	const size_t length = strlen(names);

	(void)snprintf(names + length, NAMES_BYTES - length, "%s%s",
		       length ? ", " : "", name);
}

static bool unknown_target(const char *name, struct error *e)
{
	char names[NAMES_BYTES] = "";

	for (const struct kernel_ops *const *p = kernel_table; *p; p++)
		append(names, (*p)->name);
	for (const char *const *p = workfile_names; *p; p++)
		append(names, *p);
	return error_set(e,
			 "unknown kernel or workfile '%.60s'; allowed: %s, or "
			 "the path of a workfile",
			 name, names);
}

bool run_target(struct run_options *o, const char *name, struct error *e)
{
	char path[PATH_MAX];

	o->kernel = kernel_find(name);
	if (o->kernel) {
		o->label = o->kernel->name;
		return true;
	}
	if (!workfile_shipped(name, path, sizeof(path))) {
		if (!strchr(name, '/') && access(name, F_OK))
			return unknown_target(name, e);
		if (strlen(name) >= sizeof(path))
			return error_set(e,
					 "workfile: path of %zu bytes; "
					 "allowed: %zu",
					 strlen(name), sizeof(path) - 1);
		(void)snprintf(path, sizeof(path), "%s", name);
	}
	o->kernel = &kernel_workfile;
	o->label = o->workfile.name;
	return workfile_read(&o->workfile, path, e);
}

static bool add_lock(struct run_options *o, const struct lock_ops *lock,
		     struct error *e)
{
	for (unsigned int i = 0; i < o->locks; i++)
		if (o->lock[i] == lock)
			return error_set(e,
					 "--lock: '%s' is in the list twice; "
					 "once is allowed",
					 lock->name);
	if (o->locks == LIST_MAX)
		return error_set(e,
				 "--lock: more than %d locks, the most that "
				 "is allowed",
				 LIST_MAX);
	o->lock[o->locks++] = lock;
	return true;
}

static bool unknown_lock(const char *name, struct error *e)
{
	char names[NAMES_BYTES] = "";

	for (const struct lock_ops *const *p = lock_table; *p; p++)
		append(names, (*p)->name);
	return error_set(e, "--lock: unknown lock '%.40s'; allowed: all, %s",
			 name, names);
}

static bool takes_lock(const struct run_options *o)
{
	for (unsigned int i = 0; i < o->variants; i++)
		if (kernel_takes_lock(o->kernel, o->variant[i]))
			return true;
	return false;
}

bool run_locks(struct run_options *o, const char *names, struct error *e)
{
	char name[48];

	o->locks = 0;
	if (!takes_lock(o)) {
		o->lock[o->locks++] = &kernel_no_lock;
		if (!strcmp(names, "all") || !strcmp(names, "none"))
			return true;
		return error_set(e,
				 "--lock: '%.60s', but what is to run takes "
				 "no lock; allowed: all, none",
				 names);
	}
	if (!strcmp(names, "all")) {
		for (const struct lock_ops *const *p = lock_table; *p; p++)
			if (!((*p)->traits & LOCK_BROKEN) &&
			    !add_lock(o, *p, e))
				return false;
		return true;
	}
	while (parse_item(&names, name, sizeof(name))) {
		const struct lock_ops *lock = lock_find(name);

		if (!lock)
			return unknown_lock(name, e);
		if (!add_lock(o, lock, e))
			return false;
	}
	return true;
}

/* The kernel's own string for that variant, a control included, or NULL. */
static const char *find_variant(const struct kernel_ops *kernel,
				const char *name)
{
	for (const char *const *v = kernel->variants; *v; v++)
		if (!strcmp(*v, name))
			return *v;
	for (const char *const *v = kernel->controls; v && *v; v++)
		if (!strcmp(*v, name))
			return *v;
	return NULL;
}

static bool add_variant(struct run_options *o, const char *name,
			struct error *e)
{
	const char *variant = find_variant(o->kernel, name);

	/* Not there: the message of run_word names those that are. */
	if (!variant)
		return run_word("--variant", name, o->kernel->variants, e) >= 0;
	for (unsigned int i = 0; i < o->variants; i++)
		if (o->variant[i] == variant)
			return error_set(e,
					 "--variant: '%s' is in the list "
					 "twice; once is allowed",
					 variant);
	if (o->variants == LIST_MAX)
		return error_set(e,
				 "--variant: more than %d variants, the most "
				 "that is allowed",
				 LIST_MAX);
	o->variant[o->variants++] = variant;
	return true;
}

bool run_variants(struct run_options *o, const char *names, struct error *e)
{
	char name[48];

	if (!o->kernel->variants)
		return error_set(e,
				 "--variant: '%.40s', but %s has no variants; "
				 "allowed: none",
				 names, o->label);
	o->variants = 0;
	if (!strcmp(names, "all")) {
		for (const char *const *v = o->kernel->variants; *v; v++)
			if (!add_variant(o, *v, e))
				return false;
		return true;
	}
	while (parse_item(&names, name, sizeof(name)))
		if (!add_variant(o, name, e))
			return false;
	return true;
}

int run_word(const char *option, const char *word, const char *const *words,
	     struct error *e)
{
	char names[NAMES_BYTES] = "";

	for (int i = 0; words[i]; i++) {
		if (!strcmp(word, words[i]))
			return i;
		append(names, words[i]);
	}
	(void)error_set(e, "%s: unknown '%.40s'; allowed: %s", option, word,
			names);
	return -1;
}
