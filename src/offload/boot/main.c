/* ovl_worker: a worker as a program of its own, for jobs that start it beside a driver. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/standard_streams.h"
#include "offload/boot/engine_mpi.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static int usage(FILE *out)
{
    fprintf(out, "Usage: mpiexec -n RANKS DRIVER --mode host,dpu [OPTION]... : -n WORKERS ovl_worker\n"
                 "Do the communication of the ranks that run DRIVER, which also sets the options. See ovl(7).\n\n"
                 "  -h, --help     print this and exit\n"
                 "      --version  print the version and exit\n");
    return OVL_OK;
}

int main(int argc, char **argv)
{
    struct ovl_engine e;
    struct ovl_error err = {.code = OVL_OK, .text = ""};
    bool help = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    bool version = argc == 2 && strcmp(argv[1], "--version") == 0;
    if (ovl_standard_streams_open() != 0)
        return OVL_ENVIRONMENT;
    ovl_engine_prepare(-1);
    MPI_Init(&argc, &argv);
    if (argc > 1 && !help && !version)
        ovl_error_set(&err, OVL_USAGE, "stray argument %s; ovl_worker takes none: the driver has the options", argv[1]);
    int rc = ovl_engine_bootstrap(&e, true, &ovl_engine_options_default, help || version, &err);
    if (rc == 0)
        rc = ovl_engine_connect(&e, &err);
    if (rc == 0)
        rc = ovl_engine_release(&e, &err);
    if (e.first && help)
        usage(stdout);
    if (e.first && version)
        printf("ovl_worker %s (%s)\n", OVL_VERSION, OVL_GIT);
    if (rc != 0 && *err.text && e.first)
        fprintf(stderr, "ovl_worker: %s\n", err.text);
    return ovl_engine_finalize(ovl_engine_agree_exit_code(&e, (int)err.code));
}
