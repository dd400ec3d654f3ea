/* Which port of which adapter: pure choices. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_PORT_H
#define OVL_MACHINE_PORT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a user or the dpu-map asks for. */
struct ovl_port_request {
    char device[64]; /* "" for the nearest */
    int port;        /* 0: the first that is active */
    int gid;         /* index, or -1: found */
};

/* "NAME" or "NAME:PORT" into a request. -1: it is neither. */
int ovl_port_request_parse(struct ovl_port_request *request, const char *text, size_t length);

struct ovl_port {
    char device[64];
    int port;
    bool active;
    int distance; /* of its NUMA node from this process; larger is farther */
};

/* The index of the port to take: the one asked for, else the nearest that is active, the first of those that are
   equally near. -1 and OVL_ENVIRONMENT with what there is instead. `where` is the node's name. */
int ovl_port_choose(const struct ovl_port *ports, int count, const struct ovl_port_request *request, const char *where,
                    struct ovl_error *err);

enum ovl_gid_type { OVL_GID_INFINIBAND, OVL_GID_ROCE_1, OVL_GID_ROCE_2 };

/* How good a GID is for a RoCE port: 0 for one that is not to be used, else the larger the better. IPv4 addresses of
   version 2 first, then global IPv6 ones, link-local ones, and version 1. */
int ovl_gid_worth(const uint8_t gid[16], enum ovl_gid_type type);

#endif
