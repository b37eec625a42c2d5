/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_mutex.c - the mutex's states and transitions
 *
 * Built several times: with other limits, without the spin, with the misuse
 * checks and with the preemption point.
 */
#include <tkt/mutex_types.h>

enum {
#define EVENT(name, meaning) EV_##name,
	TKT_MUTEX_EVENT_LIST(EVENT)
#undef EVENT
	EV_COUNT
};
static unsigned long events[EV_COUNT];
#define TKT_MUTEX_EVENT_HOOK(m, name) \
	__atomic_fetch_add(&events[EV_##name], 1, __ATOMIC_RELAXED)
#include <tkt/mutex.h>

#include "misuse.h"

#define H TKT_X_M_HELD
#define W TKT_X_M_WAITERS
#define R TKT_X_M_RESERVED

static uint32_t state_of(const tkt_mutex_t *m)
{
	return __atomic_load_n(&m->state, __ATOMIC_ACQUIRE);
}

static unsigned long count_of(int event)
{
	return __atomic_load_n(&events[event], __ATOMIC_ACQUIRE);
}

/* A thread that takes the mutex, and waits to be let go. */
struct waiter {
	tkt_mutex_t *mutex;
	pthread_t thread;
	uint64_t deadline;
	long id;
	int done, got, go;
};

static void *waiter_main(void *arg)
{
	struct waiter *w = arg;
	bool got;

	__atomic_store_n(&w->id, syscall(SYS_gettid), __ATOMIC_RELEASE);
	got = tkt_mutex_lock_until(w->mutex, w->deadline);

	w->got = got;
	__atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
	UNTIL(__atomic_load_n(&w->go, __ATOMIC_ACQUIRE));
	if (got)
		tkt_mutex_unlock(w->mutex);
	return NULL;
}

static void waiter_start(struct waiter *w, tkt_mutex_t *m, uint64_t deadline)
{
	*w = (struct waiter){ .mutex = m, .deadline = deadline };
	assert_int_equal(pthread_create(&w->thread, NULL, waiter_main, w), 0);
}

static bool waiter_done(struct waiter *w)
{
	return __atomic_load_n(&w->done, __ATOMIC_ACQUIRE);
}

static bool waiter_end(struct waiter *w)
{
	UNTIL(waiter_done(w));
	__atomic_store_n(&w->go, 1, __ATOMIC_RELEASE);
	assert_int_equal(pthread_join(w->thread, NULL), 0);
	return w->got;
}

/* Whether the kernel says that the thread sleeps. */
static bool asleep(long id)
{
	char path[64], run = 'R';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", id);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &run) != 1)
		run = 'R';
	fclose(f);
	return run == 'S';
}

/* Starts one more waiter, and lets it fall asleep on the mutex. */
static void sleeper_start(struct waiter *w, tkt_mutex_t *m)
{
	const unsigned long slept = count_of(EV_slept);

	waiter_start(w, m, TKT_NO_DEADLINE);
	UNTIL(count_of(EV_slept) > slept);
	UNTIL(state_of(m) & W &&
	      asleep(__atomic_load_n(&w->id, __ATOMIC_ACQUIRE)));
}

static void test_initialisers(void **state)
{
	static tkt_mutex_t zero, init = TKT_MUTEX_INIT;
	tkt_mutex_t run;

	(void)state;
	memset(&run, 0, sizeof(run));
	run.state = H;
	run.tail = 1;
	tkt_mutex_init(&run);
	assert_memory_equal(&zero, &init, sizeof(zero));
	assert_memory_equal(&zero, &run, sizeof(zero));
	tkt_mutex_destroy(&run);
}

/* (-,0,0) -> (h,0,0) -> (-,0,0), with the owner named in between. */
static void test_lock_unlock(void **state)
{
	tkt_mutex_t m = TKT_MUTEX_INIT;

	(void)state;
	m.turn = UINT32_MAX - 1;
	for (uint32_t i = 0; i < 4; i++) {
		assert_false(tkt_mutex_is_locked(&m));
		assert_false(tkt_mutex_is_mine(&m));
		if (i == 0)
			tkt_mutex_lock(&m);
		else if (i == 1)
			assert_true(tkt_mutex_trylock(&m));
		else if (i == 2)
			assert_true(tkt_mutex_tryspin(&m, 0));
		else
			assert_true(tkt_mutex_lock_until(&m, 0));
		assert_int_equal(m.state, H);
		assert_int_equal(m.turn, UINT32_MAX + i);
		assert_true(tkt_mutex_is_locked(&m));
		assert_true(tkt_mutex_is_mine(&m));
		tkt_mutex_unlock(&m);
		assert_int_equal(m.state, 0);
		assert_int_equal(m.owner, 0);
	}
	tkt_mutex_destroy(&m);
}

static void *try_main(void *arg)
{
	tkt_mutex_t *m = arg;

	assert_false(tkt_mutex_is_mine(m));
	assert_false(tkt_mutex_trylock(m));
	assert_false(tkt_mutex_tryspin(m, 0));
	assert_false(tkt_mutex_tryspin(m, 100000));
	return NULL;
}

/* A try that fails leaves each bit as it was, by whatever it fails. */
static void test_try_fails(void **state)
{
	static const uint32_t states[] = { H, H | W, H | W | R, R, R | W };

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		tkt_mutex_t m = TKT_MUTEX_INIT, before;
		pthread_t t;

		m.state = states[i];
		m.owner = m.state & H ? TKT_SELF() : 0;
		before = m;
		assert_int_equal(pthread_create(&t, NULL, try_main, &m), 0);
		assert_int_equal(pthread_join(t, NULL), 0);
		assert_memory_equal(&before, &m, sizeof(m));
	}
}

/* While somebody spins, tryspin does not, nor does it queue. */
static void test_tryspin_alone(void **state)
{
	tkt_mutex_t m = TKT_MUTEX_INIT;
	struct tkt_node other;

	(void)state;
	m.state = H;
	m.tail = (uintptr_t)&other;
	assert_false(tkt_mutex_tryspin(&m, UINT64_MAX));
	assert_int_equal(m.spinners, 0);
	m.tail = 0;
	m.spinners = TKT_MUTEX_SPINNERS;
	assert_false(tkt_mutex_tryspin(&m, UINT64_MAX));
	assert_int_equal(m.spinners, TKT_MUTEX_SPINNERS);
	/* It gives up by itself when the owner does not seem to run. */
	m.spinners = 0;
	assert_false(tkt_mutex_tryspin(&m, UINT64_MAX));
	assert_int_equal(m.spinners, 0);
	assert_int_equal(m.tail, 0);
	m.state = 0;
	assert_true(tkt_mutex_tryspin(&m, 0));
	tkt_mutex_unlock(&m);
}

/* The woken sleeper restores the mark, and its unlock wakes the next. */
static void test_mark_restored(void **state)
{
	tkt_mutex_t m = TKT_MUTEX_INIT;
	struct waiter w[3], *first;
	int left = 3;

	(void)state;
	tkt_mutex_lock(&m);
	for (int i = 0; i < 3; i++)
		sleeper_start(&w[i], &m);
	assert_int_equal(state_of(&m), H | W);
	tkt_mutex_unlock(&m);
	for (; left; left--) {
		first = NULL;
		UNTIL(first = waiter_done(&w[0])   ? &w[0]
			      : waiter_done(&w[1]) ? &w[1]
			      : waiter_done(&w[2]) ? &w[2]
						   : NULL);
		assert_int_equal(state_of(&m) & (H | W), H | W);
		assert_true(waiter_end(first));
		first->done = 0;
	}
	assert_int_equal(state_of(&m), 0);
	assert_int_equal(m.owner, 0);
	tkt_mutex_destroy(&m);
}

/* The spinner queue is empty, and nobody counted in it, once all sleep. */
static void test_stalled_owner(void **state)
{
	const unsigned long parked = count_of(EV_parked);
	const unsigned long queued = count_of(EV_queued);
	const unsigned long refused = count_of(EV_queue_full);
	tkt_mutex_t m = TKT_MUTEX_INIT;
	struct waiter w[4];

	(void)state;
	tkt_mutex_lock(&m);
	for (int i = 0; i < 4; i++)
		sleeper_start(&w[i], &m);
	UNTIL(!__atomic_load_n(&m.tail, __ATOMIC_ACQUIRE));
	UNTIL(!__atomic_load_n(&m.spinners, __ATOMIC_ACQUIRE));
	tkt_mutex_unlock(&m);
	for (int i = 0; i < 4; i++)
		assert_true(waiter_end(&w[i]));
	assert_int_equal(m.state, 0);
	/* Each wait counts once, however often it slept. */
	assert_int_equal(count_of(EV_parked) - parked, 4);
	assert_int_equal(count_of(EV_queued) - queued +
				 count_of(EV_queue_full) - refused,
			 TKT_MUTEX_SPIN_NS ? 4 : 0);
}

/*
 * A sleeper woken in vain too often reserves the mutex: (h,1,1).  Freed, it is
 * only for sleepers; when that one has it, it is for all again: (h,1,0).
 */
static void test_reserved(void **state)
{
	tkt_mutex_t m = TKT_MUTEX_INIT;
	struct waiter w, late;

	(void)state;
	tkt_mutex_lock(&m);
	sleeper_start(&w, &m);
	UNTIL((TKT_FUTEX_WAKE(&m.state, 1), state_of(&m) & R));
	assert_int_equal(state_of(&m), H | W | R);
	assert_true(count_of(EV_woken) > TKT_MUTEX_PATIENCE);
	UNTIL(asleep(__atomic_load_n(
		&w.id, __ATOMIC_ACQUIRE))); /* ahead of the next */
	sleeper_start(&late, &m);
	tkt_mutex_unlock(&m);
	assert_true(waiter_end(&w));
	assert_true(waiter_end(&late));
	assert_int_equal(state_of(&m), 0);
	assert_true(tkt_mutex_trylock(&m));
	tkt_mutex_unlock(&m);
}

/* A newcomer does not take a reserved mutex, though it is free. */
static void test_reserved_free(void **state)
{
	tkt_mutex_t m = TKT_MUTEX_INIT;
	struct waiter w;

	(void)state;
	m.state = R;
	sleeper_start(&w, &m);
	assert_int_equal(state_of(&m), R | W);
	assert_false(waiter_done(&w));
	/* The wake-up makes it one that has slept; the mark comes back. */
	TKT_FUTEX_WAKE(&m.state, 1);
	UNTIL(waiter_done(&w));
	assert_int_equal(state_of(&m), H | W | R);
	assert_true(waiter_end(&w));
	assert_int_equal(state_of(&m), R);
}

static void test_until(void **state)
{
	tkt_mutex_t m = TKT_MUTEX_INIT;
	struct waiter w;

	(void)state;
	tkt_mutex_lock(&m);
	waiter_start(&w, &m, 0);
	assert_false(waiter_end(&w));
	waiter_start(&w, &m, TKT_CLOCK_NS() + 3000000);
	assert_false(waiter_end(&w));
	assert_true(state_of(&m) & H);
	assert_int_equal(m.spinners, 0);
	assert_int_equal(m.tail, 0);
	waiter_start(&w, &m, TKT_CLOCK_NS() + UINT64_C(60000000000));
	tkt_mutex_unlock(&m);
	assert_true(waiter_end(&w));
	assert_int_equal(state_of(&m) & ~W, 0);
}

/*
 * A sleeper out of time takes its reservation with it, and wakes who came to
 * sleep on the free mutex because of it.
 */
static void test_give_up(void **state)
{
	tkt_mutex_t m = TKT_MUTEX_INIT;
	struct waiter w;

	(void)state;
	m.state = H | W | R;
	tkt_m_give_up(&m);
	assert_int_equal(m.state, H | W);
	m.state = R;
	sleeper_start(&w, &m);
	assert_int_equal(state_of(&m), R | W);
	tkt_m_give_up(&m);
	assert_true(waiter_end(&w));
	assert_int_equal(m.state, 0);
}

static int signals;

static void on_signal(int number)
{
	(void)number;
	__atomic_fetch_add(&signals, 1, __ATOMIC_RELAXED);
}

/* EINTR is not a wake-up: the sleeper goes on waiting. */
static void test_signal(void **state)
{
	const struct sigaction a = { .sa_handler = on_signal };
	tkt_mutex_t m = TKT_MUTEX_INIT;
	struct waiter w;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &a, NULL), 0);
	tkt_mutex_lock(&m);
	sleeper_start(&w, &m);
	for (int i = 1; i <= 5; i++) {
		assert_int_equal(pthread_kill(w.thread, SIGUSR1), 0);
		UNTIL(__atomic_load_n(&signals, __ATOMIC_ACQUIRE) == i);
	}
	assert_false(waiter_done(&w));
	assert_int_equal(state_of(&m), H | W);
	tkt_mutex_unlock(&m);
	assert_true(waiter_end(&w));
}

#if TKT_MUTEX_RESCHED
/* Past its slice the thread yields once, and has a new slice. */
static void test_resched(void **state)
{
	tkt_mutex_t m = TKT_MUTEX_INIT;

	(void)state;
	tkt_x_on_cpu_since = 1; /* long ago */
	assert_true(tkt_x_resched_due());
	assert_true(tkt_mutex_tryspin(&m, 0));
	tkt_mutex_unlock(&m);
	assert_int_equal(tkt_x_on_cpu_since, 1); /* that is what skips it */
	tkt_mutex_lock(&m);
	assert_int_equal(tkt_x_on_cpu_since, 0);
	tkt_mutex_unlock(&m);
	assert_false(tkt_x_resched_due());
	tkt_mutex_lock(&m);
	assert_true(tkt_x_on_cpu_since > 1);
	tkt_mutex_unlock(&m);
}
#endif

#if TKT_DEBUG
static tkt_mutex_t faulty;

static void *unlock_main(void *arg)
{
	tkt_mutex_unlock(arg);
	return NULL;
}

static void misuse_relock(void)
{
	tkt_mutex_lock(&faulty);
	tkt_mutex_lock(&faulty);
}

static void misuse_unlock(void)
{
	tkt_mutex_unlock(&faulty);
}

static void misuse_other(void)
{
	pthread_t t;

	tkt_mutex_lock(&faulty);
	(void)pthread_create(&t, NULL, unlock_main, &faulty);
	(void)pthread_join(t, NULL);
}

static void misuse_destroy(void)
{
	tkt_mutex_lock(&faulty);
	tkt_mutex_destroy(&faulty);
}

static void test_misuse(void **state)
{
	(void)state;
	assert_aborts(misuse_relock,
		      "locked again by the thread that holds it");
	assert_aborts(misuse_unlock, "unlocked, but not locked");
	assert_aborts(misuse_other,
		      "unlocked by a thread that does not hold it");
	assert_aborts(misuse_destroy, "destroyed while held");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_initialisers),
		cmocka_unit_test(test_lock_unlock),
		cmocka_unit_test(test_try_fails),
		cmocka_unit_test(test_tryspin_alone),
		cmocka_unit_test(test_mark_restored),
		cmocka_unit_test(test_stalled_owner),
		cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_reserved_free),
		cmocka_unit_test(test_until),
		cmocka_unit_test(test_give_up),
		cmocka_unit_test(test_signal),
#if TKT_MUTEX_RESCHED
		cmocka_unit_test(test_resched),
#endif
#if TKT_DEBUG
		cmocka_unit_test(test_misuse),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
