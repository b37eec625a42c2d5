/* SPDX-License-Identifier: MIT */
/* src/kernels/directory.c - a directory under its i_mutex */
#include <stdlib.h>

#include <tkt/atomic.h>

#include "directory.h"
#include "setup.h"

static void bump(uint64_t *word, uint64_t by)
{
	TKT_WRITE(word, TKT_READ(word) + by);
}

bool directories_build(struct directories *all, const struct lock_ops *lock,
		       const struct lock_params *params,
		       enum kernel_layout layout, unsigned int count,
		       unsigned int slots, char *why)
{
	const size_t slot_bytes = sizeof(*all->memory) * slots;
	const char *wrong;

	*all = (struct directories){ .lock = lock };
	all->dir = setup_alloc(count * sizeof(*all->dir), why);
	all->memory = setup_alloc(count * slot_bytes, why);
	if (!all->dir || !all->memory)
		goto fail;
	for (; all->count < count; all->count++) {
		struct directory *d = &all->dir[all->count];

		wrong = lock->init(d->lines[0], params);
		if (wrong) {
			(void)setup_fail(wrong, why);
			goto fail;
		}
		d->hot = (void *)(d->lines[0] +
				  kernel_data_offset(lock, layout));
		d->slot = all->memory + (size_t)all->count * slots;
		d->slots = slots;
	}
	return true;
fail:
	directories_free(all);
	return false;
}

void directories_free(struct directories *all)
{
	for (unsigned int i = 0; i < all->count; i++)
		lock_destroy(all->lock, all->dir[i].lines[0]);
	free(all->memory);
	free(all->dir);
}

bool directory_list(struct directory *dir)
{
	const uint64_t begun = TKT_READ(&dir->hot->begun);
	uint64_t count = 0, sum = 0;

	for (unsigned int i = 0; i < dir->slots; i++) {
		const uint64_t entry = TKT_READ(&dir->slot[i]);

		count += entry != 0;
		sum += entry;
	}
	bump(&dir->hot->listings, 1);
	return count == TKT_READ(&dir->hot->count) &&
	       sum == TKT_READ(&dir->hot->sum) &&
	       begun == TKT_READ(&dir->hot->ended);
}

/* Slot i becomes `entry`; exactly one of the two is 0. */
static void change(struct directory *dir, unsigned int i, uint64_t entry)
{
	const uint64_t old = TKT_READ(&dir->slot[i]);

	bump(&dir->hot->begun, 1);
	TKT_WRITE(&dir->slot[i], entry);
	bump(&dir->hot->count, entry ? 1 : -UINT64_C(1));
	bump(&dir->hot->sum, entry - old);
	bump(&dir->hot->ended, 1);
}

bool directory_put(struct directory *dir, unsigned int from, uint64_t entry)
{
	for (unsigned int i = 0; i < dir->slots; i++) {
		const unsigned int at = (from + i) % dir->slots;

		if (TKT_READ(&dir->slot[at]))
			continue;
		change(dir, at, entry);
		return true;
	}
	return false;
}

uint64_t directory_take(struct directory *dir, unsigned int from)
{
	for (unsigned int i = 0; i < dir->slots; i++) {
		const unsigned int at = (from + i) % dir->slots;
		const uint64_t entry = TKT_READ(&dir->slot[at]);

		if (!entry)
			continue;
		change(dir, at, 0);
		return entry;
	}
	return 0;
}
