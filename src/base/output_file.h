/* Writing a file that somebody names, which may be no file of its own, or one that is read as well. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_OUTPUT_FILE_H
#define OVL_BASE_OUTPUT_FILE_H

#include "base/path.h"

#include <stdbool.h>
#include <stddef.h>

/* The descriptor of this process that the name leads to, /dev/stdout or /dev/fd/5; -1 for any other name. Write to a
   duplicate of it: opened by its name, a file behind it would be truncated, and written from its start beside whoever
   writes there already. */
int ovl_output_file_descriptor(const char *path);

/* Must what stands under this name be opened and written, and never be replaced by another file? So it is with pipes
   and devices, and with links in /dev and /proc, which belong to the machine. */
bool ovl_output_file_in_place(const char *path);

/* Makes a new hidden file in the folder of `path`, to be renamed to `path` once it is whole, and puts its name into
   `hidden`. The name is random: whatever is left over from a process that was killed is in nobody's way, in a container
   where each process has the same number neither. The descriptor, or -1 with errno and a name that was tried. */
int ovl_output_file_hidden(const char *path, struct ovl_path *hidden);

/* Writes all of it, in as many calls as it takes. -1 with errno. */
int ovl_output_file_write(int fd, const void *data, size_t bytes);

#endif
