/* Inside the rank's end: waiting with an eye on the worker, and control commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_CLIENT_CLIENT_WAIT_H
#define OVL_OFFLOAD_CLIENT_CLIENT_WAIT_H

#include "offload/client/client_extent.h"

/* Calls `done(of, request)` until it is true; `of` is the line where its completions make it so, or its status page. -1
   when the line's worker gave up, or shows no life for h->timeout, or for twice that has another worker named as
   silent. A worker that lives may be waited for without end: its peers may be late. */
int ovl_client_wait_for(struct ovl_client_ctx *h, const struct ovl_worker_conn *l,
                        bool (*done)(void *of, const struct ovl_request *request), void *of,
                        const struct ovl_request *request, struct ovl_error *err);

/* Wakes the worker if it sleeps. The caller has written what the worker looks at before it sleeps, sequentially
   consistent as this is: one of the two sees the other's. */
void ovl_worker_wakeup(const struct ovl_worker_conn *l);

/* Does it sleep so that whoever has something for it must ring? Where it sleeps for a moment it will see that soon. */
static inline bool ovl_worker_waits_for_bell(const struct ovl_worker_conn *l)
{
    uint32_t state = atomic_load(&l->status->state);
    return state == OVL_WORKER_SLEEP_LONG || state == OVL_WORKER_LISTENS;
}

/* Registers the buffers of a call, in the cold anew, and tells the own worker the keys, ahead of the call itself;
   memory that another operation under way uses stays as it is. Of others no more stay registered than h->registrations.
   `region`: the numbers of both buffers' regions, 0 where there is none. */
int ovl_client_reregister(struct ovl_client_ctx *h, const struct ovl_coll_args *call, const struct ovl_extents *extents,
                          unsigned region[2], struct ovl_error *err);

/* Workers are told of a promised region, or it is one of the rank's own memory from now on. */
void ovl_client_keep_promise(struct ovl_client_ctx *h, struct ovl_region *region);

/* The command by which a worker learns of a region, and of its key; the region's name goes with it. */
static inline struct ovl_command ovl_client_map_command(const struct ovl_region *region)
{
    return (struct ovl_command){
        .kind = OVL_COMMAND_MAP,
        .root = (int32_t)region->number,
        .bytes = region->shared.bytes,
        .send = (uintptr_t)region->shared.base,
    };
}

/* A number for a region, or 0: all are taken. */
unsigned ovl_client_alloc_region(struct ovl_client_ctx *h);

/* Would the next command neither wait for a slot nor for room in the ring? */
bool ovl_conn_is_ready(struct ovl_worker_conn *l);
static inline struct ovl_completion *ovl_conn_completion(const struct ovl_worker_conn *l, unsigned slot)
{
    return slot < OVL_SLOTS ? &l->cmdq->slot[slot]
                            : (struct ovl_completion *)l->more->region.shared.base + (slot - OVL_SLOTS);
}

/* A free slot, and room in the ring; or -1 as above. */
int ovl_conn_get_slot(struct ovl_client_ctx *h, struct ovl_worker_conn *l, struct ovl_error *err);
/* Room for so many bytes of arguments of a command in that slot: c->slot and c->area say where, which is returned.
   Waits where all areas hold commands that the worker has not taken; NULL as -1 above. */
void *ovl_conn_get_args(struct ovl_client_ctx *h, struct ovl_worker_conn *l, unsigned slot, size_t bytes,
                        struct ovl_command *c, struct ovl_error *err);
/* Posts a command with its arguments, and does not wait for its answer. */
int ovl_conn_send(struct ovl_client_ctx *h, struct ovl_worker_conn *l, struct ovl_command *c, const void *args,
                  size_t bytes, struct ovl_request *request, struct ovl_error *err);
/* Puts a command into the ring. */
void ovl_conn_post(struct ovl_worker_conn *l, unsigned slot, const struct ovl_command *command,
                   struct ovl_request *request);
/* Has the command of that slot and sequence completed? Then the slot is free again. */
bool ovl_conn_test(struct ovl_worker_conn *l, unsigned slot, uint64_t sequence);
int ovl_conn_wait(struct ovl_client_ctx *h, struct ovl_worker_conn *l, const struct ovl_request *request,
                  struct ovl_error *err);
/* Sends one command to one worker, which it wakes, and waits for its answer: 0 or an errno, -1 when there is none. */
int ovl_conn_ask(struct ovl_client_ctx *h, struct ovl_worker_conn *l, const struct ovl_command *command,
                 const void *args, size_t bytes, struct ovl_error *err);

#endif
