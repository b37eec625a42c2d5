/* SPDX-License-Identifier: MIT */
/*
 * src/harness/rows.h - results: one row per run, in three formats
 *
 * csv and json have exactly the columns below, in this order, one row per
 * run; the table has one line per configuration, with medians over its runs.
 */
#ifndef TKT_SRC_HARNESS_ROWS_H
#define TKT_SRC_HARNESS_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Not measured, or without meaning: NULL, ROW_NONE or NAN.  It comes out as
 * an empty field or null, never as 0.
 */
#define ROW_NONE UINT64_MAX
#define ROW_INF (UINT64_MAX - 1) /* the word inf */

/* X(type, name), where type is TEXT, COUNT or REAL. */
#define ROW_COLUMNS(X)        \
	X(TEXT, mode)         \
	X(TEXT, kernel)       \
	X(TEXT, variant)      \
	X(TEXT, lock)         \
	X(TEXT, machine)      \
	X(COUNT, threads)     \
	X(COUNT, users)       \
	X(COUNT, threshold)   \
	X(TEXT, wait)         \
	X(COUNT, cs_ns)       \
	X(COUNT, think_ns)    \
	X(TEXT, layout)       \
	X(COUNT, seed)        \
	X(COUNT, repeat)      \
	X(REAL, seconds)      \
	X(COUNT, ops)         \
	X(REAL, ops_per_s)    \
	X(REAL, jobs_per_min) \
	X(REAL, bytes_per_s)  \
	X(REAL, jain)         \
	X(REAL, wait_p50_ns)  \
	X(REAL, wait_p99_ns)  \
	X(REAL, wait_max_ns)  \
	X(REAL, user_s)       \
	X(REAL, system_s)     \
	X(REAL, softirq_s)    \
	X(REAL, ctx_switches) \
	X(REAL, queued)       \
	X(REAL, parked)       \
	X(REAL, probe_ns)

#define ROW_C_TEXT const char *
#define ROW_C_COUNT uint64_t
#define ROW_C_REAL double
#define ROW_MEMBER(type, name) ROW_C_##type name;

struct row {
	ROW_COLUMNS(ROW_MEMBER)
	/* Of the whole machine; no columns, for the tables of kernels. */
	double machine_user_s, machine_system_s, machine_switches;
};

/* Every column not measured. */
void row_clear(struct row *row);

enum row_type {
	ROW_TEXT,
	ROW_COUNT,
	ROW_REAL
};

struct row_column {
	const char *name;
	enum row_type type;
	size_t offset; /* in struct row */
};

extern const struct row_column row_columns[];
extern const size_t row_column_count;

/* The formats; errors stay in the stream, for its closer to find. */
void rows_csv_header(FILE *out);
void rows_csv(FILE *out, const struct row *row);
void rows_json(FILE *out, const struct row *rows, size_t count);
/* Rows of one configuration need not be adjacent. */
void rows_table(FILE *out, const struct row *rows, size_t count);

#endif /* TKT_SRC_HARNESS_ROWS_H */
