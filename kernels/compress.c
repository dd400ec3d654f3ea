/* The compressors. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/compress.h"

#include <string.h>

static const struct ovl_compressor *const compressors[] = {&ovl_compressor_szx, &ovl_compressor_fp16,
                                                           &ovl_compressor_bf16, NULL};

const struct ovl_compressor *ovl_compressor_find(const char *name)
{
    for (size_t i = 0; compressors[i]; i++)
        if (strcmp(compressors[i]->name, name) == 0)
            return compressors[i];
    return NULL;
}
