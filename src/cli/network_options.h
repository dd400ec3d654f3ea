/* A network that nobody has, as --plan simulates it: options that drivers and applications share. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_NETWORK_OPTIONS_H
#define OVL_CLI_NETWORK_OPTIONS_H

#include "cli/options.h"

struct ovl_network_options {
    const char *link_rate, *latency, *library; /* NULL: not given */
    double overhead, carry, copy, flops;       /* us a message, s a byte, a second; NaN: not given */
    int shared_cores;
    struct ovl_texts rates; /* records of a site */
};

/* For OVL_OPTION_ROWS: those of all, and what applications have beside them, whose computation is timed. */
extern const struct ovl_option ovl_network_option_rows[], ovl_network_work_option_rows[];

extern const struct ovl_network_options ovl_network_options_default;

/* The first of them that was given, without its dashes; NULL: none was, and nothing is to be simulated. */
const char *ovl_network_given(const struct ovl_network_options *o);

/* -1 and OVL_USAGE where one was given and `plan`, the value of --plan, is NULL. */
int ovl_network_misplaced(const struct ovl_network_options *o, const char *plan, struct ovl_error *err);

struct ovl_network {
    double latency, byte, overhead; /* seconds: from node to node, a byte of a link; of a core a message, */
    double carry, copy;             /* a byte between nodes, a byte in memory */
    double burst, flops; /* seconds of bytes that an emulated link lets through at once; of a rank, NaN: not known */
};

/* What was given, NaN for the rest; -1 and OVL_USAGE where it is no rate and no time. */
int ovl_network_read(const struct ovl_network_options *o, struct ovl_network *network, struct ovl_error *err);

/* What is missing of link and latency is asked for in one line, -1 and OVL_USAGE; a core's costs are then 0. `plan` is
   the value of --plan. */
int ovl_network_complete(const struct ovl_network_options *o, const char *plan, struct ovl_network *network,
                         struct ovl_error *err);

#endif
