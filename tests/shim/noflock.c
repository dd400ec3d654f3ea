/* LD_PRELOADed: flock() fails as on a file system without locks, by ENOSYS or the errno of OVL_FLOCK_ERRNO. With
   OVL_LOOK_PAUSE=FILE who has asked whether a process lives makes FILE.asked, and goes on when FILE is there, or after
   20 seconds: another can then take what was found to be nobody's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

int flock(int fd, int operation)
{
    const char *wanted = getenv("OVL_FLOCK_ERRNO");
    (void)fd;
    (void)operation;
    errno = wanted ? atoi(wanted) : ENOSYS;
    return -1;
}

int kill(pid_t process, int signal)
{
    char asked[4096];
    const char *go = getenv("OVL_LOOK_PAUSE");
    int rc = (int)syscall(SYS_kill, process, signal), why = errno;
    if (go && signal == 0) {
        snprintf(asked, sizeof asked, "%s.asked", go);
        close(open(asked, O_CREAT | O_WRONLY, 0666));
        for (int i = 0; i < 400 && access(go, F_OK) != 0; i++)
            usleep(50000);
    }
    errno = why;
    return rc;
}
