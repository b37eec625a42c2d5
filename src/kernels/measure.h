/* SPDX-License-Identifier: MIT */
/* src/kernels/measure.h - one native run of one kernel under one lock */
#ifndef TKT_SRC_KERNELS_MEASURE_H
#define TKT_SRC_KERNELS_MEASURE_H

#include "harness/isolate.h"
#include "harness/workers.h"
#include "kernel.h"

struct measure_plan {
	const struct kernel_ops *kernel;
	const struct lock_ops *lock;
	struct kernel_config config;
	double seconds;
	bool pin;
	bool instrument; /* measure waits, which slows everything down */
};

struct measure_result {
	bool passed;  /* else why says which check failed */
	bool refused; /* by the machine: no check has failed */
	char why[KERNEL_WHY_BYTES];
	const char *variant; /* as it was run */
	struct workers_result workers;
	/* NAN: not measured */
	double wait_p50_ns, wait_p99_ns, wait_p999_ns, wait_max_ns;
	double queued, parked; /* of struct lock_events; NAN: not measured */
	double probe_ns;       /* NAN: not measured */
};

/*
 * Whether lock and kernel take these parameters; *e says what is allowed.
 * Nothing runs.
 */
bool measure_allowed(const struct measure_plan *plan, struct error *e);

/*
 * Runs the plan in a child process.  A failed check, a crash, a hang and a
 * refusal are all ISOLATE_FAILED, with the reason in *e.  delay_calibrate()
 * was called.
 */
enum isolate_end measure_run(const struct measure_plan *plan,
			     struct measure_result *result, struct error *e);

#endif /* TKT_SRC_KERNELS_MEASURE_H */
