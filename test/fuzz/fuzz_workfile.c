/* SPDX-License-Identifier: MIT */
/* test/fuzz/fuzz_workfile.c - any bytes as a workfile */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workfiles/workfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	(void)fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

/* What was read, written as a workfile again, reads the same. */
static void again(const struct workfile *w)
{
	char text[FOOTPRINTS_MAX * 64];
	struct workfile copy;
	struct error e;
	int n = 0;

	for (unsigned int i = 0; i < w->count; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%u %s\n",
			      w->test[i].weight, w->test[i].footprint->test);
	must(workfile_parse(&copy, "again", text, (size_t)n, &e), e.text);
	must(copy.count == w->count && copy.total == w->total,
	     "count and total survive");
	must(!memcmp(copy.test, w->test, sizeof(copy.test)), "tests survive");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct workfile w;
	struct error e = { "" };
	unsigned int total = 0;

	if (!workfile_parse(&w, "fuzz", (const char *)data, size, &e)) {
		must(!strncmp(e.text, "fuzz:", 5),
		     "the message names the file");
		must(strstr(e.text, "; allowed: "), "it says what is allowed");
		must(!strchr(e.text, '\n'), "it is one line");
		return 0;
	}
	must(w.count >= 1 && w.count <= footprint_count, "count in range");
	for (unsigned int i = 0; i < w.count; i++) {
		must(w.test[i].weight >= 1 &&
			     w.test[i].weight <= WORKFILE_WEIGHT_MAX,
		     "weight in range");
		must(workfile_jobs(&w, i) >= 1 && workfile_jobs(&w, i) <= 100,
		     "jobs in range");
		total += w.test[i].weight;
	}
	must(total == w.total, "the total is the sum");
	must(w.file_size <= WORKFILE_SIZE_MAX &&
		     w.pool_size <= WORKFILE_SIZE_MAX,
	     "sizes in range");
	again(&w);
	return 0;
}
