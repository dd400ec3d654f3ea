/* The options that all applications have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/app_options.h"

#include <string.h>

struct ovl_app_options ovl_app_options_default(const char *modes)
{
    struct ovl_app_options o = {
        .offload = ovl_offload_options_default,
        .format = "table",
        .skew = "none",
        .seed = 1,
        .blocks = {30, 1000},
        .warmup = 2,
        .ci = 2,
        .max_time = 30,
    };
    o.offload.modes = modes;
    return o;
}

int ovl_app_options_parse(const struct ovl_option *rows, int argc, char **argv, void *options,
                          const struct ovl_app_options *common, struct ovl_error *err)
{
    int first;
    if (ovl_options_parse(rows, argc, argv, options, &first, err) != 0)
        return -1;
    if (common->help || common->version)
        return 0;
    if (ovl_options_only(argc, argv, first, err) != 0)
        return -1;
    if (strstr(common->offload.modes, "host-t") && !common->test_lines)
        return ovl_error_set(err, OVL_USAGE,
                             "--mode host-t tests between lines: say with -t after how many, such as -t 64");
    return ovl_offload_options_check(&common->offload, err);
}
