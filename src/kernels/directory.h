/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/directory.h - a directory under its i_mutex
 *
 * Entries are numbers in slots.  Beside them the directory keeps their count
 * and their sum, and each change begins by stepping one version and ends by
 * stepping another: whoever lists the directory while it is being changed gets
 * figures that do not agree, a torn listing.
 */
#ifndef TKT_SRC_KERNELS_DIRECTORY_H
#define TKT_SRC_KERNELS_DIRECTORY_H

#include "kernel.h"

/* What i_mutex protects, apart from the slots. */
struct directory_hot {
	uint64_t begun, ended; /* changes */
	uint64_t count, sum;   /* of the entries */
	uint64_t listings;
};

struct directory {
	/* i_mutex, then struct directory_hot in the same line or the next. */
	unsigned char lines[2][LOCK_ALIGN] __attribute__((aligned(LOCK_ALIGN)));
	struct directory_hot *hot;
	uint64_t *slot; /* 0: empty */
	unsigned int slots;
};

/* All directories of a kernel. */
struct directories {
	const struct lock_ops *lock; /* what i_mutex is */
	unsigned int count;
	struct directory *dir;
	uint64_t *memory; /* of the slots */
};

#define directories_build LOCK_PASTE(directories, build, LOCK_BACKEND)
#define directories_free LOCK_PASTE(directories, free, LOCK_BACKEND)
#define directory_list LOCK_PASTE(directory, list, LOCK_BACKEND)
#define directory_put LOCK_PASTE(directory, put, LOCK_BACKEND)
#define directory_take LOCK_PASTE(directory, take, LOCK_BACKEND)

/*
 * Builds `count` empty directories of `slots` slots each.  False, with why
 * (KERNEL_WHY_BYTES): it could not.
 */
bool directories_build(struct directories *all, const struct lock_ops *lock,
		       const struct lock_params *params,
		       enum kernel_layout layout, unsigned int count,
		       unsigned int slots, char *why);
void directories_free(struct directories *all);

/* Reads all entries, under i_mutex; whether the figures agree. */
bool directory_list(struct directory *dir);

/*
 * Under i_mutex: puts `entry`, not 0, into the first empty slot from `from` on,
 * round the end; false: there is none.
 */
bool directory_put(struct directory *dir, unsigned int from, uint64_t entry);

/* The same for taking the first entry out; 0: there is none. */
uint64_t directory_take(struct directory *dir, unsigned int from);

/* The i_mutex that the variant asks for: the library's mutex, or `lock`. */
static inline const struct lock_ops *directory_lock(const char *variant,
						    const struct lock_ops *lock)
{
	return variant[0] == 'm' ? lock_find("tkt-mutex") : lock;
}

#endif /* TKT_SRC_KERNELS_DIRECTORY_H */
