/* SPDX-License-Identifier: MIT */
/* src/workfiles/workfile.c - AIM7 workfiles */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workfile.h"

const char *const workfile_names[] = { "short", "custom", "disk", "five_sec",
				       NULL };

/* What the parser is at; the line is a copy with a NUL at its end. */
struct reader {
	struct workfile *w;
	const char *name;
	unsigned int number; /* of the line, from 1 */
	char line[WORKFILE_LINE_MAX + 1];
	struct error *e;
};

static bool wrong(struct reader *r, const char *what, const char *text,
		  const char *allowed)
{
	return error_set(r->e, "%.200s:%u: %s '%.40s'; allowed: %s", r->name,
			 r->number, what, text, allowed);
}

/* Splits off the next word of *cursor; an empty one at the end. */
static char *next_word(char **cursor)
{
	char *word = *cursor + strspn(*cursor, " \t");
	char *end = word + strcspn(word, " \t");

	*cursor = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/* Decimal digits up to *end; false if there are none, or too many. */
static bool read_digits(const char *text, uint64_t *value, const char **end)
{
	const size_t length = strspn(text, "0123456789");

	*end = text + length;
	if (!length || length > 15)
		return false;
	*value = strtoull(text, NULL, 10);
	return true;
}

static bool parse_size(struct reader *r, const char *keyword, uint64_t *size,
		       const char *text)
{
	const char *end;
	uint64_t value;

	if (*size)
		return wrong(r, "second", keyword, "one");
	if (read_digits(text, &value, &end)) {
		unsigned int shift = 0;

		if (*end == 'k' || *end == 'K')
			shift = 10;
		else if (*end == 'm' || *end == 'M')
			shift = 20;
		if (shift)
			end++;
		if (!*end && value && value <= WORKFILE_SIZE_MAX >> shift) {
			*size = value << shift;
			return true;
		}
	}
	return error_set(r->e,
			 "%.200s:%u: %s '%.40s'; allowed: a number with or "
			 "without k or M, from 1 to 1048576M",
			 r->name, r->number, keyword, text);
}

static bool parse_test(struct reader *r, const char *weight, const char *test)
{
	struct workfile *w = r->w;
	const struct footprint *f;
	const char *end;
	uint64_t value;

	if (!read_digits(weight, &value, &end) || *end || !value ||
	    value > WORKFILE_WEIGHT_MAX)
		return wrong(r, "weight", weight,
			     "a whole number from 1 to 10000, FILESIZE, "
			     "POOLSIZE, or a # comment");
	if (!*test)
		return wrong(r, "no test after weight", weight, "WEIGHT TEST");
	f = footprint_find(test);
	if (!f)
		return wrong(r, "unknown test", test,
			     "those that `tkt list tests` shows");
	for (unsigned int i = 0; i < w->count; i++)
		if (w->test[i].footprint == f)
			return wrong(r, "test given twice:", test,
				     "each test once");
	w->test[w->count].footprint = f;
	w->test[w->count++].weight = (unsigned int)value;
	w->total += (unsigned int)value;
	return true;
}

static bool parse_line(struct reader *r)
{
	char *cursor = r->line;
	const char *first = next_word(&cursor), *second, *third;

	if (!*first || *first == '#')
		return true;
	second = next_word(&cursor);
	third = next_word(&cursor);
	if (*third)
		return wrong(r, "text after the second word:", third,
			     "WEIGHT TEST, alone on the line");
	if (!strcmp(first, "FILESIZE"))
		return parse_size(r, "FILESIZE", &r->w->file_size, second);
	if (!strcmp(first, "POOLSIZE"))
		return parse_size(r, "POOLSIZE", &r->w->pool_size, second);
	return parse_test(r, first, second);
}

/* Copies one line out of the text; false if it is none. */
static bool take_line(struct reader *r, const char *text, size_t left,
		      size_t *length)
{
	const char *newline = memchr(text, '\n', left);

	*length = newline ? (size_t)(newline - text) : left;
	if (memchr(text, '\0', *length))
		return error_set(r->e,
				 "%.200s:%u: a NUL byte; allowed: text lines",
				 r->name, r->number);
	if (*length > WORKFILE_LINE_MAX)
		return error_set(r->e,
				 "%.200s:%u: line of %zu bytes; allowed: at "
				 "most %d",
				 r->name, r->number, *length,
				 WORKFILE_LINE_MAX);
	if (!newline)
		return error_set(r->e,
				 "%.200s:%u: the file ends within a line; "
				 "allowed: a newline at the end of each",
				 r->name, r->number);
	memcpy(r->line, text, *length);
	r->line[*length] = '\0';
	return true;
}

/* The last part of the path, without `workfile.`, fit for any format. */
static void set_name(struct workfile *w, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	if (!strncmp(base, "workfile.", 9) && base[9])
		base += 9;
	(void)snprintf(w->name, sizeof(w->name), "%s", base);
	for (char *p = w->name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			*p = '_';
}

bool workfile_parse(struct workfile *w, const char *name, const char *text,
		    size_t size, struct error *e)
{
	struct reader r = { .w = w, .name = name, .e = e };
	size_t length;

	memset(w, 0, sizeof(*w));
	set_name(w, name);
	if (!size)
		return error_set(e, "%.200s: empty; allowed: a workfile", name);
	if (size > WORKFILE_BYTES_MAX)
		return error_set(e, "%.200s: too large; allowed: %u bytes",
				 name, WORKFILE_BYTES_MAX);
	for (size_t at = 0; at < size; at += length + 1) {
		r.number++;
		if (!take_line(&r, text + at, size - at, &length) ||
		    !parse_line(&r))
			return false;
	}
	if (!w->count)
		return error_set(e,
				 "%.200s: no tests; allowed: one or more lines "
				 "WEIGHT TEST",
				 name);
	return true;
}

/* Up to size bytes; the number read, or -1. */
static ssize_t read_up_to(int fd, char *to, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = read(fd, to + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

bool workfile_read(struct workfile *w, const char *path, struct error *e)
{
	/* One byte more than allowed tells an oversized file. */
	const size_t room = WORKFILE_BYTES_MAX + 1;
	char *text = malloc(room);
	ssize_t size = -1;
	bool ok;
	int fd;

	if (!text)
		return error_set(e, "out of memory");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read_up_to(fd, text, room);
		(void)close(fd);
	}
	if (size < 0)
		ok = error_set(e, "cannot read workfile '%.200s': %s", path,
			       strerror(errno));
	else
		ok = workfile_parse(w, path, text, (size_t)size, e);
	free(text);
	return ok;
}

unsigned int workfile_jobs(const struct workfile *w, unsigned int i)
{
	const unsigned int jobs =
		(w->test[i].weight * 200 + w->total) / (2 * w->total);

	return jobs ? jobs : 1;
}

bool workfile_shipped(const char *name, char *path, size_t size)
{
	for (unsigned int i = 0; workfile_names[i]; i++) {
		if (strcmp(name, workfile_names[i]))
			continue;
		(void)snprintf(path, size, "%s/workfile.%s", TKT_WORKFILE_DIR,
			       name);
		return true;
	}
	return false;
}
