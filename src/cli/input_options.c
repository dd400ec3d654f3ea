/* Options that name input files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/input_options.h"
#include "cli/presets/model_text.h"
#include "cli/serve_options.h"

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
