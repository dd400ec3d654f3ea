/* Letters and names of the drivers' options where the meaning is the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/halo_options.h"

#define AT(member) offsetof(struct ovl_halo_options, member)

const struct ovl_option ovl_halo_option_rows[] = {
    {'g', "grid", "LIST", "points along a side of the cube (default 128)", OVL_OPTION_NUMBERS, AT(sides), 2,
     OVL_HALO_SIDE_MOST, NULL, NULL},
    {0, "steps", "S", "steps in a sample; times are those of one (default 4)", OVL_OPTION_COUNT, AT(steps), 1, 1000,
     NULL, NULL},
    {0, "plan", "RANKS[:N]",
     "measure nothing: print the memory and messages that so many ranks would need, N on a node", OVL_OPTION_TEXT,
     AT(dry_run_text), 0, 0, NULL, NULL},
    OVL_OPTION_ROWS(ovl_halo_options, common, ovl_app_scheme_option_rows),
    OVL_OPTION_ROWS(ovl_halo_options, common.offload, ovl_offload_option_rows),
    OVL_OPTION_ROWS(ovl_halo_options, common, ovl_app_loop_option_rows),
    OVL_OPTION_ROWS(ovl_halo_options, common, ovl_app_option_rows),
    {.name = NULL},
};

int ovl_halo_options_parse(int argc, char **argv, void *options, struct ovl_error *err)
{
    struct ovl_halo_options *o = options;
    *o = (struct ovl_halo_options){.common = ovl_app_options_default("blocking,host"), .sides = {1, {128}}, .steps = 4};
    if (ovl_app_options_parse(ovl_halo_option_rows, argc, argv, o, &o->common, err) != 0)
        return -1;
    return ovl_app_plan_parse(o->dry_run_text, &o->dry_run_ranks, &o->dry_run_per_node, err);
}

double ovl_halo_options_seconds(const void *options)
{
    const struct ovl_halo_options *o = options;
    return (double)o->sides.n * o->common.max_time;
}

size_t ovl_halo_options_cells(const void *options, const char *mode)
{
    const struct ovl_halo_options *o = options;
    return o->sides.n * ovl_app_options_schemes(&o->common, mode);
}
