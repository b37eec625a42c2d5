/* SPDX-License-Identifier: MIT */
/* src/cli/run_help.c - tkt run --help, in general and for one kernel */
#include <inttypes.h>
#include <stdio.h>

#include "run_options.h"

static void help_head(const struct kernel_ops *kernel)
{
	if (!kernel) {
		(void)puts(
			"usage: tkt run KERNEL|WORKFILE [OPTION...]\n\n"
			"Measures locks on real threads.  KERNEL and the "
			"shipped workfiles: see\n`tkt list kernels`; WORKFILE "
			"is also the path of an AIM7 workfile.\n\n"
			"  tkt run KERNEL --help   the kernel's own options, "
			"too\n");
		return;
	}
	(void)printf("usage: tkt run %s [OPTION...]\n\n%s\n\n",
		     kernel->traits & KERNEL_JOBS ? "WORKFILE" : kernel->name,
		     kernel->summary);
}

static void option(const char *name, const char *text)
{
	(void)printf("  %-26s %s\n", name, text);
}

static void help_common(unsigned int traits)
{
	option("--lock A,B|all", "locks (all but the broken ones)");
	if (!(traits & KERNEL_JOBS))
		option("--threads N,M", "1 to 1024 (1, and one for each CPU)");
	option("--users N,M", "of a workfile: 1 to 4096 (1,4,16)");
	option("--seconds S", "of each run: 0.01 to 3600 (1)");
	option("--repeat R", "runs of each kind, interleaved: 1 to 1000 (1)");
	option("--threshold W,X|inf", "1 to 65535 threads (the lock's own)");
	option("--wait spin|yield", "how to wait (the lock's own)");
	if (traits & KERNEL_CS)
		option("--cs NS",
		       "busy in the critical section: 0 to 10^9 (0)");
	if (traits & KERNEL_THINK)
		option("--think NS", "busy between operations: 0 to 10^9 (0)");
	if (traits & KERNEL_LAYOUT)
		option("--layout together|split",
		       "lock and data in one line, or in two (together)");
	option("--variant V,W|all", "of a kernel that has some (its first)");
	option("--seed S", "of all random choices (1)");
	option("--pin", "thread i on CPU i modulo their number");
	option("--instrument", "measure waits; slows everything down");
	if (traits & KERNEL_DIR)
		option("--dir PATH", "for files ($TMPDIR, or /tmp)");
	option("--format table|csv|json", "medians, or a row a run (table)");
	option("--out FILE", "instead of standard output");
	option("--table", "with --out: the table on standard output, too");
}

static void help_own(const struct kernel_ops *kernel)
{
	const struct kernel_option *k = kernel->options;
	char name[64], text[160];

	if (kernel->variants) {
		(void)fputs("\nVariants:", stdout);
		for (const char *const *v = kernel->variants; *v; v++)
			(void)printf(" %s", *v);
		(void)fputc('\n', stdout);
	}
	if (!k || !k->name)
		return;
	(void)puts("\nOf this kernel:");
	for (; k->name; k++) {
		(void)snprintf(name, sizeof(name), "--%s N", k->name);
		(void)snprintf(text, sizeof(text),
			       "%s: %" PRIu64 " to %" PRIu64 " %s (%" PRIu64
			       ")",
			       k->help, k->min, k->max, k->unit, k->preset);
		option(name, text);
	}
}

void run_help(const struct kernel_ops *kernel)
{
	help_head(kernel);
	help_common(kernel ? kernel->traits
			   : KERNEL_CS | KERNEL_THINK | KERNEL_LAYOUT);
	if (kernel)
		help_own(kernel);
	(void)puts("\nIn csv and json, what was not measured or has no meaning "
		   "is empty or null; an\nempty threshold or wait is the "
		   "lock's own.  Exit status: 0; 1 when a check\nfailed or a "
		   "run crashed or hung; 2 for bad input or lost output.");
}
