/* SPDX-License-Identifier: MIT */
/* test/unit/misuse.h - faults, and how the program ends that makes them */
#ifndef TEST_UNIT_MISUSE_H
#define TEST_UNIT_MISUSE_H

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* What misuse() wrote to standard error, and the status that waitpid() gave. */
struct misuse_end {
	char text[1024];
	int status;
};

/*
 * Calls misuse() in a child process, which ends itself in time: 20 seconds, or
 * what misuse() makes of alarm().  If misuse() returns, with status 0.
 */
static inline struct misuse_end misuse_end(void (*misuse)(void))
{
	struct misuse_end end = { "", 0 };
	const struct rlimit no_core = { 0, 0 };
	size_t used = 0;
	ssize_t n;
	char *qemu;
	int fd[2];
	pid_t child;

	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		signal(SIGALRM, SIG_DFL);
		dup2(fd[1], STDERR_FILENO);
		alarm(20);
		misuse();
		_exit(0);
	}
	close(fd[1]);
	while ((n = read(fd[0], end.text + used, sizeof(end.text) - 1 - used)) >
	       0)
		used += (size_t)n;
	end.text[used] = '\0';
	close(fd[0]);
	/* qemu-user adds a line of its own about the signal. */
	qemu = strstr(end.text, "qemu: uncaught target signal");
	if (qemu)
		*qemu = '\0';
	assert_int_equal(waitpid(child, &end.status, 0), child);
	return end;
}

/* What misuse() wrote before it aborted.  The test fails unless it did. */
static inline const char *abort_text(void (*misuse)(void))
{
	static struct misuse_end end;

	end = misuse_end(misuse);
	assert_true(WIFSIGNALED(end.status));
	assert_int_equal(WTERMSIG(end.status), SIGABRT);
	return end.text;
}

/* One line, which says `what`. */
static inline void assert_aborts(void (*misuse)(void), const char *what)
{
	const char *text = abort_text(misuse);

	assert_non_null(strstr(text, what));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

#endif /* TEST_UNIT_MISUSE_H */
