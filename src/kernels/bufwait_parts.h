/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/bufwait_parts.h - buffers, wait queues and a journal
 *
 * What AIM7 disk does to a journalling file system: each write opens a handle
 * on the running transaction, locks a metadata buffer, changes it, and closes
 * the handle; now and then a commit closes the transaction to new handles,
 * waits for the open ones, starts the next transaction and tells those who
 * wait for the old one.
 *
 *	lock_buffer       set the bit; or prepare_to_wait_exclusive on the queue
 *	                  that the buffer hashes to, and sleep
 *	unlock_buffer     clear the bit; wake_up if anybody is on that queue
 *	handle start      read_lock(state); wait while the transaction is
 *	                  closing; count the handle under handle_lock
 *	handle stop       count it off; the last one wakes the commit
 *	commit            write_lock(state), close; wait for the handles; open
 *	                  the next; wake who waits for either
 *	log_wait_commit   sleep until a transaction is committed
 *
 * Each wait queue's lock and handle_lock are the lock under test; state is a
 * tkt_rwlock_t.
 *
 * Nobody waits for a thread that may not come back.  A handle is opened and
 * closed, and a buffer locked and unlocked, within one step; whoever holds a
 * buffer waits for nothing; whoever has a handle open waits for buffers only;
 * the commit is made by a thread in the course of its step, and waits for
 * handles only; who waits for a commit makes it himself if nobody does.
 *
 * Sleeps are in slices.  At the end of one the sleeper looks whether every
 * other thread is between two steps or asleep without having been woken.  If
 * so, nothing can wake it any more; and if its condition is true then, a
 * wake-up has been lost.  It says so and goes on.
 *
 * With a lock that does not exclude, a list of entries would soon be rubbish,
 * and the run would crash or hang instead of failing.  So each section raises
 * a mark first, atomically.  One that finds it up stays away from the list and
 * declares the state broken; then all leave, and touch no list again.  Entries
 * are in the threads' own structures and outlive that.
 */
#ifndef TKT_SRC_KERNELS_BUFWAIT_PARTS_H
#define TKT_SRC_KERNELS_BUFWAIT_PARTS_H

#include <tkt/bitwait.h>
#include <tkt/rwlock.h>
#include <tkt/waitlist.h>

#include "kernel.h"

/* A lock under test, and behind it or in the next line what it protects. */
struct bufwait_queue {
	unsigned char lines[2][LOCK_ALIGN];
} __attribute__((aligned(LOCK_ALIGN)));

struct bufwait_inner {
	struct tkt_waitlist list;
	uint32_t inside; /* the mark: somebody is in the section */
};

#define BUFFER_LOCK 0u /* the bit */

struct bufwait_buffer {
	uint32_t state;	 /* BUFFER_LOCK; the rest is not used */
	uint32_t owner;	 /* under the bit: thread's index + 1, or 0 */
	uint64_t visits; /* under the bit */
} __attribute__((aligned(LOCK_ALIGN)));

/* A transaction's number; they are compared as differences. */
typedef uint32_t bufwait_tid;

struct bufwait_journal {
	tkt_rwlock_t state; /* for closing and running */
	uint32_t closing;   /* no new handles now */
	bufwait_tid running;
	uint32_t committing; /* a thread makes a commit */
	bufwait_tid committed;
	uint64_t due_ns; /* of the next commit */
	/* Under handle_lock, of the running transaction. */
	uint32_t open __attribute__((aligned(LOCK_ALIGN)));
	uint64_t started, stopped;
	struct bufwait_queue handle_lock; /* its list is not used */
	struct bufwait_queue updates;	  /* the commit waits for handles */
	struct bufwait_queue opened;	  /* for closing to be over */
	struct bufwait_queue done;	  /* for a commit */
};

struct bufwait_thread {
	union lock_ctx ctx;
	struct tkt_bit_waiter waiter;
	/* OUT, RUNNING or ASLEEP, plus 4 for each change; see quiet(). */
	uint32_t where __attribute__((aligned(LOCK_ALIGN)));
	unsigned int index;
	uint64_t random; /* state of struct random */
	/* For the check. */
	uint64_t visits, handles;  /* made */
	uint64_t committed;	   /* handles that its commits found closed */
	uint64_t intruders;	   /* sections in which somebody was */
	uint64_t owners;	   /* buffers that had another owner */
	uint64_t lost;		   /* wake-ups that did not come */
	uint64_t early, left_open; /* handles that a commit did not wait for */
} __attribute__((aligned(LOCK_ALIGN)));

struct bufwait {
	const struct lock_ops *lock;
	size_t offset; /* of struct bufwait_inner in a queue */
	struct bufwait_buffer *buffer;
	struct bufwait_queue *queue;
	struct bufwait_thread *thread;
	unsigned int buffers, queues, threads, handles, sync_permille;
	uint32_t cs_ns, think_ns;
	uint64_t commit_ns;
	bool drop_wakeups, hasty_commits; /* faults, for tests */
	uint32_t broken __attribute__((aligned(LOCK_ALIGN)));
	struct bufwait_journal journal __attribute__((aligned(LOCK_ALIGN)));
};

#define bufwait_enter LOCK_PASTE(bufwait, enter, LOCK_BACKEND)
#define bufwait_leave LOCK_PASTE(bufwait, leave, LOCK_BACKEND)
#define bufwait_wait LOCK_PASTE(bufwait, wait, LOCK_BACKEND)
#define bufwait_wake LOCK_PASTE(bufwait, wake, LOCK_BACKEND)
#define bufwait_change LOCK_PASTE(bufwait, change, LOCK_BACKEND)
#define bufwait_is LOCK_PASTE(bufwait, is, LOCK_BACKEND)
#define bufwait_commit LOCK_PASTE(bufwait, commit, LOCK_BACKEND)
#define bufwait_start LOCK_PASTE(bufwait, start, LOCK_BACKEND)
#define bufwait_stop LOCK_PASTE(bufwait, stop, LOCK_BACKEND)
#define bufwait_log_wait LOCK_PASTE(bufwait, log_wait, LOCK_BACKEND)

enum bufwait_where {
	BUFWAIT_OUT,
	BUFWAIT_RUNNING,
	BUFWAIT_ASLEEP,
};

static inline struct bufwait_inner *bufwait_inner(const struct bufwait *b,
						  struct bufwait_queue *q)
{
	return (void *)(q->lines[0] + b->offset);
}

static inline bool bufwait_broken(const struct bufwait *b)
{
	return TKT_LOAD(&b->broken, TKT_RELAXED);
}

/* The thread is OUT, RUNNING or ASLEEP from here on. */
void bufwait_is(struct bufwait_thread *t, enum bufwait_where where);

/* A section of the lock under test; false: not inside, the state is broken. */
bool bufwait_enter(struct bufwait *b, struct bufwait_thread *t,
		   struct bufwait_queue *q);
void bufwait_leave(struct bufwait *b, struct bufwait_thread *t,
		   struct bufwait_queue *q);

/*
 * Sleeps on the queue, with the thread's entry, until ready(b, arg) is true;
 * false: until the state is broken.  ready may have effects.
 */
bool bufwait_wait(struct bufwait *b, struct bufwait_thread *t,
		  struct bufwait_queue *q, bool exclusive,
		  bool (*ready)(struct bufwait *b, void *arg), void *arg);

/* Wakes all that are not exclusive, and one that is; key as in bitwait.h. */
void bufwait_wake(struct bufwait *b, struct bufwait_thread *t,
		  struct bufwait_queue *q, const struct tkt_bit *key);

/*
 * Locks the buffer, changes it, is busy with it for so long, and unlocks it;
 * false: the state is broken.
 */
bool bufwait_change(struct bufwait *b, struct bufwait_thread *t,
		    struct bufwait_buffer *buf, uint32_t hold_ns);

/*
 * Opens a handle on the running transaction, whose number goes to *tid; closes
 * it.  False: the state is broken.
 */
bool bufwait_start(struct bufwait *b, struct bufwait_thread *t,
		   bufwait_tid *tid);
void bufwait_stop(struct bufwait *b, struct bufwait_thread *t, bufwait_tid tid);

/* Commits the running transaction, unless another thread is at it (false). */
bool bufwait_commit(struct bufwait *b, struct bufwait_thread *t);

/* Returns once the transaction is committed, or the state is broken. */
void bufwait_log_wait(struct bufwait *b, struct bufwait_thread *t,
		      bufwait_tid tid);

#endif /* TKT_SRC_KERNELS_BUFWAIT_PARTS_H */
