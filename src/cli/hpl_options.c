/* Letters and names of the drivers' options where the meaning is the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/hpl_options.h"
#include "plan/space.h"

#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct ovl_hpl_options, member)

enum { MOST_NB = 1024 };

const struct ovl_option ovl_hpl_option_rows[] = {
    {'n', "order", "LIST", "orders N of the matrix (default 3000)", OVL_OPTION_NUMBERS, AT(orders), 1,
     OVL_HPL_ORDER_MOST, NULL, NULL},
    {0, "nb", "NB", "columns of a panel, and rows of a block (default 192)", OVL_OPTION_COUNT, AT(nb), 1, MOST_NB, NULL,
     NULL},
    {0, "procs", "PxQ", "rows and columns of the process grid (default as square as can be, P <= Q)", OVL_OPTION_TEXT,
     AT(procs), 0, 0, NULL, NULL},
    {0, "pmap", "ORDER", "the process grid is filled row by row, or col by col (default row)", OVL_OPTION_WORD,
     AT(pmap), 0, 0, OVL_SPACE_ORDERS, NULL},
    {0, "depth", "LIST", "panels of look-ahead, with commas between several (default 1)", OVL_OPTION_NUMBERS,
     AT(depths), 0, OVL_HPL_DEPTH_MOST, NULL, NULL},
    {0, "swap", "HOW",
     "exchange of rows: long (spread and roll), or mix (by halves where few columns are updated) (default long)",
     OVL_OPTION_WORD, AT(swap), 0, 0, "long|mix", NULL},
    {0, "swap-threshold", "C", "local columns up to which --swap mix goes by halves (default 64)", OVL_OPTION_COUNT,
     AT(swap_threshold), 1, OVL_HPL_ORDER_MOST + 1, NULL, NULL},
    {0, "bcast", "LIST",
     "ways of a panel along a process row in host mode: ring, ring-m, 2ring, 2ring-m, long, long-m, ibcast (default "
     "ring-m,ibcast)",
     OVL_OPTION_WORDS, AT(schemes), 0, 0, "ring|ring-m|2ring|2ring-m|long|long-m|ibcast", NULL},
    {0, "mode", "LIST",
     "schemes: blocking (the first of --bcast, waited for at once), host, thread and dpu (ibcast alone), with "
     "commas (default host)",
     OVL_OPTION_WORDS, AT(common.offload.modes), 0, 0, "blocking|host|thread|dpu", NULL},
    OVL_OPTION_ROWS(ovl_hpl_options, common.offload, ovl_offload_option_rows),
    {0, "algorithm", "NAME",
     "dpu mode: how workers do ibcast: chain, chain_modified, binomial and so on (default by size)", OVL_OPTION_TEXT,
     AT(algorithm), 0, 0, NULL, NULL},
    {0, "threads", "N", "threads of the BLAS library on each rank (default 1)", OVL_OPTION_COUNT, AT(threads), 1, 4096,
     NULL, NULL},
    {'i', "iterations", "N[:N]",
     "blocks of each order, all broadcasts in each: least and most number (default 6, with --ci 6:100)",
     OVL_OPTION_COUNT_RANGE, AT(common.blocks), 1, 100000, NULL, NULL},
    {'x', "warmup", "N", "blocks thrown away before (default 1)", OVL_OPTION_COUNT, AT(common.warmup), 0, 1000, NULL,
     NULL},
    {0, "ci", "PCT", "stop at this half-width: % of the total, points of overlap (default: none is wanted)",
     OVL_OPTION_NUMBER, AT(common.ci), 0.01, 100, NULL, NULL},
    {0, "max-time", "S", "begin no block of an order after so many seconds, warm-up counted (default 600)",
     OVL_OPTION_NUMBER, AT(common.max_time), 0.01, 1e6, NULL, NULL},
    OVL_OPTION_ROWS(ovl_hpl_options, common, ovl_app_stage_option_rows),
    {0, "format", "FORMAT", "what is printed: table, or hpl for result lines as HPL prints them (default table)",
     OVL_OPTION_WORD, AT(common.format), 0, 0, "table|hpl", NULL},
    {0, "spoil", "KIND", "damage the run, to see the check fail: panel, singular or nan (default none)",
     OVL_OPTION_WORD, AT(spoil), 0, 0, "none|panel|singular|nan", NULL},
    {0, "plan", "RANKS[:N]",
     "measure nothing: print memory and messages of so many ranks, N on a node; with a network simulate them",
     OVL_OPTION_TEXT, AT(dry_run_text), 0, 0, NULL, NULL},
    OVL_OPTION_ROWS(ovl_hpl_options, network, ovl_network_option_rows),
    OVL_OPTION_ROWS(ovl_hpl_options, network, ovl_network_work_option_rows),
    OVL_OPTION_ROWS(ovl_hpl_options, common, ovl_app_option_rows),
    {.name = NULL},
};

static struct ovl_hpl_options defaults(void)
{
    struct ovl_hpl_options o = {
        .common = ovl_app_options_default("host"),
        .orders = {1, {3000}},
        .nb = 192,
        .depths = {1, {1}},
        .threads = 1,
        .pmap = "row",
        .swap = "long",
        .schemes = "ring-m,ibcast",
        .spoil = "none",
        .network = ovl_network_options_default,
    };
    o.common.blocks[0] = o.common.blocks[1] = 0; /* -i N alone fixes it */
    o.common.warmup = 1;
    o.common.ci = 0;
    o.common.max_time = 600;
    return o;
}

static int set_spoil(struct ovl_hpl_options *o, struct ovl_error *err)
{
    o->spoiled = strcmp(o->spoil, "panel") == 0      ? OVL_HPL_SPOIL_PANEL
                 : strcmp(o->spoil, "singular") == 0 ? OVL_HPL_SPOIL_SINGULAR
                 : strcmp(o->spoil, "nan") == 0      ? OVL_HPL_SPOIL_NAN
                                                     : OVL_HPL_SPOIL_NONE;
    if (o->spoiled == OVL_HPL_SPOIL_PANEL && o->columns == 1)
        return ovl_error_set(err, OVL_USAGE, "--spoil panel: with one process column no panel is received");
    return 0;
}

int ovl_hpl_options_ranks(struct ovl_hpl_options *o, int ranks, struct ovl_error *err)
{
    int sides[2];
    if (ovl_space_sides(o->procs, ranks, sides, err) != 0)
        return -1;
    o->rows = sides[0];
    o->columns = sides[1];
    return set_spoil(o, err);
}

static int are_whole(const char *option, const struct ovl_numbers *list, struct ovl_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->value[i] != (int)list->value[i])
            return ovl_error_set(err, OVL_USAGE, "%s: %g is not a whole number", option, list->value[i]);
    }
    return 0;
}

int ovl_hpl_options_parse(int argc, char **argv, void *options, struct ovl_error *err)
{
    struct ovl_hpl_options *o = options;
    *o = defaults();
    if (ovl_app_options_parse(ovl_hpl_option_rows, argc, argv, o, &o->common, err) != 0)
        return -1;
    if (o->common.help || o->common.version)
        return 0;
    if (are_whole("--order", &o->orders, err) != 0 || are_whole("--depth", &o->depths, err) != 0)
        return -1;
    if (o->common.blocks[0] == 0) {
        o->common.blocks[0] = 6;
        o->common.blocks[1] = o->common.ci > 0 ? 100 : 6;
    }
    bool mix = strcmp(o->swap, "mix") == 0;
    if (o->swap_threshold > 0 && !mix)
        return ovl_error_set(err, OVL_USAGE, "--swap-threshold: --swap long has none; give --swap mix");
    if (mix && o->swap_threshold == 0)
        o->swap_threshold = 64;
    if (ovl_network_misplaced(&o->network, o->dry_run_text, err) != 0)
        return -1;
    return ovl_app_plan_parse(o->dry_run_text, &o->dry_run_ranks, &o->dry_run_per_node, err);
}

double ovl_hpl_options_seconds(const void *options)
{
    const struct ovl_hpl_options *o = options;
    return (double)o->orders.n * o->common.max_time;
}

size_t ovl_hpl_options_cells(const void *options, const char *mode)
{
    const struct ovl_hpl_options *o = options;
    size_t ways = strcmp(mode, "blocking") == 0 ? 1 : o->depths.n, broadcasts = 1;
    for (const char *at = o->schemes; *at; at++)
        broadcasts += *at == ',';
    return o->orders.n * ways * (strcmp(mode, "host") == 0 ? broadcasts : 1) *
           ovl_app_options_schemes(&o->common, mode);
}
