/* JSON from rank 0 to all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/share.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

json_t *ovl_share_json(const json_t *mine, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    char *text = rank == 0 && mine ? json_dumps(mine, JSON_COMPACT) : NULL;
    int length = text ? (int)strlen(text) + 1 : 0;
    MPI_Bcast(&length, 1, MPI_INT, 0, comm);
    if (rank != 0)
        text = ovl_check_alloc(malloc((size_t)length + 1));
    MPI_Bcast(text, length, MPI_CHAR, 0, comm);
    json_t *shared = length > 0 ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return shared;
}
