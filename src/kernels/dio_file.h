/* SPDX-License-Identifier: MIT */
/*
 * src/kernels/dio_file.h - the file that direct I/O goes to
 *
 * A regular file without a name, so that nothing stays behind however the
 * process ends.  All of it is written once before the run: writes are then
 * overwrites, which file systems let run side by side, and share the file
 * system's own inode lock.
 *
 * Functions that return int return 0 or an errno value.
 */
#ifndef TKT_SRC_KERNELS_DIO_FILE_H
#define TKT_SRC_KERNELS_DIO_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define DIO_BLOCK 4096u
#define DIO_PIECES_MAX 8u
#define DIO_RUN 256u /* blocks that are filled or read back at once */

struct dio_file {
	int fd;	    /* of the writes and reads under test */
	int reread; /* the same file, past the page cache if that is possible */
	bool direct;	     /* fd has O_DIRECT */
	bool dirt_seen;	     /* dio_file_dirty works here */
	unsigned int blocks; /* of the whole file, truncated or not */
	unsigned int pieces; /* writes that a block is written in */
	const char *dir;
};

/* A block of memory for O_DIRECT, to be freed; NULL: out of memory. */
void *dio_memory(unsigned int blocks);

/* The directory to use for an option that may be NULL. */
const char *dio_file_dir(const char *dir);

/*
 * Opens a file of f->blocks blocks in f->dir, with O_DIRECT if f->direct is
 * set, which it clears if the file system has none.  Space is reserved where
 * the file system can do that.  On failure nothing is left behind.
 */
int dio_file_open(struct dio_file *f);
void dio_file_close(struct dio_file *f);

/*
 * Finds out whether dio_file_dirty tells the truth about this file; writes
 * `block` to block 0.
 */
void dio_file_try_dirty(struct dio_file *f, const void *block);

/*
 * In pieces, from the first to the last or the other way round: two writes of
 * one block that overlap and go opposite ways leave some of each.
 */
int dio_file_write(struct dio_file *f, unsigned int block, const void *from,
		   bool backwards);

/* n blocks, for the first time. */
int dio_file_fill(struct dio_file *f, unsigned int block, unsigned int n,
		  const void *from);

/* n blocks through fd, which is one of the two; what is past the end is 0. */
int dio_file_read(int fd, unsigned int block, unsigned int n, void *to);

int dio_file_punch(struct dio_file *f, unsigned int block, unsigned int n);
int dio_file_truncate(struct dio_file *f, unsigned int blocks);
int dio_file_sync(struct dio_file *f);
int dio_file_size(const struct dio_file *f, uint64_t *bytes);

/* Drops what the page cache has of the block and need not write. */
void dio_file_forget(const struct dio_file *f, unsigned int block);

/* Whether the page cache has yet to write the block; with dirt_seen only. */
bool dio_file_dirty(const struct dio_file *f, unsigned int block);

#endif /* TKT_SRC_KERNELS_DIO_FILE_H */
