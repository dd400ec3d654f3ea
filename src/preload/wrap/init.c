/* MPI_Init, MPI_Init_thread and MPI_Finalize, each with the library's own start or end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/job/start.h"
#include "preload/pmpi/pmpi.h"

WRAP(Init, (int *argc, char ***argv))
{
    int rc = NEXT->Init(argc, argv);
    if (rc == MPI_SUCCESS)
        ovl_library_start();
    return rc;
}

WRAP(Init_thread, (int *argc, char ***argv, int required, int *provided))
{
    int rc = NEXT->Init_thread(argc, argv, required, provided);
    if (rc == MPI_SUCCESS)
        ovl_library_start();
    return rc;
}

WRAP(Finalize, (void))
{
    ovl_library_end();
    return NEXT->Finalize();
}
