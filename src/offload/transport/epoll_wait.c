/* epoll_pwait2 where there is one, else milliseconds, or ppoll on the descriptor of epoll itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/epoll_wait.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441 /* of all architectures that we run on; C libraries before 2.35 do not name it */
#endif

_Atomic bool ovl_has_epoll_pwait2 = true;

enum { MS = 1000000, SECOND = 1000000000 };

static int without_pwait2(int epoll, struct epoll_event *events, int most, int64_t ns)
{
    struct timespec time = {.tv_nsec = (long)ns};
    if (ns >= MS)
        return epoll_wait(epoll, events, most, (int)((ns + MS - 1) / MS));
    return ppoll(&(struct pollfd){.fd = epoll, .events = POLLIN}, 1, &time, NULL) > 0
               ? epoll_wait(epoll, events, most, 0)
               : 0;
}

int ovl_epoll_wait(int epoll, struct epoll_event *events, int most, int64_t ns)
{
    struct {
        int64_t s, ns; /* the kernel's own, whatever a time_t is */
    } time = {ns / SECOND, ns % SECOND};
    if (ns <= 0)
        return epoll_wait(epoll, events, most, 0);
    if (!ovl_has_epoll_pwait2)
        return without_pwait2(epoll, events, most, ns);
    int n = (int)syscall(SYS_epoll_pwait2, epoll, events, most, &time, NULL, (size_t)0);
    if (n >= 0 || (errno != ENOSYS && errno != EPERM)) /* older containers refuse what they do not know by EPERM */
        return n;
    ovl_has_epoll_pwait2 = false;
    return without_pwait2(epoll, events, most, ns);
}
