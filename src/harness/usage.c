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

/* The seventh figure of /proc/stat's first line, in clock ticks. */
static double softirq_seconds(void)
{
	FILE *f = fopen("/proc/stat", "re");
	unsigned long long ticks;
	double seconds = (double)NAN;

	if (!f)
		return seconds;
	if (fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %llu", &ticks) == 1)
		seconds = (double)ticks / (double)sysconf(_SC_CLK_TCK);
	(void)fclose(f);
	return seconds;
}

struct usage usage_now(void)
{
	struct usage u;
	struct rusage r;

	(void)getrusage(RUSAGE_SELF, &r);
	u.user_s = seconds_of(r.ru_utime);
	u.system_s = seconds_of(r.ru_stime);
	u.switches = (double)(r.ru_nvcsw + r.ru_nivcsw);
	u.softirq_s = softirq_seconds();
	return u;
}

struct usage usage_between(struct usage from, struct usage to)
{
	return (struct usage){
		.user_s = to.user_s - from.user_s,
		.system_s = to.system_s - from.system_s,
		.softirq_s = to.softirq_s - from.softirq_s,
		.switches = to.switches - from.switches,
	};
}
