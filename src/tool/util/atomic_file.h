/* A file that is there whole or not at all: written under another name in the same folder, and renamed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_UTIL_ATOMIC_FILE_H
#define OVL_TOOL_UTIL_ATOMIC_FILE_H

#include "base/error.h"
#include "base/path.h"

#include <stdio.h>

struct ovl_atomic_file {
    FILE *file; /* to be written; stdout when the path was NULL or "-" */
    const char *path;
    struct ovl_path hidden;
};

/* Says whether `path` may be replaced: -1 and OVL_USAGE when this process has opened that file as an input
   (base/input_file.h). For those who have much to do, or to print, before they write. NULL is fine. */
int ovl_atomic_file_check(const char *path, struct ovl_error *err);

/* Holds signals back (tool/util/signals.h) until the file is closed or abandoned, so that one that ends the program
   leaves nothing behind. A file that is replaced gives its mode to the new one; a link is replaced itself. What must
   not be replaced (base/output_file.h) is opened and written: a pipe, a device, /dev/stdout. -1 and OVL_ENVIRONMENT
   when the folder cannot be written, OVL_USAGE as above. */
int ovl_atomic_file_open(struct ovl_atomic_file *o, const char *path, struct ovl_error *err);

/* Puts the file in its place, on disk. -1 when anything could not be written; then nothing is left. */
int ovl_atomic_file_close(struct ovl_atomic_file *o, struct ovl_error *err);

/* Takes back what was written. */
void ovl_atomic_file_abandon(struct ovl_atomic_file *o);

/* Puts a copy of the file `from` in the place of `path`. For what other programs write: they would follow a link that
   somebody else laid under a name in a folder that all may write, so they write in a folder of ours
   (tool/util/scratch.h). -1 and OVL_ENVIRONMENT, also when `from` is empty. */
int ovl_atomic_file_copy(const char *from, const char *path, struct ovl_error *err);

#endif
