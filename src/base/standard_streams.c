/* Taking the numbers of standard streams that are closed, and whole lines from the others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/standard_streams.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int ovl_standard_streams_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return -1; /* open() takes the lowest number that is free: this one */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    return 0;
}
