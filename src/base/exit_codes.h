/* What the exit codes of each command of `ovl` mean: for its --help and its page. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_EXIT_CODES_H
#define OVL_BASE_EXIT_CODES_H

#include <stdio.h>

/* Those of a command, a line each, as --help has them. */
void ovl_exit_codes_help(const char *command, FILE *out);

/* The same as a list in mdoc(7). -1: there is no such command. */
int ovl_exit_codes_mdoc(const char *command, FILE *out);

#endif
