/* What the path verbs needs here, looked at without a job. Each line names the node, so that a launcher may start one
 * of these on each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/check.h"
#include "base/abi_check.h"
#include "base/printable.h"
#include "machine/adapters.h"
#include "machine/dpu_map.h"
#include "machine/machine.h"
#include "version.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST = 64, MOST_GIDS = 64 };

static int wrong;
static char node[128] = "?";

static void say(bool right, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(bool right, const char *format, ...)
{
    char text[1024];
    va_list args;
    wrong += !right;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ovl_printable_bytes(text);
    printf("%s: %-6s %s\n", node, right ? "ok" : "WRONG", text);
}

/* CAP_IPC_LOCK: no limit counts. */
bool ovl_check_locks_all(void)
{
    enum { IPC_LOCK = 14 };
    char line[256];
    uint64_t effective = 0;
    FILE *in = fopen("/proc/self/status", "re");
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "CapEff: %" SCNx64, &effective) == 1)
            break;
    if (in)
        fclose(in);
    return effective >> IPC_LOCK & 1;
}

static void check_memory(void)
{
    struct rlimit limit = {0, 0};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    if (limit.rlim_cur == RLIM_INFINITY || ovl_check_locks_all())
        say(true, "locked memory is not limited");
    else
        say(limit.rlim_cur >= OVL_CHECK_LEAST_LOCKED,
            "locked memory is limited to %llu bytes: all message buffers, and 6 MB of each "
            "worker, must fit (ulimit -l, or memlock in limits.conf)",
            (unsigned long long)limit.rlim_cur);
}

static void check_port(const struct ovl_adapter *a)
{
    struct ovl_gid gids[MOST_GIDS];
    int n = ovl_adapter_gids(a->name, a->port, gids, MOST_GIDS), best = -1;
    say(strcmp(a->state, "active") == 0, "%s port %d is %s", a->name, a->port, a->state);
    for (int i = 0; i < n; i++)
        if (best < 0 || gids[i].worth > gids[best].worth)
            best = i;
    if (strcmp(a->link_layer, "ethernet") != 0)
        return;
    if (best < 0)
        say(false, "%s port %d has no GID: give its network interface an address", a->name, a->port);
    else
        say(true, "%s port %d takes GID %d of %d: %s", a->name, a->port, gids[best].index, n, gids[best].text);
}

static bool have(const struct ovl_adapter *found, int n, const struct ovl_port_request *request)
{
    for (int i = 0; i < n; i++)
        if (strcmp(found[i].name, request->device) == 0 && (request->port == 0 || request->port == found[i].port))
            return true;
    return !*request->device && n > 0;
}

/* The lines that name this node, as a host or as a DPU. */
static int check_map(const char *file, const struct ovl_adapter *found, int n, struct ovl_error *err)
{
    struct ovl_dpu_map map;
    int lines = 0;
    if (ovl_dpu_map_read(&map, file, err) != 0) {
        free(map.row);
        return -1;
    }
    for (int i = 0; i < map.count; i++)
        for (int end = 0; end < 2; end++) {
            const struct ovl_dpu *d = &map.row[i];
            const struct ovl_port_request *request = &d->port[end];
            if (!ovl_node_same(end ? d->dpu : d->host, node))
                continue;
            lines++;
            say(have(found, n, request), "%s: this node is the %s of %s, by its adapter %s", file, end ? "DPU" : "host",
                end ? d->host : d->dpu, *request->device ? request->device : "that is nearest");
        }
    if (lines == 0)
        say(false, "%s: does not name this node, %s", file, node);
    free(map.row);
    return 0;
}

int ovl_list_check(const char *dpu_map, struct ovl_error *err)
{
    struct ovl_adapter found[MOST];
    struct utsname host;
    if (gethostname(node, sizeof node - 1) != 0 || uname(&host) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "this machine does not tell its name");
    ovl_printable_bytes(node);
    wrong = 0;
    struct ovl_machine here;
    ovl_machine_identify(&here);
    say(true, "ovl %s, wire format %d (on %s%s): all nodes of a job need the same", OVL_VERSION, OVL_ABI_VERSION,
        host.machine, here.emulated ? ", emulated" : "");
    if (ovl_adapters_absent)
        return ovl_error_set(err, OVL_ENVIRONMENT, "adapters: %s", ovl_adapters_absent);
    int n = ovl_adapters_find(found, MOST, err);
    if (n < 0)
        return -1;
    if (n == 0)
        say(false, "there is no RDMA adapter: is its driver loaded, and can this user open /dev/infiniband/uverbs*?");
    for (int i = 0; i < n; i++)
        check_port(&found[i]);
    check_memory();
    if (dpu_map && check_map(dpu_map, found, n, err) != 0)
        return -1;
    return wrong ? OVL_ENVIRONMENT : OVL_OK;
}
