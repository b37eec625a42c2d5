/* SPDX-License-Identifier: MIT */
/* src/harness/usage.h - what a run cost: CPU time, switches, interrupts */
#ifndef TKT_SRC_HARNESS_USAGE_H
#define TKT_SRC_HARNESS_USAGE_H

/* NAN: not known. */
struct usage {
	double user_s, system_s; /* of this process */
	double switches;	 /* of this process, of both kinds */
	/* Of the whole machine, whoever else runs there. */
	double machine_user_s, machine_system_s, softirq_s, machine_switches;
};

/* Totals up to now. */
struct usage usage_now(void);

/* From an earlier reading to a later one. */
struct usage usage_between(struct usage from, struct usage to);

#endif /* TKT_SRC_HARNESS_USAGE_H */
