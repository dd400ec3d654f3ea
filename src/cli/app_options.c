/* The options that all applications have. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/app_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct ovl_app_options, member)

const struct ovl_option ovl_app_stage_option_rows[] = {
    {0, "skew", "PATTERN:US", "arrival pattern: none, random, one-late or ascending, and its delay (default none)",
     OVL_OPTION_TEXT, AT(skew), 0, 0, NULL, NULL},
    {0, "energy", "S", "repeat T of each mode for so many seconds behind its cells, and tell its energy (default: no)",
     OVL_OPTION_NUMBER, AT(energy), 0.01, 1e6, NULL, NULL},
    {0, "per-rank", NULL, "record the samples of each rank", OVL_OPTION_ON, AT(per_rank), 0, 0, NULL, NULL},
    {0, "progress", NULL, "report progress on stderr even when it is no terminal", OVL_OPTION_ON, AT(progress), 0, 0,
     NULL, NULL},
    {.name = NULL},
};

const struct ovl_option ovl_app_loop_option_rows[] = {
    {'i', "iterations", "N[:N]", "blocks: least and most number, N:N fixes it (default 30:1000)",
     OVL_OPTION_COUNT_RANGE, AT(blocks), 6, 1e6, NULL, NULL},
    {'x', "warmup", "N", "blocks thrown away first (default 2; at least 3 where the work follows the communication)",
     OVL_OPTION_COUNT, AT(warmup), 0, 1e6, NULL, NULL},
    {0, "ci", "PCT", "stop at this half-width: % of the total, points of overlap (default 2)", OVL_OPTION_NUMBER,
     AT(ci), 0.01, 100, NULL, NULL},
    {0, "max-time", "S", "stop after so many seconds, warm-up counted (default 30)", OVL_OPTION_NUMBER, AT(max_time),
     0.01, 1e6, NULL, NULL},
    {'z', "percentiles", "LIST",
     "show these percentiles too, and take the blocks that their intervals need; -z alone: 50,90,99 (default none)",
     OVL_OPTION_NUMBERS, AT(percentiles), 1, 99.99, "50,90,99", NULL},
    {0, "", NULL, "", OVL_OPTION_TABLE, 0, 0, 0, NULL, ovl_app_stage_option_rows},
    {.name = NULL},
};

const struct ovl_option ovl_app_scheme_option_rows[] = {
    {0, "mode", "LIST", "schemes: blocking, host, host-t, thread, dpu, with commas (default blocking,host)",
     OVL_OPTION_WORDS, AT(offload.modes), 0, 0, "blocking|host|host-t|thread|dpu", NULL},
    {'t', "test-lines", "N",
     "test what is in flight after every N lines, in host-t if --mode has that; 0: never (default 0)", OVL_OPTION_COUNT,
     AT(test_lines), 0, 1e9, NULL, NULL},
    {.name = NULL},
};

const struct ovl_option ovl_app_option_rows[] = {
    {'M', "mem-limit", "SIZE",
     "most memory per rank (default 80 % of what its machine or cgroup has, shared by its ranks)", OVL_OPTION_SIZE,
     AT(mem_limit), 0, 0, NULL, NULL},
    {0, "json", "FILE", "append the records to FILE (JSON Lines; see ovl-record(5))", OVL_OPTION_TEXT, AT(json), 0, 0,
     NULL, NULL},
    {'f', "full", NULL, "print all columns", OVL_OPTION_ON, AT(full), 0, 0, NULL, NULL},
    {0, "seed", "N", "seed of the data, of the order in a block and of the bootstrap (default 1)", OVL_OPTION_COUNT,
     AT(seed), 0, 1e15, NULL, NULL},
    {'q', "quiet", NULL, "print no table", OVL_OPTION_ON, AT(quiet), 0, 0, NULL, NULL},
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {0, "version", NULL, "print the version and the BLAS, and exit", OVL_OPTION_ON, AT(version), 0, 0, NULL, NULL},
    {.name = NULL},
};

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
        .energy = NAN,
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
                             "--mode host-t makes test calls: say with -t how many, as --help counts them here");
    return ovl_offload_options_check(&common->offload, err);
}

int ovl_work_said_once(const struct ovl_work_way *ways, size_t count, const char *plan, struct ovl_error *err)
{
    const char *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (ways[i].given && first)
            return ovl_error_set(err, OVL_USAGE, "%s: %s gives the work; leave one of them out", ways[i].word, first);
        first = ways[i].given ? ways[i].word : first;
        if (ways[i].given && plan && strcmp(ways[i].word, "--compute-units") == 0)
            return ovl_error_set(err, OVL_USAGE, "--compute-units: --plan has no kernel; give --flops or --compute-us");
    }
    return 0;
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

size_t ovl_app_options_schemes(const struct ovl_app_options *o, const char *mode)
{
    size_t n = 0, length = strlen(mode);
    for (const char *at = o->offload.modes; *at;) {
        size_t word = strcspn(at, ",");
        bool polls = word == length + 2 && strncmp(at + length, "-t", 2) == 0;
        n += strncmp(at, mode, length) == 0 && (word == length || polls);
        at += word + (at[word] == ',');
    }
    return n;
}
