/* SPDX-License-Identifier: MIT */
/*
 * test/model/memory.h - the memory model: views, locations and messages
 *
 * C11's atomics as RC11 (Lahav et al., PLDI 2017) has them, without load
 * buffering, in the operational form of Kang et al. (POPL 2017).  A location
 * keeps all values ever stored there, its messages, in modification order.  A
 * thread's view says, per location, up to which message it knows of the order:
 * it may read any message from there on, and insert its own anywhere behind,
 * not only at the end, except between a message and the read-modify-write that
 * has read it.  A message carries the view of its writer, all of it if the
 * store releases, and what the writer's last release fence knew if not; to
 * acquire is to join it.  SC fences exchange views through a global one.
 *
 * The view also holds a vector clock, which only happens-before moves: SC
 * fences do not.  It finds races of plain accesses, and accesses to a node that
 * are not ordered after its birth or before its death.
 *
 * Nothing here knows of exploration: choices come in as messages.
 */
#ifndef TKT_TEST_MODEL_MEMORY_H
#define TKT_TEST_MODEL_MEMORY_H

#include "model.h"

#define LOCATIONS 64
#define MESSAGES 1024
#define NODES 64
#define NOBODY (-1)

struct view {
	uint32_t stamp[LOCATIONS];
	uint32_t clock[MODEL_THREADS];
};

struct message {
	uint64_t value;
	uint32_t stamp;	      /* place in modification order; gaps for more */
	bool consumed;	      /* a read-modify-write follows it immediately */
	uint8_t judged, good; /* one bit per thread: its await's verdict */
	struct message *next; /* in modification order */
	struct view view;
	uint32_t after[MODEL_THREADS]; /* explore.c: events it depends on */
};

/* Times of each thread's last access, on its clock; 0: none. */
struct accesses {
	uint32_t read[MODEL_THREADS], write[MODEL_THREADS];
	uint32_t plain_read[MODEL_THREADS], plain_write[MODEL_THREADS];
};

struct location {
	uintptr_t address; /* 0: gone, with the node that it was in */
	size_t size;
	uint64_t initial;
	struct message *first; /* NULL: plain accesses only so far */
	struct node *node;     /* that it is in, or NULL */
	struct accesses accesses;
	uint32_t reader[MODEL_THREADS]; /* explore.c: event of its last read */
};

struct node {
	uintptr_t low, high;
	bool alive;
	int owner; /* who announced birth or death; NOBODY: the setup */
	uint32_t clock;
};

struct memory {
	struct location location[LOCATIONS];
	int locations;
	struct message *message; /* MESSAGES of them, in order of creation */
	uint32_t messages;
	struct node node[NODES];
	int nodes;
	struct view sc;
};

/* A thread's knowledge.  acquired: what an acquire fence would add. */
struct knowledge {
	int self;
	struct view current, acquired, released;
};

extern struct memory memory;

/* Empties the memory; first puts back what was at each address. */
void memory_reset(void);
void view_join(struct view *into, const struct view *from);

/* The location at p, new if need be; the access is checked by the next two. */
struct location *memory_locate(const void *p, size_t size);
struct location *memory_find(const void *p);
void memory_check_atomic(struct knowledge *k, struct location *at, bool write);
void memory_check_plain(struct knowledge *k, struct location *at, bool write);
/* The same, for atomic accesses: makes the initial message. */
struct location *memory_atomic(struct knowledge *k, const void *p, size_t size);

/* The oldest message that the thread may read; NULL-ended by ->next. */
struct message *memory_readable(const struct knowledge *k,
				const struct location *at);
uint32_t memory_id(const struct message *m);
void memory_read(struct knowledge *k, struct location *at, struct message *m,
		 bool acquire);
/* Inserts behind `place`; `read`: the message that an RMW has read, or NULL. */
struct message *memory_insert(struct knowledge *k, struct location *at,
			      struct message *place, uint64_t value,
			      bool release, const struct message *read);
void memory_fence(struct knowledge *k, int mo);
void memory_birth(struct knowledge *k, const void *p, size_t size);
void memory_death(struct knowledge *k, const void *p, size_t size);

static inline int memory_index(const struct location *at)
{
	return (int)(at - memory.location);
}

static inline bool acquires(int mo)
{
	return mo == __ATOMIC_ACQUIRE || mo == __ATOMIC_ACQ_REL ||
	       mo == __ATOMIC_SEQ_CST;
}

static inline bool releases(int mo)
{
	return mo == __ATOMIC_RELEASE || mo == __ATOMIC_ACQ_REL ||
	       mo == __ATOMIC_SEQ_CST;
}

#endif /* TKT_TEST_MODEL_MEMORY_H */
