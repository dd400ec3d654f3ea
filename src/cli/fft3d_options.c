/* What follows from the number of ranks, the decomposition, is filled in when that is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/fft3d_options.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct ovl_fft3d_options, member)

const struct ovl_option ovl_fft3d_option_rows[] = {
    {'g', "grid", "LIST", "grids, NXxNYxNZ or one number for a cube (default 128x128x128)", OVL_OPTION_TEXT,
     AT(grid_text), 0, 0, NULL, NULL},
    {0, "procs", "P1xP2", "ranks along each side of the decomposition (default: nearly square, P1 the smaller)",
     OVL_OPTION_TEXT, AT(procs_text), 0, 0, NULL, NULL},
    {0, "pmap", "ORDER", "ranks fill the decomposition row by row, or col by col (default row)", OVL_OPTION_WORD,
     AT(pmap), 0, 0, OVL_SPACE_ORDERS, NULL},
    {0, "transform", "KIND", "r2c, of real numbers, or c2c, of complex ones (default r2c)", OVL_OPTION_WORD,
     AT(transform), 0, 0, "r2c|c2c", NULL},
    {0, "vars", "V", "variables that are transformed one behind the other (default 3)", OVL_OPTION_COUNT, AT(variables),
     1, 1000, NULL, NULL},
    {0, "chunks", "K",
     "slabs of a variable that are exchanged apart, or auto: what is quickest of 1, 2, 4, 8 (default 4)",
     OVL_OPTION_TEXT, AT(chunks_text), 0, 0, NULL, NULL},
    {0, "window", "D", "exchanges in flight at a time (default 2)", OVL_OPTION_COUNT, AT(window), 1, 32, NULL, NULL},
    OVL_OPTION_ROWS(ovl_fft3d_options, common, ovl_app_scheme_option_rows),
    {0, "offload", "WHICH",
     "dpu mode: exchanges for the workers: rows, columns, all, or internode, those among ranks of several nodes if "
     "there "
     "are several (default internode)",
     OVL_OPTION_WORD, AT(offload), 0, 0, "internode|rows|columns|all", NULL},
    OVL_OPTION_ROWS(ovl_fft3d_options, common.offload, ovl_offload_option_rows),
    OVL_OPTION_ROWS(ovl_fft3d_options, common, ovl_app_loop_option_rows),
    {0, "fftw", "EFFORT", "of FFTW's planner: estimate, measure or patient (default measure)", OVL_OPTION_WORD,
     AT(effort), 0, 0, "estimate|measure|patient", NULL},
    {0, "plan", "RANKS[:N]",
     "measure nothing: print memory and messages of so many ranks, N on a node; with a network simulate them",
     OVL_OPTION_TEXT, AT(dry_run_text), 0, 0, NULL, NULL},
    OVL_OPTION_ROWS(ovl_fft3d_options, network, ovl_network_option_rows),
    OVL_OPTION_ROWS(ovl_fft3d_options, network, ovl_network_work_option_rows),
    {0, "wisdom", "FILE", "read FFTW's wisdom from FILE, if it is there, and keep it there", OVL_OPTION_TEXT,
     AT(wisdom), 0, 0, NULL, NULL},
    OVL_OPTION_ROWS(ovl_fft3d_options, common, ovl_app_option_rows),
    {.name = NULL},
};

static struct ovl_fft3d_options defaults(void)
{
    return (struct ovl_fft3d_options){
        .common = ovl_app_options_default("blocking,host"),
        .grid_text = "128x128x128",
        .pmap = "row",
        .chunks_text = "4",
        .transform = "r2c",
        .effort = "measure",
        .offload = "internode",
        .variables = 3,
        .window = 2,
        .network = ovl_network_options_default,
    };
}

int ovl_grid_parse(const char *text, size_t length, struct ovl_grid *grid, struct ovl_error *err)
{
    enum { MOST = 1 << 20 };
    const char *at = text, *end = text + length;
    int n = 0;
    while (n < 3 && at < end && *at >= '0' && *at <= '9') {
        char *next;
        unsigned long long value = strtoull(at, &next, 10);
        if (value < 1 || value > MOST || next > end)
            break;
        grid->n[n++] = (size_t)value;
        at = next;
        if (at == end || *at != 'x')
            break;
        at++;
    }
    if (at == end && at > text && at[-1] != 'x' && (n == 1 || n == 3)) {
        if (n == 1)
            grid->n[1] = grid->n[2] = grid->n[0];
        return 0;
    }
    return ovl_error_set(err, OVL_USAGE, "--grid %.*s: give NXxNYxNZ, such as 128x128x64, or one number for a cube",
                         (int)(length < 60 ? length : 60), text);
}

/* A number from 1 to `most` at the start of `text`, with the place behind it. 0 when there is none. */
static int number(const char *text, int most, const char **behind)
{
    char *end;
    unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    *behind = value ? end : text;
    return value <= (unsigned long)most ? (int)value : 0;
}

static int parse_grids(struct ovl_fft3d_options *o, struct ovl_error *err)
{
    for (const char *at = o->grid_text;; at++) {
        size_t length = strcspn(at, ",");
        if (o->grid_count == OVL_FFT3D_GRIDS)
            return ovl_error_set(err, OVL_USAGE, "--grid: at most %d grids in a run", OVL_FFT3D_GRIDS);
        if (ovl_grid_parse(at, length, &o->grids[o->grid_count++], err) != 0)
            return -1;
        at += length;
        if (!*at)
            return 0;
    }
}

int ovl_fft3d_options_ranks(struct ovl_fft3d_options *o, int ranks, struct ovl_error *err)
{
    o->space.by_columns = ovl_space_by_columns(o->pmap);
    return ovl_space_sides(o->procs_text, ranks, o->space.members, err);
}

int ovl_fft3d_options_parse(int argc, char **argv, void *options, struct ovl_error *err)
{
    struct ovl_fft3d_options *o = options;
    *o = defaults();
    if (ovl_app_options_parse(ovl_fft3d_option_rows, argc, argv, o, &o->common, err) != 0)
        return -1;
    if (o->common.help || o->common.version)
        return 0;
    if (strcmp(o->chunks_text, "auto") != 0) {
        const char *behind;
        o->chunks = number(o->chunks_text, OVL_FFT3D_SLABS, &behind);
        if (!o->chunks || *behind)
            return ovl_error_set(err, OVL_USAGE, "--chunks %s: give a number from 1 to %d, or auto", o->chunks_text,
                                 OVL_FFT3D_SLABS);
    }
    if (ovl_network_misplaced(&o->network, o->dry_run_text, err) != 0)
        return -1;
    return ovl_app_plan_parse(o->dry_run_text, &o->dry_run_ranks, &o->dry_run_per_node, err) == 0 ? parse_grids(o, err)
                                                                                                  : -1;
}

double ovl_fft3d_options_seconds(const void *options)
{
    const struct ovl_fft3d_options *o = options;
    return (double)o->grid_count * o->common.max_time;
}

size_t ovl_fft3d_options_cells(const void *options, const char *mode)
{
    const struct ovl_fft3d_options *o = options;
    return o->grid_count * ovl_app_options_schemes(&o->common, mode);
}
