/* At which address other machines reach this one, in networks made for it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/transport/tcp_host.h"
#include "tests/unit/test.h"

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
    if (!make_network(networks[_i].made))
        return;
    ck_assert_int_eq(ovl_tcp_host(host, "", &err), 0);
    ck_assert_str_eq(host, networks[_i].host);
}
