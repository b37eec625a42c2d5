/* SPDX-License-Identifier: MIT */
/* src/cli/run_options.c - what `tkt run` was asked for */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "harness/cpus.h"
#include "run_names.h"

#define THREADS_MAX 1024
#define USERS_MAX 4096
#define THRESHOLD_MAX 65535
#define NS_MAX 1000000000
#define REPEATS_MAX 1000
#define SECONDS_MIN 0.01
#define SECONDS_MAX 3600.0

/* X(id, name, has a value) */
#define OPTIONS(X)                                   \
	X(LOCK, "lock", required_argument)           \
	X(THREADS, "threads", required_argument)     \
	X(USERS, "users", required_argument)         \
	X(SECONDS, "seconds", required_argument)     \
	X(REPEAT, "repeat", required_argument)       \
	X(THRESHOLD, "threshold", required_argument) \
	X(WAIT, "wait", required_argument)           \
	X(CS, "cs", required_argument)               \
	X(THINK, "think", required_argument)         \
	X(LAYOUT, "layout", required_argument)       \
	X(VARIANT, "variant", required_argument)     \
	X(SEED, "seed", required_argument)           \
	X(PIN, "pin", no_argument)                   \
	X(INSTRUMENT, "instrument", no_argument)     \
	X(FORMAT, "format", required_argument)       \
	X(OUT, "out", required_argument)             \
	X(TABLE, "table", no_argument)               \
	X(DIR, "dir", required_argument)             \
	X(HELP, "help", no_argument)

/* Above all characters, so that none looks like a short option. */
#define OPTION_ID(id, name, value) OPTION_##id,
enum {
	OPTION_FIRST = 1000,
	OPTIONS(OPTION_ID) OPTION_KERNEL
};

#define OPTION_LONG(id, name, value) { name, value, NULL, OPTION_##id },
static const struct option common_options[] = { OPTIONS(OPTION_LONG) };
#define COMMON (sizeof(common_options) / sizeof(*common_options))

static const char *const wait_words[] = { "spin", "yield", NULL };
static const enum lock_wait wait_values[] = { LOCK_WAIT_SPIN, LOCK_WAIT_YIELD };
static const char *const layout_words[] = { "together", "split", NULL };
static const char *const format_words[] = { "table", "csv", "json", NULL };

static void set_defaults(struct run_options *o)
{
	const struct kernel_option *k = o->kernel->options;
	struct cpus cpus;

	cpus_allowed(&cpus);
	if (o->kernel->traits & KERNEL_JOBS) {
		o->threads = (struct list){ 3, { 1, 4, 16 } };
	} else {
		o->threads = (struct list){ 1, { 1 } };
		if (cpus.count > 1 && cpus.count <= THREADS_MAX)
			o->threads.value[o->threads.count++] = cpus.count;
	}
	o->seconds = 1;
	o->repeats = 1;
	o->seed = 1;
	o->variants = 1;
	if (o->kernel->variants)
		o->variant[0] = o->kernel->variants[0];
	for (const unsigned int *n = o->kernel->threads; n && *n; n++) {
		if (n == o->kernel->threads)
			o->threads.count = 0;
		o->threads.value[o->threads.count++] = *n;
	}
	for (unsigned int i = 0; k && k[i].name; i++)
		o->option[i] = k[i].preset;
}

static bool parse_u32(const char *option, const char *text, uint64_t min,
		      uint64_t max, uint32_t *out, struct error *e)
{
	uint64_t value;

	if (!parse_number(option, text, (struct range){ min, max, false },
			  &value, e))
		return false;
	*out = (uint32_t)value;
	return true;
}

/* Whether the kernel has a use for the option; if not, says so. */
static bool useful(const struct run_options *o, unsigned int trait,
		   const char *option, struct error *e)
{
	if (o->kernel->traits & trait)
		return true;
	return error_set(e,
			 "%s: not for kernel %s; allowed: what "
			 "`tkt run %s --help` shows",
			 option, o->label, o->label);
}

static bool parse_points(struct run_options *o, bool users, const char *text,
			 struct error *e)
{
	const bool jobs = o->kernel->traits & KERNEL_JOBS;

	if (users != jobs)
		return error_set(e, "%s: not for %s %s; allowed: %s",
				 users ? "--users" : "--threads",
				 jobs ? "workfile" : "kernel", o->label,
				 jobs ? "--users" : "--threads");
	return parse_list(users ? "--users" : "--threads", text,
			  (struct range){ 1, users ? USERS_MAX : THREADS_MAX,
					  false },
			  &o->threads, e);
}

static bool parse_kernel_option(struct run_options *o, unsigned int i,
				const char *text, struct error *e)
{
	const struct kernel_option *k = &o->kernel->options[i];
	char name[64];

	(void)snprintf(name, sizeof(name), "--%s", k->name);
	return parse_number(name, text, (struct range){ k->min, k->max, false },
			    &o->option[i], e);
}

/* Options that choose among words. */
static bool parse_choice(struct run_options *o, int id, const char *text,
			 struct error *e)
{
	int i = -1;

	switch (id) {
	case OPTION_WAIT:
		i = run_word("--wait", text, wait_words, e);
		if (i >= 0)
			o->wait = wait_values[i];
		break;
	case OPTION_LAYOUT:
		if (!useful(o, KERNEL_LAYOUT, "--layout", e))
			return false;
		i = run_word("--layout", text, layout_words, e);
		o->layout = i > 0 ? KERNEL_SPLIT : KERNEL_TOGETHER;
		break;
	case OPTION_FORMAT:
		i = run_word("--format", text, format_words, e);
		o->format = i < 0 ? FORMAT_TABLE : (enum run_format)i;
		break;
	default:
		break;
	}
	return i >= 0;
}

static bool parse_path(struct run_options *o, int id, const char *text,
		       struct error *e)
{
	if (id == OPTION_DIR) {
		o->dir = text;
		if (!useful(o, KERNEL_DIR, "--dir", e))
			return false;
		return *text || error_set(e, "--dir: '' is not a directory; "
					     "allowed: its path");
	}
	o->out = text;
	return *text || error_set(e, "--out: '' is not a file name; "
				     "allowed: the path of a file");
}

static void set_flag(struct run_options *o, int id)
{
	o->pin |= id == OPTION_PIN;
	o->instrument |= id == OPTION_INSTRUMENT;
	o->table |= id == OPTION_TABLE;
}

/* *locks: the value of --lock, which needs the variants, wherever they come. */
static bool parse_option(struct run_options *o, int id, const char *text,
			 const char **locks, struct error *e)
{
	switch (id) {
	case OPTION_LOCK:
		*locks = text;
		return true;
	case OPTION_THREADS:
	case OPTION_USERS:
		return parse_points(o, id == OPTION_USERS, text, e);
	case OPTION_SECONDS:
		return parse_decimal("--seconds", text, SECONDS_MIN,
				     SECONDS_MAX, &o->seconds, e);
	case OPTION_REPEAT:
		return parse_u32("--repeat", text, 1, REPEATS_MAX, &o->repeats,
				 e);
	case OPTION_THRESHOLD:
		return parse_list("--threshold", text,
				  (struct range){ 1, THRESHOLD_MAX, true },
				  &o->thresholds, e);
	case OPTION_CS:
		return useful(o, KERNEL_CS, "--cs", e) &&
		       parse_u32("--cs", text, 0, NS_MAX, &o->cs_ns, e);
	case OPTION_THINK:
		return useful(o, KERNEL_THINK, "--think", e) &&
		       parse_u32("--think", text, 0, NS_MAX, &o->think_ns, e);
	case OPTION_VARIANT:
		return run_variants(o, text, e);
	case OPTION_SEED:
		return parse_number("--seed", text,
				    (struct range){ 0, INT64_MAX, false },
				    &o->seed, e);
	case OPTION_DIR:
	case OPTION_OUT:
		return parse_path(o, id, text, e);
	case OPTION_PIN:
	case OPTION_INSTRUMENT:
	case OPTION_TABLE:
		set_flag(o, id);
		return true;
	default:
		return id < OPTION_KERNEL
			       ? parse_choice(o, id, text, e)
			       : parse_kernel_option(
					 o, (unsigned int)(id - OPTION_KERNEL),
					 text, e);
	}
}

/* The common options and the kernel's own, as getopt wants them. */
static void long_options(const struct kernel_ops *kernel,
			 struct option all[COMMON + KERNEL_OPTIONS_MAX + 1])
{
	const struct kernel_option *k = kernel->options;
	size_t n = COMMON;

	memcpy(all, common_options, sizeof(common_options));
	for (int i = 0; k && k[i].name; i++)
		all[n++] = (struct option){ k[i].name, required_argument, NULL,
					    OPTION_KERNEL + i };
	all[n] = (struct option){ NULL, 0, NULL, 0 };
}

static bool bad_option(const struct run_options *o, int got, char **argv,
		       struct error *e)
{
	const char *word = argv[optind - 1];

	if (got == ':')
		return error_set(e,
				 "option '%.60s' needs a value; allowed: "
				 "`tkt run %s --help` shows it",
				 word, o->label);
	if (optopt > OPTION_FIRST)
		return error_set(e, "option '%.60s' has a value; allowed: none",
				 word);
	if (optopt)
		return error_set(e,
				 "unknown option '-%c'; allowed: what "
				 "`tkt run %s --help` shows",
				 optopt, o->label);
	return error_set(e,
			 "unknown option '%.60s'; allowed: what "
			 "`tkt run %s --help` shows",
			 word, o->label);
}

bool run_options_parse(struct run_options *o, int argc, char **argv,
		       struct error *e)
{
	struct option all[COMMON + KERNEL_OPTIONS_MAX + 1];
	const char *locks = "all";
	int id;

	memset(o, 0, sizeof(*o));
	if (argc < 2 || (argv[1][0] == '-' && strcmp(argv[1], "--help") &&
			 strcmp(argv[1], "-h")))
		return error_set(e,
				 "run: '%.60s' where a kernel or workfile "
				 "is due; allowed: `tkt list kernels` shows "
				 "them",
				 argc < 2 ? "" : argv[1]);
	if (argv[1][0] == '-') {
		o->help = true;
		return true;
	}
	if (!run_target(o, argv[1], e))
		return false;
	set_defaults(o);
	long_options(o->kernel, all);
	opterr = 0;
	optind = 2;
	while (id = getopt_long(argc, argv, "+:h", all, NULL), id != -1) {
		if (id == OPTION_HELP || id == 'h') {
			o->help = true;
			return true;
		}
		if (id == '?' || id == ':')
			return bad_option(o, id, argv, e);
		if (!parse_option(o, id, optarg, &locks, e))
			return false;
	}
	if (optind < argc)
		return error_set(e,
				 "run: '%.60s' is not an option; allowed: "
				 "what `tkt run %s --help` shows",
				 argv[optind], o->label);
	if (o->table && !o->out)
		return error_set(e, "--table: without --out; allowed: with "
				    "--out FILE, for the rows");
	return run_locks(o, locks, e);
}
