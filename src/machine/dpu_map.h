/* Which node is the DPU of which, from a file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_DPU_MAP_H
#define OVL_MACHINE_DPU_MAP_H

#include "machine/port.h"

/* A line: `host dpu hostdev[:port] dpudev[:port] [gid]`. Nodes by host name, with or without a domain; a device "-" is
   the nearest one; gid is an index at both ends. */
struct ovl_dpu {
    char host[64], dpu[64];
    struct ovl_port_request port[2]; /* the host's and the DPU's */
};

struct ovl_dpu_map {
    int count;
    struct ovl_dpu *row;
};

/* Lines of `text`; # begins a comment. -1 and OVL_USAGE with `name` and the line's number. Freed by the caller
   (row), also after an error. */
int ovl_dpu_map_parse(struct ovl_dpu_map *map, const char *name, const char *text, struct ovl_error *err);
/* The same from a file. OVL_ENVIRONMENT where it cannot be read. */
int ovl_dpu_map_read(struct ovl_dpu_map *map, const char *file, struct ovl_error *err);

/* Are both names of one node? "a.example.org" and "a" are. */
bool ovl_node_same(const char *a, const char *b);

#endif
