/* null: posts nothing, so that what is measured is the harness itself. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/exchange/collective.h"

static void nothing(struct ovl_exchange *x)
{
    x->request = MPI_REQUEST_NULL;
}

OVL_COLLECTIVE(null) = {
    .name = "null",
    .operation = OVL_NOTHING,
    .shape = nothing,
    .post = nothing,
    .blocking = nothing,
};
