/* What stands in a folder under the name of something that is read. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/entry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_read(const char *name)
{
    size_t n = strlen(name);
    return (n > 6 && strcmp(name + n - 6, ".jsonl") == 0) || strcmp(name, "plan.json") == 0 ||
           strcmp(name, "sweep.log") == 0;
}

/* A link whose end is gone leads nowhere. */
static bool leads_out(const char *path, const char *name)
{
    char end[PATH_MAX], folder[PATH_MAX], in[PATH_MAX];
    struct stat link;
    size_t n = (size_t)(name - path);
    if (lstat(path, &link) != 0 || !S_ISLNK(link.st_mode))
        return false;
    if (n >= sizeof in || !realpath(path, end))
        return true;
    memcpy(in, path, n);
    strcpy(in + n, "");
    if (!realpath(n > 0 ? in : ".", folder))
        return true;
    n = strlen(folder);
    return strncmp(end, folder, n) != 0 || (end[n] != '/' && folder[n - 1] != '/');
}

const char *ovl_entry_fault(const char *path, const struct stat *file, bool within)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (is_read(name) && !S_ISREG(file->st_mode))
        return "it has the name of a file that is read here, and is no plain file";
    if (within && (is_read(name) || S_ISDIR(file->st_mode)) && leads_out(path, name))
        return "a link out of its folder: whoever gets the folder does not have it; put the file there";
    return NULL;
}
