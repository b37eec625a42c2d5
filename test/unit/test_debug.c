/* SPDX-License-Identifier: MIT */
/*
 * test/unit/test_debug.c - misuse ends the program, with one line that says so
 *
 * Each fault happens in a child process, whose standard error is read.
 */
#include <tkt.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static tkt_lock_t lock;

/* What a child wrote before it aborted; fails unless it did abort. */
static const char *fault(void (*misuse)(void))
{
	static char text[1024];
	char *qemu;
	const struct rlimit no_core = { 0, 0 };
	size_t used = 0;
	ssize_t n;
	int fd[2], status;
	pid_t child;

	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		dup2(fd[1], STDERR_FILENO);
		alarm(20);
		misuse();
		_exit(0);
	}
	close(fd[1]);
	while ((n = read(fd[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	/* qemu-user adds a line of its own about the signal. */
	qemu = strstr(text, "qemu: uncaught target signal");
	if (qemu)
		*qemu = '\0';
	close(fd[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	return text;
}

/* One line, which names the lock, the fault, the caller and the holder. */
static void assert_line(const char *text, const char *what, const char *holder)
{
	char address[64];

	snprintf(address, sizeof(address), "tkt: lock %p: ", (void *)&lock);
	assert_int_equal(strncmp(text, address, strlen(address)), 0);
	assert_non_null(strstr(text, what));
	assert_non_null(strstr(text, "by thread "));
	assert_non_null(strstr(text, holder));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void unlock_free(void)
{
	tkt_unlock(&lock);
}

static void unlock_twice(void)
{
	tkt_lock(&lock);
	tkt_unlock(&lock);
	tkt_unlock(&lock);
}

static void lock_twice(void)
{
	tkt_lock(&lock);
	tkt_lock(&lock);
}

static void try_then_lock(void)
{
	if (tkt_trylock(&lock))
		tkt_lock(&lock);
}

static void destroy_held(void)
{
	tkt_lock(&lock);
	tkt_lock_destroy(&lock);
}

static void *wait_main(void *arg)
{
	tkt_lock(arg);
	return NULL;
}

static void destroy_waited_for(void)
{
	pthread_t thread[2];

	tkt_lock_init_policy(&lock, TKT_POLICY_YIELD_1);
	tkt_lock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, wait_main, &lock);
	UNTIL(TKT_LOAD(&lock.tail, TKT_ACQUIRE) & ~TKT_X_FULL);
	tkt_lock_destroy(&lock);
}

static void test_unlock(void **state)
{
	(void)state;
	assert_line(fault(unlock_free), "unlocked, but not locked",
		    "holder: unknown");
	assert_line(fault(unlock_twice), "unlocked, but not locked",
		    "holder: unknown");
}

static void test_relock(void **state)
{
	(void)state;
	assert_line(fault(lock_twice), "locked again by the thread",
		    "holder: thread ");
	assert_line(fault(try_then_lock), "locked again by the thread",
		    "holder: thread ");
}

static void test_destroy(void **state)
{
	(void)state;
	assert_line(fault(destroy_held), "destroyed while held",
		    "holder: thread ");
	assert_line(fault(destroy_waited_for), "destroyed while waited for",
		    "holder: thread ");
}

/* An entry that an unlock elsewhere left behind accuses nobody. */
static void test_stale_entry(void **state)
{
	tkt_lock_t l = TKT_LOCK_INIT;

	(void)state;
	tkt_lock(&l);
	l.owner += TKT_X_STEP; /* as a release build's tkt_unlock does */
	tkt_lock(&l);
	assert_int_equal(tkt_x_holder(&l), tkt_x_thread());
	tkt_unlock(&l);
	assert_int_equal(tkt_x_holder(&l), 0);
	tkt_lock_destroy(&l);
}

/* More held locks than the table has room for: no fault, no entry. */
static void test_table_full(void **state)
{
	static tkt_lock_t many[2 * TKT_X_HELD_SLOTS];
	const size_t n = sizeof(many) / sizeof(many[0]);
	size_t known = 0;

	(void)state;
	for (size_t i = 0; i < n; i++)
		tkt_lock(&many[i]);
	for (size_t i = 0; i < n; i++)
		known += tkt_x_holder(&many[i]) == tkt_x_thread();
	assert_in_range(known, 1, TKT_X_HELD_SLOTS);
	for (size_t i = 0; i < n; i++)
		tkt_unlock(&many[i]);
	for (size_t i = 0; i < TKT_X_HELD_SLOTS; i++)
		assert_null(tkt_x_held[i].lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unlock),
		cmocka_unit_test(test_relock),
		cmocka_unit_test(test_destroy),
		cmocka_unit_test(test_stale_entry),
		cmocka_unit_test(test_table_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
