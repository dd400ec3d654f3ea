/* Are launches of one build? By the rows of record/fields_run.c that tell it: version, commit, compiler and flags. Of
   two builds that tell the same, such as two of changed files at one commit, nobody knows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_ONE_BUILD_H
#define OVL_TOOL_CELLS_ONE_BUILD_H

#include "record/record.h"

enum { OVL_ONE_BUILD_WHAT = 200 };

/* false with *what, "git: 75acdfc, and feedbee", where two run lines tell different builds, or the one tells what the
   other does not. may_differ is an array of names that are passed over, or NULL. */
bool ovl_one_build(const json_t *one, const json_t *other, const json_t *may_differ, char what[OVL_ONE_BUILD_WHAT]);

/* Compares the first run lines of two files as ovl_one_build() does. true where a file cannot be read. */
bool ovl_one_build_files(const char *one, const char *other, char what[OVL_ONE_BUILD_WHAT]);

/* Of how many builds the runs are. */
size_t ovl_one_build_count(const struct ovl_record *record);

#endif
