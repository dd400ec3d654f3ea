/* Asking another program something: a short command, its answer, and a limit to the patience. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_ASK_H
#define OVL_TOOL_UTIL_ASK_H

#include "base/path.h"

#include <stddef.h>

enum { OVL_ASK_NO_ANSWER = -1 };

/* Runs argv, which ends with NULL, with stdin empty, and puts the beginning of what it prints on both outputs into
   `answer`. Its exit code, 127 when there is no such program, or OVL_ASK_NO_ANSWER when a signal ended it, or when it
   was not done after `seconds`: then it is killed with its process group. */
int ovl_ask(const char *const argv[], double seconds, char *answer, size_t room);

/* The path of a program as execvp() finds it. -1, and "", when there is none. */
int ovl_ask_path(const char *program, struct ovl_path *path);

#endif
