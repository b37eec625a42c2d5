/* SPDX-License-Identifier: MIT */
/* src/kernels/treelock_report.h - the table of the kernel treelock */
#ifndef TKT_SRC_KERNELS_TREELOCK_REPORT_H
#define TKT_SRC_KERNELS_TREELOCK_REPORT_H

#include <stdio.h>

#include "harness/rows.h"
#include "kernel.h"

#define treelock_report LOCK_PASTE(treelock, report, LOCK_BACKEND)

/* kernel_ops.report: our figures by flavour, and the published ones. */
void treelock_report(FILE *out, const struct row *rows, size_t n);

#endif /* TKT_SRC_KERNELS_TREELOCK_REPORT_H */
