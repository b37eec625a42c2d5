/* SPDX-License-Identifier: MIT */
/*
 * tkt.h - everything a user of the library needs
 *
 * C11 (with GNU builtins) and C++17; nothing to link.  tkt/lock.h says what
 * the lock is, when to use it and when not; tkt/config.h has the tunables.
 */
#ifndef TKT_H
#define TKT_H

#define TKT_VERSION_MAJOR 0
#define TKT_VERSION_MINOR 1
#define TKT_VERSION_PATCH 0
/* Comparable: 10000 * major + 100 * minor + patch. */
#define TKT_VERSION                                            \
	(10000 * TKT_VERSION_MAJOR + 100 * TKT_VERSION_MINOR + \
	 TKT_VERSION_PATCH)
#define TKT_VERSION_STRING "0.1.0"

#include "tkt/config.h"
#include "tkt/lock.h"
#if TKT_EVENTS
#include "tkt/events.h"
#endif
#include "tkt/cxx.h"

#endif /* TKT_H */
