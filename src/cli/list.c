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

/* Ends the line with the critical sections of one round. */
static void list_ops(const struct footprint *f)
{
	const unsigned int n = footprint_ops(f);

	if (!n) {
		(void)printf(" compute only\n");
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		(void)printf(" %s(%u ns, %u %s)",
			     lock_class_name[f->op[i].class], f->op[i].hold_ns,
			     f->op[i].lines,
			     f->op[i].lines == 1 ? "line" : "lines");
	(void)fputc('\n', stdout);
}

static void list_tests(void)
{
	(void)printf("%-17s %6s %8s  %s\n", "test", "rounds", "think ns",
		     "critical sections of a round (hold time, lines)");
	for (size_t i = 0; i < footprint_count; i++) {
		(void)printf("%-17s %6u %8u ", footprints[i].test,
			     footprints[i].rounds, footprints[i].think_ns);
		list_ops(&footprints[i]);
	}
	(void)puts("\nEach class is one lock that all users share:");
	for (unsigned int i = 0; i < LOCK_CLASS_COUNT; i++)
		(void)printf("%-17s %s\n", lock_class_name[i],
			     lock_class_what[i]);
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
