/* SPDX-License-Identifier: MIT */
/* src/locks/registry.c - the list of locks, in the order they are shown */
#include <string.h>

#include "lock_ops.h"

#define LOCKS(X) X(lib_default) X(lib_spin) X(lib_yield) X(ticket)

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
