/* SPDX-License-Identifier: MIT */
/* src/kernels/bufwait_journal.c - handles and commits */
#include <tkt/atomic.h>

#include "bufwait_parts.h"
#include "harness/delay.h"

static bool is_committed(const struct bufwait_journal *j, bufwait_tid tid)
{
	return (int32_t)(TKT_LOAD(&j->committed, TKT_RELAXED) - tid) >= 0;
}

static bool ready_opened(struct bufwait *b, void *arg)
{
	(void)arg;
	return !TKT_LOAD(&b->journal.closing, TKT_RELAXED);
}

static bool ready_no_handles(struct bufwait *b, void *arg)
{
	(void)arg;
	return !TKT_LOAD(&b->journal.open, TKT_RELAXED);
}

/* Or nobody commits it, so that the one who waits can. */
static bool ready_committed(struct bufwait *b, void *arg)
{
	return is_committed(&b->journal, *(const bufwait_tid *)arg) ||
	       !TKT_LOAD(&b->journal.committing, TKT_RELAXED);
}

/* An entry of the thread that any wake-up is for. */
static bool wait_plain(struct bufwait *b, struct bufwait_thread *t,
		       struct bufwait_queue *q,
		       bool (*ready)(struct bufwait *b, void *arg), void *arg)
{
	TKT_WRITE(&t->waiter.waiter.wake, tkt_wake_default);
	return bufwait_wait(b, t, q, false, ready, arg);
}

/* With state read-locked. */
static bool count_on(struct bufwait *b, struct bufwait_thread *t)
{
	struct bufwait_journal *j = &b->journal;

	if (!bufwait_enter(b, t, &j->handle_lock))
		return false;
	TKT_STORE(&j->open, TKT_LOAD(&j->open, TKT_RELAXED) + 1, TKT_RELAXED);
	TKT_WRITE(&j->started, TKT_READ(&j->started) + 1);
	bufwait_leave(b, t, &j->handle_lock);
	return true;
}

bool bufwait_start(struct bufwait *b, struct bufwait_thread *t,
		   bufwait_tid *tid)
{
	struct bufwait_journal *j = &b->journal;
	bool counted;

	for (;;) {
		tkt_read_lock(&j->state);
		if (!TKT_LOAD(&j->closing, TKT_RELAXED))
			break;
		tkt_read_unlock(&j->state);
		if (!wait_plain(b, t, &j->opened, ready_opened, NULL))
			return false;
	}
	counted = count_on(b, t);
	*tid = TKT_LOAD(&j->running, TKT_RELAXED);
	tkt_read_unlock(&j->state);
	return counted;
}

void bufwait_stop(struct bufwait *b, struct bufwait_thread *t, bufwait_tid tid)
{
	struct bufwait_journal *j = &b->journal;
	uint32_t open;

	if (is_committed(j, tid))
		t->early++;
	if (!bufwait_enter(b, t, &j->handle_lock))
		return;
	open = TKT_LOAD(&j->open, TKT_RELAXED) - 1;
	TKT_STORE(&j->open, open, TKT_RELAXED);
	TKT_WRITE(&j->stopped, TKT_READ(&j->stopped) + 1);
	bufwait_leave(b, t, &j->handle_lock);
	t->handles++;
	if (!open)
		bufwait_wake(b, t, &j->updates, NULL);
}

/* Empties the transaction; whether the state was not broken. */
static bool count_off(struct bufwait *b, struct bufwait_thread *t)
{
	struct bufwait_journal *j = &b->journal;

	if (!bufwait_enter(b, t, &j->handle_lock))
		return false;
	t->left_open += TKT_READ(&j->started) - TKT_READ(&j->stopped);
	t->committed += TKT_READ(&j->stopped);
	TKT_WRITE(&j->started, UINT64_C(0));
	TKT_WRITE(&j->stopped, UINT64_C(0));
	bufwait_leave(b, t, &j->handle_lock);
	return true;
}

bool bufwait_commit(struct bufwait *b, struct bufwait_thread *t)
{
	struct bufwait_journal *j = &b->journal;
	uint32_t nobody = 0;
	bufwait_tid tid;

	if (TKT_LOAD(&j->committing, TKT_RELAXED) ||
	    !TKT_CAS(&j->committing, &nobody, 1u, TKT_ACQUIRE, TKT_RELAXED))
		return false;
	tkt_write_lock(&j->state);
	TKT_STORE(&j->closing, 1u, TKT_RELAXED);
	tid = TKT_LOAD(&j->running, TKT_RELAXED);
	tkt_write_unlock(&j->state);

	if (!b->hasty_commits)
		(void)wait_plain(b, t, &j->updates, ready_no_handles, NULL);
	if (!count_off(b, t))
		return true;

	tkt_write_lock(&j->state);
	TKT_STORE(&j->running, tid + 1, TKT_RELAXED);
	TKT_STORE(&j->closing, 0u, TKT_RELAXED);
	tkt_write_unlock(&j->state);
	bufwait_wake(b, t, &j->opened, NULL);

	delay_ns(b->cs_ns);
	TKT_STORE(&j->due_ns, TKT_CLOCK_NS() + b->commit_ns, TKT_RELAXED);
	TKT_STORE(&j->committed, tid, TKT_RELAXED);
	TKT_STORE(&j->committing, 0u, TKT_RELEASE);
	bufwait_wake(b, t, &j->done, NULL);
	return true;
}

void bufwait_log_wait(struct bufwait *b, struct bufwait_thread *t,
		      bufwait_tid tid)
{
	struct bufwait_journal *j = &b->journal;

	while (!is_committed(j, tid) && !bufwait_broken(b))
		if (!bufwait_commit(b, t))
			(void)wait_plain(b, t, &j->done, ready_committed, &tid);
}
