/* Choosing a port and a GID. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ovl_port_request_parse(struct ovl_port_request *request, const char *text, size_t length)
{
    char copy[sizeof request->device + 8], *end;
    *request = (struct ovl_port_request){.gid = -1};
    if (length == 0 || length >= sizeof copy)
        return -1;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *colon = strchr(copy, ':');
    if (colon) {
        *colon = '\0';
        long port = strtol(colon + 1, &end, 10);
        if (end == colon + 1 || *end || port < 1 || port > 255)
            return -1;
        request->port = (int)port;
    }
    if (!*copy || strlen(copy) >= sizeof request->device)
        return -1;
    memcpy(request->device, copy, strlen(copy) + 1);
    return 0;
}

static void list(char *text, size_t room, const struct ovl_port *ports, int count)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < room; i++)
        if (i == 0 || strcmp(ports[i].device, ports[i - 1].device) != 0)
            used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", ports[i].device);
}

int ovl_port_choose(const struct ovl_port *ports, int count, const struct ovl_port_request *request, const char *where,
                    struct ovl_error *err)
{
    int best = -1, known = 0;
    char there[256];
    if (count == 0)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "no RDMA adapter on node %s: is its driver loaded, and can this user open "
                             "/dev/infiniband/uverbs*?",
                             where);
    for (int i = 0; i < count; i++) {
        if (*request->device && strcmp(request->device, ports[i].device) != 0)
            continue;
        if (request->port && request->port != ports[i].port)
            continue;
        known++;
        if (ports[i].active && (best < 0 || ports[i].distance < ports[best].distance))
            best = i;
    }
    if (best >= 0)
        return best;
    list(there, sizeof there, ports, count);
    if (known == 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "no adapter %s%s on node %s; there: %s", request->device,
                             request->port > 1 ? " with that port" : "", where, there);
    return ovl_error_set(err, OVL_ENVIRONMENT, "no port of %s on node %s is up; `ovl list` shows their states",
                         *request->device ? request->device : there, where);
}

int ovl_gid_worth(const uint8_t gid[16], enum ovl_gid_type type)
{
    static const uint8_t none[16], mapped[12] = {[10] = 0xff, [11] = 0xff};
    if (memcmp(gid, none, sizeof none) == 0)
        return 0;
    if (type != OVL_GID_ROCE_2)
        return 1;
    if (memcmp(gid, mapped, sizeof mapped) == 0)
        return 4;
    return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80 ? 2 : 3;
}
