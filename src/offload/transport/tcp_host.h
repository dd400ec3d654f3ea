/* At which of its addresses other machines reach this one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_TRANSPORT_TCP_HOST_H
#define OVL_OFFLOAD_TRANSPORT_TCP_HOST_H

#include "base/error.h"

#include <stdint.h>

enum { OVL_TCP_HOST = 46 /* room for any numeric address */, OVL_TCP_HOSTS = 8 };

/* Addresses of a machine, the best by itself first; plain bytes, which may be sent as they are. */
struct ovl_tcp_hosts {
    uint64_t place; /* the same number where the addresses are those of one network namespace */
    struct ovl_tcp_one_host {
        uint8_t bytes[16]; /* those of IPv4 in IPv6's form, ::ffff:a.b.c.d */
        uint8_t prefix;    /* bits of it that all in its network have */
        uint8_t worth;     /* 0: there is no more */
        uint8_t routed;    /* the default route goes there */
    } at[OVL_TCP_HOSTS];
};

/* The addresses of `interface`, or with "" of all: first of the one that the default route takes, of IPv4 or else of
   IPv6, then of those that are no loopback, rather one that runs and is no bridge. IPv4 goes before IPv6, whose
   link-local addresses are left out. `machine` is the same number at processes under one kernel. -1 and OVL_USAGE where
   there is no such interface, or it has no address: the text names those that have. */
int ovl_tcp_hosts(struct ovl_tcp_hosts *mine, uint64_t machine, const char *interface, struct ovl_error *err);

/* The one of `mine` at which the others best reach it, as text; `all`, of `count` machines, may have `mine` among them.
   An address that another machine has, too, as those of container bridges and of virtual machines' own networks are, is
   the last resort; then that of the default route is best, then that of the network that most of the others are in,
   then the first. 127.0.0.1 where there is none. */
void ovl_tcp_host_of(char host[OVL_TCP_HOST], const struct ovl_tcp_hosts *mine, const struct ovl_tcp_hosts *all,
                     size_t count);

#endif
