/* SPDX-License-Identifier: MIT */
/* src/harness/usage.h - what a run cost: CPU time, switches, interrupts */
#ifndef TKT_SRC_HARNESS_USAGE_H
#define TKT_SRC_HARNESS_USAGE_H

struct usage {
	double user_s, system_s; /* of this process */
	double softirq_s;	 /* of the whole machine; NAN: not known */
	double switches;	 /* of this process, of both kinds */
};

/* Totals up to now. */
struct usage usage_now(void);

/* From an earlier reading to a later one. */
struct usage usage_between(struct usage from, struct usage to);

#endif /* TKT_SRC_HARNESS_USAGE_H */
