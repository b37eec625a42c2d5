/* SPDX-License-Identifier: MIT */
/*
 * src/locks/lock_mem.h - memory for locks that need some of their own
 *
 * Two functions, so that a back end whose threads see other memory than the
 * heap can replace them: LOCK_MEM_HEADER, a header name with its delimiters,
 * then defines both.
 */
#ifndef TKT_SRC_LOCKS_LOCK_MEM_H
#define TKT_SRC_LOCKS_LOCK_MEM_H

#ifdef LOCK_MEM_HEADER
#include LOCK_MEM_HEADER
#else

#include <stddef.h>
#include <stdlib.h>

#include "lock_ops.h"

/*
 * At least `bytes` bytes, uninitialised, on lines of their own (aligned to
 * LOCK_ALIGN, nothing else in the last line), or NULL.  bytes is not 0.
 */
static inline void *lock_mem_alloc(size_t bytes)
{
	const size_t rest = bytes % LOCK_ALIGN;

	if (rest)
		bytes += LOCK_ALIGN - rest;
	return aligned_alloc(LOCK_ALIGN, bytes);
}

/* Gives back what lock_mem_alloc returned; NULL is allowed. */
static inline void lock_mem_free(void *memory)
{
	free(memory);
}

#endif
#endif /* TKT_SRC_LOCKS_LOCK_MEM_H */
