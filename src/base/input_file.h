/* Opening a file that somebody names, which may be anything. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_INPUT_FILE_H
#define OVL_BASE_INPUT_FILE_H

#include "base/error.h"

#include <stdio.h>

enum { OVL_INPUT_TEXT_MOST = 64 << 20 };

/* Opens it for reading. A named pipe that nobody writes to is empty, and not waited for. NULL with errno. */
FILE *ovl_input_file_open(const char *path);

/* All of a text that people write, with a terminator; the caller frees it. NULL with *err filled: OVL_ENVIRONMENT where
   it cannot be read, OVL_WRONG_DATA where it holds a byte 0 or over OVL_INPUT_TEXT_MOST bytes, as devices and pipes do
   that never end. The line of the error begins with `name`: "--buckets FILE". */
char *ovl_input_text(const char *path, const char *name, struct ovl_error *err);

#endif
