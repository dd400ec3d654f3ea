/* Which node each rank is on, as rank 0 keeps it. Knows no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_RANK_HOSTS_H
#define OVL_BENCH_RANK_HOSTS_H

#include <jansson.h>

enum { OVL_HOST_NAME = 65 }; /* the longest that Linux has, and its end */

/* What each rank tells rank 0. */
struct ovl_rank_host {
    int leader; /* the lowest rank of its node */
    char name[OVL_HOST_NAME];
};

struct ovl_rank_hosts {
    int ranks, nodes;
    int *node_of;                /* of each rank; nodes in the order of their leaders */
    char (*name)[OVL_HOST_NAME]; /* of each node */
};

/* The caller frees it. */
struct ovl_rank_hosts ovl_rank_hosts_make(const struct ovl_rank_host *told, int ranks);
void ovl_rank_hosts_free(struct ovl_rank_hosts *hosts);

/* For the run line: the node of each rank, as an index. */
json_t *ovl_rank_hosts_json(const struct ovl_rank_hosts *hosts);

/* How many machines such hosts are, by their member `machine`. */
int ovl_rank_machines(const json_t *hosts);

/* The texts of all ranks, which stand one after the other, each with its end: as an array of strings, */
json_t *ovl_rank_texts_json(const char *texts, int ranks);
/* and as an array of what is written in those that are not empty, in JSON. */
json_t *ovl_rank_objects_json(const char *texts, int ranks);

#endif
