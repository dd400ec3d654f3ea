/* Adapters by libibverbs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/adapters.h"

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

static int numa_node(const struct ibv_device *device)
{
    char path[sizeof device->ibdev_path + 32];
    int node = -1;
    snprintf(path, sizeof path, "%s/device/numa_node", device->ibdev_path);
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

static void describe(struct ibv_device *device, struct ovl_adapter *a)
{
    memset(a, 0, sizeof *a);
    snprintf(a->name, sizeof a->name, "%s", ibv_get_device_name(device));
    snprintf(a->state, sizeof a->state, "unknown");
    snprintf(a->link_layer, sizeof a->link_layer, "unknown");
    a->rate_gbps = NAN;
    a->numa_node = numa_node(device);

    struct ibv_context *context = ibv_open_device(device);
    struct ibv_device_attr attributes;
    struct ibv_port_attr port;
    if (!context)
        return;
    if (ibv_query_device(context, &attributes) == 0)
        snprintf(a->firmware, sizeof a->firmware, "%s", attributes.fw_ver);
    if (ibv_query_port(context, 1, &port) == 0) {
        a->rate_gbps = rate_gbps(port.active_speed, port.active_width);
        snprintf(a->state, sizeof a->state, "%s", state_name(port.state));
        snprintf(a->link_layer, sizeof a->link_layer, "%s",
                 port.link_layer == IBV_LINK_LAYER_ETHERNET ? "ethernet" : "infiniband");
    }
    ibv_close_device(context);
}

int ovl_adapters_find(struct ovl_adapter *out, size_t most, struct ovl_error *err)
{
    int n = 0;
    struct ibv_device **devices = ibv_get_device_list(&n);
    if (!devices)
        return errno == ENOSYS ? 0
                               : ovl_error_set(err, OVL_ENVIRONMENT,
                                               "libibverbs cannot list adapters: %s; is the ib_uverbs module loaded?",
                                               strerror(errno));
    for (int i = 0; i < n && (size_t)i < most; i++)
        describe(devices[i], &out[i]);
    ibv_free_device_list(devices);
    return n < (int)most ? n : (int)most;
}
