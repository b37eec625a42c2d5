/* SPDX-License-Identifier: MIT */
/* test/model/report.c - the trace of an execution, and the weakened site */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

#define LINES 4096

static struct trace_line lines[LINES];
static uint32_t line_count;

enum weakening {
	WEAKEN_NOTHING,
	NO_ACQUIRE,
	NO_RELEASE,
	NO_FENCE
};

static struct {
	char file[64];
	int first, last;
	int what; /* of enum weakening */
	bool ran;
} weaken;

void trace_reset(void)
{
	line_count = 0;
}

void trace_add(const struct model_site *site, const char *text,
	       const volatile void *p, uint64_t value, uint64_t value2)
{
	if (line_count == LINES)
		return;
	lines[line_count++] =
		(struct trace_line){ site,  running ? running->k.self : -1,
				     text,  (uintptr_t)p,
				     value, value2 };
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void trace_print(void)
{
	for (uint32_t i = 0; i < line_count; i++) {
		const struct trace_line *l = &lines[i];

		printf("%4u  %*s%d  %s %s", i, 2 * (l->thread + 1), "",
		       l->thread, l->site->what, l->site->object);
		if (*l->text)
			printf(", %s", l->text);
		printf(" %#llx", (unsigned long long)l->value);
		if (l->value2)
			printf(" %#llx", (unsigned long long)l->value2);
		printf("  [%llx] %s:%d %s\n", (unsigned long long)l->address,
		       base_name(l->site->file), l->site->line,
		       l->site->function);
	}
}

int site_order(const struct model_site *site, int mo)
{
	if (weaken.what == WEAKEN_NOTHING || site->line < weaken.first ||
	    site->line > weaken.last ||
	    strcmp(base_name(site->file), weaken.file) != 0 ||
	    mo == __ATOMIC_RELAXED)
		return mo;
	weaken.ran = true;
	switch (weaken.what) {
	case NO_FENCE:
		return mo == __ATOMIC_SEQ_CST ? __ATOMIC_ACQ_REL : mo;
	case NO_ACQUIRE:
		return releases(mo) ? __ATOMIC_RELEASE : __ATOMIC_RELAXED;
	case NO_RELEASE:
		return acquires(mo) ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
	case WEAKEN_NOTHING:
		break;
	}
	return mo;
}

bool site_weaken(const char *spec)
{
	static const char *const names[] = { "", "acquire", "release",
					     "fence" };
	char what[16];

	if (sscanf(spec, "%63[^:]:%d-%d:%15s", weaken.file, &weaken.first,
		   &weaken.last, what) != 4)
		return false;
	for (int i = NO_ACQUIRE; i <= NO_FENCE; i++)
		if (!strcmp(what, names[i]))
			weaken.what = i;
	return weaken.what != WEAKEN_NOTHING;
}

bool site_weakened_ran(void)
{
	return weaken.ran;
}
