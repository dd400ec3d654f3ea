/* Shortening names; kinds of variables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/name.h"

#include <string.h>
#include <strings.h>

const char ovl_name_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

bool ovl_name_is_plain(const char *name)
{
    return strspn(name, ovl_name_letters) == strlen(name);
}

/* Length of what adds nothing at the start of the text, or 0. */
static size_t noise(const char *text)
{
    static const char *const words[] = {"(R)", "(TM)", "(r)", "(tm)", "Version", ":"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return 0;
}

void ovl_name_shorten(char *text, size_t room, const char *name)
{
    size_t n = 0;
    while (*name && *name != '\n' && *name != ',' && n + 1 < room) {
        size_t skip = noise(name);
        bool space = *name == ' ' || *name == '\t';
        if (skip == 0 && !(space && (n == 0 || text[n - 1] == ' ')))
            text[n++] = space ? ' ' : *name;
        name += skip ? skip : 1;
    }
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
}

bool ovl_name_secret(const char *name)
{
    static const char *const words[] = {"JWT", "TOKEN", "SECRET", "KEY", "PASSWORD", "PASSWD", "CREDENTIAL"};
    for (; *name; name++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncasecmp(name, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

/* What a user sets for srun and has an effect on the processes; the other SLURM_ variables are srun's own words. */
static bool is_slurm_setting(const char *name)
{
    static const char *const starts[] = {"SLURM_CORE_SPEC", "SLURM_CPU_FREQ_REQ", "SLURM_HINT",
                                         "SLURM_MEM_BIND",  "SLURM_MPI_TYPE",     "SLURM_NETWORK",
                                         "SLURM_POWER",     "SLURM_THREAD_SPEC",  "SLURM_THREADS_PER_CORE"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

bool ovl_name_of_launcher(const char *name)
{
    static const char *const starts[] = {"SLURM_",
                                         "I_MPI_HYDRA_",
                                         "MPICH_INTERFACE_HOSTNAME",
                                         "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
                                         "MV2_COMM_WORLD_",
                                         "OMPI_APP_CTX_",
                                         "OMPI_ARGV",
                                         "OMPI_COMMAND",
                                         "OMPI_COMM_WORLD",
                                         "OMPI_FILE_LOCATION",
                                         "OMPI_FIRST_RANKS",
                                         "OMPI_LIBDIR_LOC",
                                         "OMPI_MCA_PREFIXES",
                                         "OMPI_MCA_cpu_type",
                                         "OMPI_MCA_ess",
                                         "OMPI_MCA_initial_wdir",
                                         "OMPI_MCA_num_procs",
                                         "OMPI_MCA_orte_",
                                         "OMPI_MCA_pmix",
                                         "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
                                         "OMPI_NUM_APP_CTX",
                                         "OMPI_TOOL_NAME",
                                         "OMPI_UNIVERSE_SIZE",
                                         "OMPI_VERSION",
                                         "OMPI_WORLD_",
                                         "PMIX_MCA_mca_base_component_show_load_errors"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return !is_slurm_setting(name);
    return false;
}

void ovl_name_kernel_series(char *text)
{
    char *to = text;
    const char *before = NULL; /* the one that was left last */
    size_t length = 0;
    for (const char *from = text; *from;) {
        size_t kept = strcspn(from, ".;"), all = strcspn(from, ";");
        kept += from[kept] == '.' ? 1 + strspn(from + kept + 1, "0123456789") : 0;
        if (!before || kept != length || strncmp(before, from, kept) != 0) {
            if (before) {
                memcpy(to, "; ", 2);
                to += 2;
            }
            before = memmove(to, from, kept);
            length = kept;
            to += kept;
        }
        from += all;
        from += strspn(from, "; ");
    }
    *to = '\0';
}
