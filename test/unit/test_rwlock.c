/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_rwlock.c - the reader-writer lock's states and transitions
 *
 * Built a second time with misuse checks.  START is two tickets before the wrap to zero, so that each test crosses it.
 */
#include <tkt/rwlock.h>

#include "misuse.h"

#define STEP TKT_X_STEP
#define START (0u - 2 * STEP)

static tkt_rwlock_t at(uint32_t read, uint32_t write, uint32_t users)
{
	tkt_rwlock_t l = TKT_RWLOCK_INIT_WAIT(TKT_WAIT_YIELD);

	l.read = START + read * STEP;
	l.write = START + write * STEP;
	l.users = START + users * STEP;
	return l;
}

static uint32_t peek(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

#define assert_state(l, r, w, u)                               \
	do {                                                   \
		const tkt_rwlock_t is = at(r, w, u);           \
		assert_int_equal(peek(&(l)->read), is.read);   \
		assert_int_equal(peek(&(l)->write), is.write); \
		assert_int_equal(peek(&(l)->users), is.users); \
		assert_int_equal((l)->wait, TKT_WAIT_YIELD);   \
	} while (0)

/* A thread that takes the lock, says so, and waits to be let go. */
struct waiter {
	tkt_rwlock_t *lock;
	pthread_t thread;
	bool writes;
	int has, go;
};

static void *waiter_main(void *arg)
{
	struct waiter *w = arg;

	if (w->writes)
		tkt_write_lock(w->lock);
	else
		tkt_read_lock(w->lock);
	__atomic_store_n(&w->has, 1, __ATOMIC_RELEASE);
	UNTIL(__atomic_load_n(&w->go, __ATOMIC_ACQUIRE));
	if (w->writes)
		tkt_write_unlock(w->lock);
	else
		tkt_read_unlock(w->lock);
	return NULL;
}

/* Returns once the thread has its ticket. */
static void waiter_start(struct waiter *w, tkt_rwlock_t *l, bool writes)
{
	const uint32_t users = peek(&l->users);

	*w = (struct waiter){ .lock = l, .writes = writes };
	assert_int_equal(pthread_create(&w->thread, NULL, waiter_main, w), 0);
	UNTIL(peek(&l->users) != users);
}

static bool waiter_has(struct waiter *w)
{
	return __atomic_load_n(&w->has, __ATOMIC_ACQUIRE);
}

static void waiter_end(struct waiter *w)
{
	UNTIL(waiter_has(w));
	__atomic_store_n(&w->go, 1, __ATOMIC_RELEASE);
	assert_int_equal(pthread_join(w->thread, NULL), 0);
}

static void test_layout(void **state)
{
	(void)state;
	assert_int_equal(sizeof(tkt_rwlock_t), 16);
	assert_int_equal(offsetof(tkt_rwlock_t, read), 0);
	assert_int_equal(offsetof(tkt_rwlock_t, users), 4);
	assert_int_equal(_Alignof(tkt_rwlock_t), 8);
}

static void test_initialisers(void **state)
{
	static tkt_rwlock_t zero, init = TKT_RWLOCK_INIT;
	tkt_rwlock_t spin = TKT_RWLOCK_INIT_WAIT(TKT_WAIT_SPIN), run;

	(void)state;
	assert_memory_equal(&zero, &init, sizeof(zero));
	tkt_rwlock_init(&run, TKT_WAIT_SPIN);
	assert_memory_equal(&spin, &run, sizeof(run));
	assert_true(tkt_trywrite(&zero));
	tkt_write_unlock(&zero);
}

static void test_read(void **state)
{
	tkt_rwlock_t l = at(0, 0, 0);

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		tkt_read_lock(&l);
		assert_state(&l, i + 1, i, i + 1);
		tkt_read_unlock(&l);
		assert_state(&l, i + 1, i + 1, i + 1);
	}
}

static void test_write(void **state)
{
	tkt_rwlock_t l = at(0, 0, 0);

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		tkt_write_lock(&l);
		assert_state(&l, i, i, i + 1);
		tkt_write_unlock(&l);
		assert_state(&l, i + 1, i + 1, i + 1);
	}
}

/* Readers share, at each position of the wrap. */
static void test_readers_together(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		tkt_rwlock_t l = at(i, i, i);

		tkt_read_lock(&l);
		assert_true(tkt_tryread(&l));
		tkt_read_lock(&l);
		assert_state(&l, i + 3, i, i + 3);
		assert_false(tkt_trywrite(&l));
		assert_state(&l, i + 3, i, i + 3);
		tkt_read_unlock(&l);
		tkt_read_unlock(&l);
		assert_false(tkt_trywrite(&l));
		tkt_read_unlock(&l);
		assert_state(&l, i + 3, i + 3, i + 3);
	}
}

static void test_tries_on_writer(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		tkt_rwlock_t l = at(i, i, i);

		assert_true(tkt_trywrite(&l));
		assert_state(&l, i, i, i + 1);
		assert_false(tkt_trywrite(&l));
		assert_false(tkt_tryread(&l));
		assert_state(&l, i, i, i + 1);
		tkt_write_unlock(&l);
		assert_true(tkt_tryread(&l));
		assert_state(&l, i + 2, i + 1, i + 2);
		tkt_read_unlock(&l);
	}
}

/* Each display alone keeps the try out that must wait for it. */
static void test_tries_look_at_both(void **state)
{
	tkt_rwlock_t l = at(1, 0, 1); /* a reader in */

	(void)state;
	assert_false(tkt_trywrite(&l));
	l = at(0, 0, 1); /* a writer in */
	assert_false(tkt_tryread(&l));
	l = at(1, 0, 2); /* a reader in, a writer waits */
	assert_false(tkt_tryread(&l));
	assert_false(tkt_trywrite(&l));
	l = at(1, 0, 1);
	assert_true(tkt_tryread(&l));
	assert_state(&l, 2, 0, 2);
}

/* reader, writer, two readers: one, then one, then two at once. */
static void test_order(void **state)
{
	tkt_rwlock_t l = at(0, 0, 0);
	struct waiter writer, one, two;

	(void)state;
	tkt_read_lock(&l);
	waiter_start(&writer, &l, true);
	waiter_start(&one, &l, false);
	waiter_start(&two, &l, false);
	for (int i = 0; i < 100; i++)
		sched_yield();
	assert_state(&l, 1, 0, 4);
	assert_false(waiter_has(&writer) || waiter_has(&one) ||
		     waiter_has(&two));
	assert_false(tkt_tryread(&l));
	tkt_read_unlock(&l);

	UNTIL(waiter_has(&writer));
	for (int i = 0; i < 100; i++)
		sched_yield();
	assert_state(&l, 1, 1, 4);
	assert_false(waiter_has(&one) || waiter_has(&two));
	waiter_end(&writer);

	UNTIL(waiter_has(&one) && waiter_has(&two));
	assert_state(&l, 4, 2, 4);
	waiter_end(&two);
	waiter_end(&one);
	assert_state(&l, 4, 4, 4);
}

static void test_writer_after_writer(void **state)
{
	tkt_rwlock_t l = at(0, 0, 0);
	struct waiter one, two;

	(void)state;
	tkt_write_lock(&l);
	waiter_start(&one, &l, true);
	waiter_start(&two, &l, true);
	assert_state(&l, 0, 0, 3);
	tkt_write_unlock(&l);
	UNTIL(waiter_has(&one));
	assert_false(waiter_has(&two));
	assert_state(&l, 1, 1, 3);
	waiter_end(&one);
	waiter_end(&two);
	assert_state(&l, 3, 3, 3);
}

#if TKT_DEBUG
static tkt_rwlock_t faulty;

static void misuse_read_unlock(void)
{
	tkt_read_unlock(&faulty);
}

static void misuse_write_unlock(void)
{
	tkt_write_unlock(&faulty);
}

static void misuse_reader_for_writer(void)
{
	tkt_write_lock(&faulty);
	tkt_read_unlock(&faulty);
}

static void misuse_writer_for_reader(void)
{
	tkt_read_lock(&faulty);
	tkt_write_unlock(&faulty);
}

static void misuse_destroy_read(void)
{
	tkt_read_lock(&faulty);
	tkt_rwlock_destroy(&faulty);
}

static void misuse_destroy_written(void)
{
	tkt_write_lock(&faulty);
	tkt_rwlock_destroy(&faulty);
}

static void test_misuse(void **state)
{
	(void)state;
	assert_aborts(misuse_read_unlock, "unlocked, but not locked");
	assert_aborts(misuse_write_unlock, "unlocked, but not locked");
	assert_aborts(misuse_reader_for_writer, "but a writer has it");
	assert_aborts(misuse_writer_for_reader, "but readers hold it");
	assert_aborts(misuse_destroy_read, "destroyed while held");
	assert_aborts(misuse_destroy_written, "destroyed while held");
}
#endif

/* A lock that was used, and is free, may go. */
static void test_destroy(void **state)
{
	tkt_rwlock_t l = at(0, 0, 0);

	(void)state;
	tkt_read_lock(&l);
	tkt_read_lock(&l);
	tkt_read_unlock(&l);
	tkt_read_unlock(&l);
	tkt_write_lock(&l);
	tkt_write_unlock(&l);
	tkt_rwlock_destroy(&l);
	assert_state(&l, 3, 3, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_destroy),
#if TKT_DEBUG
		cmocka_unit_test(test_misuse),
#endif
		cmocka_unit_test(test_initialisers),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_readers_together),
		cmocka_unit_test(test_tries_on_writer),
		cmocka_unit_test(test_tries_look_at_both),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_writer_after_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
