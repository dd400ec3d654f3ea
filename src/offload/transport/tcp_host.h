/* At which of its addresses other machines reach this one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_TRANSPORT_TCP_HOST_H
#define OVL_OFFLOAD_TRANSPORT_TCP_HOST_H

#include "base/error.h"

enum { OVL_TCP_HOST = 46 }; /* room for any numeric address */

/* The first address of `interface`; with "" of the one that the default route takes, of IPv4 or else of IPv6, else of
   the first that is up and is no loopback, rather one that runs and is no bridge, else 127.0.0.1. IPv4 goes before
   IPv6, whose link-local addresses are left out. -1 and OVL_USAGE where there is no such interface, or it has no
   address: the text names those that have. */
int ovl_tcp_host(char host[OVL_TCP_HOST], const char *interface, struct ovl_error *err);

#endif
