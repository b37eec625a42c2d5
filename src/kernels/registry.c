/* SPDX-License-Identifier: MIT */
/* src/kernels/registry.c - the list of kernels, in the order they are shown */
#include <string.h>

#include "kernel.h"

/* clang-format off */
#define KERNELS_PORTABLE(X) \
	X(counter) \
	X(dentry) \
	X(readdir_orphan) \
	X(bufwait) \
	X(readdir) \
	X(treelock) \
	X(bioref)

/* Of the real machine only; WITHOUT_NATIVE leaves them out. */
#ifndef WITHOUT_NATIVE
#define KERNELS_NATIVE(X) \
	X(dio)
#else
#define KERNELS_NATIVE(X)
#endif
/* clang-format on */

#define KERNELS(X) KERNELS_PORTABLE(X) KERNELS_NATIVE(X)

#define DECLARE(id) extern const struct kernel_ops KERNEL_SYM(id);
KERNELS(DECLARE)

#define ENTRY(id) &KERNEL_SYM(id),
const struct kernel_ops *const kernel_table[] = { KERNELS(ENTRY) NULL };

static const char *no_lock_init(void *lock, const struct lock_params *params)
{
	(void)lock;
	(void)params;
	return NULL;
}

const struct lock_ops kernel_no_lock = {
	.name = "none",
	.summary = "of a kernel that takes no lock",
	.size = 0,
	.init = no_lock_init,
};

const struct kernel_ops *kernel_find(const char *name)
{
	for (const struct kernel_ops *const *p = kernel_table; *p; p++)
		if (!strcmp((*p)->name, name))
			return *p;
	return NULL;
}
