/* What the exit codes of each command of `ovl` mean: for its --help and its page. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_EXIT_CODES_H
#define OVL_BASE_EXIT_CODES_H

#include <stdio.h>

enum { OVL_EXIT_CODES = 6 };

/* A line for each code of base/error.h, without the code; NULL: the command does not end with it. */
struct ovl_exit_codes {
    const char *command;
    const char *code[OVL_EXIT_CODES];
};

/* In the order of the commands' names; the last row has no command. */
extern const struct ovl_exit_codes ovl_exit_codes[];

/* Those of a command, a line each, as --help has them. */
void ovl_exit_codes_help(const char *command, FILE *out);

/* The same as a list in mdoc(7). -1: there is no such command. */
int ovl_exit_codes_mdoc(const char *command, FILE *out);

#endif
