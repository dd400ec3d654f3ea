/* The interface of the default route is best, then any that is not loopback; IPv4 before IPv6. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/tcp_host.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* /proc/net/route: name, destination, ... all of them hexadecimal words. */
static void default_route(char name[IFNAMSIZ])
{
    char line[256], destination[16];
    FILE *f = fopen("/proc/net/route", "r");
    *name = '\0';
    while (f && !*name && fgets(line, sizeof line, f))
        if (sscanf(line, "%15s %15s", name, destination) != 2 || strcmp(destination, "00000000") != 0)
            *name = '\0';
    if (f)
        fclose(f);
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
    bool loopback = a->ifa_flags & IFF_LOOPBACK;
    return 1 + !ip6 + 2 * !loopback + 4 * (strcmp(a->ifa_name, route) == 0);
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
