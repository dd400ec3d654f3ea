/* Opening files for reading. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

FILE *ovl_input_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = fd >= 0 && fcntl(fd, F_SETFL, 0) == 0 ? fdopen(fd, "r") : NULL;
    int why = errno;
    if (!file && fd >= 0)
        close(fd);
    errno = why;
    return file;
}
