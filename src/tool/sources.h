/* The record files that a command line names: files, and folders with all that is in them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_SOURCES_H
#define OVL_TOOL_SOURCES_H

#include "core/record.h"

struct ovl_sources {
    char **path; /* sorted within a folder */
    size_t count;
};

/* Adds a file, or all *.jsonl files of a folder and of the folders in it; names that begin with a dot are passed over.
   Start with a zeroed struct. -1 and OVL_ENVIRONMENT when it cannot be read or a folder has none. */
int ovl_sources_add(struct ovl_sources *s, const char *path, struct ovl_error *err);
void ovl_sources_free(struct ovl_sources *s);

/* Reads them all, with or without the samples, into *record, whose runs point to the sources' paths. A run that was
   read already (a copy of its file) is left out, and counted in *copies: it must not pass for another launch. */
int ovl_sources_read(const struct ovl_sources *s, bool brief, struct ovl_record *record, size_t *copies,
                     struct ovl_error *err);

#endif
