/* SPDX-License-Identifier: MIT */
/* src/kernels/setup.h - what the setups of kernels have in common */
#ifndef TKT_SRC_KERNELS_SETUP_H
#define TKT_SRC_KERNELS_SETUP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* Says in why (KERNEL_WHY_BYTES) what is wrong; returns false. */
static inline bool setup_fail(const char *wrong, char *why)
{
	(void)snprintf(why, KERNEL_WHY_BYTES, "setup: %s", wrong);
	return false;
}

/*
 * At least `bytes` bytes, zeroed, on lines of their own, for free(); or NULL,
 * with why (KERNEL_WHY_BYTES).
 */
static inline void *setup_alloc(size_t bytes, char *why)
{
	const size_t lines = (bytes + LOCK_ALIGN - 1) / LOCK_ALIGN;
	void *memory = aligned_alloc(LOCK_ALIGN, lines * LOCK_ALIGN);

	if (memory)
		memset(memory, 0, bytes);
	else
		(void)setup_fail("out of memory", why);
	return memory;
}

#endif /* TKT_SRC_KERNELS_SETUP_H */
