/* Shapes of collectives with even counts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/operation.h"
#include "base/error.h"

#include <stdlib.h>

/* Counts, all of them or one of each rank, and the displacements behind them. */
static int *even_lists(int ranks, size_t count, size_t remainder)
{
    int *list = ovl_alloc(2 * (size_t)ranks, sizeof *list), at = 0;
    for (int r = 0; r < ranks; r++) {
        list[r] = (int)(count + ((size_t)r < remainder));
        list[ranks + r] = at;
        at += list[r];
    }
    return list;
}

struct ovl_coll_shape ovl_sim_shape(enum ovl_operation operation, size_t bytes, size_t element, int ranks, int root)
{
    struct ovl_coll_shape s = {.operation = operation,
                               .ranks = ranks,
                               .root = root,
                               .to = -1,
                               .from = -1,
                               .bytes = bytes,
                               .recv_bytes = operation == OVL_ISENDRECV ? bytes : 0,
                               .element = element,
                               .tuning = &ovl_tuning_default};
    size_t n = (size_t)ranks, elements = bytes / element;
    int *list = NULL;
    if (operation == OVL_IREDUCE_SCATTER)
        list = even_lists(ranks, elements / n, elements % n);
    else if (ovl_operations[operation].lists) { /* an element is a whole message, so that numbers stay small */
        list = even_lists(ranks, 1, 0);
        s.element = bytes;
    }
    if (operation == OVL_IREDUCE_SCATTER_BLOCK)
        s.bytes = (elements + n - 1) / n * element;
    s.send_counts = s.recv_counts = list;
    s.send_displs = s.recv_displs = list ? list + ranks : NULL;
    return s;
}

void ovl_sim_shape_free(struct ovl_coll_shape *s)
{
    free((int *)(uintptr_t)s->recv_counts);
    s->send_counts = s->recv_counts = s->send_displs = s->recv_displs = NULL;
}
