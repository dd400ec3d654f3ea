/* LD_PRELOADed: when MPI begins, says in $OVL_STREAMS which of descriptors 0, 1 and 2 are open. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int MPI_Init(int *argc, char ***argv)
{
    char open_ones[4] = "---";
    const char *name = getenv("OVL_STREAMS");
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            open_ones[fd] = (char)('0' + fd);
    FILE *out = name ? fopen(name, "ae") : NULL;
    if (out) {
        fprintf(out, "%s\n", open_ones);
        fclose(out);
    }
    return PMPI_Init(argc, argv);
}
