/* SPDX-License-Identifier: MIT */
/* src/locks/registry.c - the list of locks, in the order they are shown */
#include <string.h>

#include "lock_ops.h"

/*
 * Identifiers, one a line.  PORTABLE: all shared accesses through
 * <tkt/atomic.h>, so for any back end.  NATIVE: locks of the C library, which
 * only threads of the real machine can use; WITHOUT_NATIVE leaves them
 * out.  Of other libraries, the same, those that the build found.  CONTROL: broken on purpose, portable.
 */
/* clang-format off */
#define LOCKS_PORTABLE(X) \
	X(lib_default) \
	X(lib_spin) \
	X(lib_yield) \
	X(adaptive) \
	X(ticket) \
	X(ticket_backoff) \
	X(rfc2013) \
	X(mcs) \
	X(clh) \
	X(array) \
	X(qspin) \
	X(tas) \
	X(ttas)

#ifndef WITHOUT_NATIVE
#define LOCKS_NATIVE(X) \
	X(posix_spin) \
	X(posix_mutex) \
	X(posix_adaptive)
#else
#define LOCKS_NATIVE(X)
#endif

#ifdef WITH_CK
#define LOCKS_CK(X) \
	X(peer_fas) \
	X(peer_ticket) \
	X(peer_mcs) \
	X(peer_clh) \
	X(peer_anderson)
#else
#define LOCKS_CK(X)
#endif

#ifdef WITH_ABSL
#define LOCKS_ABSL(X) X(peer_absl)
#else
#define LOCKS_ABSL(X)
#endif

#ifdef WITH_NSYNC
#define LOCKS_NSYNC(X) X(peer_nsync)
#else
#define LOCKS_NSYNC(X)
#endif

#ifdef WITH_STD
#define LOCKS_STD(X) X(peer_std)
#else
#define LOCKS_STD(X)
#endif

#define LOCKS_CONTROL(X) \
	X(busted)
/* clang-format on */

#define LOCKS_PEERS(X) LOCKS_CK(X) LOCKS_ABSL(X) LOCKS_NSYNC(X) LOCKS_STD(X)
#define LOCKS(X) \
	LOCKS_PORTABLE(X) LOCKS_NATIVE(X) LOCKS_PEERS(X) LOCKS_CONTROL(X)

#define DECLARE(id) extern const struct lock_ops LOCK_SYM(id);
LOCKS(DECLARE)

#define ENTRY(id) &LOCK_SYM(id),
const struct lock_ops *const lock_table[] = { LOCKS(ENTRY) NULL };

const struct lock_ops *lock_find(const char *name)
{
	for (const struct lock_ops *const *p = lock_table; *p; p++)
		if (!strcmp((*p)->name, name))
			return *p;
	return NULL;
}
