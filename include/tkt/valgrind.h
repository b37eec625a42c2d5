/* SPDX-License-Identifier: MIT */
/*
 * tkt/valgrind.h - telling Valgrind's helgrind and drd what a lock does
 *
 * With TKT_VALGRIND both tools are told that an unlock comes before the next
 * lock, and to ignore the accesses to the lock's own words, which they would
 * take for races: they cannot know that an atomic access is one.  A client
 * request costs a few instructions outside Valgrind.
 *
 * A lock that is never destroyed leaves its memory exempt from the tools.
 *
 * Both tools define macros of the same names; only their numbered requests are
 * used here.  One runs at a time and ignores the other's.
 */
#ifndef TKT_VALGRIND_H
#define TKT_VALGRIND_H

#include <stddef.h>
#include <stdint.h>

#include <valgrind/drd.h>
#include <valgrind/helgrind.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline void tkt_x_valgrind_ignore(void *p, size_t size)
{
	VALGRIND_HG_DISABLE_CHECKING(p, size);
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_START_SUPPRESSION, p,
					size, 0, 0, 0);
}

static inline void tkt_x_valgrind_forget(const void *p, size_t size)
{
	VALGRIND_HG_ENABLE_CHECKING(p, size);
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_FINISH_SUPPRESSION, p,
					size, 0, 0, 0);
}

/* The lock's life ends: what comes to stand in its memory is another's. */
static inline void tkt_x_valgrind_destroy(const void *l, size_t size)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_FORGET_ALL, l, 0,
					0, 0, 0);
	tkt_x_valgrind_forget(l, size);
}

static inline void tkt_x_valgrind_look(const void *l, size_t size)
{
	tkt_x_valgrind_ignore((void *)(uintptr_t)l, size);
}

static inline void tkt_x_valgrind_taken(const void *l)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_RECV_POST, l, 0,
					0, 0, 0);
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_AFTER,
					l, 0, 0, 0, 0);
}

static inline void tkt_x_valgrind_release(const void *l)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_SEND_PRE, l, 0,
					0, 0, 0);
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_BEFORE,
					l, 0, 0, 0, 0);
}

#ifdef __cplusplus
}
#endif

#endif /* TKT_VALGRIND_H */
