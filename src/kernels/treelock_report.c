/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/treelock_report.c - the table of the kernel treelock
 *
 * In the form of the discussion of 2011, on the lists of Linux and btrfs, about
 * replacing btrfs's tree locks by a mutex with adaptive spinning; the published
 * figures are from there.  dbench 50; USER, SYSTEM and SIRQ in ticks of 10 ms
 * and CXTSW from /proc/stat around the run; THROUGHPUT in MB/s.
 */
#include <math.h>
#include <string.h>

#include "treelock_report.h"

struct published {
	const char *machine, *flavour;
	unsigned int user, system, sirq, cxtsw;
	double throughput;
};

static const struct published published[] = {
	{ "2 cores, 1 GB, SSD, preemptible", "DFL", 14484, 129368, 390, 1669102,
	  171.955 },
	{ NULL, "SIMPLE", 14483, 128902, 318, 1187031, 171.512 },
	{ NULL, "SPIN", 14311, 129222, 347, 1198166, 174.904 },
	{ "2x4 cores, 1 GB, voluntary", "DFL", 49427, 458210, 1433, 7683488,
	  642.947 },
	{ NULL, "SIMPLE", 52836, 471398, 1427, 3055384, 705.369 },
	{ NULL, "SPIN", 52267, 473115, 1467, 3005603, 705.369 },
	{ NULL, "SPIN2", 52063, 470453, 1446, 3092091, 701.826 },
	{ "the same, 4 GB, disk idle", "DFL", 59898, 504517, 377, 6814245,
	  782.295 },
	{ NULL, "SIMPLE", 61090, 493441, 457, 1631688, 827.751 },
	{ "8 cores, 4 GB, spin in trylock", "SIMPLE", 61107, 354977, 217,
	  8099529, 845.100 },
	{ NULL, "SPIN", 63140, 364888, 214, 6840527, 879.077 },
};

#define TICKS_PER_S 100.0

static void ticks(FILE *out, double seconds)
{
	if (isnan(seconds))
		(void)fprintf(out, "%9s", "-");
	else
		(void)fprintf(out, "%9.0f", seconds * TICKS_PER_S);
}

/* A row of the table, for the machine or for this process alone. */
static void line(FILE *out, const struct row *r, bool machine)
{
	(void)fprintf(out, "%-12s%8u", r->variant ? r->variant : "-",
		      (unsigned int)r->threads);
	ticks(out, machine ? r->machine_user_s : r->user_s);
	ticks(out, machine ? r->machine_system_s : r->system_s);
	ticks(out, machine ? r->softirq_s : (double)NAN);
	(void)fprintf(out, "%10.0f%12.3f\n",
		      machine ? r->machine_switches : r->ctx_switches,
		      r->ops_per_s / 1000);
}

void treelock_report(FILE *out, const struct row *rows, size_t n)
{
	for (int machine = 1; machine >= 0; machine--) {
		(void)fprintf(out,
			      "\n%s; times in ticks of 10 ms, THROUGHPUT "
			      "in 1000 operations a second\n"
			      "%-12s%8s%9s%9s%9s%10s%12s\n",
			      machine ? "The machine (/proc/stat)"
				      : "This process (getrusage)",
			      "flavour", "clients", "USER", "SYSTEM", "SIRQ",
			      "CXTSW", "THROUGHPUT");
		for (size_t i = 0; i < n; i++)
			line(out, &rows[i], machine);
	}
	(void)fprintf(out,
		      "\npublished in 2011 (dbench 50, THROUGHPUT in MB/s)\n");
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		const struct published *p = &published[i];

		if (p->machine)
			(void)fprintf(out, "%s\n", p->machine);
		(void)fprintf(out, "%-12s%8u%9u%9u%9u%10u%12.3f\n", p->flavour,
			      50u, p->user, p->system, p->sirq, p->cxtsw,
			      p->throughput);
	}
}
