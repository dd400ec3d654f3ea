/* LD_PRELOADed: a machine with counters of energy. /sys has those of the tree $OVL_SHIM_SYS, and each reading of one
   finds 3 joules more. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *fopen64(const char *path, const char *mode);

static const char *made(const char *path, char text[512])
{
    static const char *const folders[] = {"/sys/class/powercap", "/sys/class/hwmon", "/sys/cray/pm_counters"};
    const char *root = getenv("OVL_SHIM_SYS");
    for (size_t i = 0; root && i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0) {
            snprintf(text, 512, "%s%s", root, path);
            return text;
        }
    return path;
}

static FILE *open_file(const char *path, const char *mode)
{
    static long long read_so_far;
    static char counter[32];
    char text[512];
    FILE *(*next)(const char *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "fopen");
    const char *at = made(path, text);
    FILE *in = next(at, mode);
    if (!in || at == path || !strstr(path, "energy_uj"))
        return in;
    fclose(in);
    read_so_far += 3000000;
    snprintf(counter, sizeof counter, "%lld\n", read_so_far);
    return fmemopen(counter, strlen(counter), "r");
}

FILE *fopen(const char *path, const char *mode)
{
    return open_file(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return open_file(path, mode);
}

DIR *opendir(const char *path)
{
    char text[512];
    DIR *(*next)(const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "opendir");
    return next(made(path, text));
}
