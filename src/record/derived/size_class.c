/* Size classes of operations. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/size_class.h"

#include <math.h>
#include <string.h>

const struct ovl_size_class ovl_size_classes[OVL_SIZE_CLASSES] = {{"up to 128 KiB", 128 << 10},
                                                                  {"128 KiB to 16 MiB", 16 << 20},
                                                                  {"16 to 32 MiB", 32 << 20},
                                                                  {"32 to 64 MiB", 64 << 20},
                                                                  {"over 64 MiB", INFINITY}};

int ovl_size_class(double bytes)
{
    int c = 0;
    while (bytes > ovl_size_classes[c].most)
        c++;
    return c;
}

int ovl_size_class_find(const char *name)
{
    for (int c = 0; c < OVL_SIZE_CLASSES; c++)
        if (strcmp(ovl_size_classes[c].name, name) == 0)
            return c;
    return -1;
}
