/* How workers that only know each other's addresses join: a pair of TCP connections between every two of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_TRANSPORT_TCP_JOIN_H
#define OVL_OFFLOAD_TRANSPORT_TCP_JOIN_H

#include "base/error.h"

#include <stdint.h>

/* Where a worker listens, for the roster that all workers get: plain bytes, which may be sent as they are between
   machines of one byte order. Whoever does not bring the cookie is a stranger. */
struct ovl_tcp_address {
    char host[46]; /* a numeric address, IPv4 or IPv6 */
    uint16_t port;
    uint8_t cookie[16];
};

/* The two connections of a pair. */
enum ovl_tcp_stream { OVL_TCP_CTRL, OVL_TCP_DATA, OVL_TCP_STREAMS };

/* Listens at a free port of `host`, a numeric address of this machine. Returns the listener, which the caller closes,
   and fills *mine; -1 where the address is not of this machine. */
int ovl_tcp_listen(const char *host, struct ovl_tcp_address *mine, struct ovl_error *err);

/* Joins worker `index` with all others of the roster: it connects to those of lower numbers and meanwhile takes the
   calls of those of higher ones, all within `seconds`. It gives up sooner where one does not answer, or none calls, for
   a third of the time, but at least for 5 s: so long takes a firewall that drops what it does not let through.
   Strangers keep nobody waiting. fds[i] are the connections with worker i, non-blocking and kept alive; -1 for `index`
   itself. The caller closes them, and closes the listener as soon as it has joined: the kernel takes data of whoever
   connects to it. 0, or -1 with none left open: the text names the worker that cannot be reached or did not call, or
   says what this process lacks. */
int ovl_tcp_join(int listener, const struct ovl_tcp_address *roster, int count, int index, double seconds,
                 int (*fds)[OVL_TCP_STREAMS], struct ovl_error *err);

#endif
