/* A node line: what ovl_noise found on one node. Rows of record/fields_node.c read and write it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_NODE_H
#define OVL_RECORD_NODE_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

/* Fixed work quanta, of the rank of the node that lost most; see stats/detours.h. */
struct ovl_node_quanta {
    double rank, seconds, quickest, usual, above_quickest, lost, per_second, median, p99, longest, typical, period;
};

/* One clock, of the rank that pays most for a read. */
struct ovl_node_clock {
    double read, step; /* s */
    int system_call;   /* a read costs as much as one; -1: not known */
};

/* Messages to and fro between a rank of this node and another one, both otherwise idle; seconds one way. */
struct ovl_node_pair {
    char kind[16]; /* ring, or across */
    double rank, with_rank;
    char with[256]; /* node */
    double trips, latency_min, latency, latency_p99;
    double bytes, bytes_per_second;
};

/* Numbers are NaN, and truths -1, where nothing was measured. */
struct ovl_node {
    char run_id[64], name[256];
    double ranks, ranks_on_machine, cores; /* cores: that the ranks of this machine may run on */
    struct ovl_node_quanta quanta, brief;
    char source[32];
    struct ovl_node_clock monotonic, raw;
    double backward, backward_between, slew_ppm;
    int common; /* boot_id says that it reads the same clock as rank 0 */
    double offset, offset_error, drift_ppm, residual;
    double steal;
    double late, late_p99, latest;
    struct ovl_node_pair *pairs;
    size_t pair_count;
};

void ovl_node_clear(struct ovl_node *node);
void ovl_node_pair_clear(struct ovl_node_pair *pair);
void ovl_node_free(struct ovl_node *node);

/* Numbers as the line will have them: what is printed now and from the record are the same digits. */
void ovl_node_round(struct ovl_node *node);

/* The line. NULL where a text is not UTF-8. */
json_t *ovl_node_to_json(const struct ovl_node *node);

/* The other way. Fields that are missing are not known. -1 and the field's name: one is of the wrong kind. */
int ovl_node_from_json(const json_t *line, struct ovl_node *node, struct ovl_error *err);

#endif
