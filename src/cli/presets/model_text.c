/* Where no model has the name, all names are told. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/presets/model_text.h"
#include "base/input_file.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where installed models are. */
static int models_folder(const char *models, struct ovl_path *folder, struct ovl_error *err)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot tell where this program is: /proc is not mounted");
    *folder = ovl_path("%.*s/../share/ovl/%s", (int)(slash - program), program, models);
    return 0;
}

int ovl_model_path(const char *models, const char *name, struct ovl_path *path, bool *installed, struct ovl_error *err)
{
    struct ovl_path folder;
    size_t length = strlen(name);
    *installed = !strchr(name, '/') && !(length > 5 && strcmp(name + length - 5, ".json") == 0);
    *path = ovl_path("%s", name);
    if (!*installed)
        return 0;
    if (models_folder(models, &folder, err) != 0)
        return -1;
    *path = ovl_path("%s/%s.json", folder.text, name);
    return 0;
}

static int is_json(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 5 && strcmp(e->d_name + n - 5, ".json") == 0;
}

static void tell_names(const char *name, const char *folder, struct ovl_error *err)
{
    struct dirent **list;
    char all[OVL_ERROR_TEXT] = "";
    int n = scandir(folder, &list, is_json, alphasort);
    for (int i = 0; i < n; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%.*s", i ? ", " : "", (int)strlen(list[i]->d_name) - 5,
                 list[i]->d_name);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    if (n > 0)
        ovl_error_set(err, OVL_USAGE, "--model %s: there is no such model; give one of %s, or a file", name, all);
    else
        ovl_error_set(err, OVL_ENVIRONMENT, "%s has no models; run `make`, or `make install` for a copy elsewhere",
                      folder);
}

char *ovl_model_text(const char *models, const char *name, struct ovl_path *path, struct ovl_error *err)
{
    bool installed;
    if (ovl_model_path(models, name, path, &installed, err) != 0)
        return NULL;
    if (!installed || access(path->text, F_OK) == 0)
        return ovl_input_text(path->text, ovl_path("%s%s", installed ? "" : "--model ", path->text).text, err);
    *strrchr(path->text, '/') = '\0';
    tell_names(name, path->text, err);
    return NULL;
}
