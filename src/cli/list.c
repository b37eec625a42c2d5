/* SPDX-License-Identifier: MIT */
/* src/cli/list.c - tkt list: locks, kernels, tests */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "kernels/kernel.h"
#include "locks/lock_ops.h"
#include "workfiles/workfile.h"

static void list_locks(void)
{
	for (const struct lock_ops *const *p = lock_table; *p; p++)
		(void)printf("%-17s %s%s\n", (*p)->name, (*p)->summary,
			     (*p)->traits & LOCK_BROKEN ? " (not in --lock all)"
							: "");
}

static void list_kernels(void)
{
	for (const struct kernel_ops *const *p = kernel_table; *p; p++)
		(void)printf("%-17s %s\n", (*p)->name, (*p)->summary);
	for (const char *const *p = workfile_names; *p; p++)
		(void)printf("%-17s AIM7 workfile\n", *p);
}

/* The operations of a round, or why there are none. */
static void list_parts(const struct footprint *f)
{
	const char *separator = "";

	if (f->none)
		(void)printf("none; %s", f->none);
	for (const struct footprint_part *p = f->part; p->times; p++) {
		(void)printf("%s%s", separator, operations[p->op].name);
		if (p->times > 1)
			(void)printf(" x%u", p->times);
		separator = ", ";
	}
	(void)fputc('\n', stdout);
}

static void list_tests(void)
{
	(void)printf("%-17s %6s %8s  %s\n", "test", "rounds", "think ns",
		     "operations of a round");
	for (size_t i = 0; i < footprint_count; i++) {
		(void)printf("%-17s %6u %8u  ", footprints[i].test,
			     footprints[i].rounds, footprints[i].think_ns);
		list_parts(&footprints[i]);
	}
	(void)printf("\n%-9s %7s  %-48s %s\n", "operation", "hold ns",
		     "what it stands for", "locks that it takes");
	for (unsigned int i = 0; i < OPERATIONS; i++)
		(void)printf("%-9s %7u  %-48s %s\n", operations[i].name,
			     operations[i].hold_ns, operations[i].what,
			     operations[i].locks);
}

static const struct {
	const char *name;
	void (*print)(void);
} lists[] = {
	{ "locks", list_locks },
	{ "kernels", list_kernels },
	{ "tests", list_tests },
};
#define LISTS (sizeof(lists) / sizeof(*lists))

int cli_list(int argc, char **argv)
{
	struct error e;

	if (argc > 2) {
		(void)error_set(&e,
				"list: '%.60s' after the list's name; "
				"allowed: one name",
				argv[2]);
		return cli_bad(&e);
	}
	if (argc == 2 &&
	    (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		(void)puts("usage: tkt list [locks|kernels|tests]\n\n"
			   "  locks     that `tkt run --lock` takes\n"
			   "  kernels   and workfiles that `tkt run` takes\n"
			   "  tests     of AIM7 workfiles, with what a job of "
			   "each does to the kernel's locks\n\n"
			   "Without a name: all three.");
		return cli_finish(CLI_OK);
	}
	for (unsigned int i = 0; i < LISTS; i++) {
		if (argc == 2 && strcmp(argv[1], lists[i].name))
			continue;
		if (argc == 1)
			(void)printf("%s%s:\n", i ? "\n" : "", lists[i].name);
		lists[i].print();
		if (argc == 2)
			return cli_finish(CLI_OK);
	}
	if (argc == 1)
		return cli_finish(CLI_OK);
	(void)error_set(&e,
			"unknown list '%.60s'; allowed: locks, kernels, tests",
			argv[1]);
	return cli_bad(&e);
}
