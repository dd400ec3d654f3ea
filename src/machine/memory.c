/* Amounts of memory in words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/memory.h"

#include <stdio.h>

void ovl_memory_text(double bytes, char text[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int u = 0;
    for (; bytes >= 1024 && u < 5; u++)
        bytes /= 1024;
    snprintf(text, 32, "%.*f %s", u ? 1 : 0, bytes, units[u]);
}
