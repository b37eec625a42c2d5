/* SPDX-License-Identifier: MIT */
/* src/kernels/orphans.c - inodes in directories, or on the list of orphans */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "harness/delay.h"
#include "orphans.h"
#include "setup.h"

bool orphans_build(struct orphans *o, const struct lock_ops *i_mutex,
		   const struct lock_params *params, enum kernel_layout layout,
		   unsigned int directories, unsigned int entries, char *why)
{
	const char *wrong = o->lock->init(o->lines[0], params);

	if (wrong)
		return setup_fail(wrong, why);
	o->hot = (void *)(o->lines[0] + kernel_data_offset(o->lock, layout));
	list_init(&o->hot->list);
	o->inodes = (uint64_t)directories * entries;
	o->inode = calloc(o->inodes, sizeof(*o->inode));
	if (!o->inode) {
		(void)setup_fail("out of memory", why);
		goto fail;
	}
	if (!directories_build(&o->all, i_mutex, params, layout, directories,
			       2 * entries, why))
		goto fail;
	for (unsigned int i = 0; i < directories; i++)
		for (unsigned int k = 0; k < entries; k++)
			(void)directory_put(&o->all.dir[i], 2 * k,
					    (uint64_t)i * entries + k + 1);
	return true;

fail:
	free(o->inode);
	lock_destroy(o->lock, o->lines[0]);
	return false;
}

void orphans_free(struct orphans *o)
{
	directories_free(&o->all);
	free(o->inode);
	lock_destroy(o->lock, o->lines[0]);
}

static void orphan_section_end(struct orphans *o, struct orphans_user *u)
{
	delay_ns(o->cs_ns);
	TKT_WRITE(&o->hot->sections, TKT_READ(&o->hot->sections) + 1);
	u->sections++;
	o->lock->unlock(o->lines[0], &u->orphan_ctx);
}

static void orphan_add(struct orphans *o, struct orphans_user *u,
		       struct orphan *inode)
{
	o->lock->lock(o->lines[0], &u->orphan_ctx);
	list_add(&o->hot->list, &inode->link);
	orphan_section_end(o, u);
}

static void orphan_del(struct orphans *o, struct orphans_user *u,
		       struct orphan *inode)
{
	o->lock->lock(o->lines[0], &u->orphan_ctx);
	list_remove(&inode->link);
	orphan_section_end(o, u);
}

static struct directory *some_dir(struct orphans *o, struct orphans_user *u)
{
	return &o->all.dir[random_below(&u->random, o->all.count)];
}

void orphans_list(struct orphans *o, struct orphans_user *u)
{
	struct directory *dir = some_dir(o, u);

	o->all.lock->lock(dir->lines[0], &u->inode_ctx);
	u->torn += !directory_list(dir);
	u->listings++;
	delay_ns(o->cs_ns);
	o->all.lock->unlock(dir->lines[0], &u->inode_ctx);
}

void orphans_unlink(struct orphans *o, struct orphans_user *u)
{
	struct directory *dir = some_dir(o, u);
	const uint32_t from = random_below(&u->random, dir->slots);
	uint64_t number;

	o->all.lock->lock(dir->lines[0], &u->inode_ctx);
	number = directory_take(dir, from);
	if (number)
		orphan_add(o, u, &o->inode[number - 1]);
	o->all.lock->unlock(dir->lines[0], &u->inode_ctx);
	if (number)
		u->open[u->opened++] = number;
}

uint64_t orphans_close(struct orphans *o, struct orphans_user *u)
{
	const uint64_t number = u->open[0];

	u->opened--;
	memmove(&u->open[0], &u->open[1], u->opened * sizeof(u->open[0]));
	orphan_del(o, u, &o->inode[number - 1]);
	return number;
}

void orphans_create(struct orphans *o, struct orphans_user *u, uint64_t number)
{
	uint32_t i = random_below(&u->random, o->all.count);
	bool done = false;

	/* There are twice as many slots as inodes. */
	for (unsigned int tries = 0; !done && tries < 2 * o->all.count;
	     tries++, i++) {
		struct directory *dir = &o->all.dir[i % o->all.count];

		o->all.lock->lock(dir->lines[0], &u->inode_ctx);
		done = directory_put(dir, random_below(&u->random, dir->slots),
				     number);
		o->all.lock->unlock(dir->lines[0], &u->inode_ctx);
	}
}

static bool check_counts(struct orphans *o, char *why)
{
	uint64_t sections = 0, listings = 0, torn = 0;

	for (unsigned int i = 0; i < o->threads; i++) {
		sections += o->user[i].sections;
		listings += o->user[i].listings;
		torn += o->user[i].torn;
	}
	if (TKT_READ(&o->hot->sections) != sections) {
		(void)snprintf(why, KERNEL_WHY_BYTES,
			       "sections-add-up: %" PRIu64
			       " counted under the orphan lock, %" PRIu64
			       " made",
			       TKT_READ(&o->hot->sections), sections);
		return false;
	}
	for (unsigned int i = 0; i < o->all.count; i++)
		torn += !directory_list(&o->all.dir[i]);
	if (!torn)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "listing-torn: %" PRIu64 " of %" PRIu64
		       " listings are of no moment",
		       torn, listings);
	return false;
}

/* Walks the list, not further than there are inodes; marks them. */
static bool check_list(struct orphans *o, char *why)
{
	const struct list_link *prev = &o->hot->list;
	struct list_link *at = TKT_READ(&o->hot->list.next);
	uint64_t length = 0;

	for (; at != &o->hot->list; prev = at, at = TKT_READ(&at->next))
		if (++length > o->inodes || TKT_READ(&at->prev) != prev ||
		    ((struct orphan *)at)->seen++)
			break;
	if (at == &o->hot->list && TKT_READ(&at->prev) == prev)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "orphan-list: damaged at entry %" PRIu64, length);
	return false;
}

bool orphans_check(struct orphans *o, char *why)
{
	uint64_t lost = 0;

	if (!check_counts(o, why))
		return false;
	for (uint64_t i = 0; i < o->inodes; i++)
		o->inode[i].seen = 0;
	if (!check_list(o, why))
		return false;
	/* Seen twice: on the list and in hand, or as an entry. */
	for (unsigned int i = 0; i < o->threads; i++)
		for (uint32_t k = 0; k < o->user[i].opened; k++)
			if (o->inode[o->user[i].open[k] - 1].seen++ != 1)
				lost++;
	for (unsigned int i = 0; i < o->all.count; i++)
		for (unsigned int k = 0; k < o->all.dir[i].slots; k++) {
			const uint64_t n = TKT_READ(&o->all.dir[i].slot[k]);

			if (!n)
				continue;
			if (o->inode[n - 1].seen)
				lost++;
			o->inode[n - 1].seen += 2;
		}
	for (uint64_t i = 0; i < o->inodes; i++)
		lost += o->inode[i].seen != 2;
	if (!lost)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "one-place: %" PRIu64 " inodes are not where they "
		       "belong, or in two places",
		       lost);
	return false;
}
