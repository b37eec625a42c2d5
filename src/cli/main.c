/* SPDX-License-Identifier: MIT */
/* src/cli/main.c - tkt: which command? */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <tkt.h>

#include "cli.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments, *summary;
} commands[] = {
	{ "list", cli_list, "[locks|kernels|tests]", "shows what there is" },
	{ "run", cli_run, "KERNEL|WORKFILE [OPTION...]",
	  "measures locks on real threads" },
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

int cli_bad(const struct error *e)
{
	(void)fprintf(stderr, "tkt: %s\n", e->text);
	return CLI_BAD;
}

int cli_finish(int status)
{
	struct error e;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	(void)error_set(&e, "cannot write 'standard output': %s",
			strerror(errno ? errno : EIO));
	return cli_bad(&e);
}

static int help(void)
{
	(void)puts("usage: tkt COMMAND [ARGUMENT...]\n");
	for (unsigned int i = 0; i < COMMANDS; i++)
		(void)printf("  tkt %-5s %-28s %s\n", commands[i].name,
			     commands[i].arguments, commands[i].summary);
	(void)puts("\n  tkt COMMAND --help             what it takes\n"
		   "  tkt --version");
	return cli_finish(CLI_OK);
}

int main(int argc, char **argv)
{
	struct error e;
	char names[64] = "";

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return help();
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		(void)puts("tkt " TKT_VERSION_STRING);
		return cli_finish(CLI_OK);
	}
	for (unsigned int i = 0; i < COMMANDS; i++) {
		if (argc > 1 && !strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
		(void)snprintf(names + strlen(names),
			       sizeof(names) - strlen(names), "%s%s",
			       i ? ", " : "", commands[i].name);
	}
	if (argc > 1)
		(void)error_set(&e, "unknown command '%.60s'; allowed: %s",
				argv[1], names);
	else
		(void)error_set(&e, "no command; allowed: %s", names);
	return cli_bad(&e);
}
