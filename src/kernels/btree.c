/* SPDX-License-Identifier: MIT */
/* src/kernels/btree.c - a B+ tree whose nodes are locked hand over hand */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "btree.h"

#define HALF (BTREE_FANOUT / 2)

bool btree_build(struct btree *tree, uint32_t keys,
		 enum tkt_treelock_flavour flavour)
{
	*tree = (struct btree){ .used = 1, .flavour = flavour };
	/*
	 * A node is split with FANOUT entries, so each half keeps a range of at
	 * least FANOUT / 2 keys for ever: leaves; and as many again above.
	 */
	tree->nodes = 2 * (keys / HALF + 1) + 2 * BTREE_LEVELS_MAX;
	tree->node =
		aligned_alloc(LOCK_ALIGN, tree->nodes * sizeof(*tree->node));
	if (!tree->node)
		return false;
	memset(tree->node, 0, tree->nodes * sizeof(*tree->node));
	for (uint32_t i = 0; i < tree->nodes; i++) {
		tkt_treelock_init(&tree->node[i].lock, flavour);
		tree->node[i].leaf = 1;
	}
	return true;
}

void btree_free(struct btree *tree)
{
	for (uint32_t i = 0; i < tree->nodes; i++)
		tkt_treelock_destroy(&tree->node[i].lock);
	free(tree->node);
}

/* Bounded, so that a tree that lost its order is found, not fallen over. */
static uint32_t count_of(struct btree_node *n)
{
	const uint32_t count = TKT_READ(&n->count);

	return count < BTREE_FANOUT ? count : BTREE_FANOUT;
}

/* The first place whose key is not less than `key`. */
static uint32_t place_of(struct btree_node *n, uint32_t key)
{
	const uint32_t count = count_of(n);
	uint32_t i = 0;

	while (i < count && TKT_READ(&n->key[i]) < key)
		i++;
	return i;
}

static uint32_t child_of(struct btree_node *n, uint32_t key)
{
	const uint32_t count = count_of(n);
	uint32_t i = 1;

	while (i < count && TKT_READ(&n->key[i]) <= key)
		i++;
	return i - 1;
}

/* There is room. */
static void insert_at(struct btree_node *n, uint32_t at, uint32_t key,
		      struct btree_node *child)
{
	const uint32_t count = count_of(n);

	for (uint32_t i = count < BTREE_FANOUT ? count : BTREE_FANOUT - 1;
	     i > at; i--) {
		TKT_WRITE(&n->key[i], TKT_READ(&n->key[i - 1]));
		TKT_WRITE(&n->child[i], TKT_READ(&n->child[i - 1]));
	}
	TKT_WRITE(&n->key[at], key);
	TKT_WRITE(&n->child[at], child);
	TKT_WRITE(&n->count, count + 1);
}

static void delete_at(struct btree_node *n, uint32_t at)
{
	const uint32_t count = count_of(n);

	for (uint32_t i = at; i + 1 < count; i++)
		TKT_WRITE(&n->key[i], TKT_READ(&n->key[i + 1]));
	TKT_WRITE(&n->count, count - 1);
}

/* A node that takes over `count` entries of `from`; nobody else knows it. */
static struct btree_node *split_off(struct btree *tree, struct btree_node *from,
				    uint32_t first, uint32_t count)
{
	const uint32_t i = TKT_FETCH_ADD(&tree->used, 1, TKT_RELAXED);
	struct btree_node *n;

	if (i >= tree->nodes)
		return NULL;
	n = &tree->node[i];
	TKT_WRITE(&n->leaf, TKT_READ(&from->leaf));
	for (uint32_t k = 0; k < count; k++)
		insert_at(n, k, TKT_READ(&from->key[first + k]),
			  TKT_READ(&from->child[first + k]));
	return n;
}

/* The root keeps its address: both halves move out from under it. */
static void split_root(struct btree *tree, struct btree_node *root)
{
	struct btree_node *low = split_off(tree, root, 0, HALF);
	struct btree_node *high = split_off(tree, root, HALF, HALF);

	if (!low || !high)
		return;
	TKT_WRITE(&root->count, 0);
	TKT_WRITE(&root->leaf, 0);
	insert_at(root, 0, 0, low);
	insert_at(root, 1, TKT_READ(&high->key[0]), high);
}

static void pause_at(struct btree_node *n, unsigned int depth,
		     struct btree_walk *walk)
{
	if (!walk || !walk->pause ||
	    (depth != walk->pause_depth && !TKT_READ(&n->leaf)))
		return;
	tkt_treelock_set_blocking(&n->lock);
	walk->pause(walk->arg);
	tkt_treelock_clear_blocking(&n->lock);
	walk->pause = NULL;
}

/* Whether the lock of n is left out: one lock, in the negative control. */
static bool skipped(struct btree *tree, struct btree_node *n)
{
	return tree->broken && n != tree->node && TKT_READ(&n->leaf);
}

static void lock_child(struct btree *tree, struct btree_node *parent,
		       struct btree_node *child, unsigned int class)
{
	if (skipped(tree, child) || tkt_treelock_try_spin(&child->lock, class))
		return;
	tkt_treelock_set_blocking(&parent->lock);
	tkt_treelock_lock(&child->lock, class);
	tkt_treelock_clear_blocking(&parent->lock);
}

static void unlock(struct btree *tree, struct btree_node *n)
{
	if (!skipped(tree, n))
		tkt_treelock_unlock(&n->lock);
}

/*
 * The child, locked, at place `at` of its parent is full: splits it and keeps
 * hold of the half that has the key.  Nobody else can have the new one.
 */
static struct btree_node *split_child(struct btree *tree,
				      struct btree_node *parent, uint32_t at,
				      struct btree_node *child, uint32_t key,
				      unsigned int depth)
{
	struct btree_node *high = split_off(tree, child, HALF, HALF);
	uint32_t least;

	if (!high)
		return child;
	least = TKT_READ(&high->key[0]);
	TKT_WRITE(&child->count, HALF);
	insert_at(parent, at + 1, least, high);
	if (key < least)
		return child;
	if (!skipped(tree, high))
		tkt_treelock_lock(&high->lock, TKT_TREELOCK_CLASS(depth, 1));
	unlock(tree, child);
	return high;
}

/* Walks to the leaf of the key, and returns it locked. */
static struct btree_node *walk_down(struct btree *tree, uint32_t key,
				    bool inserts, struct btree_walk *walk)
{
	struct btree_node *n = tree->node, *child;
	unsigned int depth = 0;

	tkt_treelock_lock(&n->lock, TKT_TREELOCK_CLASS(0, 0));
	if (inserts && count_of(n) == BTREE_FANOUT)
		split_root(tree, n);
	pause_at(n, 0, walk);
	while (!TKT_READ(&n->leaf)) {
		const uint32_t at = child_of(n, key);

		child = TKT_READ(&n->child[at]);
		depth++;
		lock_child(tree, n, child, TKT_TREELOCK_CLASS(depth, 0));
		if (inserts && count_of(child) == BTREE_FANOUT)
			child = split_child(tree, n, at, child, key, depth);
		unlock(tree, n);
		n = child;
		if (!skipped(tree, n))
			pause_at(n, depth, walk);
	}
	if (walk)
		walk->depth = depth;
	return n;
}

bool btree_do(struct btree *tree, enum btree_op op, uint32_t key,
	      struct btree_walk *walk)
{
	struct btree_node *n = walk_down(tree, key, op == BTREE_INSERT, walk);
	const uint32_t at = place_of(n, key);
	const bool found = at < count_of(n) && TKT_READ(&n->key[at]) == key;

	if (op == BTREE_INSERT && !found && count_of(n) < BTREE_FANOUT)
		insert_at(n, at, key, NULL);
	else if (op == BTREE_DELETE && found)
		delete_at(n, at);
	TKT_WRITE(&n->visits, TKT_READ(&n->visits) + 1);
	unlock(tree, n);
	return found;
}

void btree_hold(struct btree *tree, void (*inside)(void *arg), void *arg)
{
	struct btree_node *n = walk_down(tree, 0, false, NULL);
	uint64_t visits;

	if (!skipped(tree, n))
		tkt_treelock_set_blocking(&n->lock);
	visits = TKT_READ(&n->visits);
	inside(arg);
	TKT_WRITE(&n->visits, visits + 1);
	unlock(tree, n);
}

/* What a walk through the whole tree has found so far. */
struct tally {
	const unsigned char *present;
	uint32_t keys, found, lost;
	uint64_t next;	/* the least key that may come */
	uint32_t nodes; /* that may still come: a ring of nodes has no end */
	bool ordered;
};

static void tally_node(struct btree_node *n, unsigned int depth,
		       struct tally *t)
{
	if (!n || !t->nodes || depth == BTREE_LEVELS_MAX) {
		t->ordered = false;
		return;
	}
	t->nodes--;
	for (uint32_t i = 0; i < count_of(n); i++) {
		const uint32_t key = TKT_READ(&n->key[i]);

		if (!TKT_READ(&n->leaf)) {
			tally_node(TKT_READ(&n->child[i]), depth + 1, t);
			continue;
		}
		t->found++;
		if (key < t->next || key >= t->keys) {
			t->ordered = false;
			continue;
		}
		for (; t->next < key; t->next++)
			t->lost += t->present[t->next];
		t->next = key + 1;
		t->lost += !t->present[key];
	}
}

bool btree_check(struct btree *tree, const unsigned char *present,
		 uint32_t keys, uint64_t visits, char *why)
{
	struct tally t = { .present = present,
			   .keys = keys,
			   .nodes = tree->nodes,
			   .ordered = true };
	uint64_t visited = 0;
	uint32_t expected = 0;

	for (uint32_t i = 0; i < tree->nodes; i++)
		visited += TKT_READ(&tree->node[i].visits);
	for (uint32_t i = 0; i < keys; i++)
		expected += present[i];
	tally_node(tree->node, 0, &t);
	for (; t.next < keys; t.next++)
		t.lost += present[t.next];
	if (visited != visits)
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "visits-add-up: %" PRIu64
			       " counted under the leaves' locks, %" PRIu64
			       " made",
			       visited, visits);
	else if (!t.ordered)
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "keys-ordered: they are not");
	else if (t.found != expected)
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "key-count: %u in the tree, %u in the shadow",
			       t.found, expected);
	else if (t.lost)
		(void)snprintf(
			why, KERNEL_WHY_BYTES,
			"key-lost: %u keys are in one of tree and shadow "
			"only",
			t.lost);
	else
		return true;
	return false;
}
