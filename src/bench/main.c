/* The one main of all drivers; the collective is the one linked in. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/driver.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int code = ovl_driver_run(&ovl_collective, argc, argv);
    MPI_Finalize();
    return code;
}
