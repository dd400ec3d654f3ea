/* The interface of the default route is best, then any that is not loopback, one that runs and is no bridge first; IPv4
 * before IPv6. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/tcp_host.h"
#include "base/path.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A line of /proc/net/route: name, destination, gateway, flags, two counts, metric, mask; only the metric is decimal.
   Half of all addresses, as a tunnel takes them beside the real route, is not the default. */
static bool is_default(const char *line, char name[IFNAMSIZ], unsigned *metric)
{
    unsigned destination, mask;
    return sscanf(line, "%15s %x %*x %*x %*u %*u %u %x", name, &destination, metric, &mask) == 4 && destination == 0 &&
           mask == 0;
}

/* Of /proc/net/ipv6_route: destination, its length, source, its length, next hop, metric, two counts, flags, name; all
   hexadecimal. Where there is no route a line rejects all on the loopback. */
static bool is_default6(const char *line, char name[IFNAMSIZ], unsigned *metric)
{
    enum { REJECTS = 0x200 }; /* RTF_REJECT */
    char destination[33];
    unsigned length, flags;
    return sscanf(line, "%32s %x %*s %*x %*s %x %*x %*x %x %15s", destination, &length, metric, &flags, name) == 5 &&
           length == 0 && !(flags & REJECTS);
}

/* Into `route` the interface of the default route of least metric. */
static void find_route(const char *file, bool (*of)(const char *line, char name[IFNAMSIZ], unsigned *metric),
                       char route[IFNAMSIZ])
{
    char line[256], name[IFNAMSIZ];
    unsigned metric, least = 0;
    FILE *f = fopen(file, "r");
    while (f && fgets(line, sizeof line, f))
        if (of(line, name, &metric) && (!*route || metric < least)) {
            strcpy(route, name);
            least = metric;
        }
    if (f)
        fclose(f);
}

static void default_route(char route[IFNAMSIZ])
{
    *route = '\0';
    find_route("/proc/net/route", is_default, route);
    if (!*route)
        find_route("/proc/net/ipv6_route", is_default6, route);
}

/* Such as those of containers, which every machine has at the same address. */
static bool is_bridge(const char *name)
{
    return access(ovl_path("/sys/class/net/%s/bridge", name).text, F_OK) == 0;
}

/* How good the address is for others: 0 for not at all. */
static int worth(const struct ifaddrs *a, const char *interface, const char *route)
{
    if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) || (*interface && strcmp(a->ifa_name, interface) != 0))
        return 0;
    bool ip6 = a->ifa_addr->sa_family == AF_INET6;
    if (a->ifa_addr->sa_family != AF_INET && !ip6)
        return 0;
    if (ip6 && IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)a->ifa_addr)->sin6_addr))
        return 0;
    bool loopback = a->ifa_flags & IFF_LOOPBACK, runs = a->ifa_flags & IFF_RUNNING;
    return 1 + !ip6 + 2 * !is_bridge(a->ifa_name) + 4 * runs + 8 * !loopback + 16 * (strcmp(a->ifa_name, route) == 0);
}

static int none(const struct ifaddrs *all, const char *interface, struct ovl_error *err)
{
    char names[256] = "";
    for (const struct ifaddrs *a = all; a; a = a->ifa_next)
        if (worth(a, "", "") > 0 && !strstr(names, a->ifa_name) && strlen(names) + IFNAMSIZ + 2 < sizeof names)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", a->ifa_name);
    return ovl_error_set(err, OVL_USAGE, "no interface %s with an address here; there: %s", interface,
                         *names ? names : "none at all");
}

int ovl_tcp_host(char host[OVL_TCP_HOST], const char *interface, struct ovl_error *err)
{
    struct ifaddrs *all;
    const struct ifaddrs *best = NULL;
    char route[IFNAMSIZ];
    int most = 0;
    if (getifaddrs(&all) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot list this machine's addresses: %s", strerror(errno));
    default_route(route);
    for (const struct ifaddrs *a = all; a; a = a->ifa_next)
        if (worth(a, interface, route) > most) {
            most = worth(a, interface, route);
            best = a;
        }
    int rc = 0;
    if (best) {
        socklen_t size =
            best->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
        rc = getnameinfo(best->ifa_addr, size, host, OVL_TCP_HOST, NULL, 0, NI_NUMERICHOST) == 0
                 ? 0
                 : ovl_error_set(err, OVL_ENVIRONMENT, "the address of %s cannot be written", best->ifa_name);
    } else if (*interface)
        rc = none(all, interface, err);
    else
        snprintf(host, OVL_TCP_HOST, "127.0.0.1");
    freeifaddrs(all);
    return rc;
}
