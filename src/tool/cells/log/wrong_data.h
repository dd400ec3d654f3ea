/* Wrong data in what attempts at a sweep's launch left: NNN.jsonl, NNN.partial where they did not end well, and
   .NNN.jsonl, the name of a record under way, which stays where the sweep was killed; NNN-2 of the second attempt. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_LOG_WRONG_DATA_H
#define OVL_TOOL_CELLS_LOG_WRONG_DATA_H

#include <stdbool.h>
#include <stddef.h>

/* Is it .NNN.jsonl or .NNN-K.jsonl, by its name? */
bool ovl_wrong_data_hidden(const char *path);

/* Does a line of the file tell of wrong data? Lines may be cut short, and a file that cannot be read tells of none. */
bool ovl_wrong_data_in(const char *path);

/* Does a line of what a program of ovl printed, such as NNN.log, say that it found wrong data? */
bool ovl_wrong_data_said(const char *path);

/* How many attempts at the launch left such a file or, of a program of ovl (`ours`), an output NNN.log that says so? Of
   the `told` ones of the sweep's log, and of those that follow them, as lines may have been cut from it. `folder` is
   the sweep's. */
size_t ovl_wrong_data_attempts(const char *folder, const char *job, size_t launch, size_t told, bool ours);

/* The first attempt of a program of ovl whose output says so, while nothing that it left has a wrong cell; 0: none. */
size_t ovl_wrong_data_only_said(const char *folder, const char *job, size_t launch);

#endif
