/* SPDX-License-Identifier: MIT */
/* src/kernels/dentry_check.c - whether a tree and its users add up */
#include <inttypes.h>
#include <stdio.h>

#include <tkt/atomic.h>

#include "dentry_tree.h"

static const struct dentry_hot *hot_of(const struct dentry_tree *tree,
				       const struct dentry_dir *dir)
{
	return (const void *)((const unsigned char *)dir + tree->hot_offset);
}

static bool check_sections(const struct dentry_tree *tree, uint64_t made,
			   char *why)
{
	uint64_t counted = 0;

	for (unsigned int i = 0; i < tree->dirs; i++)
		counted += TKT_READ(&hot_of(tree, &tree->dir[i])->sections);
	if (counted == made)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "sections-add-up: %" PRIu64 " counted under d_lock, "
		       "%" PRIu64 " made",
		       counted, made);
	return false;
}

/* Walks one list, not further than there are children; marks them. */
static bool check_list(struct dentry_tree *tree, struct dentry_dir *dir,
		       unsigned int number, char *why)
{
	const struct list_link *prev = &dir->children;
	struct list_link *link = TKT_READ(&dir->children.next);
	const int64_t count = dentry_count(tree, dir);
	unsigned int length = 0;

	for (; link != &dir->children; link = TKT_READ(&link->next)) {
		struct dentry_child *child = (struct dentry_child *)link;

		if (++length > tree->children ||
		    TKT_READ(&link->prev) != prev || child->seen++ ||
		    TKT_LOAD(&child->parent, TKT_RELAXED) != dir) {
			(void)snprintf(why, KERNEL_WHY_BYTES,
				       "one-list: entry %u of directory %u is "
				       "damaged or belongs elsewhere",
				       length, number);
			return false;
		}
		prev = link;
	}
	if (TKT_READ(&dir->children.prev) != prev) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "one-list: directory %u has a wrong last entry",
			       number);
		return false;
	}
	if (count != 1 + (int64_t)length) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "count-balance: directory %u has %" PRId64
			       " references, its own and %u children",
			       number, count, length);
		return false;
	}
	return true;
}

static bool check_lists(struct dentry_tree *tree, char *why)
{
	for (unsigned int i = 0; i < tree->children; i++)
		tree->child[i].seen = 0;
	for (unsigned int i = 0; i < tree->dirs; i++)
		if (!check_list(tree, &tree->dir[i], i, why))
			return false;
	for (unsigned int i = 0; i < tree->children; i++) {
		if (tree->child[i].seen)
			continue;
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "one-list: child %u is on no list", i);
		return false;
	}
	return true;
}

bool dentry_tree_check(struct dentry_tree *tree,
		       const struct dentry_totals *totals, char *why)
{
	if (!check_sections(tree, totals->sections, why))
		return false;
	if (totals->dead) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "use-after-last-put: %" PRIu64
			       " times a parent died with references out",
			       totals->dead);
		return false;
	}
	return check_lists(tree, why);
}
