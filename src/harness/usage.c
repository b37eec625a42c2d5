/* SPDX-License-Identifier: MIT */
/* src/harness/usage.c - what a run cost: CPU time, switches, interrupts */
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "usage.h"

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* What /proc/stat says of the machine: its first line, and that of `ctxt`. */
static void read_machine(struct usage *u)
{
	const double tick = 1 / (double)sysconf(_SC_CLK_TCK);
	unsigned long long user, nice, system, softirq, switches;
	char line[256];
	FILE *f = fopen("/proc/stat", "re");

	u->machine_user_s = u->machine_system_s = (double)NAN;
	u->softirq_s = u->machine_switches = (double)NAN;
	if (!f)
		return;
	if (fscanf(f, "cpu %llu %llu %llu %*u %*u %*u %llu", &user, &nice,
		   &system, &softirq) == 4) {
		u->machine_user_s = (double)(user + nice) * tick;
		u->machine_system_s = (double)system * tick;
		u->softirq_s = (double)softirq * tick;
	}
	/* A line longer than the buffer comes in parts; none begins so. */
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "ctxt %llu", &switches) == 1)
			u->machine_switches = (double)switches;
	(void)fclose(f);
}

struct usage usage_now(void)
{
	struct usage u;
	struct rusage r;

	(void)getrusage(RUSAGE_SELF, &r);
	u.user_s = seconds_of(r.ru_utime);
	u.system_s = seconds_of(r.ru_stime);
	u.switches = (double)(r.ru_nvcsw + r.ru_nivcsw);
	read_machine(&u);
	return u;
}

struct usage usage_between(struct usage from, struct usage to)
{
	return (struct usage){
		.user_s = to.user_s - from.user_s,
		.system_s = to.system_s - from.system_s,
		.switches = to.switches - from.switches,
		.machine_user_s = to.machine_user_s - from.machine_user_s,
		.machine_system_s = to.machine_system_s - from.machine_system_s,
		.softirq_s = to.softirq_s - from.softirq_s,
		.machine_switches = to.machine_switches - from.machine_switches,
	};
}
