/* SPDX-License-Identifier: MIT */
/* src/kernels/dio_check.c - whether the file is what was written */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "dio.h"

/* What the jobs came across; the machine's faults explain all others. */
static bool check_jobs(const struct dio *d, char *why)
{
	const char *first = NULL;

	for (unsigned int i = 0; i < d->threads; i++) {
		const char *w = d->job[i].why;

		if (*w && (!first || !strncmp(w, KERNEL_MACHINE,
					      sizeof(KERNEL_MACHINE) - 1)))
			first = w;
	}
	if (!first)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES, "%s", first);
	return false;
}

static bool add_up(const char *lock, uint64_t counted, uint64_t made, char *why)
{
	if (counted == made)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "sections-add-up: %" PRIu64 " counted under the %s, "
		       "%" PRIu64 " made",
		       counted, lock, made);
	return false;
}

static bool check_sections(const struct dio *d, char *why)
{
	uint64_t mutex = 0, size = 0;

	for (unsigned int i = 0; i < d->threads; i++) {
		mutex += d->job[i].sections;
		size += d->job[i].size_sections;
	}
	return add_up("mutex", TKT_READ(&d->inode.sections), mutex, why) &&
	       add_up("size lock", TKT_READ(&d->inode.size_sections), size,
		      why);
}

/* Without a lock, what overlapped may be mixed. */
static bool may_be_torn(const struct dio *d, unsigned int block)
{
	return !(d->inode.scheme & DIO_LOCKS) &&
	       dio_shadow_allowed(&d->inode.shadow, block) > 1;
}

static bool check_block(const struct dio *d, unsigned int block,
			const void *content, char *why)
{
	switch (dio_shadow_judge(&d->inode.shadow, block, content)) {
	case DIO_TORN:
		if (may_be_torn(d, block))
			return true;
		dio_condemn(why, "whole-block", DIO_TORN, block, content);
		return false;
	case DIO_STALE:
		dio_condemn(why, "last-write", DIO_STALE, block, content);
		return false;
	case DIO_FINE:
		break;
	}
	return true;
}

static bool check_blocks(const struct dio *d, char *why)
{
	const struct dio_file *f = &d->inode.file;
	unsigned char *run = dio_memory(DIO_RUN);
	bool fine = run;
	int err = run ? 0 : ENOMEM;

	for (unsigned int b = 0; b < f->blocks && fine; b += DIO_RUN) {
		err = dio_file_read(f->fd, b, DIO_RUN, run);
		fine = !err;
		for (unsigned int i = 0; i < DIO_RUN && fine; i++)
			fine = check_block(d, b + i, run + i * DIO_BLOCK, why);
	}
	free(run);
	if (err)
		dio_broken(&d->inode, why, "read", err);
	return fine;
}

bool dio_check(struct dio *d, char *why)
{
	*why = '\0';
	return check_jobs(d, why) && check_sections(d, why) &&
	       (!(d->inode.scheme & DIO_LOCKS) ||
		dio_size_agrees(&d->inode, why)) &&
	       check_blocks(d, why);
}
