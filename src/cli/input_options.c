/* Options that name input files, and where models are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/input_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct ovl_input_option ovl_input_options[] = {
    {.name = "model", .program = "ovl_train", .usual = OVL_MODEL_USUAL, .unless = "tiny", .is_model = true},
    {.name = "buckets", .program = "ovl_train"},
    {.name = "dpu-map", .of_site = true},
    {.name = NULL},
};

/* Where the installed models are. */
static int models_folder(char folder[PATH_MAX], struct ovl_error *err)
{
    static const char models[] = "/../share/ovl/models";
    ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - sizeof models - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot tell where this program is: /proc is not mounted");
    strcpy(slash, models);
    return 0;
}

int ovl_model_path(const char *name, char path[PATH_MAX], bool *installed, struct ovl_error *err)
{
    char folder[PATH_MAX];
    size_t length = strlen(name);
    *installed = !strchr(name, '/') && !(length > 5 && strcmp(name + length - 5, ".json") == 0);
    if (!*installed) {
        snprintf(path, PATH_MAX, "%s", name);
        return 0;
    }
    if (models_folder(folder, err) != 0)
        return -1;
    snprintf(path, PATH_MAX, "%.4000s/%.64s.json", folder, name);
    return 0;
}
