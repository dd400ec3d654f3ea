/* What will happen, in order of time: a binary heap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_SIMULATE_EVENT_H
#define OVL_SIMULATE_EVENT_H

#include <stddef.h>
#include <stdint.h>

struct ovl_sim_op;

enum ovl_sim_kind {
    /* Of a rank of the job. */
    OVL_SIM_GO_ON, /* has computed, or what it waits for has ended */
    /* What a mover looks at, of the step of an operation's member; `other` is the number of the peer's step. */
    OVL_SIM_ASKED, /* a large message wants to come: the receiving step */
    OVL_SIM_MAY,   /* it may: the sending step */
    OVL_SIM_SENT,  /* it has left, which a large one waits for: the sending step */
    OVL_SIM_DATA,  /* a message is here: the receiving step */
    /* Of links, of the sending step. */
    OVL_SIM_OUT, /* comes to the sender's */
    OVL_SIM_IN,  /* to the receiver's */
};

struct ovl_sim_event {
    double time;
    uint64_t number;       /* of those of one time and tie the one that was added first is first */
    struct ovl_sim_op *op; /* whose member `rank` is; NULL: a rank of the job */
    uint32_t tie;          /* of those of one time the lesser is first */
    int rank;
    uint32_t step, other;
    enum ovl_sim_kind kind;
};

/* Begin with a zeroed one; ovl_sim_events_free ends it. */
struct ovl_sim_events {
    struct ovl_sim_event *event;
    size_t count, room;
    uint64_t added;
};

/* Its number is set here. Without memory the process ends. */
void ovl_sim_events_add(struct ovl_sim_events *events, struct ovl_sim_event event);
/* The first of them, of which there is one at least. */
struct ovl_sim_event ovl_sim_events_take(struct ovl_sim_events *events);
void ovl_sim_events_free(struct ovl_sim_events *events);

#endif
