/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/dio_range.h - a lock on each block of a file
 *
 * Keeps overlapping writes and hole punches apart while the inode mutex is
 * not held.  A word for each block:
 *
 *	0 free    1 held    2 held, and somebody may be asleep
 *
 * (the sleeping mutex of Drepper, "Futexes are tricky", 2004).  A range is
 * locked block by block, ascending, so that two ranges cannot wait for each
 * other.  Not fair.
 */
#ifndef TKT_SRC_KERNELS_DIO_RANGE_H
#define TKT_SRC_KERNELS_DIO_RANGE_H

#include <stdint.h>

/*
 * word: one of each block of the file, all 0 at the start.  Lock acquires,
 * unlock releases.  Before the inode mutex, if both are taken.
 */
void dio_range_lock(uint32_t *word, unsigned int block, unsigned int n);
void dio_range_unlock(uint32_t *word, unsigned int block, unsigned int n);

#endif /* TKT_SRC_KERNELS_DIO_RANGE_H */
