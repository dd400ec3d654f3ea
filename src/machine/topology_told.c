/* Which variables of the environment a record tells. Apart from topology.c, so that `ovl` needs no hwloc for them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/name.h"
#include "base/printable.h"
#include "machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By which other code comes into the process. */
static bool is_loaders(const char *name)
{
    return strcmp(name, "LD_PRELOAD") == 0 || strcmp(name, "LD_AUDIT") == 0 || strcmp(name, "GLIBC_TUNABLES") == 0;
}

bool ovl_topology_is_told(const char *name)
{
    static const char *const prefixes[] = {"MPICH_", "MPIR_", "UCX_",      "FI_",       "MV2_",   "MVP_",
                                           "I_MPI_", "OMPI_", "OMP_",      "SLURM_",    "HCOLL_", "SHARP_",
                                           "PSM2_",  "PSM3_", "PRTE_MCA_", "PMIX_MCA_", "OPAL_",  "MLX5_",
                                           "KMP_",   "GOMP_", "OPENBLAS_", "MKL_",      "HWLOC_"};
    if (ovl_name_secret(name))
        return false;
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
        if (strncmp(name, prefixes[p], strlen(prefixes[p])) == 0)
            return true;
    return strcmp(name, "OVL_CLUSTER") == 0 || strcmp(name, "OVL_NONCE") == 0 || is_loaders(name);
}

/* Is it one of those that `ovl sweep` names because the plan sets them? */
static bool is_asked_for(const char *name)
{
    const char *names = getenv(OVL_TOPOLOGY_TELL);
    size_t n = strlen(name);
    for (const char *at = names; at && *at && !ovl_name_secret(name); at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

void ovl_topology_ask(json_t *environment, const json_t *wanted)
{
    char names[4096] = "";
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)wanted, name, value) {
        size_t n = strlen(names);
        if (!ovl_topology_is_told(name) && n + strlen(name) + 2 < sizeof names)
            snprintf(names + n, sizeof names - n, "%s%s", n ? "," : "", name);
    }
    if (*names)
        json_object_set_new(environment, OVL_TOPOLOGY_TELL, json_string(names));
}

static bool is_told(const char *name)
{
    return ovl_topology_is_told(name) || is_asked_for(name);
}

/* Unless it is told already. */
static void tell(json_t *all, const char *variable, bool is_wanted(const char *name))
{
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(variable, "="), variable);
    if (!strchr(variable, '=') || !is_wanted(name))
        return;
    ovl_printable_bytes(name);
    if (!json_object_get(all, name))
        json_object_set_new(all, name, ovl_printable_json(strchr(variable, '=') + 1));
}

json_t *ovl_topology_environment(void)
{
    json_t *all = json_object();
    for (char **e = environ; *e; e++)
        tell(all, *e, is_told);
    /* What the loader heeded stays, though code that it brought in took the variable away. */
    FILE *at_start = fopen("/proc/self/environ", "re");
    char *variable = NULL;
    size_t room = 0;
    while (at_start && getdelim(&variable, &room, '\0', at_start) > 0)
        tell(all, variable, is_loaders);
    free(variable);
    if (at_start)
        fclose(at_start);
    return all;
}
