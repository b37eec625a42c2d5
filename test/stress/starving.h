/* SPDX-License-Identifier: MIT */
/* starving.h - the unfair lock, a control for what checks fairness */
#ifndef TKT_TEST_STARVING_H
#define TKT_TEST_STARVING_H

#include "locks/lock_ops.h"

const struct lock_ops *starving_lock_ops(void);

#endif /* TKT_TEST_STARVING_H */
