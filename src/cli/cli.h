/* SPDX-License-Identifier: MIT */
/* src/cli/cli.h - the commands of tkt, and what they return */
#ifndef TKT_SRC_CLI_CLI_H
#define TKT_SRC_CLI_CLI_H

#include "harness/error.h"

enum {
	CLI_OK = 0,
	CLI_FAILED = 1,	       /* a check failed, or a run crashed or hung */
	CLI_BAD = 2,	       /* bad input, or output that cannot be written */
	CLI_INTERRUPTED = 130, /* SIGINT or SIGTERM */
};

/* argv[0] is the command's own name.  Both return the exit status. */
int cli_list(int argc, char **argv);
int cli_run(int argc, char **argv);

/* Prints the message as one line on standard error; returns CLI_BAD. */
int cli_bad(const struct error *e);

/* Closes standard output; CLI_BAD, with a message, if something was lost. */
int cli_finish(int status);

#endif /* TKT_SRC_CLI_CLI_H */
