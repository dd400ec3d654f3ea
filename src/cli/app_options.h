/* The options that all applications have; their own stand in tables of theirs, before and behind these. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_APP_OPTIONS_H
#define OVL_CLI_APP_OPTIONS_H

#include "cli/offload_options.h"

struct ovl_app_options {
    struct ovl_offload_options offload;
    const char *json, *format, *skew;
    uint64_t mem_limit, seed;
    int full, quiet, help, version;

    /* Of those that stand on the measuring loop. */
    uint64_t blocks[2], warmup;
    double ci, max_time;
    int per_rank, progress;

    /* Of those whose schemes are chosen by the frame. */
    uint64_t test_lines;
};

/* Rows for a table of options of `struct type`, which has them in `member`. */
#define OVL_APP_OPTION(type, at, letter, name, argument, help, kind, low, high, choices)                               \
    {                                                                                                                  \
        letter, name, argument, help, kind, offsetof(struct type, at), low, high, choices, NULL                        \
    }
#define OVL_APP_LOOP_OPTION_ROWS(type, member)                                                                         \
    OVL_APP_OPTION(type, member.blocks, 'i', "iterations", "N[:N]",                                                    \
                   "blocks: least and most number, N:N fixes it (default 30:1000)", OVL_OPTION_COUNT_RANGE, 6, 1e6,    \
                   NULL),                                                                                              \
        OVL_APP_OPTION(type, member.warmup, 'x', "warmup", "N", "blocks thrown away first (default 2)",                \
                       OVL_OPTION_COUNT, 0, 1e6, NULL),                                                                \
        OVL_APP_OPTION(type, member.ci, 0, "ci", "PCT",                                                                \
                       "stop at this half-width: % of the total, points of overlap (default 2)", OVL_OPTION_NUMBER,    \
                       0.01, 100, NULL),                                                                               \
        OVL_APP_OPTION(type, member.max_time, 0, "max-time", "S",                                                      \
                       "stop after so many seconds, warm-up counted (default 30)", OVL_OPTION_NUMBER, 0.01, 1e6,       \
                       NULL),                                                                                          \
        OVL_APP_STAGE_OPTION_ROWS(type, member)
#define OVL_APP_STAGE_OPTION_ROWS(type, member)                                                                        \
    OVL_APP_OPTION(type, member.skew, 0, "skew", "PATTERN:US",                                                         \
                   "arrival pattern: none, random, one-late or ascending, and its delay (default none)",               \
                   OVL_OPTION_TEXT, 0, 0, NULL),                                                                       \
        OVL_APP_OPTION(type, member.per_rank, 0, "per-rank", NULL, "record the samples of each rank", OVL_OPTION_ON,   \
                       0, 0, NULL),                                                                                    \
        OVL_APP_OPTION(type, member.progress, 0, "progress", NULL,                                                     \
                       "report progress on stderr even when it is no terminal", OVL_OPTION_ON, 0, 0, NULL)
#define OVL_APP_SCHEME_OPTION_ROWS(type, member)                                                                       \
    OVL_APP_OPTION(type, member.offload.modes, 0, "mode", "LIST",                                                      \
                   "schemes: blocking, host, host-t, dpu, with commas (default blocking,host)", OVL_OPTION_WORDS, 0,   \
                   0, "blocking|host|host-t|dpu"),                                                                     \
        OVL_APP_OPTION(                                                                                                \
            type, member.test_lines, 't', "test-lines", "N",                                                           \
            "test what is in flight after every N lines, in host-t if --mode has that; 0: never (default 0)",          \
            OVL_OPTION_COUNT, 0, 1e9, NULL),                                                                           \
        OVL_APP_OPTION(type, member.format, 0, "format", "FORMAT", "what is printed: table (the default)",             \
                       OVL_OPTION_WORD, 0, 0, "table")
#define OVL_APP_OPTION_ROWS(type, member)                                                                              \
    OVL_APP_OPTION(type, member.mem_limit, 'M', "mem-limit", "SIZE",                                                   \
                   "most memory per rank (default 80 % of what its machine or cgroup has, shared by its ranks)",       \
                   OVL_OPTION_SIZE, 0, 0, NULL),                                                                       \
        OVL_APP_OPTION(type, member.json, 0, "json", "FILE",                                                           \
                       "append the records to FILE (JSON Lines; see ovl-record(5))", OVL_OPTION_TEXT, 0, 0, NULL),     \
        OVL_APP_OPTION(type, member.full, 'f', "full", NULL, "print all columns", OVL_OPTION_ON, 0, 0, NULL),          \
        OVL_APP_OPTION(type, member.seed, 0, "seed", "N",                                                              \
                       "seed of the data, of the order in a block and of the bootstrap (default 1)", OVL_OPTION_COUNT, \
                       0, 1e15, NULL),                                                                                 \
        OVL_APP_OPTION(type, member.quiet, 'q', "quiet", NULL, "print no table", OVL_OPTION_ON, 0, 0, NULL),           \
        OVL_APP_OPTION(type, member.help, 'h', "help", NULL, "print this and exit", OVL_OPTION_ON, 0, 0, NULL),        \
        OVL_APP_OPTION(type, member.version, 0, "version", NULL, "print the version and exit", OVL_OPTION_ON, 0, 0,    \
                       NULL)

/* Their defaults, with that --mode. */
struct ovl_app_options ovl_app_options_default(const char *modes);

/* The words of a command line, and what one option alone cannot show; nothing more with --help or --version. -1 and
   OVL_USAGE. `options` is the whole that `rows` are of, and `common` in it. */
int ovl_app_options_parse(const struct ovl_option *rows, int argc, char **argv, void *options,
                          const struct ovl_app_options *common, struct ovl_error *err);

/* RANKS[:N] of --plan: so many ranks, N on a node or 1. NULL: 0 and 0. -1 and OVL_USAGE. */
int ovl_app_plan_parse(const char *text, int *ranks, int *per_node, struct ovl_error *err);

#endif
