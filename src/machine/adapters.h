/* RDMA adapters of this machine, by libibverbs; a build without it finds none. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_ADAPTERS_H
#define OVL_MACHINE_ADAPTERS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct json_t; /* jansson's, which not all who want adapters have */

struct ovl_adapter {
    char name[64];       /* mlx5_0 */
    double rate_gbps;    /* of the port, width times lane speed; NaN when unknown */
    char state[16];      /* active, down, init, armed */
    char link_layer[16]; /* infiniband, ethernet */
    char firmware[64];
    int numa_node;      /* -1 when unknown */
    int port;           /* from 1 on */
    unsigned bluefield; /* generation of the BlueField that it is part of, or 0 */
};

/* The generation of a BlueField by what the adapter says of itself (ibv_device_attr), 0 for any other. */
unsigned ovl_adapter_bluefield(uint32_t vendor, uint32_t part);
/* Of a device, by its folder under /sys/class/infiniband; -1 when unknown. */
int ovl_adapter_numa_node(const char *folder);

struct ovl_gid {
    int index;
    int worth;     /* as ovl_gid_worth says of RoCE; InfiniBand's is always 1 */
    char text[64]; /* "RoCE v2 10.0.0.1" */
};

/* The GIDs of a port, up to `most`; returns how many. 0 also where the adapter cannot be opened. */
int ovl_adapter_gids(const char *device, int port, struct ovl_gid *out, int most);

/* Fills up to `most` ports of adapters and returns how many there are to see; -1 and OVL_ENVIRONMENT when the kernel's
   RDMA support answers with an error (no RDMA support at all is 0 adapters). */
int ovl_adapters_find(struct ovl_adapter *out, size_t most, struct ovl_error *err);

/* The same as a JSON array for the record; empty when none is found or on an error. */
struct json_t *ovl_adapters_json(void);

/* Why this build sees none; NULL when it can see them. */
extern const char *const ovl_adapters_absent;

#endif
