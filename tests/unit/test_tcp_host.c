/* At which address other machines reach this one, in networks made for it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/tcp_host.h"
#include "tests/unit/test.h"

#include <arpa/inet.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

static const struct {
    const char *made, *host; /* by commands of ip; what is found */
} networks[] = {
    {"true", "127.0.0.1"},
    /* The default route of IPv6 beside a bridge that has the same address on every machine. */
    {"ip link add docker0 type bridge && ip addr add 172.17.0.1/16 dev docker0 && ip link set docker0 up && "
     "ip addr add 2001:db8::5/64 dev eth0 nodad && ip -6 route add default via 2001:db8::1 dev eth0",
     "2001:db8::5"},
    /* Half of all addresses by a tunnel, and the real default route. */
    {"ip addr add 10.9.0.5/24 dev tun0 && ip route add 0.0.0.0/1 via 10.9.0.1 dev tun0 && "
     "ip addr add 10.1.0.5/24 dev eth0 && ip route add default via 10.1.0.1 dev eth0",
     "10.1.0.5"},
    /* Of two default routes the one of the smaller metric. */
    {"ip addr add 10.9.0.5/24 dev tun0 && ip route add default via 10.9.0.1 dev tun0 metric 200 && "
     "ip addr add 10.1.0.5/24 dev eth0 && ip route add default via 10.1.0.1 dev eth0 metric 100",
     "10.1.0.5"},
    /* No default route: not the bridge, though it comes first, has IPv4, and runs. */
    {"ip link add docker0 type bridge && ip addr add 172.17.0.1/16 dev docker0 && ip link set docker0 up && "
     "ip link set tun0 master docker0 && ip addr add 2001:db8::5/64 dev eth0 nodad",
     "2001:db8::5"},
};

enum { NETWORKS = sizeof networks / sizeof *networks };

/* A process of its own, as each test is: nothing has to be undone. False: this system lets nobody make networks. */
static bool make_network(const char *commands)
{
    char text[1024];
    snprintf(text, sizeof text,
             "ip link set lo up && ip link add eth0 type veth peer name far0 && ip link add tun0 type veth peer name "
             "far1 && for i in eth0 far0 tun0 far1; do ip link set $i up || exit 1; done && %s",
             commands);
    return unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", "/sys", "sysfs", 0, NULL) == 0 && system(text) == 0; /* NOLINT(cert-env33-c) */
}

LOOP_TEST(the_address_that_other_machines_reach, 0, NETWORKS)
{
    char host[OVL_TCP_HOST];
    struct ovl_tcp_hosts mine;
    if (!make_network(networks[_i].made))
        return;
    ck_assert_int_eq(ovl_tcp_hosts(&mine, 1, "", &err), 0);
    ovl_tcp_host_of(host, &mine, NULL, 0);
    ck_assert_str_eq(host, networks[_i].host);
    ck_assert_int_eq(ovl_tcp_hosts(&mine, 1, "none0", &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "no interface none0 with an address here; there: "));
}

enum { MACHINES = 3 };

/* Of each machine its addresses, the best by itself first, with the bits of the network, and `r` where the default
   route goes; and the address at which others should reach it. */
static const struct {
    const char *machine[MACHINES], *host[MACHINES];
} sites[] = {
    /* One network. */
    {{"10.1.0.1/24r", "10.1.0.2/24r", "10.1.0.3/24r"}, {"10.1.0.1", "10.1.0.2", "10.1.0.3"}},
    /* The default route of virtual machines leads into a network that each has for itself. */
    {{"10.0.2.15/24r 192.168.56.11/24", "10.0.2.15/24r 192.168.56.12/24", "10.0.2.15/24r 192.168.56.13/24"},
     {"192.168.56.11", "192.168.56.12", "192.168.56.13"}},
    /* No default route: a network that one machine has not, and one that all have. */
    {{"10.7.0.1/16 10.1.0.1/24", "10.7.0.2/16 10.1.0.2/24", "10.1.0.3/24 172.17.0.1/16"},
     {"10.1.0.1", "10.1.0.2", "10.1.0.3"}},
    /* Bridges of containers have one address everywhere. */
    {{"172.17.0.1/16 2001:db8:1::1/64", "172.17.0.1/16 2001:db8:1::2/64", "2001:db8:1::3/64"},
     {"2001:db8:1::1", "2001:db8:1::2", "2001:db8:1::3"}},
    /* Networks that a router joins: the default route, though two of them have another network in common. */
    {{"10.1.0.1/24r 192.168.0.1/24", "10.2.0.1/24r 192.168.0.2/24", "10.3.0.1/24r"},
     {"10.1.0.1", "10.2.0.1", "10.3.0.1"}},
    /* Nothing else is there; and nothing at all. */
    {{"10.0.2.15/24r", "10.0.2.15/24r", ""}, {"10.0.2.15", "10.0.2.15", "127.0.0.1"}},
};

static void read_hosts(struct ovl_tcp_hosts *to, const char *text)
{
    char address[OVL_TCP_HOST];
    int k = 0, bits, length;
    for (; sscanf(text, "%45[^/]/%d%n", address, &bits, &length) == 2; k++) {
        struct ovl_tcp_one_host *h = &to->at[k];
        bool ip6 = strchr(address, ':');
        memset(h->bytes + 10, ip6 ? 0 : 0xff, 2);
        ck_assert_int_eq(inet_pton(ip6 ? AF_INET6 : AF_INET, address, h->bytes + (ip6 ? 0 : 12)), 1);
        text += length;
        h->prefix = (uint8_t)(bits + (ip6 ? 0 : 96));
        h->worth = (uint8_t)(OVL_TCP_HOSTS - k);
        h->routed = *text == 'r';
        text += h->routed;
        text += *text == ' ';
    }
}

LOOP_TEST(the_address_that_all_of_a_job_reach, 0, (int)(sizeof sites / sizeof *sites))
{
    struct ovl_tcp_hosts all[2 * MACHINES] = {{.place = 0}};
    for (int m = 0; m < 2 * MACHINES; m++) { /* two workers on each */
        all[m].place = (uint64_t)(1 + m % MACHINES);
        read_hosts(&all[m], sites[_i].machine[m % MACHINES]);
    }
    for (int m = 0; m < 2 * MACHINES; m++) {
        char host[OVL_TCP_HOST];
        ovl_tcp_host_of(host, &all[m], all, 2 * MACHINES);
        ck_assert_str_eq(host, sites[_i].host[m % MACHINES]);
    }
}
