/* SPDX-License-Identifier: MIT */
/* test/model/main.c - the command line of a client program */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explore.h"

static const char usage[] =
	"usage: PROGRAM [OPTION]... [CLIENT]...\n"
	"Explores the clients named (shell patterns), or all.  Exit status: 0 "
	"if\n"
	"all is well, 1 if one fails.\n"
	"\n"
	"  --list             names the clients\n"
	"  --cap N            executions; not done by then is a failure\n"
	"  --seconds N        the same, in time, for each client\n"
	"  --preemptions N    bound, instead of the client's; -1: the "
	"client's\n"
	"  --full             all executions of each, whatever the client "
	"says\n"
	"  --random N         so many random executions instead of all\n"
	"  --seed N           of these\n"
	"  --replay CHOICES   one execution, as a failure printed it\n"
	"  --no-reduction     explore equal executions, too\n"
	"  --weaken FILE:FIRST-LAST:acquire|release|fence\n"
	"                     take that away from the accesses in those "
	"lines;\n"
	"                     the first client that fails ends the run, with\n"
	"                     status 0; 1: none did; 3: the lines never ran\n";

static unsigned long long number(const char *option, const char *text)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (end == text || *end || *text == '-' || errno) {
		fprintf(stderr, "model: --%s '%s': a number is needed\n",
			option, text);
		exit(2);
	}
	return v;
}

enum {
	CAP = 256,
	SECONDS,
	PREEMPTIONS,
	RANDOM,
	SEED,
	REPLAY,
	WEAKEN,
	LIST,
	FULL,
	BROKEN,
	NO_REDUCTION,
	HELP
};

static const struct option long_options[] = {
	{ "cap", required_argument, NULL, CAP },
	{ "seconds", required_argument, NULL, SECONDS },
	{ "preemptions", required_argument, NULL, PREEMPTIONS },
	{ "random", required_argument, NULL, RANDOM },
	{ "seed", required_argument, NULL, SEED },
	{ "replay", required_argument, NULL, REPLAY },
	{ "weaken", required_argument, NULL, WEAKEN },
	{ "full", no_argument, NULL, FULL },
	{ "broken", no_argument, NULL, BROKEN },
	{ "list", no_argument, NULL, LIST },
	{ "no-reduction", no_argument, NULL, NO_REDUCTION },
	{ "help", no_argument, NULL, HELP },
	{ NULL, 0, NULL, 0 },
};

static bool weakened, broken;

static void list_clients(const struct model_client *clients, size_t n)
{
	for (size_t i = 0; i < n; i++)
		puts(clients[i].name);
	exit(0);
}

static void parse(int argc, char **argv, const struct model_client *clients,
		  size_t n)
{
	int c, which;

	options = (struct explore_options){
		.cap = UINT64_MAX, .seconds = 3600, .seed = 1, .preemptions = -1
	};
	while ((c = getopt_long(argc, argv, "", long_options, &which)) != -1) {
		const char *name = c == '?' ? "" : long_options[which].name;

		switch (c) {
		case CAP:
			options.cap = number(name, optarg);
			break;
		case SECONDS:
			options.seconds = (double)number(name, optarg);
			break;
		case PREEMPTIONS:
			options.preemptions = (int)number(name, optarg);
			break;
		case RANDOM:
			options.random = number(name, optarg);
			break;
		case SEED:
			options.seed = number(name, optarg);
			break;
		case REPLAY:
			options.replay = optarg;
			break;
		case WEAKEN:
			weakened = true;
			if (!site_weaken(optarg)) {
				fprintf(stderr,
					"model: --weaken '%s': not of the form "
					"FILE:FIRST-LAST:acquire|release|"
					"fence\n",
					optarg);
				exit(2);
			}
			break;
		case FULL:
			options.full = true;
			break;
		case BROKEN:
			broken = options.quiet = true;
			break;
		case NO_REDUCTION:
			options.no_reduction = true;
			break;
		case LIST:
			list_clients(clients, n);
			break;
		case HELP:
			fputs(usage, stdout);
			exit(0);
		default:
			exit(2);
		}
	}
}

static bool run(const struct model_client *c)
{
	const clock_t begin = clock();
	struct model_result r;
	char how[64] = "complete";

	if (broken && c->sample)
		return true;
	r = model_explore(c);
	if (broken)
		return !r.failed || r.limited;
	if (r.sample)
		snprintf(how, sizeof(how), "random, seed %llu",
			 (unsigned long long)options.seed);
	else if (r.preemptions >= 0)
		snprintf(how, sizeof(how), "complete to %d preemptions",
			 r.preemptions);
	if (r.failed)
		snprintf(how, sizeof(how), "ended early");
	printf("%s: %d threads: %llu executions, %llu pruned, %s, %.2f s\n",
	       c->name, c->threads, (unsigned long long)r.executions,
	       (unsigned long long)r.pruned, how,
	       (double)(clock() - begin) / CLOCKS_PER_SEC);
	fflush(stdout);
	return !r.failed;
}

static bool wanted(const char *name, char **patterns, int n)
{
	for (int i = 0; i < n; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return !n;
}

int model_main(int argc, char **argv, const struct model_client *clients,
	       size_t n)
{
	bool good = true, any = false;

	parse(argc, argv, clients, n);
	for (size_t i = 0; i < n && (good || !broken); i++) {
		if (!wanted(clients[i].name, argv + optind, argc - optind))
			continue;
		any = true;
		good &= run(&clients[i]);
	}
	if (!any) {
		fprintf(stderr, "model: no client '%s'; --list names them\n",
			argv[optind]);
		return 2;
	}
	if (good && weakened && !site_weakened_ran())
		return 3;
	return !good;
}
