/* Adapters by libibverbs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/adapters.h"
#include "machine/port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const ovl_adapters_absent = NULL;

/* InfiniBand Architecture Specification 1.2.1, 14.2.5.6 PortInfo: lane speed in Gbit/s as data rates, and widths. */
static double rate_gbps(uint8_t speed, uint8_t width)
{
    static const double lane[] = {2.5, 5, 10, 10, 14, 25, 50, 100};
    static const int lanes[] = {1, 4, 8, 12, 2};
    for (size_t s = 0; s < sizeof lane / sizeof *lane; s++)
        for (size_t w = 0; w < sizeof lanes / sizeof *lanes; w++)
            if (speed == 1u << s && width == 1u << w)
                return lane[s] * lanes[w];
    return NAN;
}

/* Of Mellanox (NVIDIA), as in the PCI ID list: BlueField's own ConnectX-5, BlueField-2's ConnectX-6 Dx, BlueField-3's
   ConnectX-7. */
unsigned ovl_adapter_bluefield(uint32_t vendor, uint32_t part)
{
    static const struct {
        uint32_t part;
        unsigned generation;
    } known[] = {{0xa2d2, 1}, {0xa2d6, 2}, {0xa2dc, 3}};
    for (size_t i = 0; i < sizeof known / sizeof *known && (vendor == 0x02c9 || vendor == 0x15b3); i++)
        if (known[i].part == part)
            return known[i].generation;
    return 0;
}

int ovl_adapter_numa_node(const char *folder)
{
    char path[IBV_SYSFS_PATH_MAX + 32];
    int node = -1;
    snprintf(path, sizeof path, "%s/device/numa_node", folder);
    FILE *in = fopen(path, "re");
    if (in) {
        if (fscanf(in, "%d", &node) != 1)
            node = -1;
        fclose(in);
    }
    return node;
}

static const char *state_name(enum ibv_port_state state)
{
    switch (state) {
    case IBV_PORT_DOWN:
        return "down";
    case IBV_PORT_INIT:
        return "init";
    case IBV_PORT_ARMED:
        return "armed";
    case IBV_PORT_ACTIVE:
        return "active";
    default:
        return "unknown";
    }
}

static void describe(struct ibv_device *device, struct ibv_context *context, int number, struct ovl_adapter *a)
{
    memset(a, 0, sizeof *a);
    a->port = number;
    snprintf(a->name, sizeof a->name, "%s", ibv_get_device_name(device));
    snprintf(a->state, sizeof a->state, "unknown");
    snprintf(a->link_layer, sizeof a->link_layer, "unknown");
    a->rate_gbps = NAN;
    a->numa_node = ovl_adapter_numa_node(device->ibdev_path);

    struct ibv_device_attr attributes;
    struct ibv_port_attr port;
    if (!context)
        return;
    if (ibv_query_device(context, &attributes) == 0) {
        snprintf(a->firmware, sizeof a->firmware, "%s", attributes.fw_ver);
        a->bluefield = ovl_adapter_bluefield(attributes.vendor_id, attributes.vendor_part_id);
    }
    if (ibv_query_port(context, (uint8_t)number, &port) == 0) {
        a->rate_gbps = rate_gbps(port.active_speed, port.active_width);
        snprintf(a->state, sizeof a->state, "%s", state_name(port.state));
        snprintf(a->link_layer, sizeof a->link_layer, "%s",
                 port.link_layer == IBV_LINK_LAYER_ETHERNET ? "ethernet" : "infiniband");
    }
}

/* All ports of one device; one that cannot be opened is shown too. */
static int describe_all(struct ibv_device *device, struct ovl_adapter *out, int room)
{
    struct ibv_context *context = ibv_open_device(device);
    struct ibv_device_attr attributes;
    int ports = context && ibv_query_device(context, &attributes) == 0 ? attributes.phys_port_cnt : 1, n = 0;
    for (; n < ports && n < room; n++)
        describe(device, context, n + 1, &out[n]);
    if (context)
        ibv_close_device(context);
    return n;
}

static void describe_gid(const struct ibv_gid_entry *entry, struct ovl_gid *g)
{
    static const char *const names[] = {
        [OVL_GID_INFINIBAND] = "InfiniBand", [OVL_GID_ROCE_1] = "RoCE v1", [OVL_GID_ROCE_2] = "RoCE v2"};
    enum ovl_gid_type type = entry->gid_type == IBV_GID_TYPE_ROCE_V2   ? OVL_GID_ROCE_2
                             : entry->gid_type == IBV_GID_TYPE_ROCE_V1 ? OVL_GID_ROCE_1
                                                                       : OVL_GID_INFINIBAND;
    char address[INET6_ADDRSTRLEN] = "";
    const uint8_t *raw = entry->gid.raw;
    g->index = (int)entry->gid_index;
    g->worth = ovl_gid_worth(raw, type);
    bool mapped = IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)entry->gid.raw);
    inet_ntop(mapped ? AF_INET : AF_INET6, mapped ? raw + 12 : raw, address, sizeof address);
    snprintf(g->text, sizeof g->text, "%s %s", names[type], address);
}

int ovl_adapter_gids(const char *device, int port, struct ovl_gid *out, int most)
{
    int devices = 0, n = 0;
    struct ibv_device **list = ibv_get_device_list(&devices);
    struct ibv_context *context = NULL;
    struct ibv_port_attr attributes;
    for (int d = 0; d < devices && !context; d++)
        if (strcmp(ibv_get_device_name(list[d]), device) == 0)
            context = ibv_open_device(list[d]);
    if (context && ibv_query_port(context, (uint8_t)port, &attributes) == 0)
        for (int i = 0; i < attributes.gid_tbl_len && n < most; i++) {
            struct ibv_gid_entry entry;
            if (ibv_query_gid_ex(context, (uint32_t)port, (uint32_t)i, &entry, 0) != 0)
                continue;
            describe_gid(&entry, &out[n]);
            n += out[n].worth > 0;
        }
    if (context)
        ibv_close_device(context);
    if (list)
        ibv_free_device_list(list);
    return n;
}

int ovl_adapters_find(struct ovl_adapter *out, size_t most, struct ovl_error *err)
{
    int n = 0, found = 0;
    struct ibv_device **devices = ibv_get_device_list(&n);
    if (!devices)
        return errno == ENOSYS ? 0
                               : ovl_error_set(err, OVL_ENVIRONMENT,
                                               "libibverbs cannot list adapters: %s; is the ib_uverbs module loaded?",
                                               strerror(errno));
    for (int i = 0; i < n; i++)
        found += describe_all(devices[i], out + found, (int)most - found);
    ibv_free_device_list(devices);
    return found;
}
