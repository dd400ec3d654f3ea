/* Inside the rank's end: waiting with an eye on the worker, and control commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_HOST_WAIT_H
#define OVL_OFFLOAD_HOST_WAIT_H

#include "offload/host.h"

/* Calls `done(of, ticket)` until it is true; `of` is the line where its completions make it so, or its board. -1 when
   the line's worker gave up, or shows no life for h->timeout, or for twice that has another worker named as silent. A
   worker that lives may be waited for without end: its peers may be late. */
int ovl_host_await(struct ovl_host *h, const struct ovl_link *l,
                   bool (*done)(void *of, const struct ovl_ticket *ticket), void *of, const struct ovl_ticket *ticket,
                   struct ovl_error *err);

/* Wakes the worker if it sleeps. The caller has written what the worker looks at before it sleeps, sequentially
   consistent as this is: one of the two sees the other's. */
void ovl_board_wake(struct ovl_board *b);

/* Registers the buffers of a call anew and tells the own worker the keys, ahead of the call itself. */
int ovl_host_renew(struct ovl_host *h, const struct ovl_call *call, struct ovl_error *err);

/* A free slot, or -1 as above. */
int ovl_link_slot(struct ovl_host *h, struct ovl_link *l, struct ovl_error *err);
/* Puts a command into the ring. */
void ovl_link_send(struct ovl_link *l, unsigned slot, const struct ovl_command *command, struct ovl_ticket *ticket);
/* Has the command of that slot and sequence completed? Then the slot is free again. */
bool ovl_link_seen(struct ovl_link *l, unsigned slot, uint64_t sequence);
int ovl_link_wait(struct ovl_host *h, struct ovl_link *l, const struct ovl_ticket *ticket, struct ovl_error *err);

#endif
