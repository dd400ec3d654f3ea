/* Running a command as if it ran in this program's place, and then looking at what came of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_ATTEND_H
#define OVL_TOOL_UTIL_ATTEND_H

#include "base/error.h"

/* Starts the command, found as a shell would, with this program's environment, files and process group, and waits for
   it. Signals that would end this program are passed on to it. Returns its exit code, or 128 + the signal by which it
   ended, which is *killed_by then and else 0; or -1: OVL_USAGE, it cannot be run; OVL_ENVIRONMENT, no process. */
int ovl_attend(char **command, int *killed_by, struct ovl_error *err);

/* Ends this program by that signal. */
void ovl_attend_end_as(int killed_by);

#endif
