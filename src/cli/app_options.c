/* The options that all applications have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/app_options.h"

#include <stdlib.h>
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

int ovl_app_plan_parse(const char *text, int *ranks, int *per_node, struct ovl_error *err)
{
    const int most = 1 << 24;
    char *behind = NULL;
    *ranks = *per_node = 0;
    if (!text)
        return 0;
    long all = strtol(text, &behind, 10), here = *behind == ':' ? strtol(behind + 1, &behind, 10) : 1;
    bool whole = !*behind && text[strcspn(text, " +-")] == 0;
    if (!whole || all < 1 || all > most || here < 1 || here > most)
        return ovl_error_set(err, OVL_USAGE,
                             "--plan %s: give a number of ranks, or of ranks and of those on a node, such as 1024:16",
                             text);
    *ranks = (int)all;
    *per_node = (int)here;
    return 0;
}
