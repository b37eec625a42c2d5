/* SPDX-License-Identifier: MIT */
/* src/harness/out.c - where results go: all of them, or nothing */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out.h"

static bool cannot(struct out *o, const char *what, struct error *e)
{
	const int err = errno;

	out_discard(o);
	return error_set(e, "cannot %s '%.200s': %s", what, o->name,
			 strerror(err));
}

/* The permissions of a new file, or of the one that is replaced. */
static mode_t mode_for(const struct stat *old)
{
	mode_t mask;

	if (old)
		return old->st_mode & 07777;
	mask = umask(0);
	(void)umask(mask);
	return 0666 & ~mask;
}

static bool open_temporary(struct out *o, const struct stat *old,
			   struct error *e)
{
	int fd;

	/* Through a symbolic link, so that the link stays one. */
	o->target = old ? realpath(o->name, NULL) : strdup(o->name);
	if (!o->target)
		return cannot(o, "write", e);
	if (old && access(o->target, W_OK))
		return cannot(o, "write", e);
	if (asprintf(&o->temporary, "%s.XXXXXX", o->target) < 0) {
		o->temporary = NULL;
		return cannot(o, "write", e);
	}
	fd = mkstemp(o->temporary);
	if (fd < 0) {
		const int err = errno;

		free(o->temporary);
		o->temporary = NULL;
		errno = err;
		return cannot(o, "write", e);
	}
	(void)fchmod(fd, mode_for(old));
	o->stream = fdopen(fd, "w");
	if (!o->stream) {
		(void)close(fd);
		return cannot(o, "write", e);
	}
	return true;
}

bool out_open(struct out *o, const char *name, struct error *e)
{
	struct stat old;
	bool exists;

	*o = (struct out){ .name = name ? name : "standard output" };
	if (!name) {
		o->stream = stdout;
		return true;
	}
	exists = !stat(name, &old);
	if (exists && S_ISDIR(old.st_mode)) {
		errno = EISDIR;
		return cannot(o, "write", e);
	}
	if (!exists || S_ISREG(old.st_mode))
		return open_temporary(o, exists ? &old : NULL, e);
	o->stream = fopen(name, "we");
	return o->stream ? true : cannot(o, "write", e);
}

bool out_flush(struct out *o)
{
	errno = 0;
	if (!o->lost && (fflush(o->stream) || ferror(o->stream)))
		/* Without errno it was an earlier write that failed. */
		o->lost = errno ? errno : EIO;
	return !o->lost;
}

bool out_close(struct out *o, struct error *e)
{
	FILE *stream = o->stream;

	if (!out_flush(o)) {
		errno = o->lost;
		return cannot(o, "write", e);
	}
	o->stream = NULL;
	if (stream != stdout && fclose(stream))
		return cannot(o, "write", e);
	if (o->temporary && rename(o->temporary, o->target))
		return cannot(o, "replace", e);
	free(o->temporary);
	free(o->target);
	o->temporary = NULL;
	o->target = NULL;
	return true;
}

void out_discard(struct out *o)
{
	if (o->stream && o->stream != stdout)
		(void)fclose(o->stream);
	if (o->temporary)
		(void)unlink(o->temporary);
	free(o->temporary);
	free(o->target);
	o->stream = NULL;
	o->temporary = NULL;
	o->target = NULL;
}
