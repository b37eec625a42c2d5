/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/bufwait.c - AIM7 disk: buffers that sleep, and their journal
 *
 * An operation is one handle: opened, one buffer at random locked and held for
 * --cs, closed, and --think after it.  Some wait until their transaction is
 * committed.  A step makes --handles of them; before them, if a commit is due,
 * it makes that.  bufwait_parts.h says what happens inside.
 *
 * Two faults are to be had as variants that are not listed, for the tests of
 * the checks: lost-wakeup (unlock_buffer wakes nobody) and hasty-commit (a
 * commit does not wait for open handles).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tkt/atomic.h>

#include "bufwait_parts.h"
#include "harness/delay.h"
#include "harness/random.h"
#include "kernel.h"

enum {
	OPTION_BUFFERS,
	OPTION_HASH,
	OPTION_COMMIT,
	OPTION_HANDLES,
	OPTION_SYNC,
};

static const struct kernel_option bufwait_options[] = {
	[OPTION_BUFFERS] = { "buffers", "buffers", 1, 65536, 16,
			     "metadata buffers, one of them per handle" },
	[OPTION_HASH] = { "hash", "queues", 1, 4096, 16,
			  "wait queues that buffers hash to" },
	[OPTION_COMMIT] = { "commit-us", "us", 1, 10000000, 1000,
			    "from one commit to the next" },
	[OPTION_HANDLES] = { "handles", "handles", 1, 1024, 4,
			     "handles that a step opens and closes" },
	[OPTION_SYNC] = { "sync-permille", "permille", 0, 1000, 20,
			  "of 1000 handles, so many wait for the commit" },
	{ .name = NULL },
};

static void *lines_alloc(size_t bytes)
{
	void *memory = aligned_alloc(LOCK_ALIGN, bytes);

	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

static void queue_drop(struct bufwait *b, struct bufwait_queue *q)
{
	if (b->lock->destroy)
		b->lock->destroy(q->lines[0]);
}

/* Number n of all the queues there are; NULL behind the last. */
static struct bufwait_queue *queue_number(struct bufwait *b, unsigned int n)
{
	struct bufwait_journal *j = &b->journal;
	struct bufwait_queue *const own[] = { &j->handle_lock, &j->updates,
					      &j->opened, &j->done };

	if (n < 4)
		return own[n];
	return n - 4 < b->queues ? &b->queue[n - 4] : NULL;
}

static void drop_first(struct bufwait *b, unsigned int n)
{
	while (n--)
		queue_drop(b, queue_number(b, n));
	free(b->thread);
	free(b->queue);
	free(b->buffer);
	free(b);
}

static void bufwait_destroy(void *state)
{
	struct bufwait *b = state;

	drop_first(b, 4 + b->queues);
}

static void configure(struct bufwait *b, const struct kernel_config *c,
		      const struct lock_ops *lock)
{
	const char *variant = c->variant ? c->variant : "";

	b->lock = lock;
	b->offset = kernel_data_offset(lock, c->layout);
	b->threads = c->threads;
	b->cs_ns = c->cs_ns;
	b->think_ns = c->think_ns;
	b->buffers = (unsigned int)c->option[OPTION_BUFFERS];
	b->queues = (unsigned int)c->option[OPTION_HASH];
	b->handles = (unsigned int)c->option[OPTION_HANDLES];
	b->sync_permille = (unsigned int)c->option[OPTION_SYNC];
	b->commit_ns = c->option[OPTION_COMMIT] * 1000;
	b->drop_wakeups = !strcmp(variant, "lost-wakeup");
	b->hasty_commits = !strcmp(variant, "hasty-commit");
	tkt_rwlock_init(&b->journal.state, c->lock.wait == LOCK_WAIT_SPIN
						   ? TKT_WAIT_SPIN
						   : TKT_WAIT_YIELD);
	b->journal.running = 1;
	b->journal.due_ns = TKT_CLOCK_NS() + b->commit_ns;
}

static void *bufwait_setup(const struct kernel_config *config,
			   const struct lock_ops *lock, char *why)
{
	struct bufwait *b = lines_alloc(sizeof(*b));
	const char *wrong = "out of memory";
	unsigned int n = 0;

	if (!b) {
		(void)snprintf(why, KERNEL_WHY_BYTES, "setup: %s", wrong);
		return NULL;
	}
	configure(b, config, lock);
	b->buffer = lines_alloc(b->buffers * sizeof(*b->buffer));
	b->queue = lines_alloc(b->queues * sizeof(*b->queue));
	b->thread = lines_alloc(b->threads * sizeof(*b->thread));
	if (b->buffer && b->queue && b->thread) {
		struct bufwait_queue *q;

		wrong = NULL;
		for (; !wrong && (q = queue_number(b, n)); n += !wrong)
			wrong = lock->init(q->lines[0], &config->lock);
	}
	for (unsigned int i = 0; !wrong && i < b->threads; i++)
		b->thread[i].random = random_stream(config->seed, i).state;
	if (!wrong)
		return b;
	drop_first(b, n);
	(void)snprintf(why, KERNEL_WHY_BYTES, "setup: %s", wrong);
	return NULL;
}

static void *bufwait_thread_setup(void *state, unsigned int index)
{
	struct bufwait *b = state;
	struct bufwait_thread *t = &b->thread[index];

	t->index = index;
	if (b->lock->ctx_init && !b->lock->ctx_init(&t->ctx))
		return NULL;
	return t;
}

static void bufwait_thread_teardown(void *state, void *thread)
{
	struct bufwait *b = state;
	struct bufwait_thread *t = thread;

	if (b->lock->ctx_destroy)
		b->lock->ctx_destroy(&t->ctx);
}

static struct bufwait_queue *queue_of(struct bufwait *b,
				      const struct bufwait_buffer *buf)
{
	return &b->queue[tkt_bit_hash(&buf->state, BUFFER_LOCK, 16) %
			 b->queues];
}

static bool ready_locked(struct bufwait *b, void *arg)
{
	struct bufwait_buffer *buf = arg;

	(void)b;
	return tkt_trylock_bit(&buf->state, BUFFER_LOCK);
}

static bool lock_buffer(struct bufwait *b, struct bufwait_thread *t,
			struct bufwait_buffer *buf)
{
	if (ready_locked(b, buf))
		return true;
	TKT_WRITE(&t->waiter.waiter.wake, tkt_wake_bit);
	TKT_WRITE(&t->waiter.bit.word, (const uint32_t *)&buf->state);
	TKT_WRITE(&t->waiter.bit.mask, UINT32_C(1) << BUFFER_LOCK);
	return bufwait_wait(b, t, queue_of(b, buf), true, ready_locked, buf);
}

static void unlock_buffer(struct bufwait *b, struct bufwait_thread *t,
			  struct bufwait_buffer *buf)
{
	const struct tkt_bit key = { &buf->state, UINT32_C(1) << BUFFER_LOCK };
	struct bufwait_queue *q = queue_of(b, buf);

	tkt_clear_bit_unlock(&buf->state, BUFFER_LOCK);
	if (tkt_waitlist_active_ordered(&bufwait_inner(b, q)->list) &&
	    !b->drop_wakeups)
		bufwait_wake(b, t, q, &key);
}

bool bufwait_change(struct bufwait *b, struct bufwait_thread *t,
		    struct bufwait_buffer *buf, uint32_t hold_ns)
{
	if (!lock_buffer(b, t, buf))
		return false;
	if (TKT_READ(&buf->owner))
		t->owners++;
	TKT_WRITE(&buf->owner, t->index + 1);
	TKT_WRITE(&buf->visits, TKT_READ(&buf->visits) + 1);
	delay_ns(hold_ns);
	if (TKT_READ(&buf->owner) != t->index + 1)
		t->owners++;
	TKT_WRITE(&buf->owner, 0u);
	unlock_buffer(b, t, buf);
	t->visits++;
	return true;
}

/* False: the state is broken. */
static bool operation(struct bufwait *b, struct bufwait_thread *t)
{
	struct random random = { t->random };
	const uint32_t which = random_below(&random, b->buffers);
	const bool sync = random_below(&random, 1000) < b->sync_permille;
	bufwait_tid tid;
	bool changed;

	t->random = random.state;
	if (!bufwait_start(b, t, &tid))
		return false;
	changed = bufwait_change(b, t, &b->buffer[which], b->cs_ns);
	bufwait_stop(b, t, tid);
	if (sync && changed)
		bufwait_log_wait(b, t, tid);
	delay_ns(b->think_ns);
	return changed;
}

static long bufwait_step(void *state, void *thread)
{
	struct bufwait *b = state;
	struct bufwait_thread *t = thread;
	unsigned int made = 0;

	if (bufwait_broken(b))
		return KERNEL_FINISHED;
	bufwait_is(t, BUFWAIT_RUNNING);
	if (TKT_CLOCK_NS() >= TKT_LOAD(&b->journal.due_ns, TKT_RELAXED))
		(void)bufwait_commit(b, t);
	while (made < b->handles && operation(b, t))
		made++;
	bufwait_is(t, BUFWAIT_OUT);
	return (long)made;
}

/* A state that is broken already leaves nothing to be found out. */
static void bufwait_hold(void *state, void *thread, void (*inside)(void *arg),
			 void *arg)
{
	struct bufwait *b = state;
	struct bufwait_thread *t = thread;

	if (bufwait_broken(b) || !bufwait_enter(b, t, &b->journal.handle_lock))
		return;
	inside(arg);
	bufwait_leave(b, t, &b->journal.handle_lock);
}

static bool fails(char *why, const char *check, uint64_t n, const char *what)
{
	if (!n)
		return false;
	(void)snprintf(why, KERNEL_WHY_BYTES, "%s: %" PRIu64 " %s", check, n,
		       what);
	return true;
}

static bool balances(const char *check, uint64_t counted, uint64_t made,
		     char *why)
{
	if (counted == made)
		return true;
	(void)snprintf(why, KERNEL_WHY_BYTES,
		       "%s: %" PRIu64 " counted, %" PRIu64 " made", check,
		       counted, made);
	return false;
}

static bool bufwait_check(void *state, char *why)
{
	struct bufwait *b = state;
	struct bufwait_thread sum = { .visits = 0 };
	uint64_t visits = 0;

	for (unsigned int i = 0; i < b->threads; i++) {
		const struct bufwait_thread *t = &b->thread[i];

		sum.visits += t->visits;
		sum.handles += t->handles;
		sum.committed += t->committed;
		sum.intruders += t->intruders;
		sum.owners += t->owners;
		sum.lost += t->lost;
		sum.early += t->early;
		sum.left_open += t->left_open;
	}
	for (unsigned int i = 0; i < b->buffers; i++)
		visits += TKT_READ(&b->buffer[i].visits);
	return !fails(why, "section-exclusion", sum.intruders,
		      "sections of a lock found another inside") &&
	       !fails(why, "one-owner", sum.owners,
		      "times a buffer had two owners") &&
	       !fails(why, "every-waiter-woken", sum.lost,
		      "threads slept on with their condition true") &&
	       !fails(why, "closed-handles", sum.early + sum.left_open,
		      "handles were open when their transaction committed") &&
	       balances("buffer-visits", visits, sum.visits, why) &&
	       balances("handles-balance",
			sum.committed + TKT_READ(&b->journal.stopped),
			sum.handles, why);
}

extern const struct kernel_ops KERNEL_SYM(bufwait);
const struct kernel_ops KERNEL_SYM(bufwait) = {
	.name = "bufwait",
	.summary = "AIM7 disk: buffer locks on hashed wait queues, a journal",
	.traits = KERNEL_CS | KERNEL_THINK | KERNEL_LAYOUT,
	.options = bufwait_options,
	.setup = bufwait_setup,
	.destroy = bufwait_destroy,
	.thread_setup = bufwait_thread_setup,
	.thread_teardown = bufwait_thread_teardown,
	.step = bufwait_step,
	.hold = bufwait_hold,
	.check = bufwait_check,
};
