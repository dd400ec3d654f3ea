/* LD_PRELOADed: flock() fails as on a file system without locks, by ENOSYS or the errno of OVL_FLOCK_ERRNO. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>

int flock(int fd, int operation)
{
    const char *wanted = getenv("OVL_FLOCK_ERRNO");
    (void)fd;
    (void)operation;
    errno = wanted ? atoi(wanted) : ENOSYS;
    return -1;
}
