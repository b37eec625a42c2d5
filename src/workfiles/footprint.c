/* SPDX-License-Identifier: MIT */
/* src/workfiles/footprint.c - what each AIM7 test does to the kernel's locks */
#include <string.h>

#include "footprint.h"

#define NAME(id, name, what) name,
#define WHAT(id, name, what) what,
const char *const lock_class_name[] = { LOCK_CLASSES(NAME) };
const char *const lock_class_what[] = { LOCK_CLASSES(WHAT) };

/*
 * Where the figures come from.  The profiles published with the 2013
 * auto-queued ticketlock say which locks the four workfiles meet:
 *
 *   short     d_lock of a shared parent, from fsnotify on each read and
 *             write, half in dget_parent and half in dput
 *   custom    the directory's i_mutex: readdir most, then create and unlink,
 *             which add to and take from the orphan list
 *   disk      the wait queues of buffer locks, and the journal's state
 *   five_sec  readdir under i_mutex
 *
 * They do not say how long each lock is held or how often a test takes it.
 * The times here are chosen so that a job lasts some tens to hundreds of
 * microseconds and so that a short section (a count, a list entry, a wait
 * queue entry) is some tens of nanoseconds and a directory scan about a
 * microsecond; rounds of a read or write last about as long as the system
 * call.  They are declared values, not measurements.
 *
 * Class dentry runs the dentry kernel's own dget_parent and dput.  The other
 * classes run, so far, as plain critical sections of the chosen lock: nobody
 * sleeps for a mutex, a buffer or a transaction.
 */

/* hold_ns, and lines written */
#define DENTRY                          \
	{                               \
		LOCK_CLASS_DENTRY, 0, 1 \
	}
#define READDIR                                 \
	{                                       \
		LOCK_CLASS_INODE_MUTEX, 1000, 4 \
	}
#define DIR_ENTRY                              \
	{                                      \
		LOCK_CLASS_INODE_MUTEX, 400, 3 \
	}
#define ORPHAN                           \
	{                                \
		LOCK_CLASS_ORPHAN, 60, 2 \
	}
#define BUFFER                                \
	{                                     \
		LOCK_CLASS_BUFFER_WAIT, 50, 2 \
	}
#define JOURNAL                           \
	{                                 \
		LOCK_CLASS_JOURNAL, 80, 2 \
	}
#define COMMIT                             \
	{                                  \
		LOCK_CLASS_JOURNAL, 400, 4 \
	}

/* Nothing but arithmetic, memory or jumps: the kernel is not entered. */
#define COMPUTE(name, micros)               \
	{                                   \
		name, (micros) / 10, 10000, \
		{                           \
			{                   \
				0, 0, 0     \
			}                   \
		}                           \
	}

const struct footprint footprints[] = {
	COMPUTE("add_short", 150),
	/* A file made and closed: entry, orphan list on and off, journal. */
	{ "creat_clo", 20, 6000, { DIR_ENTRY, ORPHAN, ORPHAN, JOURNAL } },
	{ "dgram_pipe", 60, 1800, { DENTRY } },
	{ "dir_rtns_1", 20, 5000, { READDIR, READDIR } },
	/* Buffered and then plain: copy, read, random, write. */
	{ "disk_bcp", 20, 5000, { BUFFER, BUFFER, JOURNAL } },
	{ "disk_brd", 30, 4000, { BUFFER } },
	{ "disk_brr", 30, 4000, { BUFFER } },
	{ "disk_brw", 25, 4500, { BUFFER, JOURNAL } },
	{ "disk_bwrt", 25, 4500, { BUFFER, JOURNAL } },
	{ "disk_cp", 20, 5000, { BUFFER, BUFFER, JOURNAL } },
	/* Past the page cache: the inode's mutex, and no buffers. */
	{ "disk_dio_cp", 15, 9000, { DIR_ENTRY, JOURNAL } },
	{ "disk_dio_rd", 15, 9000, { DIR_ENTRY } },
	{ "disk_dio_rr", 15, 9000, { DIR_ENTRY } },
	{ "disk_dio_rw", 15, 9000, { DIR_ENTRY, JOURNAL } },
	{ "disk_dio_wrt", 15, 9000, { DIR_ENTRY, JOURNAL } },
	{ "disk_rd", 30, 4000, { BUFFER } },
	{ "disk_rr", 30, 4000, { BUFFER } },
	{ "disk_rw", 25, 4500, { BUFFER, JOURNAL } },
	/* Searches directories. */
	{ "disk_src", 20, 5000, { READDIR } },
	{ "disk_wrt", 25, 4500, { BUFFER, JOURNAL } },
	{ "fifo_test", 50, 2200, { DENTRY } },
	COMPUTE("fork_test", 400),
	COMPUTE("jmp_test", 100),
	{ "link_test", 20, 5500, { DIR_ENTRY, ORPHAN, ORPHAN, JOURNAL } },
	COMPUTE("matrix_rtns", 200),
	COMPUTE("mem_rtns_2", 150),
	/* Small system calls, on files among others. */
	{ "misc_rtns_1", 30, 4000, { DENTRY } },
	COMPUTE("mul_int", 120),
	COMPUTE("mul_long", 120),
	COMPUTE("mul_short", 120),
	COMPUTE("new_raph", 150),
	COMPUTE("num_rtns_1", 150),
	COMPUTE("page_test", 250),
	{ "pipe_cpy", 80, 1200, { DENTRY } },
	COMPUTE("ram_copy", 150),
	COMPUTE("series_1", 120),
	COMPUTE("shared_memory", 200),
	COMPUTE("sieve", 300),
	COMPUTE("signal_test", 200),
	{ "stream_pipe", 60, 1800, { DENTRY } },
	/* Each write waits for the transaction that holds it. */
	{ "sync_disk_cp", 12, 9000, { BUFFER, BUFFER, JOURNAL, COMMIT } },
	{ "sync_disk_rw", 12, 9000, { BUFFER, JOURNAL, COMMIT } },
	{ "sync_disk_update", 12, 9000, { BUFFER, JOURNAL, COMMIT } },
	{ "sync_disk_wrt", 12, 9000, { BUFFER, JOURNAL, COMMIT } },
	{ "tcp_test", 50, 2500, { DENTRY } },
	{ "udp_test", 50, 2200, { DENTRY } },
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

	while (n < FOOTPRINT_OPS_MAX && f->op[n].lines)
		n++;
	return n;
}
