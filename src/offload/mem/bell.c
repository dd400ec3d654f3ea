/* A bell is rung by a write. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/bell.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int ovl_bell_make(void)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0 || fd > 2)
        return fd < 0 ? 0 : fd;
    int other = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return other < 0 ? 0 : other;
}

void ovl_bell_ring(int bell)
{
    const uint64_t one = 1;
    if (bell && write(bell, &one, sizeof one) < 0)
        return; /* so often was it rung that its count is full: it has been heard */
}
