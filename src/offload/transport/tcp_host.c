/* An address that no other machine has, too; then that of the default route's interface, then those in a network that
 * others are in; else any that is not loopback, one that runs and is no bridge first; IPv4 before IPv6. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/tcp_host.h"
#include "base/path.h"
#include "base/rng.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

static void put(struct ovl_tcp_one_host *h, const struct ifaddrs *a, int good, const char *route)
{
    const struct sockaddr *m = a->ifa_netmask;
    const uint8_t *mask = NULL;
    *h = (struct ovl_tcp_one_host){.worth = (uint8_t)good, .routed = strcmp(a->ifa_name, route) == 0};
    bool ip6 = a->ifa_addr->sa_family == AF_INET6;
    if (ip6) {
        memcpy(h->bytes, &((const struct sockaddr_in6 *)(const void *)a->ifa_addr)->sin6_addr, 16);
        mask = m ? (const void *)&((const struct sockaddr_in6 *)(const void *)m)->sin6_addr : NULL;
    } else {
        h->bytes[10] = h->bytes[11] = 0xff;
        memcpy(h->bytes + 12, &((const struct sockaddr_in *)(const void *)a->ifa_addr)->sin_addr, 4);
        mask = m ? (const void *)&((const struct sockaddr_in *)(const void *)m)->sin_addr : NULL;
    }
    h->prefix = ip6 ? 0 : 96;
    for (int i = 0; i < (ip6 ? 16 : 4); i++)
        h->prefix += (uint8_t)(mask ? __builtin_popcount(mask[i]) : 8);
}

/* Among those that are there, at its place. */
static void insert(struct ovl_tcp_hosts *hosts, const struct ifaddrs *a, int good, const char *route)
{
    int i = OVL_TCP_HOSTS;
    while (i > 0 && hosts->at[i - 1].worth < good)
        i--;
    if (i == OVL_TCP_HOSTS)
        return;
    memmove(&hosts->at[i + 1], &hosts->at[i], (size_t)(OVL_TCP_HOSTS - 1 - i) * sizeof *hosts->at);
    put(&hosts->at[i], a, good, route);
}

int ovl_tcp_hosts(struct ovl_tcp_hosts *mine, uint64_t machine, const char *interface, struct ovl_error *err)
{
    struct ifaddrs *all;
    struct stat space;
    char route[IFNAMSIZ];
    *mine = (struct ovl_tcp_hosts){.place = machine};
    if (getifaddrs(&all) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot list this machine's addresses: %s", strerror(errno));
    if (stat("/proc/self/ns/net", &space) == 0)
        mine->place = ovl_rng_mix(machine ^ (uint64_t)space.st_ino);
    default_route(route);
    for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
        int good = worth(a, interface, route);
        if (good > 0)
            insert(mine, a, good, route);
    }
    int rc = *interface && !mine->at[0].worth ? none(all, interface, err) : 0;
    freeifaddrs(all);
    return rc;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, int bits)
{
    int whole = bits / 8, rest = bits % 8;
    return memcmp(a, b, (size_t)whole) == 0 && (!rest || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

/* How good it is for the others: the more the better. */
static uint64_t worth_to(const struct ovl_tcp_one_host *h, uint64_t place, const struct ovl_tcp_hosts *all,
                         size_t count)
{
    uint64_t near = 0;
    bool taken = false;
    for (size_t i = 0; i < count; i++) {
        bool in_network = false;
        for (int k = 0; k < OVL_TCP_HOSTS && all[i].at[k].worth && all[i].place != place; k++) {
            taken = taken || same_bits(h->bytes, all[i].at[k].bytes, 128);
            in_network = in_network || same_bits(h->bytes, all[i].at[k].bytes, h->prefix);
        }
        near += in_network;
    }
    return (uint64_t)!taken << 48 | (uint64_t)(h->routed != 0) << 40 | near << 8 | h->worth;
}

void ovl_tcp_host_of(char host[OVL_TCP_HOST], const struct ovl_tcp_hosts *mine, const struct ovl_tcp_hosts *all,
                     size_t count)
{
    static const uint8_t ip4[12] = {[10] = 0xff, [11] = 0xff};
    const struct ovl_tcp_one_host *best = NULL;
    uint64_t most = 0;
    for (int k = 0; k < OVL_TCP_HOSTS && mine->at[k].worth; k++) {
        uint64_t good = worth_to(&mine->at[k], mine->place, all, count);
        if (!best || good > most) {
            best = &mine->at[k];
            most = good;
        }
    }
    bool short_one = best && memcmp(best->bytes, ip4, sizeof ip4) == 0;
    if (!best || !inet_ntop(short_one ? AF_INET : AF_INET6, best->bytes + (short_one ? 12 : 0), host, OVL_TCP_HOST))
        snprintf(host, OVL_TCP_HOST, "127.0.0.1");
}
