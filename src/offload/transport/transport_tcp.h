/* Workers that reach each other by TCP, without MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_TRANSPORT_TRANSPORT_TCP_H
#define OVL_OFFLOAD_TRANSPORT_TRANSPORT_TCP_H

#include "offload/transport/tcp_join.h"
#include "offload/transport/transport.h"

/* Takes over the connections of ovl_tcp_join (the array stays the caller's). A worker that is gone without goodbye is
   lost: control messages and data for it are refused with -1, and those on their way never end. */
int ovl_transport_tcp_open(struct ovl_transport *t, int (*fds)[OVL_TCP_STREAMS], int count, int index,
                           struct ovl_error *err);

/* Says goodbye: sends what is left and reads until all others have said so too, or are lost, or `seconds` have gone by.
   With 0 it only closes, and is lost to the others: for who has not done his part. */
void ovl_transport_tcp_close(struct ovl_transport *t, double seconds);

#endif
