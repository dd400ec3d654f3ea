/* The events of a training step at one rank, in order: what it computes, which operations it posts and waits for. A
   strategy makes them from a model (strategy.h); steps.h makes a plan of them. Pure data: no MPI, no time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_EVENTS_H
#define OVL_APPS_TRAIN_STRATEGY_EVENTS_H

#include "apps/train/moe/routes.h"
#include "apps/train/values/numbers.h"
#include "offload/coll/operation.h"

#include <stdbool.h>
#include <stddef.h>

enum ovl_event_kind { OVL_EVENT_COMPUTE, OVL_EVENT_POST, OVL_EVENT_WAIT, OVL_EVENT_STEP };
enum ovl_event_work { OVL_EVENT_FORWARD, OVL_EVENT_BACKWARD, OVL_EVENT_UPDATE };

/* Kinds of teams: a rank is in one team of each kind at most. The edges of a pipeline are teams of two, for each
   direction; edges that share a stage differ in kind: by the lower stage, and from the last stage round to the first.
 */
enum ovl_train_axis {
    OVL_AXIS_OF_ALL,
    OVL_AXIS_TENSOR, /* those who share the work of a layer */
    OVL_AXIS_DATA,   /* the replicas of a rank, or of its experts */
    OVL_AXIS_EXPERT, /* those who share out the experts */
    OVL_AXIS_FORTH_EVEN,
    OVL_AXIS_FORTH_ODD,
    OVL_AXIS_FORTH_ROUND,
    OVL_AXIS_BACK_EVEN,
    OVL_AXIS_BACK_ODD,
    OVL_AXIS_BACK_ROUND,
    OVL_AXIS_TIED, /* the two stages that have the same weights */
    OVL_TRAIN_AXES
};

/* Ranks first, first + stride, ... */
struct ovl_train_team {
    enum ovl_train_axis axis;
    int first, ranks, stride;
};

static inline int ovl_train_member(const struct ovl_train_team *team, int place)
{
    return team->first + place * team->stride;
}

struct ovl_event {
    enum ovl_event_kind kind;

    /* COMPUTE */
    enum ovl_event_work work;
    double macs;            /* multiply-adds */
    int first_layer;        /* of the model, where whole layers are computed: not by tp and moe */
    int layers;             /* 1 or more: test calls stand between them */
    int makes, makes_count; /* ids of the operations whose data it fills */
    int takes, takes_count; /* ids of operations whose result it reads; where it does both, as many */
    bool bulk; /* nobody waits for it but events behind it that say so: it fills waits from its place on, in order */
    int after; /* of others: pieces of bulk work, from the first one of the list on, that must have been done before */

    /* POST */
    enum ovl_operation operation;
    enum ovl_numbers_of of;
    double bytes;  /* given to the library: the whole vector; of all-to-all all blocks; of a pair the message */
    double number; /* of gradients and parameters: the first one's place among the model's */
    struct ovl_train_team team;
    int to, from; /* of a pair: places in the team, or -1 */
    int sequence; /* sequence number among this rank's operations on that team */

    /* POST of tokens, whose bytes are those that this rank sends; NULL of others */
    const struct ovl_moe_route *route; /* of the events' */
    bool returns;                      /* from the experts back */
    int answers;                       /* then the id of the operation that brought the tokens */
    double token_bytes;

    int id, slot; /* POST, WAIT: number of the operation at this rank, from 0 */
};

enum { OVL_TRAIN_SLOTS = 64 };

struct ovl_events {
    struct ovl_event *list;
    size_t count, room;
    int *posted_at; /* [ids]: the number of the event */
    int ids, id_room, bulks;
    struct ovl_moe_routes *routes; /* of tokens; NULL without */
    struct ovl_moe_counts *counts; /* of the caller, or NULL: the first build draws them, and routes have no copies */
    int slots[OVL_TRAIN_SLOTS];    /* the id in each, or -1 */
    int sequences[OVL_TRAIN_AXES];
};

void ovl_events_open(struct ovl_events *e);
void ovl_events_close(struct ovl_events *e);
/* Takes all events out. */
void ovl_events_clear(struct ovl_events *e);

/* Work between posts, whose `layers` may be 0 for 1. */
void ovl_events_compute(struct ovl_events *e, struct ovl_event event);

/* The same for which the next events do not wait, such as gradients of weights (Qi et al., Zero Bubble Pipeline
   Parallelism, 2023). It fills no operation's data: who sends what it made is `after` it. */
void ovl_events_bulk(struct ovl_events *e, struct ovl_event event);

/* The id of the next post. */
static inline int ovl_events_next(const struct ovl_events *e)
{
    return e->ids;
}

/* Begins an operation; `event` has operation, bytes and team, of a pair to and from. Where all slots are taken, the
   oldest operation is waited for first. Returns its id. */
int ovl_events_post(struct ovl_events *e, struct ovl_event event);

/* Of an operation that was waited for already: nothing. */
void ovl_events_wait(struct ovl_events *e, int id);
void ovl_events_wait_all(struct ovl_events *e);

/* The end of the training step; everything must have been waited for. */
void ovl_events_step(struct ovl_events *e);

/* The bytes that a ring of that many ranks would send for it, as nccl-tests counts them for its bus bandwidth: of
   allreduce 2 (n - 1) / n of its bytes, of a pair all, of others (n - 1) / n. */
double ovl_event_bus_bytes(const struct ovl_event *post);

#endif
