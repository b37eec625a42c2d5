/* SPDX-License-Identifier: MIT */
/* src/harness/isolate.c - running something that may crash or hang */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tkt/atomic.h>

#include "isolate.h"

static volatile sig_atomic_t interrupted;

/* How often the child has said that it gets on; shared with it. */
static uint32_t *alive;

void isolate_alive(void)
{
	if (alive)
		TKT_FETCH_ADD(alive, 1, TKT_RELAXED);
}

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

void isolate_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
}

bool isolate_interrupted(void)
{
	return interrupted;
}

static bool write_all(int fd, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		const ssize_t n = write(fd, from, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		size -= (size_t)n;
	}
	return true;
}

/*
 * The child.  SIGINT and SIGTERM stay blocked in it: a terminal sends them to
 * both, and the parent is the one to act.
 */
static void child_main(void (*body)(const void *, void *), const void *arg,
		       void *result, size_t size, int fd, pid_t parent)
{
	const struct rlimit no_core = { 0, 0 };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	body(arg, result);
	_exit(write_all(fd, result, size) ? 0 : 1);
}

/*
 * Reads the child's result until it closes the pipe, which it does by ending.
 * Returns the bytes received; stops early at the deadline or at a signal,
 * which can arrive only inside ppoll.
 */
static size_t receive(int fd, char *to, size_t size, uint64_t deadline,
		      uint64_t more, const sigset_t *unblocked, bool *ended)
{
	size_t received = 0;
	uint32_t signs = 0;
	char excess;

	*ended = false;
	while (!interrupted) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		const uint64_t now = TKT_CLOCK_NS();
		struct timespec wait = { 0, 0 };
		ssize_t n;

		if (now >= deadline) {
			const uint32_t last = signs;

			signs = TKT_LOAD(alive, TKT_RELAXED);
			if (signs == last)
				break;
			deadline = now + more;
		}
		wait.tv_sec = (time_t)((deadline - now) / 1000000000);
		wait.tv_nsec = (long)((deadline - now) % 1000000000);
		if (ppoll(&p, 1, &wait, unblocked) <= 0)
			continue;
		if (received < size)
			n = read(fd, to + received, size - received);
		else
			n = read(fd, &excess, 1);
		if (n <= 0) {
			*ended = n == 0;
			break;
		}
		received += (size_t)n;
	}
	return received;
}

static enum isolate_end verdict(int status, bool ended, bool complete,
				double seconds, struct error *e)
{
	if (interrupted) {
		(void)error_set(e, "interrupted");
		return ISOLATE_INTERRUPTED;
	}
	if (!ended)
		(void)error_set(e, "hang: given up after %.3g s", seconds);
	else if (WIFSIGNALED(status))
		(void)error_set(e, "crash: %s", strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) || !complete)
		(void)error_set(e, "crash: exit status %d",
				WEXITSTATUS(status));
	else
		return ISOLATE_DONE;
	return ISOLATE_FAILED;
}

/* Makes the shared word, once, and sets it to 0. */
static bool alive_open(void)
{
	void *page = alive;

	if (!page)
		page = mmap(NULL, sizeof(*alive), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return false;
	alive = page;
	TKT_STORE(alive, 0, TKT_RELAXED);
	return true;
}

enum isolate_end isolate_run(void (*body)(const void *arg, void *result),
			     const void *arg, void *result, size_t size,
			     double seconds, double more, struct error *e)
{
	const uint64_t start = TKT_CLOCK_NS();
	const pid_t parent = getpid();
	sigset_t block, before;
	bool ended = false;
	int fd[2], status = 0;
	size_t received;
	pid_t child;

	if (!alive_open() || pipe(fd)) {
		(void)error_set(e, "cannot start: %s", strerror(errno));
		return ISOLATE_FAILED;
	}
	(void)sigemptyset(&block);
	(void)sigaddset(&block, SIGINT);
	(void)sigaddset(&block, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &block, &before);
	child = fork();
	if (!child) {
		(void)close(fd[0]);
		child_main(body, arg, result, size, fd[1], parent);
	}
	(void)close(fd[1]);
	if (child < 0) {
		(void)error_set(e, "fork: %s", strerror(errno));
	} else {
		received = receive(fd[0], result, size,
				   start + (uint64_t)(seconds * 1e9),
				   (uint64_t)(more * 1e9), &before, &ended);
		if (!ended)
			(void)kill(child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	}
	(void)close(fd[0]);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (child < 0)
		return ISOLATE_FAILED;
	return verdict(status, ended, received == size,
		       (double)(TKT_CLOCK_NS() - start) * 1e-9, e);
}
