/* SPDX-License-Identifier: MIT */
/* test/model/outcomes.c - what an operation could do next */
#include <errno.h>

#include "explore.h"

#define NO_DEADLINE UINT64_MAX

struct outcome outcomes[OUTCOMES];

/* Whether the outcome of reading m is new to a thread that sleeps. */
static bool fresh(const struct thread *t, const struct message *m, bool all)
{
	return all || !t->asleep || memory_id(m) >= t->known;
}

/* Whether an insertion behind m may be made. */
bool may_follow(const struct message *m)
{
	if (m->consumed)
		return false;
#ifdef MODEL_APPEND_ONLY
	return !m->next;
#else
	return true;
#endif
}

static void add(struct outcome *list, uint32_t *n, struct outcome o)
{
	if (*n == OUTCOMES)
		model_limit("more than %d outcomes", OUTCOMES);
	if (list)
		list[*n] = o;
	++*n;
}

#define EACH_READABLE(m, t, at) \
	for (struct message *m = memory_readable(&(t)->k, (at)); m; m = m->next)

/* Reads: load, exchange and the like, compare-and-swap, await. */
uint32_t read_outcomes(struct thread *t, bool all, struct outcome *list)
{
	const struct op *op = &t->op;
	const uint8_t bit = (uint8_t)(1 << t->k.self);
	uint32_t n = 0;

	EACH_READABLE(m, t, op->at)
	{
		if (!fresh(t, m, all))
			continue;
		switch (op->kind) {
		case OP_RMW:
			if (may_follow(m))
				add(list, &n, (struct outcome){ .read = m });
			break;
		case OP_CAS:
			if (m->value != op->expected)
				add(list, &n,
				    (struct outcome){ .read = m,
						      .fails = true });
			else if (may_follow(m))
				add(list, &n, (struct outcome){ .read = m });
			if (m->value == op->expected && op->weak &&
			    left.weak_failures)
				add(list, &n,
				    (struct outcome){ .read = m,
						      .fails = true });
			break;
		case OP_AWAIT:
			if (m->good & bit)
				add(list, &n, (struct outcome){ .read = m });
			break;
		default:
			add(list, &n, (struct outcome){ .read = m });
		}
	}
	return n;
}

/* Whether both are what the thread may read together, joining their views. */
static bool fit(const struct thread *t, const struct message *m,
		const struct message *m2)
{
	const int i = memory_index(t->op.at), j = memory_index(t->op.at2);

	if (m->value != t->op.expected || m2->value != t->op.expected2 ||
	    !may_follow(m) || !may_follow(m2))
		return false;
	if (!t->op.weak) /* does not acquire */
		return true;
	return m->stamp >= m2->view.stamp[i] && m2->stamp >= m->view.stamp[j];
}

static uint32_t pair_outcomes(struct thread *t, bool all, struct outcome *list)
{
	const struct op *op = &t->op;
	bool fails = false, failed = false;
	uint32_t n = 0;

	EACH_READABLE(m, t, op->at)
	{
		EACH_READABLE(m2, t, op->at2)
		{
			const bool is_new = fresh(t, m, all) ||
					    fresh(t, m2, all);

			if (fit(t, m, m2) && is_new)
				add(list, &n, (struct outcome){ m, m2, 0, 0 });
			if (m->value == op->expected &&
			    m2->value == op->expected2)
				continue;
			/* What is read then has no effect: one outcome. */
			fails = true;
			failed |= !is_new;
		}
	}
	if (fails && !failed)
		add(list, &n, (struct outcome){ .fails = true });
	return n;
}

/* The first change: what is read after it may be any later one. */
static uint32_t yield_outcomes(struct thread *t, bool all, struct outcome *list)
{
	uint32_t n = 0;

	EACH_READABLE(m, t, t->op.at)
	{
		if (m->value == t->op.expected)
			continue;
		if (fresh(t, m, all))
			add(list, &n, (struct outcome){ .read = m });
		return n;
	}
	/* It is a hint only: without end if nothing comes of it. */
	if (only_last_resorts)
		add(list, &n, (struct outcome){ .read = NULL });
	return n;
}

static uint32_t asleep_outcomes(struct thread *t, struct outcome *list)
{
	const bool timed = t->op.deadline != NO_DEADLINE;
	uint32_t n = 0;

	if (left.spurious && !only_last_resorts)
		add(list, &n, (struct outcome){ .error = 0 });
	if (left.eintr && !only_last_resorts)
		add(list, &n, (struct outcome){ .error = EINTR });
	if (timed && (left.timeouts || only_last_resorts))
		add(list, &n, (struct outcome){ .error = ETIMEDOUT });
	return n;
}

uint32_t op_outcomes(struct thread *t, bool all, struct outcome *list)
{
	const bool same_fences = t->asleep && t->fences == fences && !all;

	switch (t->op.kind) {
	case OP_LOAD:
	case OP_RMW:
	case OP_CAS:
	case OP_AWAIT:
		return read_outcomes(t, all, list);
	case OP_PAIR:
		return pair_outcomes(t, all, list);
	case OP_YIELD:
		return yield_outcomes(t, all, list);
	case OP_FENCE:
	case OP_FUTEX_WAKE:
		return !same_fences;
	case OP_FUTEX_WAIT:
		return read_outcomes(t, !same_fences, list);
	case OP_FUTEX_ASLEEP:
		return same_fences ? 0 : asleep_outcomes(t, list);
	case OP_NONE:
	case OP_DONE:
		break;
	}
	return 0;
}
