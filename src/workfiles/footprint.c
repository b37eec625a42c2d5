/* SPDX-License-Identifier: MIT */
/* src/workfiles/footprint.c - what each AIM7 test does to the kernel's locks */
#include <string.h>

#include "footprint.h"

/*
 * Where the figures come from.  The profiles published with the 2013
 * auto-queued ticketlock say which locks the four workfiles meet:
 *
 *   short     d_lock of a shared parent, from fsnotify on each read and
 *             write, half in dget_parent and half in dput
 *   custom    the directory's i_mutex: readdir most, then create and unlink,
 *             which add to and take from the orphan list
 *   disk      the wait queues of buffer locks, from the journal's
 *             get_write_access, and the journal's state
 *   five_sec  readdir under i_mutex
 *
 * They do not say how long each lock is held or how often a test takes it.
 * The times here are chosen so that a job lasts some tens to hundreds of
 * microseconds and so that a short section (a count, a list entry, a buffer)
 * is some tens of nanoseconds, a directory scan about a microsecond, and a
 * direct read or write, which holds the mutex until the device is done, some
 * microseconds; rounds of a read or write last about as long as the system
 * call.  They are declared values, not measurements.
 *
 * Each operation runs the code of a stress kernel, which takes its locks and
 * touches its data; hold_ns is spent on top of that, with d_lock, i_mutex, the
 * orphan lock, or the buffer held.
 */
const struct operation operations[OPERATIONS] = {
	[OP_NOTIFY] = { "notify", 0, "the one parent's d_lock, twice",
			"fsnotify of a read or write: dget_parent, dput" },
	[OP_LIST] = { "list", 1000, "i_mutex of the first directory",
		      "getdents of the directory that all users are in" },
	[OP_SEARCH] = { "search", 1000, "i_mutex of some directory",
			"getdents of one of all directories" },
	[OP_RECREATE] = { "recreate", 60,
			  "i_mutex, in it the orphan lock; that; i_mutex",
			  "a file unlinked while open, closed, made again" },
	[OP_BUFFER] = { "buffer", 50, "the buffer; its wait queue, to wait",
			"lock_buffer and unlock_buffer" },
	[OP_UPDATE] = { "update", 50,
			"journal's state, handle lock; buffer; handle lock",
			"a journal handle, and a buffer changed under it" },
	[OP_SYNC] = { "sync", 50, "update; then locks of the commit's queues",
		      "an update, and the wait until it is committed" },
	[OP_DIRECT] = { "direct", 3000, "i_mutex of the user's own file",
			"a read or write past the page cache" },
};

/* What the rounds of tests do; several tests do the same. */
#define LIST(name, ...) \
	static const struct footprint_part name[] = { __VA_ARGS__, { 0, 0 } }

static const struct footprint_part nothing[] = { { 0, 0 } };
LIST(reading, { OP_NOTIFY, 1 }, { OP_BUFFER, 1 });
LIST(writing, { OP_NOTIFY, 1 }, { OP_UPDATE, 1 });
LIST(copying, { OP_NOTIFY, 2 }, { OP_BUFFER, 1 }, { OP_UPDATE, 1 });
/* Each write waits for the transaction that it is part of. */
LIST(sync_writing, { OP_NOTIFY, 1 }, { OP_SYNC, 1 });
LIST(sync_copying, { OP_NOTIFY, 2 }, { OP_BUFFER, 1 }, { OP_SYNC, 1 });
/* Past the page cache there are no buffers; writes have a handle. */
LIST(direct_reading, { OP_NOTIFY, 1 }, { OP_DIRECT, 1 });
LIST(direct_writing, { OP_NOTIFY, 1 }, { OP_DIRECT, 1 }, { OP_UPDATE, 1 });
LIST(direct_copying, { OP_NOTIFY, 2 }, { OP_DIRECT, 2 }, { OP_UPDATE, 1 });
/* A message or a block: one write and one read. */
LIST(passing, { OP_NOTIFY, 2 });
/* Small system calls, reads and writes of files among them. */
LIST(calling, { OP_NOTIFY, 1 });
/* Reads the users' directory twice. */
LIST(listing, { OP_LIST, 2 });
/* Looks for files in a tree of directories. */
LIST(searching, { OP_SEARCH, 1 });
/* Files and links made and deleted. */
LIST(remaking, { OP_RECREATE, 1 }, { OP_UPDATE, 1 });

/* Why a test meets none of these locks. */
#define ARITHMETIC "arithmetic: does not enter the kernel"
#define MEMORY "its own memory: does not enter the kernel"
#define PROCESSES "fork and exit: process list and page tables"
#define FAULTS "page faults: the locks of its address space"
#define SEGMENTS "SysV memory and semaphores: their own locks"
#define SIGNALS "signals to itself: its own signal lock"

/* Test, rounds of a job, think time of a round in ns, what a round does. */
const struct footprint footprints[] = {
	{ "add_short", 15, 10000, nothing, ARITHMETIC },
	{ "creat_clo", 20, 6000, remaking, NULL },
	{ "dgram_pipe", 30, 3600, passing, NULL },
	{ "dir_rtns_1", 20, 5000, listing, NULL },
	{ "disk_bcp", 20, 5000, copying, NULL },
	{ "disk_brd", 30, 4000, reading, NULL },
	{ "disk_brr", 30, 4000, reading, NULL },
	{ "disk_brw", 25, 4500, writing, NULL },
	{ "disk_bwrt", 25, 4500, writing, NULL },
	{ "disk_cp", 20, 5000, copying, NULL },
	{ "disk_dio_cp", 15, 6000, direct_copying, NULL },
	{ "disk_dio_rd", 15, 6000, direct_reading, NULL },
	{ "disk_dio_rr", 15, 6000, direct_reading, NULL },
	{ "disk_dio_rw", 15, 6000, direct_writing, NULL },
	{ "disk_dio_wrt", 15, 6000, direct_writing, NULL },
	{ "disk_rd", 30, 4000, reading, NULL },
	{ "disk_rr", 30, 4000, reading, NULL },
	{ "disk_rw", 25, 4500, writing, NULL },
	{ "disk_src", 20, 5000, searching, NULL },
	{ "disk_wrt", 25, 4500, writing, NULL },
	{ "fifo_test", 25, 4400, passing, NULL },
	{ "fork_test", 40, 10000, nothing, PROCESSES },
	{ "jmp_test", 10, 10000, nothing, ARITHMETIC },
	{ "link_test", 20, 5500, remaking, NULL },
	{ "matrix_rtns", 20, 10000, nothing, ARITHMETIC },
	{ "mem_rtns_2", 15, 10000, nothing, MEMORY },
	{ "misc_rtns_1", 30, 4000, calling, NULL },
	{ "mul_int", 12, 10000, nothing, ARITHMETIC },
	{ "mul_long", 12, 10000, nothing, ARITHMETIC },
	{ "mul_short", 12, 10000, nothing, ARITHMETIC },
	{ "new_raph", 15, 10000, nothing, ARITHMETIC },
	{ "num_rtns_1", 15, 10000, nothing, ARITHMETIC },
	{ "page_test", 25, 10000, nothing, FAULTS },
	{ "pipe_cpy", 40, 2400, passing, NULL },
	{ "ram_copy", 15, 10000, nothing, MEMORY },
	{ "series_1", 12, 10000, nothing, ARITHMETIC },
	{ "shared_memory", 20, 10000, nothing, SEGMENTS },
	{ "sieve", 30, 10000, nothing, ARITHMETIC },
	{ "signal_test", 20, 10000, nothing, SIGNALS },
	{ "stream_pipe", 30, 3600, passing, NULL },
	{ "sync_disk_cp", 12, 9000, sync_copying, NULL },
	{ "sync_disk_rw", 12, 9000, sync_writing, NULL },
	{ "sync_disk_update", 12, 9000, sync_writing, NULL },
	{ "sync_disk_wrt", 12, 9000, sync_writing, NULL },
	{ "tcp_test", 25, 5000, passing, NULL },
	{ "udp_test", 25, 4400, passing, NULL },
};
const size_t footprint_count = sizeof(footprints) / sizeof(*footprints);

_Static_assert(sizeof(footprints) / sizeof(*footprints) <= FOOTPRINTS_MAX,
	       "FOOTPRINTS_MAX is too small");

const struct footprint *footprint_find(const char *test)
{
	size_t low = 0, high = footprint_count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const int order = strcmp(test, footprints[middle].test);

		if (!order)
			return &footprints[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

unsigned int footprint_ops(const struct footprint *f)
{
	unsigned int n = 0;

	for (const struct footprint_part *p = f->part; p->times; p++)
		n += p->times;
	return n;
}

enum operation_id footprint_op(const struct footprint *f, unsigned int n)
{
	const struct footprint_part *part = f->part;

	while (n >= part->times)
		n -= part++->times;
	return part->op;
}
