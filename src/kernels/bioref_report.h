/* SPDX-License-Identifier: MIT */
/* src/kernels/bioref_report.h - ours beside the published pair */
#ifndef TKT_SRC_KERNELS_BIOREF_REPORT_H
#define TKT_SRC_KERNELS_BIOREF_REPORT_H

#include <stdio.h>

#include "kernel.h"

#define bioref_report LOCK_PASTE(bioref, report, LOCK_BACKEND)

/* kernel_ops.report of bioref. */
void bioref_report(FILE *out, const struct row *rows, size_t n);

#endif /* TKT_SRC_KERNELS_BIOREF_REPORT_H */
