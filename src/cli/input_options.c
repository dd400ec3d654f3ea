/* Options that name input files, and where models are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/input_options.h"
#include "cli/model_text.h"
#include "cli/serve_options.h"

#include <string.h>
#include <unistd.h>

const struct ovl_input_option ovl_input_options[] = {
    {.name = "model", .program = "ovl_train", .usual = OVL_MODEL_USUAL, .unless = "tiny", .models = "models"},
    {.name = "model", .program = "ovl_serve", .usual = OVL_SERVED_USUAL, .unless = "tiny", .models = OVL_MODELS_SERVED},
    {.name = "trace", .program = "ovl_serve"},
    {.name = "buckets", .program = "ovl_train"},
    {.name = "gradients", .program = "ovl_train"},
    {.name = "edges"},
    {.name = "dpu-map", .of_site = true},
    {.name = NULL},
};

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
