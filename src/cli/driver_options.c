/* The options of every driver; the letters are OMB's where OMB has the option. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/driver_options.h"

#include <math.h>
#include <string.h>

#define AT(member) offsetof(struct ovl_driver_options, member)

const struct ovl_option ovl_driver_option_rows[] = {
    {'m', "message-size", "[MIN:]MAX",
     "message sizes in bytes, powers of two, with K, M or G (default 1:1M; reductions from 4; allreduce 4:64M)",
     OVL_OPTION_SIZE_RANGE, AT(size), 0, 0, NULL, NULL},
    {'i', "iterations", "N[:N]", "blocks a cell: least and most number, N:N fixes it (default 30:1000)",
     OVL_OPTION_COUNT_RANGE, AT(blocks), 6, 1e6, NULL, NULL},
    {'x', "warmup", "N", "blocks thrown away before each cell (default 5)", OVL_OPTION_COUNT, AT(warmup), 0, 1e6, NULL,
     NULL},
    {'t', "num-test-calls", "N", "MPI_Test calls spread over the compute (default 0)", OVL_OPTION_COUNT, AT(tests), 0,
     1e6, NULL, NULL},
    {'c', "validation", NULL, "check every cell's data once, untimed (the default), and in omb format show it",
     OVL_OPTION_ON, AT(show_validation), 0, 0, NULL, NULL},
    {0, "no-validation", NULL, "do not check the data", OVL_OPTION_OFF, AT(validate), 0, 0, NULL, "check_data"},
    {'f', "full", NULL, "print all columns", OVL_OPTION_ON, AT(full), 0, 0, NULL, NULL},
    {'M', "mem-limit", "SIZE", "most memory per rank (default 512M)", OVL_OPTION_SIZE, AT(mem_limit), 0, 0, NULL, NULL},
    {0, "mode", "LIST", "who progresses the communication: host, dpu or host,dpu (default host)", OVL_OPTION_WORDS,
     AT(offload.modes), 0, 0, "host|dpu", NULL},
    OVL_OFFLOAD_OPTION_ROWS(ovl_driver_options, offload),
    {0, "work-from", "FILE", "take each cell's work from that record's cells in host mode; what it lacks is calibrated",
     OVL_OPTION_TEXT, AT(work_from), 0, 0, NULL, NULL},
    {0, "compute", "KIND", "kernel that runs meanwhile: fma, triad, dgemm or sleep (default fma)", OVL_OPTION_WORD,
     AT(compute), 0, 0, "fma|triad|dgemm|sleep", NULL},
    {0, "compute-ratio", "LIST", "work as a multiple of the host's communication time (default 1)", OVL_OPTION_NUMBERS,
     AT(ratios), 0.01, 100, NULL, NULL},
    {0, "compute-us", "T", "the same work for every size, in microseconds", OVL_OPTION_NUMBER, AT(compute_us), 0.01,
     1e8, NULL, NULL},
    {0, "ci", "PCT", "stop a cell at this half-width: % of the total, points of overlap (default 2)", OVL_OPTION_NUMBER,
     AT(ci), 0.01, 100, NULL, NULL},
    {0, "max-time", "S", "stop a cell after so many seconds, warm-up counted (default 10)", OVL_OPTION_NUMBER,
     AT(max_time), 0.01, 1e6, NULL, NULL},
    {0, "skew", "PATTERN:US", "arrival pattern: none, random, one-late or ascending, and its delay (default none)",
     OVL_OPTION_TEXT, AT(skew), 0, 0, NULL, NULL},
    {0, "root", "RANK", "root of operations that have one (default 0)", OVL_OPTION_COUNT, AT(root), 0, 1e6, NULL, NULL},
    {0, "rotate", "N", "buffer sets used in turn, so that caches are cold (default 1)", OVL_OPTION_COUNT, AT(rotate), 1,
     1000, NULL, NULL},
    {0, "persistent", NULL, "measure the persistent form of MPI 4 (Start and Wait), where the library has it",
     OVL_OPTION_ON, AT(persistent), 0, 0, NULL, NULL},
    {0, "self-test", NULL, "measure operations whose truth is known, and say how far off ovl is here", OVL_OPTION_ON,
     AT(self_test), 0, 0, NULL, NULL},
    {0, "json", "FILE", "append the records to FILE (JSON Lines; see ovl-record(5))", OVL_OPTION_TEXT, AT(json), 0, 0,
     NULL, NULL},
    {0, "format", "FORMAT", "what is printed: table, or omb as the OSU benchmarks print (default table)",
     OVL_OPTION_WORD, AT(format), 0, 0, "table|omb", NULL},
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

struct ovl_driver_options ovl_driver_options_default(const struct ovl_benchmark *benchmark)
{
    return (struct ovl_driver_options){
        .size = {benchmark->size_min, benchmark->size_max},
        .blocks = {30, 1000},
        .warmup = 5,
        .mem_limit = 512u << 20,
        .rotate = 1,
        .offload = ovl_offload_options_default,
        .skew = "none",
        .seed = 1,
        .validate = 1,
        .compute = "fma",
        .format = "table",
        .compute_us = benchmark->fixed_us > 0 ? benchmark->fixed_us : NAN,
        .ci = 2,
        .max_time = 10,
    };
}

int ovl_driver_options_parse(const struct ovl_benchmark *benchmark, int argc, char **argv, struct ovl_driver_options *o,
                             struct ovl_error *err)
{
    int first;
    struct ovl_driver_options before = *o;
    if (ovl_options_parse(ovl_driver_option_rows, argc, argv, o, &first, err) != 0)
        return -1;
    if (o->help || o->version)
        return 0;
    if (ovl_options_only(argc, argv, first, err) != 0)
        return -1;

    if (o->show_validation && !o->validate)
        return ovl_error_set(err, OVL_USAGE, "--validation and --no-validation exclude each other; leave one out");
    if (benchmark->size_max == 0 && memcmp(o->size, before.size, sizeof o->size) != 0)
        return ovl_error_set(err, OVL_USAGE, "%s has no message: leave out --message-size", benchmark->program);
    if (benchmark->size_min > 1 && o->size[0] < benchmark->size_min)
        return ovl_error_set(err, OVL_USAGE, "--message-size: %s adds numbers of 4 bytes; give a MIN of at least 4",
                             benchmark->program);
    if (benchmark->fixed_us > 0 && o->ratios.n > 0)
        return ovl_error_set(err, OVL_USAGE,
                             "--compute-ratio: %s has no communication to be a multiple of; give --compute-us",
                             benchmark->program);
    if (!isnan(o->compute_us) && o->ratios.n > 0)
        return ovl_error_set(err, OVL_USAGE, "--compute-us and --compute-ratio exclude each other; leave one out");
    if (o->ratios.n == 0)
        o->ratios = (struct ovl_numbers){1, {1}};
    if (o->self_test && (o->json || strcmp(o->format, "table") != 0))
        return ovl_error_set(
            err, OVL_USAGE,
            "--self-test prints a table of its own and writes no record: leave out --json and --format");
    if (ovl_offload_options_check(&o->offload, err) != 0)
        return -1;
    if (strcmp(o->offload.engine, "mpi") == 0 && strcmp(o->offload.modes, "dpu") == 0 && !o->work_from &&
        isnan(o->compute_us))
        return ovl_error_set(
            err, OVL_USAGE, "--engine mpi --mode dpu: name a record of host mode by --work-from, or give --compute-us");
    if (strcmp(o->format, "omb") == 0 && (strchr(o->offload.modes, ',') || o->ratios.n != 1))
        return ovl_error_set(err, OVL_USAGE,
                             "--format omb has one row a size: give one --mode and one --compute-ratio");
    return 0;
}
