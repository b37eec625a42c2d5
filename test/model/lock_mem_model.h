/* SPDX-License-Identifier: MIT */
/* test/model/lock_mem_model.h - memory of a lock's own: for one execution */
#ifndef TKT_TEST_MODEL_LOCK_MEM_H
#define TKT_TEST_MODEL_LOCK_MEM_H

#include "model.h"

static inline void *lock_mem_alloc(size_t bytes)
{
	return model_alloc(bytes);
}

static inline void lock_mem_free(void *memory)
{
	(void)memory;
}

#endif /* TKT_TEST_MODEL_LOCK_MEM_H */
