/* SPDX-License-Identifier: MIT */
/* src/kernels/dio_file.c - the file that direct I/O goes to */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dio_file.h"

void *dio_memory(unsigned int blocks)
{
	const size_t bytes = (size_t)blocks * DIO_BLOCK;
	void *p = aligned_alloc(DIO_BLOCK, bytes);

	if (p)
		memset(p, 0, bytes);
	return p;
}

const char *dio_file_dir(const char *dir)
{
	if (!dir)
		dir = getenv("TMPDIR");
	return dir && *dir ? dir : "/tmp";
}

static off_t at(unsigned int block)
{
	return (off_t)block * DIO_BLOCK;
}

/* Without a name from the start, or as soon as it is open. */
static int open_nameless(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *path;

	if (fd >= 0 ||
	    (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd;
	if (asprintf(&path, "%s/tkt-dio.XXXXXX", dir) < 0) {
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path);
	free(path);
	return fd;
}

static int open_again(int fd, int flags)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_RDONLY | O_CLOEXEC);
}

static int pwrite_all(int fd, const unsigned char *from, size_t bytes,
		      off_t offset)
{
	while (bytes) {
		const ssize_t n = pwrite(fd, from, bytes, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : ENOSPC;
		from += n;
		bytes -= (size_t)n;
		offset += n;
	}
	return 0;
}

/* O_DIRECT can be there and still refuse pieces as small as ours. */
static int set_direct(struct dio_file *f)
{
	const int flags = fcntl(f->fd, F_GETFL);
	void *block = dio_memory(1);
	int err;

	if (!block)
		return ENOMEM;
	err = fcntl(f->fd, F_SETFL, flags | O_DIRECT) ? errno : 0;
	if (!err)
		err = dio_file_write(f, 0, block, false);
	free(block);
	if (err != EINVAL)
		return err;
	f->direct = false;
	return fcntl(f->fd, F_SETFL, flags) ? errno : 0;
}

int dio_file_open(struct dio_file *f)
{
	int err = 0;

	f->dirt_seen = false;
	f->reread = -1;
	f->fd = open_nameless(f->dir);
	if (f->fd < 0)
		return errno;
	if (fallocate(f->fd, 0, 0, at(f->blocks)) && errno != EOPNOTSUPP &&
	    errno != ENOSYS)
		err = errno;
	if (!err && f->direct)
		err = set_direct(f);
	if (!err) {
		f->reread = open_again(f->fd, O_DIRECT);
		if (f->reread < 0)
			f->reread = open_again(f->fd, 0);
		if (f->reread < 0)
			f->reread = dup(f->fd);
		if (f->reread < 0)
			err = errno;
	}
	if (err)
		dio_file_close(f);
	else
		/* Read-ahead would mix blocks that are judged one by one. */
		(void)posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	return err;
}

void dio_file_close(struct dio_file *f)
{
	(void)close(f->fd);
	if (f->reread >= 0)
		(void)close(f->reread);
}

int dio_file_write(struct dio_file *f, unsigned int block, const void *from,
		   bool backwards)
{
	const size_t piece = DIO_BLOCK / f->pieces;
	int err = 0;

	for (unsigned int i = 0; i < f->pieces && !err; i++) {
		const size_t start =
			piece * (backwards ? f->pieces - 1 - i : i);

		err = pwrite_all(f->fd, (const unsigned char *)from + start,
				 piece, at(block) + (off_t)start);
	}
	return err;
}

/*
 * The page cache takes what a large write brings as one large page, and then
 * has one dirty mark for many blocks; so one by one there.
 */
int dio_file_fill(struct dio_file *f, unsigned int block, unsigned int n,
		  const void *from)
{
	const unsigned int step = f->direct ? n : 1;
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i += step)
		err = pwrite_all(f->fd,
				 (const unsigned char *)from +
					 (size_t)i * DIO_BLOCK,
				 (size_t)step * DIO_BLOCK, at(block + i));
	return err;
}

int dio_file_read(int fd, unsigned int block, unsigned int n, void *to)
{
	unsigned char *next = to;
	size_t bytes = (size_t)n * DIO_BLOCK;
	off_t offset = at(block);

	while (bytes) {
		const ssize_t got = pread(fd, next, bytes, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (!got)
			break;
		next += got;
		bytes -= (size_t)got;
		offset += got;
	}
	memset(next, 0, bytes);
	return 0;
}

int dio_file_punch(struct dio_file *f, unsigned int block, unsigned int n)
{
	return fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 at(block), at(n))
		       ? errno
		       : 0;
}

int dio_file_truncate(struct dio_file *f, unsigned int blocks)
{
	return ftruncate(f->fd, at(blocks)) ? errno : 0;
}

int dio_file_sync(struct dio_file *f)
{
	return fsync(f->fd) ? errno : 0;
}

int dio_file_size(const struct dio_file *f, uint64_t *bytes)
{
	struct stat st;

	if (fstat(f->fd, &st))
		return errno;
	*bytes = (uint64_t)st.st_size;
	return 0;
}

void dio_file_forget(const struct dio_file *f, unsigned int block)
{
	(void)posix_fadvise(f->fd, at(block), DIO_BLOCK, POSIX_FADV_DONTNEED);
}

/*
 * cachestat(2), Linux 6.5, one number for all processors; newer than the C
 * library that this is written for.
 */
#define SYS_CACHESTAT 451

struct cache_range {
	uint64_t offset, length;
};

struct cache_pages {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

/* Pages that are to be written or being written; -1: cannot tell. */
static long unwritten(const struct dio_file *f, unsigned int block)
{
	struct cache_range range = { (uint64_t)at(block), DIO_BLOCK };
	struct cache_pages pages;

	if (syscall(SYS_CACHESTAT, f->fd, &range, &pages, 0))
		return -1;
	return (long)(pages.dirty + pages.writeback);
}

/*
 * Not everywhere does the kernel have the call, write back at all (tmpfs), or
 * keep account of each 4 KiB by itself (larger pages).  So try.
 */
void dio_file_try_dirty(struct dio_file *f, const void *block)
{
	f->dirt_seen = !f->direct && f->blocks > 1 && !dio_file_sync(f) &&
		       !unwritten(f, 0) &&
		       !dio_file_write(f, 0, block, false) &&
		       unwritten(f, 0) == 1 && !unwritten(f, 1);
}

bool dio_file_dirty(const struct dio_file *f, unsigned int block)
{
	return f->dirt_seen && unwritten(f, block) > 0;
}
