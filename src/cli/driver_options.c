/* The options of every driver; the letters are OMB's where OMB has the option. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/driver_options.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AT(member) offsetof(struct ovl_driver_options, member)

const struct ovl_option ovl_driver_option_rows[] = {
    {'m', "message-size", "SIZES",
     "message sizes in bytes with K, M or G: [MIN:]MAX by doubling, MIN:MAX:*3, MIN:MAX:+4K, or a list 1K,3K,7K of "
     "such (default 1:1M; reductions from 4; allreduce 4:64M)",
     OVL_OPTION_SIZES, AT(sizes), 0, 0, NULL, NULL},
    {'i', "iterations", "N[:N]", "blocks a cell: least and most number, N:N fixes it (default 30:1000)",
     OVL_OPTION_COUNT_RANGE, AT(common.blocks), 6, 1e6, NULL, NULL},
    {'x', "warmup", "N",
     "blocks thrown away before each cell, at least 3 where the work follows the communication (default 5)",
     OVL_OPTION_COUNT, AT(common.warmup), 0, 1e6, NULL, NULL},
    {'t', "num-test-calls", "N", "MPI_Test calls spread over the compute (default 0)", OVL_OPTION_COUNT, AT(tests), 0,
     1e6, NULL, NULL},
    {'c', "validation", NULL,
     "check data before and after each cell's samples (the default), and in omb format show it", OVL_OPTION_ON,
     AT(show_validation), 0, 0, NULL, NULL},
    {0, "no-validation", NULL, "do not check the data", OVL_OPTION_OFF, AT(validate), 0, 0, NULL, "check_data"},
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_option_rows, "full"),
    {'M', "mem-limit", "SIZE", "most memory per rank (default 512M): sizes by default that need more are left out",
     OVL_OPTION_SIZE, AT(common.mem_limit), 0, 0, NULL, NULL},
    {0, "mode", "LIST", "who progresses the communication: host, thread, dpu, with commas (default host)",
     OVL_OPTION_WORDS, AT(common.offload.modes), 0, 0, "host|thread|dpu", NULL},
    OVL_OPTION_ROWS(ovl_driver_options, common.offload, ovl_offload_option_rows),
    {0, "algorithm", "NAME", "dpu mode: how workers do the operation; ovl list --algorithms has the names",
     OVL_OPTION_TEXT, AT(algorithm), 0, 0, NULL, NULL},
    {0, "work-from", "FILE", "take each cell's work from that record's cells in host mode; what it lacks is calibrated",
     OVL_OPTION_TEXT, AT(work_from), 0, 0, NULL, NULL},
    {0, "compute", "KIND", "kernel that runs meanwhile: " OVL_KERNEL_HELP, OVL_OPTION_WORD, AT(compute), 0, 0,
     OVL_KERNEL_WORDS, NULL},
    {0, "compute-ratio", "LIST", "work as a multiple of the host's communication time (default 1)", OVL_OPTION_NUMBERS,
     AT(ratios), 0.01, 100, NULL, NULL},
    {0, "compute-us", "T", "the same work for every size, in microseconds", OVL_OPTION_NUMBER, AT(compute_us), 0.01,
     1e8, NULL, NULL},
    {0, "ci", "PCT", "stop a cell at this half-width: % of the total, points of overlap (default 2)", OVL_OPTION_NUMBER,
     AT(common.ci), 0.01, 100, NULL, NULL},
    {0, "max-time", "S", "stop a cell after so many seconds, warm-up counted (default 10)", OVL_OPTION_NUMBER,
     AT(common.max_time), 0.01, 1e6, NULL, NULL},
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_stage_option_rows, "energy"),
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_loop_option_rows, "percentiles"),
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_stage_option_rows, "skew"),
    {'T', "type", "TYPE",
     "elements: char, int8, int16, int32, int64, float or double; mpi_char, mpi_int and mpi_float as OMB has them "
     "(default char; reductions float, in omb formats int8)",
     OVL_OPTION_WORD, AT(type), 0, 0,
     "char|int8|int16|int32|int64|float|double|mpi_char|mpi_int|mpi_float|MPI_CHAR|MPI_INT|MPI_FLOAT", NULL},
    {0, "op", "OP", "how reductions combine: sum, min, max or prod (default sum)", OVL_OPTION_WORD, AT(op), 0, 0,
     "sum|min|max|prod", NULL},
    {'D', "vector", "BLOCK:STRIDE",
     "messages of a derived datatype: blocks of so many elements, one block every STRIDE elements (MPI_Type_vector)",
     OVL_OPTION_TEXT, AT(vector), 0, 0, NULL, NULL},
    {'l', "in-place", NULL, "give MPI_IN_PLACE for the buffer that the operation can do without", OVL_OPTION_ON,
     AT(in_place), 0, 0, NULL, NULL},
    {0, "pairs", "KIND", "of ovl_p2p: one-way, two-way, ring or neighbours (default one-way)", OVL_OPTION_WORD,
     AT(pairs), 0, 0, "one-way|two-way|ring|neighbours", NULL},
    {0, "dims", "DIM", "of neighbourhoods: a grid of so many dimensions (default 2)", OVL_OPTION_COUNT, AT(dims), 1, 8,
     NULL, NULL},
    {0, "edges", "FILE", "of neighbourhoods: a graph, whose edges are lines FROM,TO of ranks", OVL_OPTION_TEXT,
     AT(edges), 0, 0, NULL, NULL},
    {0, "group", "N[:cyclic]",
     "communicate in a communicator of N ranks, the first ones, or every n-th; the others only compute",
     OVL_OPTION_TEXT, AT(group), 0, 0, NULL, NULL},
    {0, "multi", NULL, "with --group: communicate in all communicators of N ranks at once", OVL_OPTION_ON, AT(multi), 0,
     0, NULL, NULL},
    {'k', "root", "RANK", "root of operations that have one (default 0); fixed:RANK is the same, as OMB has it",
     OVL_OPTION_COUNT, AT(root), 0, 1e6, "fixed:", NULL},
    {0, "rotate", "N", "buffer sets used in turn, so that caches are cold (default 1)", OVL_OPTION_COUNT, AT(rotate), 1,
     1000, NULL, NULL},
    {0, "cadence", "KIND",
     "isolated: each operation alone; or stream: time 8 in a row too, each posted when the one before ends (default "
     "isolated)",
     OVL_OPTION_WORD, AT(cadence), 0, 0, "isolated|stream", NULL},
    {0, "persistent", NULL, "measure the persistent form of MPI 4 (Start and Wait), where the library has it",
     OVL_OPTION_ON, AT(persistent), 0, 0, NULL, NULL},
    {0, "plan", "RANKS[:N]", "measure nothing: simulate so many ranks, N of them on a node or 1 (see SIMULATION)",
     OVL_OPTION_TEXT, AT(plan), 0, 0, NULL, NULL},
    OVL_OPTION_ROWS(ovl_driver_options, network, ovl_network_option_rows),
    {0, "self-test", NULL, "measure operations whose truth is known, and say how far off ovl is here", OVL_OPTION_ON,
     AT(self_test), 0, 0, NULL, NULL},
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_option_rows, "json"),
    {0, "format", "FORMAT",
     "what is printed: table; as the OSU benchmarks do: omb, or omb-blocking, B alone (default table)", OVL_OPTION_WORD,
     AT(common.format), 0, 0, "table|omb|omb-blocking", NULL},
    {0, "seed", "N", "seed of the order in a block, of the data and of the bootstrap (default 1)", OVL_OPTION_COUNT,
     AT(common.seed), 0, 1e15, NULL, NULL},
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_stage_option_rows, "per-rank"),
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_option_rows, "quiet"),
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_stage_option_rows, "progress"),
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_option_rows, "help"),
    OVL_OPTION_ROW(ovl_driver_options, common, ovl_app_option_rows, "version"),
    {.name = "", .kind = OVL_OPTION_FOREIGN, .of = &ovl_omb_options},
    {.name = NULL},
};

struct ovl_driver_options ovl_driver_options_default(const struct ovl_benchmark *benchmark)
{
    struct ovl_driver_options o = {
        .common = ovl_app_options_default("host"),
        .sizes = ovl_sizes_doubling(benchmark->size_min, benchmark->size_max),
        .rotate = 1,
        .validate = 1,
        .compute = "fma",
        .cadence = "isolated",
        .compute_us = benchmark->fixed_us > 0 ? benchmark->fixed_us : NAN,
        .network = ovl_network_options_default,
    };
    o.common.warmup = 5;
    o.common.max_time = 10;
    o.common.mem_limit = 512u << 20;
    return o;
}

uint64_t ovl_driver_type_bytes(const char *type)
{
    const char *digits = type + strcspn(type, "0123456789");
    return *digits                       ? strtoull(digits, NULL, 10) / 8
           : strcmp(type, "float") == 0  ? 4
           : strcmp(type, "double") == 0 ? 8
                                         : 1;
}

static const char *const type_names[][2] = {
    {"char", "MPI_CHAR"},     {"int8", "MPI_SIGNED_CHAR"}, {"int16", "MPI_INT16_T"}, {"int32", "MPI_INT"},
    {"int64", "MPI_INT64_T"}, {"float", "MPI_FLOAT"},      {"double", "MPI_DOUBLE"}};

const char *ovl_driver_type_name(const char *type)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (strcmp(type, type_names[i][0]) == 0)
            return type_names[i][1];
    return NULL;
}

/* OMB's words are MPI's, in letters of either case. */
static const char *plain_type(const char *type)
{
    for (size_t i = 0; type && i < sizeof type_names / sizeof *type_names; i++)
        if (strcasecmp(type, type_names[i][1]) == 0)
            return type_names[i][0];
    return type;
}

static int parse_vector(struct ovl_driver_options *o, struct ovl_error *err)
{
    static const uint64_t most = 1 << 24; /* bounds what a message takes in memory */
    char none[] = "?", *end = none;
    if (!o->vector)
        return 0;
    if (isdigit((unsigned char)*o->vector))
        o->block = strtoull(o->vector, &end, 10);
    if (*end == ':' && isdigit((unsigned char)end[1]))
        o->stride = strtoull(end + 1, &end, 10);
    if (*end || o->block < 1 || o->stride < o->block || o->stride > most)
        return ovl_error_set(
            err, OVL_USAGE,
            "--vector %s: give BLOCK:STRIDE in elements, the smaller first, such as 4:8 for OMB's vect:8:4", o->vector);
    return 0;
}

static int parse_group(struct ovl_driver_options *o, struct ovl_error *err)
{
    char none[] = "?", *end = none;
    if (o->multi && !o->group)
        return ovl_error_set(err, OVL_USAGE, "--multi: say by --group N how many ranks a communicator has");
    if (!o->group)
        return 0;
    if (isdigit((unsigned char)*o->group))
        o->group_ranks = strtoull(o->group, &end, 10);
    o->group_cyclic = strcmp(end, ":cyclic") == 0;
    if ((*end && !o->group_cyclic) || o->group_ranks < 1 || o->group_ranks > INT_MAX)
        return ovl_error_set(err, OVL_USAGE, "--group %s: give a number of ranks, such as 4 or 4:cyclic", o->group);
    return 0;
}

/* Sizes are whole numbers of blocks, or of elements: of those that begin at the default some are left out. */
static int fit_sizes(const struct ovl_benchmark *benchmark, struct ovl_driver_options *o, struct ovl_error *err)
{
    struct ovl_sizes *s = &o->sizes, all = *s;
    uint64_t unit = ovl_driver_type_bytes(o->type) * (o->block > 0 ? o->block : 1);
    s->n = 0;
    for (size_t i = 0; i < all.n; i++) {
        if (all.size[i] % unit == 0)
            s->size[s->n++] = all.size[i];
        else if (!all.from_default || i + 1 == all.n)
            return ovl_error_set(err, OVL_USAGE, "--message-size: %s %s %llu bytes; give multiples of %llu",
                                 benchmark->program, benchmark->reduces ? "combines numbers of" : "moves pieces of",
                                 (unsigned long long)unit, (unsigned long long)unit);
    }
    return 0;
}

/* What messages are, and between whom. */
static int check_message(const struct ovl_benchmark *benchmark, struct ovl_driver_options *o, struct ovl_error *err)
{
    const char *program = benchmark->program;
    o->type = plain_type(o->type);
    if (benchmark->size_max == 0 && (o->sizes.n > 0 || o->type || o->vector))
        return ovl_error_set(err, OVL_USAGE, "%s has no message: leave out --%s", program,
                             o->sizes.n > 0 ? "message-size"
                             : o->type      ? "type"
                                            : "vector");
    if (benchmark->reduces && o->type && strcmp(o->type, "char") == 0)
        return ovl_error_set(err, OVL_USAGE, "--type char: %s combines numbers; give int8 or another", program);
    if (!benchmark->reduces && o->op)
        return ovl_error_set(err, OVL_USAGE, "%s combines no numbers: leave out --op", program);
    if (benchmark->reduces && o->vector)
        return ovl_error_set(err, OVL_USAGE, "--vector: MPI combines numbers of basic types only; leave it out of %s",
                             program);
    if (o->vector && strstr(o->common.offload.modes, "dpu"))
        return ovl_error_set(err, OVL_USAGE, "--vector: workers move messages in one piece; leave dpu out of --mode");
    if (!benchmark->pairs && o->pairs)
        return ovl_error_set(err, OVL_USAGE, "%s is no exchange of pairs: leave out --pairs", program);
    if (!benchmark->neighbours && (o->dims > 0 || o->edges))
        return ovl_error_set(err, OVL_USAGE, "%s knows no neighbours: leave out --%s", program,
                             o->dims > 0 ? "dims" : "edges");
    if (o->dims > 0 && o->edges)
        return ovl_error_set(err, OVL_USAGE, "--dims and --edges exclude each other; leave one out");
    if (o->dims == 2) /* as without: so that records before --dims stay comparable */
        o->dims = 0;
    if (benchmark->pairs && !o->pairs)
        o->pairs = "one-way";
    if (!o->type && benchmark->size_max > 0)
        o->type = !benchmark->reduces ? "char" : strncmp(o->common.format, "omb", 3) == 0 ? "int8" : "float";
    if (o->op && strcmp(o->op, "sum") == 0) /* as without: so that records before --op stay comparable */
        o->op = NULL;
    if (parse_vector(o, err) != 0 || parse_group(o, err) != 0)
        return -1;
    return o->sizes.n > 0 ? fit_sizes(benchmark, o, err) : 0;
}

size_t ovl_driver_options_cells(const struct ovl_driver_options *o)
{
    return (o->sizes.n > 0 ? o->sizes.n : 1) * o->ratios.n;
}

int ovl_driver_options_parse(const struct ovl_benchmark *benchmark, int argc, char **argv, struct ovl_driver_options *o,
                             struct ovl_error *err)
{
    int first;
    if (ovl_options_parse(ovl_driver_option_rows, argc, argv, o, &first, err) != 0)
        return -1;
    if (o->common.help || o->common.version)
        return 0;
    if (ovl_options_only(argc, argv, first, err) != 0)
        return -1;

    if (o->show_validation && !o->validate)
        return ovl_error_set(err, OVL_USAGE, "--validation and --no-validation exclude each other; leave one out");
    if (check_message(benchmark, o, err) != 0)
        return -1;
    if (benchmark->fixed_us > 0 && o->ratios.n > 0)
        return ovl_error_set(err, OVL_USAGE,
                             "--compute-ratio: %s has no communication to be a multiple of; give --compute-us",
                             benchmark->program);
    if (!isnan(o->compute_us) && o->ratios.n > 0)
        return ovl_error_set(err, OVL_USAGE, "--compute-us and --compute-ratio exclude each other; leave one out");
    if (o->ratios.n == 0)
        o->ratios = (struct ovl_numbers){1, {1}};
    if (o->self_test && (o->common.json || strcmp(o->common.format, "table") != 0))
        return ovl_error_set(
            err, OVL_USAGE,
            "--self-test prints a table of its own and writes no record: leave out --json and --format");
    if (o->self_test &&
        (strcmp(o->common.skew, "none") != 0 || (!isnan(o->compute_us) && o->compute_us != benchmark->fixed_us) ||
         o->work_from || o->persistent || !isnan(o->common.energy) || strcmp(o->cadence, "isolated") != 0))
        return ovl_error_set(err, OVL_USAGE,
                             "--self-test has work, starts and operations of its own: leave out --skew, --compute-us, "
                             "--work-from, --persistent, --cadence and --energy");
    if (ovl_offload_options_check(&o->common.offload, err) != 0)
        return -1;
    if (strcmp(o->common.offload.engine, "mpi") == 0 && strcmp(o->common.offload.modes, "dpu") == 0 && !o->work_from &&
        isnan(o->compute_us))
        return ovl_error_set(
            err, OVL_USAGE, "--engine mpi --mode dpu: name a record of host mode by --work-from, or give --compute-us");
    if (strncmp(o->common.format, "omb", 3) == 0 && (strchr(o->common.offload.modes, ',') || o->ratios.n != 1))
        return ovl_error_set(err, OVL_USAGE, "--format %s has one row a size: give one --mode and one --compute-ratio",
                             o->common.format);
    return 0;
}
