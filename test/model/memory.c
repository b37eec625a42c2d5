/* SPDX-License-Identifier: MIT */
/* test/model/memory.c - see memory.h */
#include "memory.h"

#include <string.h>

/* Between two messages, for those that are inserted there. */
#define GAP (UINT32_C(1) << 16)

static struct message pool[MESSAGES];
struct memory memory = { .message = pool };

static uint64_t peek(const struct location *at)
{
	uint64_t v = 0;

	memcpy(&v, (const void *)at->address, at->size); /* little-endian */
	return v;
}

static void poke(const struct location *at, uint64_t v)
{
	memcpy((void *)at->address, &v, at->size);
}

void memory_reset(void)
{
	for (int i = memory.locations; i-- > 0;)
		if (memory.location[i].address)
			poke(&memory.location[i], memory.location[i].initial);
	memset(memory.location, 0,
	       (size_t)memory.locations * sizeof(memory.location[0]));
	memory.locations = memory.nodes = 0;
	memory.messages = 0;
	memset(&memory.sc, 0, sizeof(memory.sc));
}

void view_join(struct view *into, const struct view *from)
{
	for (int i = 0; i < LOCATIONS; i++)
		if (into->stamp[i] < from->stamp[i])
			into->stamp[i] = from->stamp[i];
	for (int i = 0; i < MODEL_THREADS; i++)
		if (into->clock[i] < from->clock[i])
			into->clock[i] = from->clock[i];
}

static struct node *find_node(uintptr_t address)
{
	for (int i = memory.nodes; i-- > 0;)
		if (address >= memory.node[i].low &&
		    address < memory.node[i].high)
			return &memory.node[i];
	return NULL;
}

struct location *memory_find(const void *p)
{
	for (int i = memory.locations; i-- > 0;)
		if (memory.location[i].address == (uintptr_t)p)
			return &memory.location[i];
	return NULL;
}

struct location *memory_locate(const void *p, size_t size)
{
	struct location *at = memory_find(p);

	if (at) {
		if (at->size != size)
			model_fail("an access of %zu bytes, where others are "
				   "of %zu",
				   size, at->size);
		return at;
	}
	if (memory.locations == LOCATIONS)
		model_limit("more than %d locations", LOCATIONS);
	at = &memory.location[memory.locations++];
	at->address = (uintptr_t)p;
	at->size = size;
	at->initial = peek(at);
	at->node = find_node(at->address);
	return at;
}

/* Whether all those accesses of others happened before now. */
static bool before(const struct knowledge *k, const uint32_t *access)
{
	for (int t = 0; t < MODEL_THREADS; t++)
		if (t != k->self && access[t] > k->current.clock[t])
			return false;
	return true;
}

static void check_node(const struct knowledge *k, const struct location *at)
{
	const struct node *n = at->node;

	if (at->address && (!n || n->owner == k->self))
		return;
	if (!at->address || !n->alive)
		model_fail("access to a dead node");
	if (n->owner != NOBODY && n->clock > k->current.clock[n->owner])
		model_fail("access to a node that is not ordered after its "
			   "birth");
}

void memory_check_atomic(struct knowledge *k, struct location *at, bool write)
{
	struct accesses *a = &at->accesses;

	check_node(k, at);
	if (!before(k, a->plain_write) || (write && !before(k, a->plain_read)))
		model_fail("data race with a plain access");
	(write ? a->write : a->read)[k->self] = ++k->current.clock[k->self];
}

void memory_check_plain(struct knowledge *k, struct location *at, bool write)
{
	struct accesses *a = &at->accesses;

	check_node(k, at);
	if (!before(k, a->plain_write) || !before(k, a->write) ||
	    (write && (!before(k, a->plain_read) || !before(k, a->read))))
		model_fail("data race");
	(write ? a->plain_write : a->plain_read)[k->self] =
		++k->current.clock[k->self];
}

static struct message *new_message(uint64_t value, uint32_t stamp)
{
	struct message *m;

	if (memory.messages == MESSAGES)
		model_limit("more than %d messages", MESSAGES);
	m = &memory.message[memory.messages++];
	memset(m, 0, sizeof(*m));
	m->value = value;
	m->stamp = stamp;
	return m;
}

struct location *memory_atomic(struct knowledge *k, const void *p, size_t size)
{
	struct location *at = memory_locate(p, size);

	(void)k;
	if (!at->first)
		at->first = new_message(peek(at), GAP);
	return at;
}

uint32_t memory_id(const struct message *m)
{
	return (uint32_t)(m - memory.message);
}

struct message *memory_readable(const struct knowledge *k,
				const struct location *at)
{
	const uint32_t known = k->current.stamp[memory_index(at)];
	struct message *m = at->first;

	while (m->stamp < known)
		m = m->next;
	return m;
}

void memory_read(struct knowledge *k, struct location *at, struct message *m,
		 bool acquire)
{
	const int i = memory_index(at);

	view_join(&k->acquired, &m->view);
	if (acquire)
		view_join(&k->current, &m->view);
	if (k->current.stamp[i] < m->stamp)
		k->current.stamp[i] = m->stamp;
	view_join(&k->acquired, &k->current);
}

struct message *memory_insert(struct knowledge *k, struct location *at,
			      struct message *place, uint64_t value,
			      bool release, const struct message *read)
{
	const int i = memory_index(at);
	const uint32_t next = place->next ? place->next->stamp
					  : place->stamp + 2 * GAP;
	const uint32_t stamp = place->stamp + (next - place->stamp) / 2;
	struct message *m;

	if (stamp == place->stamp || next < place->stamp)
		model_limit("too many stores in one place");
	if (at->size < sizeof(value))
		value &= (UINT64_C(1) << 8 * at->size) - 1;
	m = new_message(value, stamp);
	k->current.stamp[i] = k->acquired.stamp[i] = stamp;
	m->view = release ? k->current : k->released;
	m->view.stamp[i] = stamp;
	if (read)
		view_join(&m->view, &read->view);
	m->next = place->next;
	place->next = m;
	if (!m->next)
		poke(at, value);
	return m;
}

void memory_fence(struct knowledge *k, int mo)
{
	k->current.clock[k->self]++;
	if (acquires(mo))
		view_join(&k->current, &k->acquired);
	if (mo == __ATOMIC_SEQ_CST) {
		/* The clocks stay out: it is no synchronisation. */
		for (int i = 0; i < LOCATIONS; i++) {
			if (k->current.stamp[i] < memory.sc.stamp[i])
				k->current.stamp[i] = memory.sc.stamp[i];
			else
				memory.sc.stamp[i] = k->current.stamp[i];
		}
	}
	if (releases(mo))
		k->released = k->current;
	view_join(&k->acquired, &k->current);
}

void memory_birth(struct knowledge *k, const void *p, size_t size)
{
	const uintptr_t low = (uintptr_t)p, high = low + size;
	struct node *n = NULL;

	for (int i = 0; i < memory.nodes; i++) {
		struct node *other = &memory.node[i];

		if (other->high <= low || other->low >= high)
			continue;
		if (other->alive)
			model_fail("birth of a node in one that lives");
		/* Memory of another use before. */
		if (n)
			other->low = other->high = 0;
		n = n ? n : other;
	}
	if (!n && memory.nodes == NODES)
		model_limit("more than %d nodes", NODES);
	if (!n)
		n = &memory.node[memory.nodes++];
	*n = (struct node){ low, high, true, k ? k->self : NOBODY,
			    k ? ++k->current.clock[k->self] : 0 };
	for (int i = 0; i < memory.locations; i++)
		if (memory.location[i].address >= low &&
		    memory.location[i].address < high)
			memory.location[i].node = n;
}

void memory_death(struct knowledge *k, const void *p, size_t size)
{
	const uintptr_t low = (uintptr_t)p, high = low + size;
	struct node *n = find_node(low);

	if (!n || n->low != low || n->high != high || !n->alive)
		model_fail("death of a node that does not live");
	if (k) {
		for (int i = 0; i < memory.locations; i++) {
			struct location *at = &memory.location[i];
			const struct accesses *a = &at->accesses;

			if (at->address < low || at->address >= high)
				continue;
			if (!before(k, a->read) || !before(k, a->write) ||
			    !before(k, a->plain_read) ||
			    !before(k, a->plain_write))
				model_fail("death of a node that another "
					   "thread's access is not ordered "
					   "before");
			/* Whatever is here next is another location. */
			at->address = 0;
		}
	}
	n->alive = false;
	n->owner = k ? k->self : NOBODY;
	n->clock = k ? ++k->current.clock[k->self] : 0;
}
