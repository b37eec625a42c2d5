/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/list.h - doubly linked, in a ring through its head
 *
 * A link that comes off keeps its own two pointers: if a lock that does not
 * exclude lets two threads take the same one off, they do not fall over NULL,
 * and the kernel's check tells.  All accesses are the back end's, under the
 * list's lock.
 */
#ifndef TKT_SRC_KERNELS_LIST_H
#define TKT_SRC_KERNELS_LIST_H

#include <tkt/atomic.h>

struct list_link {
	struct list_link *next, *prev;
};

static inline void list_init(struct list_link *list)
{
	TKT_WRITE(&list->next, list);
	TKT_WRITE(&list->prev, list);
}

/* At the end of the list. */
static inline void list_add(struct list_link *list, struct list_link *link)
{
	struct list_link *last = TKT_READ(&list->prev);

	TKT_WRITE(&link->prev, last);
	TKT_WRITE(&link->next, list);
	TKT_WRITE(&last->next, link);
	TKT_WRITE(&list->prev, link);
}

static inline void list_remove(struct list_link *link)
{
	struct list_link *prev = TKT_READ(&link->prev);
	struct list_link *next = TKT_READ(&link->next);

	TKT_WRITE(&prev->next, next);
	TKT_WRITE(&next->prev, prev);
}

#endif /* TKT_SRC_KERNELS_LIST_H */
