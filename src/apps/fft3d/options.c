/* The options of ovl_fft3d. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/options.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct ovl_fft3d_options, member)

const struct ovl_option ovl_fft3d_option_rows[] = {
    {'g', "grid", "LIST", "grids, NXxNYxNZ or one number for a cube (default 128x128x128)", OVL_OPTION_TEXT,
     AT(grid_text), 0, 0, NULL, NULL},
    {0, "procs", "P1xP2", "ranks along each side of the decomposition (default: nearly square, P1 the smaller)",
     OVL_OPTION_TEXT, AT(procs_text), 0, 0, NULL, NULL},
    {0, "transform", "KIND", "r2c, of real numbers, or c2c, of complex ones (default r2c)", OVL_OPTION_WORD,
     AT(transform), 0, 0, "r2c|c2c", NULL},
    {0, "vars", "V", "variables that are transformed one behind the other (default 3)", OVL_OPTION_COUNT, AT(variables),
     1, 1000, NULL, NULL},
    {0, "chunks", "K",
     "slabs of a variable that are exchanged apart, or auto: what is quickest of 1, 2, 4, 8 (default 4)",
     OVL_OPTION_TEXT, AT(chunks_text), 0, 0, NULL, NULL},
    {0, "window", "D", "exchanges in flight at a time (default 2)", OVL_OPTION_COUNT, AT(window), 1, 32, NULL, NULL},
    {'t', "test-lines", "N", "test the exchanges in flight after every N lines; 0: never (default 0)", OVL_OPTION_COUNT,
     AT(test_lines), 0, 1e9, NULL, NULL},
    {0, "mode", "LIST", "schemes: blocking, host, dpu, with commas (default blocking,host)", OVL_OPTION_WORDS,
     AT(offload.modes), 0, 0, "blocking|host|dpu", NULL},
    OVL_OFFLOAD_OPTION_ROWS(ovl_fft3d_options, offload),
    {'i', "iterations", "N[:N]", "blocks a grid: least and most number, N:N fixes it (default 30:1000)",
     OVL_OPTION_COUNT_RANGE, AT(blocks), 6, 1e6, NULL, NULL},
    {'x', "warmup", "N", "blocks thrown away before each grid (default 2)", OVL_OPTION_COUNT, AT(warmup), 0, 1e6, NULL,
     NULL},
    {0, "ci", "PCT", "stop a grid at this half-width: % of the total, points of overlap (default 2)", OVL_OPTION_NUMBER,
     AT(ci), 0.01, 100, NULL, NULL},
    {0, "max-time", "S", "stop a grid after so many seconds, warm-up counted (default 30)", OVL_OPTION_NUMBER,
     AT(max_time), 0.01, 1e6, NULL, NULL},
    {'M', "mem-limit", "SIZE", "most memory per rank (default: the machine's, divided among its ranks)",
     OVL_OPTION_SIZE, AT(mem_limit), 0, 0, NULL, NULL},
    {0, "plan", "EFFORT", "of FFTW: estimate, measure or patient (default measure)", OVL_OPTION_WORD, AT(plan), 0, 0,
     "estimate|measure|patient", NULL},
    {0, "wisdom", "FILE", "read FFTW's wisdom from FILE, if it is there, and keep it there", OVL_OPTION_TEXT,
     AT(wisdom), 0, 0, NULL, NULL},
    {0, "json", "FILE", "append the records to FILE (JSON Lines; see ovl-record(5))", OVL_OPTION_TEXT, AT(json), 0, 0,
     NULL, NULL},
    {0, "format", "FORMAT", "what is printed: table (the default)", OVL_OPTION_WORD, AT(format), 0, 0, "table", NULL},
    {'f', "full", NULL, "print all columns", OVL_OPTION_ON, AT(full), 0, 0, NULL, NULL},
    {0, "seed", "N", "seed of the order in a block, of the data and of the bootstrap (default 1)", OVL_OPTION_COUNT,
     AT(seed), 0, 1e15, NULL, NULL},
    {0, "per-rank", NULL, "record the samples of each rank", OVL_OPTION_ON, AT(per_rank), 0, 0, NULL, NULL},
    {'q', "quiet", NULL, "print no table", OVL_OPTION_ON, AT(quiet), 0, 0, NULL, NULL},
    {0, "progress", NULL, "report progress on stderr even when it is no terminal", OVL_OPTION_ON, AT(progress), 0, 0,
     NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {0, "version", NULL, "print the version and exit", OVL_OPTION_ON, AT(version), 0, 0, NULL, NULL},
    {.name = NULL},
};

struct ovl_fft3d_options ovl_fft3d_options_default(void)
{
    struct ovl_fft3d_options o = {
        .grid_text = "128x128x128",
        .chunks_text = "4",
        .transform = "r2c",
        .plan = "measure",
        .format = "table",
        .variables = 3,
        .window = 2,
        .blocks = {30, 1000},
        .warmup = 2,
        .seed = 1,
        .ci = 2,
        .max_time = 30,
        .offload = ovl_offload_options_default,
    };
    o.offload.modes = "blocking,host";
    return o;
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

static int parse_procs(struct ovl_fft3d_options *o, struct ovl_error *err)
{
    enum { MOST = 1 << 24 };
    const char *at = o->procs_text;
    if (!at)
        return 0;
    o->parts[OVL_ROW] = number(at, MOST, &at);
    o->parts[OVL_COLUMN] = *at == 'x' ? number(at + 1, MOST, &at) : 0;
    if (*at || !o->parts[OVL_ROW] || !o->parts[OVL_COLUMN])
        return ovl_error_set(err, OVL_USAGE, "--procs %s: give P1xP2, such as 1x2", o->procs_text);
    return 0;
}

int ovl_fft3d_options_ranks(struct ovl_fft3d_options *o, int ranks, struct ovl_error *err)
{
    if (!o->procs_text)
        ovl_pencil_choose(ranks, o->parts);
    else if ((int64_t)o->parts[OVL_ROW] * o->parts[OVL_COLUMN] != ranks)
        return ovl_error_set(err, OVL_USAGE, "--procs %s: that are not %d ranks", o->procs_text, ranks);
    return 0;
}

int ovl_fft3d_options_parse(int argc, char **argv, struct ovl_fft3d_options *o, struct ovl_error *err)
{
    int first;
    if (ovl_options_parse(ovl_fft3d_option_rows, argc, argv, o, &first, err) != 0)
        return -1;
    if (o->help || o->version)
        return 0;
    if (ovl_options_only(argc, argv, first, err) != 0)
        return -1;
    if (ovl_offload_options_check(&o->offload, err) != 0)
        return -1;
    if (strcmp(o->chunks_text, "auto") != 0) {
        const char *behind;
        o->chunks = number(o->chunks_text, OVL_FFT3D_SLABS, &behind);
        if (!o->chunks || *behind)
            return ovl_error_set(err, OVL_USAGE, "--chunks %s: give a number from 1 to %d, or auto", o->chunks_text,
                                 OVL_FFT3D_SLABS);
    }
    return parse_procs(o, err) == 0 ? parse_grids(o, err) : -1;
}
