/* Opening a file that somebody names, which may be anything. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_INPUT_FILE_H
#define OVL_BASE_INPUT_FILE_H

#include <stdio.h>

/* Opens it for reading. A named pipe that nobody writes to is empty, and not waited for. NULL with errno. */
FILE *ovl_input_file_open(const char *path);

#endif
