/* SPDX-License-Identifier: MIT */
/* test/unit/misuse.h - a fault that must end the program, with a line */
#ifndef TEST_UNIT_MISUSE_H
#define TEST_UNIT_MISUSE_H

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/*
 * Calls misuse() in a child process; returns what that wrote to standard error
 * before it aborted.  The test fails unless it did abort.
 */
static inline const char *abort_text(void (*misuse)(void))
{
	static char text[1024];
	const struct rlimit no_core = { 0, 0 };
	size_t used = 0;
	ssize_t n;
	char *qemu;
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
	close(fd[0]);
	/* qemu-user adds a line of its own about the signal. */
	qemu = strstr(text, "qemu: uncaught target signal");
	if (qemu)
		*qemu = '\0';
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	return text;
}

/* One line, which says `what`. */
static inline void assert_aborts(void (*misuse)(void), const char *what)
{
	const char *text = abort_text(misuse);

	assert_non_null(strstr(text, what));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

#endif /* TEST_UNIT_MISUSE_H */
