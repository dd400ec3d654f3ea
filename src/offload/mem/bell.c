/* A bell is rung by a write. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/mem/bell.h"
#include "offload/mem/local.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int ovl_bell_make(void)
{
    return ovl_local_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void ovl_bell_ring(int bell)
{
    const uint64_t one = 1;
    if (bell && write(bell, &one, sizeof one) < 0)
        return; /* so often was it rung that its count is full: it has been heard */
}
