/* Adapters in a build without libibverbs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/adapters.h"

const char *const ovl_adapters_absent = "built without libibverbs; install libibverbs-dev and build again";

int ovl_adapter_gids(const char *device, int port, struct ovl_gid *out, int most)
{
    (void)device, (void)port, (void)out, (void)most;
    return 0;
}

int ovl_adapters_find(struct ovl_adapter *out, size_t most, struct ovl_error *err)
{
    (void)out, (void)most, (void)err;
    return 0;
}
