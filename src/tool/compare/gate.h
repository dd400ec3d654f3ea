/* The gate of every command that compares two sides: its options, and what may stand on them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_COMPARE_GATE_H
#define OVL_TOOL_COMPARE_GATE_H

#include "cli/options.h"
#include "tool/compare/verdict.h"

#include <stdio.h>

struct ovl_gate_options {
    double delta;
    int paired, any_work, across;
};

/* The margin where none is given. */
#define OVL_GATE_DELTA 0.05

/* The rows of a command's table whose options hold a struct ovl_gate_options as `member`: those that say what counts,
   and those that say what is compared with what. `when`, a literal such as "for --old: ", goes before what they say. */
#define OVL_GATE_OPTION(type, at, letter, name, argument, help, kind, high)                                            \
    {                                                                                                                  \
        letter, name, argument, help, kind, offsetof(struct type, at), 0, high, NULL, NULL                             \
    }
#define OVL_GATE_COUNTS_ROWS(type, member, when, usual)                                                                \
    OVL_GATE_OPTION(type, member.delta, 'd', "delta", "D",                                                             \
                    when "how much worse is still well: a part of the old value, a difference for fractions (" usual   \
                         ")",                                                                                          \
                    OVL_OPTION_NUMBER, 0.99),                                                                          \
        OVL_GATE_OPTION(type, member.any_work, 0, "any-work", NULL,                                                    \
                        when "take totals though the launches did not the same work", OVL_OPTION_ON, 0)
#define OVL_GATE_SIDES_ROWS(type, member, when)                                                                        \
    OVL_GATE_OPTION(type, member.paired, 0, "paired", NULL,                                                            \
                    when "launches were taken in turns, old, new, new, old: compare them in pairs, by launch number "  \
                         "or else by start",                                                                           \
                    OVL_OPTION_ON, 0),                                                                                 \
        OVL_GATE_OPTION(type, member.across, 0, "across", NULL,                                                        \
                        when "compare although machine, library, binding or variables differ", OVL_OPTION_ON, 0)

/* -1 and OVL_USAGE: no such metric. */
int ovl_gate_make(struct ovl_gate *gate, const struct ovl_gate_options *o, const char *metric, struct ovl_error *err);

/* May these sides, whose cells are `groups`, be compared? Prints in what their settings differ, a line each that begins
   with "# ", and sets *differ to how many of these make it a comparison of settings. -1 with *err: OVL_USAGE when a
   launch is on both sides, OVL_ENVIRONMENT when settings differ without --across. */
int ovl_gate_check(FILE *out, const struct ovl_record *old, const struct ovl_record *new,
                   const struct ovl_groups *groups, const struct ovl_gate_options *o, size_t *differ,
                   struct ovl_error *err);

#endif
