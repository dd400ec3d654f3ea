/* An adapter's port: found, opened, and the memory registered with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/adapters.h"
#include "offload/mem/verbs_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST_PORTS = 128 };

static struct ovl_verbs *opened; /* there is one in a process */

/* From this process's NUMA node, as the kernel counts: 10 is near. Unknown: as if near. */
static int distance_to(int node)
{
    unsigned cpu, here = 0;
    char path[96];
    int distance = 10;
    if (node < 0 || syscall(SYS_getcpu, &cpu, &here, NULL) != 0)
        return distance;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%u/distance", here);
    FILE *in = fopen(path, "re");
    for (int n = 0; in && n <= node; n++)
        if (fscanf(in, "%d", &distance) != 1)
            break;
    if (in)
        fclose(in);
    return distance;
}

/* The ports of one adapter. */
static int list_ports(struct ibv_device *device, struct ovl_port *out, int room)
{
    struct ibv_context *context = ibv_open_device(device);
    struct ibv_device_attr attributes;
    int n = 0;
    if (context && ibv_query_device(context, &attributes) == 0)
        for (int p = 1; p <= attributes.phys_port_cnt && n < room; p++) {
            struct ibv_port_attr port;
            struct ovl_port *o = &out[n++];
            *o = (struct ovl_port){.port = p, .distance = distance_to(ovl_adapter_numa_node(device->ibdev_path))};
            snprintf(o->device, sizeof o->device, "%s", ibv_get_device_name(device));
            o->active = ibv_query_port(context, (uint8_t)p, &port) == 0 && port.state == IBV_PORT_ACTIVE;
        }
    if (context)
        ibv_close_device(context);
    return n;
}

static enum ovl_gid_type type_of(const struct ibv_gid_entry *entry)
{
    return entry->gid_type == IBV_GID_TYPE_ROCE_V2   ? OVL_GID_ROCE_2
           : entry->gid_type == IBV_GID_TYPE_ROCE_V1 ? OVL_GID_ROCE_1
                                                     : OVL_GID_INFINIBAND;
}

static int find_gid(struct ovl_verbs *v, int wanted, struct ovl_error *err)
{
    int best = 0;
    for (int i = 0; i < v->port.gid_tbl_len; i++) {
        struct ibv_gid_entry entry;
        if ((wanted >= 0 && i != wanted) ||
            ibv_query_gid_ex(v->context, (uint32_t)v->number, (uint32_t)i, &entry, 0) != 0)
            continue;
        int worth = ovl_gid_worth(entry.gid.raw, type_of(&entry));
        if (worth <= best)
            continue;
        best = worth;
        v->gid_index = i;
        v->gid = entry.gid;
        v->gid_type = type_of(&entry);
    }
    if (best > 0 || (v->port.link_layer != IBV_LINK_LAYER_ETHERNET && wanted < 0))
        return 0;
    if (wanted >= 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s on node %s has no GID %d; `ovl list --check` shows them",
                             v->name, v->where, wanted);
    return ovl_error_set(err, OVL_ENVIRONMENT, "%s on node %s has no GID: give its network interface an address",
                         v->name, v->where);
}

/* A completion for each request that may be under way, as far as the adapter has room. */
static struct ibv_cq *make_queue(struct ovl_verbs *v, int endpoints)
{
    int64_t entries = (int64_t)OVL_SEND_DEPTH * (endpoints > 0 ? endpoints : 1);
    return ibv_create_cq(v->context, entries < v->device.max_cqe ? (int)entries : v->device.max_cqe, NULL, NULL, 0);
}

static int open_port(struct ovl_verbs *v, struct ibv_device *device, const struct ovl_port_request *port_request,
                     int endpoints, struct ovl_error *err)
{
    const char *what = "open";
    errno = 0;
    if ((v->context = ibv_open_device(device)) && (what = "query", ibv_query_device(v->context, &v->device) == 0) &&
        ibv_query_port(v->context, (uint8_t)v->number, &v->port) == 0 &&
        (what = "make a protection domain of", (v->domain = ibv_alloc_pd(v->context)) != NULL) &&
        (what = "make a completion queue of", (v->queue = make_queue(v, endpoints)) != NULL)) {
        struct utsname host;
        if (uname(&host) == 0 && strcmp(host.machine, "aarch64") == 0) /* the adapter of one may also be a server's */
            v->bluefield = ovl_adapter_bluefield(v->device.vendor_id, v->device.vendor_part_id);
        return find_gid(v, port_request->gid, err);
    }
    return ovl_error_set(err, OVL_ENVIRONMENT, "cannot %s %s on node %s: %s", what, v->name, v->where,
                         strerror(errno ? errno : EIO));
}

struct ovl_verbs *ovl_verbs_open(const struct ovl_port_request *port_request, const char *where, int endpoints,
                                 struct ovl_error *err)
{
    struct ovl_port ports[MOST_PORTS];
    int devices = 0, count = 0, of[MOST_PORTS];
    struct ibv_device **list = ibv_get_device_list(&devices);
    for (int d = 0; d < devices; d++) {
        int more = list_ports(list[d], ports + count, MOST_PORTS - count);
        for (int i = count; i < count + more; i++)
            of[i] = d;
        count += more;
    }
    int take = ovl_port_choose(ports, count, port_request, where, err);
    struct ovl_verbs *v = take < 0 ? NULL : calloc(1, sizeof *v);
    if (take >= 0 && !v)
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory for an adapter");
    if (v) {
        v->number = ports[take].port;
        snprintf(v->where, sizeof v->where, "%s", where);
        snprintf(v->name, sizeof v->name, "%s port %d", ports[take].device, v->number);
        if (open_port(v, list[of[take]], port_request, endpoints, err) != 0) {
            ovl_verbs_close(v);
            v = NULL;
        }
    }
    if (list)
        ibv_free_device_list(list);
    opened = v;
    return v;
}

void ovl_verbs_close(struct ovl_verbs *v)
{
    if (!v)
        return;
    if (v->queue)
        ibv_destroy_cq(v->queue);
    if (v->domain)
        ibv_dealloc_pd(v->domain);
    if (v->context)
        ibv_close_device(v->context);
    free(v);
    opened = NULL;
}

const char *ovl_verbs_name(const struct ovl_verbs *v)
{
    return v->name;
}

struct ibv_mr *ovl_verbs_mr(struct ovl_verbs *v, void *memory, size_t bytes, enum ovl_mr_access access,
                            struct ovl_error *err)
{
    static const unsigned flags[] = {
        [OVL_MR_LOCAL] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING,
        [OVL_MR_REMOTE] =
            IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_RELAXED_ORDERING,
        [OVL_MR_REMOTE_FLAGS] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
    };
    struct rlimit limit;
    struct ibv_mr *mr = ibv_reg_mr(v->domain, memory, bytes, (int)flags[access]);
    if (mr)
        return mr;
    int why = errno;
    if ((why == ENOMEM || why == EPERM || why == EAGAIN) && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY)
        ovl_error_set(
            err, OVL_ENVIRONMENT,
            "%s on node %s cannot register %zu bytes (%s): the limit of locked memory is %llu bytes; raise it "
            "(ulimit -l unlimited, or memlock in limits.conf), or give workers less by --worker-memory",
            v->name, v->where, bytes, strerror(why), (unsigned long long)limit.rlim_cur);
    else
        ovl_error_set(err, OVL_ENVIRONMENT, "%s on node %s cannot register %zu bytes: %s", v->name, v->where, bytes,
                      strerror(why));
    return NULL;
}

void *ovl_verbs_register(void *memory, size_t bytes, uint32_t *key, struct ovl_error *err)
{
    struct ibv_mr *mr = ovl_verbs_mr(opened, memory, bytes, OVL_MR_REMOTE, err);
    if (mr)
        *key = mr->rkey;
    return mr;
}

void ovl_verbs_deregister(void *registration)
{
    if (registration)
        ibv_dereg_mr(registration);
}

void *ovl_verbs_alloc_local(size_t bytes, struct ovl_error *err)
{
    int i = 0;
    while (i < OVL_LOCAL_MRS && opened->local[i])
        i++;
    void *memory = i < OVL_LOCAL_MRS ? aligned_alloc(4096, (bytes + 4095) / 4096 * 4096) : NULL;
    if (memory && (opened->local[i] = ovl_verbs_mr(opened, memory, bytes, OVL_MR_LOCAL, err)))
        return memory;
    if (!memory)
        ovl_error_set(err, OVL_ENVIRONMENT, "no memory for %zu bytes", bytes);
    free(memory);
    return NULL;
}

void ovl_verbs_free_local(void *memory)
{
    for (int i = 0; i < OVL_LOCAL_MRS; i++)
        if (opened->local[i] && opened->local[i]->addr == memory) {
            ibv_dereg_mr(opened->local[i]);
            opened->local[i] = NULL;
        }
    free(memory);
}

int ovl_verbs_local_key(const struct ovl_verbs *v, const void *memory, size_t bytes, uint32_t *key)
{
    for (int i = 0; i < OVL_LOCAL_MRS; i++) {
        const struct ibv_mr *mr = v->local[i];
        uintptr_t offset = mr ? (uintptr_t)memory - (uintptr_t)mr->addr : 0;
        if (mr && offset < mr->length && bytes <= mr->length - offset) {
            *key = mr->lkey;
            return 0;
        }
    }
    return -1;
}
