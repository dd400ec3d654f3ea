/* Writes the lines of a record, each on disk when it is written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_WRITER_H
#define OVL_RECORD_DERIVED_WRITER_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>

struct ovl_writer {
    int fd;           /* -1 when nothing is written */
    const char *path; /* of the caller */
};

/* May lines of a record be appended to this file? -1 and OVL_USAGE when it holds something else, which they would
   spoil, or is empty and in use by this process (base/input_file.h). */
int ovl_writer_check(const char *path, struct ovl_error *err);

/* Opens `path` for appending; NULL gives a writer that writes nowhere. -1 and OVL_ENVIRONMENT when it cannot be
   written, OVL_USAGE as above. */
int ovl_writer_open(struct ovl_writer *w, const char *path, struct ovl_error *err);

/* Writes one line and has it on disk when it returns. Takes the reference to `line` in any case. */
int ovl_writer_line(struct ovl_writer *w, json_t *line, struct ovl_error *err);

int ovl_writer_close(struct ovl_writer *w, struct ovl_error *err);

#endif
