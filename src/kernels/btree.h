/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/btree.h - a B+ tree whose nodes are locked hand over hand
 *
 * Walking down, a thread locks the child before it lets the parent go.  As in
 * btrfs, it first tries, spinning a little; only if that fails does it say of
 * the parent that its owner may block, and wait.  A full node is split on the
 * way down, so a walk never has to turn back; the root stays where it is.
 * Deleting leaves nodes as empty as they get, and the keys are given, so the
 * nodes that can ever be needed are allocated at the start.
 */
#ifndef TKT_SRC_KERNELS_BTREE_H
#define TKT_SRC_KERNELS_BTREE_H

#include <tkt/treelock.h>

#include "kernel.h"

#define BTREE_FANOUT 16u
#define BTREE_LEVELS_MAX 12u

struct btree_node {
	tkt_treelock_t lock;
	uint32_t leaf;
	uint32_t count;
	uint64_t visits; /* walks that ended here, under the lock */
	/* Keys of a leaf; or the least key of each child, key[0] unused. */
	uint32_t key[BTREE_FANOUT];
	struct btree_node *child[BTREE_FANOUT];
} __attribute__((aligned(LOCK_ALIGN)));

/* One walk's wishes, and what became of it. */
struct btree_walk {
	/* At this depth, or at the leaf, call pause(arg) and block meanwhile. */
	unsigned int pause_depth;
	void (*pause)(void *arg); /* NULL: do not */
	void *arg;
	unsigned int depth; /* of the leaf it came to */
};

struct btree {
	struct btree_node *node; /* node[0] is the root */
	uint32_t used;		 /* by fetch-and-add */
	uint32_t nodes;
	bool broken; /* leaves are not locked: the negative control */
	enum tkt_treelock_flavour flavour;
};

enum btree_op {
	BTREE_SEARCH,
	BTREE_INSERT,
	BTREE_DELETE
};

#define btree_build LOCK_PASTE(btree, build, LOCK_BACKEND)
#define btree_free LOCK_PASTE(btree, free, LOCK_BACKEND)
#define btree_do LOCK_PASTE(btree, do, LOCK_BACKEND)
#define btree_hold LOCK_PASTE(btree, hold, LOCK_BACKEND)
#define btree_check LOCK_PASTE(btree, check, LOCK_BACKEND)

/* An empty tree for keys below `keys`; false: out of memory. */
bool btree_build(struct btree *tree, uint32_t keys,
		 enum tkt_treelock_flavour flavour);
void btree_free(struct btree *tree);

/*
 * Looks for a key, inserts or deletes it; whether the key was there before.
 * `walk` may be NULL.
 */
bool btree_do(struct btree *tree, enum btree_op op, uint32_t key,
	      struct btree_walk *walk);

/*
 * Walks to the leaf of key 0 and calls inside(arg) between reading and writing
 * its count of visits.
 */
void btree_hold(struct btree *tree, void (*inside)(void *arg), void *arg);

/*
 * With no thread at work: whether the tree's keys are in order and exactly
 * those of present[], one byte for each of `keys` keys; and its visits
 * `visits`.  If not, why gets `keys-ordered`, `key-count`, `key-lost` or
 * `visits-add-up`, and the figures.
 */
bool btree_check(struct btree *tree, const unsigned char *present,
		 uint32_t keys, uint64_t visits, char *why);

#endif /* TKT_SRC_KERNELS_BTREE_H */
