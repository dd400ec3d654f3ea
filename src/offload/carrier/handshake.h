/* What a carrier and those on its machine tell each other before the work begins. Both are of one version: the first
 * message says so. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_CARRIER_HANDSHAKE_H
#define OVL_OFFLOAD_CARRIER_HANDSHAKE_H

#include "offload/carrier/carrier.h"

enum { OVL_CARRIER_FD = 3 }; /* of the carrier's socket to the process that started it */

/* To the carrier, first. */
struct ovl_carrier_hello {
    uint32_t abi; /* OVL_ABI_VERSION */
    char host[48];
    cpu_set_t cpus;
};

/* Its reply. */
struct ovl_carrier_reply {
    struct ovl_error err; /* OVL_OK: all is well */
    struct ovl_carrier_address address;
};

/* To the carrier, second; all addresses and all peers follow. */
struct ovl_carrier_job_msg {
    int32_t number, ranks, carriers, idle, high, unused; /* which fills a hole: all bytes are sent */
    double slowdown, timeout;
    uint64_t memory;
};

/* A rank that has come to its carrier gets its status page, or a struct ovl_error. */

/* Of a stream socket, which may be non-blocking: all bytes, or -1 with errno (EPIPE: the other end is gone) when the
   time is over, ETIMEDOUT. */
int ovl_timed_write(int socket, const void *from, size_t bytes, double seconds);
int ovl_timed_read(int socket, void *to, size_t bytes, double seconds);

/* Waits until a descriptor may be read or is hung up; false when the time is over. */
bool ovl_timed_wait(int socket, double seconds);

#endif
