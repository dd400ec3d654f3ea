/* The variables of MPI libraries, transports and launchers that are set here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/name.h"
#include "machine/topology.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

json_t *ovl_topology_environment(void)
{
    static const char *const prefixes[] = {"MPICH_", "MPIR_", "UCX_",   "FI_",          "MV2_",      "I_MPI_",
                                           "OMPI_",  "OMP_",  "SLURM_", "OVL_CLUSTER=", "OVL_NONCE="};
    json_t *all = json_object();
    for (char **e = environ; *e; e++)
        for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
            char name[128];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
            if (strncmp(*e, prefixes[p], strlen(prefixes[p])) == 0 && strchr(*e, '=') && !ovl_name_secret(name))
                json_object_set_new(all, name, json_string(strchr(*e, '=') + 1));
        }
    return all;
}
