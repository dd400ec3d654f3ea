/* How a carrier accepts the ranks of its node: other processes can find its socket, too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_CARRIER_ACCEPT_H
#define OVL_OFFLOAD_CARRIER_ACCEPT_H

#include "offload/carrier/handshake.h"

/* What a carrier holds. */
struct ovl_serving {
    struct ovl_carrier_job_msg job;
    struct ovl_carrier_address *addresses;
    struct ovl_tcp_address *tcp_addresses;
    struct ovl_rank_info *peers;
    int listener,
        local; /* TCP, -1 once all carriers have joined; local socket, 0 once all ranks of the node have come */
    struct ovl_carrier_address mine;
    int node;
    int *sockets;              /* by rank; 0: not of its node */
    struct ovl_shared *queues; /* by rank */
    struct ovl_shared status;
    int bell; /* the worker's */
};

/* Until each rank of the node has handed its queues over: fills sockets and queues, and closes `local`. Who says
   nothing, or what no rank says, keeps nobody waiting. -1 with the rank that did not come within the time, or has
   ended. */
int ovl_serving_accept(struct ovl_serving *c, struct ovl_error *err);

/* Then: each rank gets the status page and the bell, and begins. */
int ovl_serving_welcome(struct ovl_serving *c, struct ovl_error *err);

/* Instead: tells the ranks why this carrier does not serve, those that have come and those that still come. */
void ovl_serving_refuse(struct ovl_serving *c, const struct ovl_error *why);

#endif
