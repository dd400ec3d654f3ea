/* How workers reach each other: MPI (transport_mpi.h); TCP, outside the ranks' job (transport_tcp.h); threads of one
 * process in tests. A peer that is lost is told by no event: the next that is sent to it, or asked of it, is refused.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_TRANSPORT_TRANSPORT_H
#define OVL_OFFLOAD_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names one message of one operation, whoever asks. */
struct ovl_key {
    uint64_t team, sequence;     /* of the operation in the team */
    int32_t source, destination; /* ranks in the team */
    uint32_t tag;                /* of the step */
    uint32_t zero;
};

enum ovl_ctrl_kind {
    OVL_CTRL_EAGER,     /* sender to receiver: the message itself follows */
    OVL_CTRL_RTS,       /* sender to receiver: I have posted; tell me when you have */
    OVL_CTRL_RTS_LOCAL, /* sender to receiver on one node: copy the message from `raddr` of world rank `rank` */
    OVL_CTRL_CTS,    /* receiver to sender: receives are posted up to byte `raddr`, in chunks, with data tag `rank` */
    OVL_CTRL_FIN,    /* receiver to sender: copied */
    OVL_CTRL_CREDIT, /* nothing but its credit */
    OVL_CTRL_PING,   /* do you live? */
    OVL_CTRL_PONG,
    OVL_CTRL_LOST, /* the job ends: the text that follows says who has died */
    OVL_CTRL_KINDS
};

/* What workers tell each other beside the data. */
struct ovl_ctrl_msg {
    uint32_t kind;
    uint32_t credit; /* bytes of eager messages that the receiver of this control message may send again */
    struct ovl_key key;
    uint64_t raddr; /* RTS_LOCAL: address of the message; CTS: bytes of the message that may be sent */
    /* EAGER, RTS, RTS_LOCAL, CTS: bytes of the message and of its operation (ovl_algorithm_measure), as they are where
       this comes from. */
    uint64_t length, whole;
    uint32_t operation;
    uint32_t chunk; /* CTS: bytes of a chunk */
    int32_t rank;   /* RTS_LOCAL: the sending rank; CTS: the data tag */
    uint32_t bytes; /* EAGER, LOST: what follows */
};

enum { OVL_EAGER_BYTES = 16 << 10 }; /* longest eager message */

struct ovl_transport_events {
    /* `payload` is aligned to 8 bytes. */
    void (*on_ctrl)(void *to, int from, const struct ovl_ctrl_msg *msg, const void *payload);
    void (*on_complete)(void *to, void *frag); /* of a send or a receive */
};

/* Does nothing about it: of a worker that has ended. */
extern const struct ovl_transport_events ovl_transport_no_events;

/* Workers are numbered from 0. Nothing waits; -1 with errno ENOMEM, or ENOTCONN where the other side is gone. */
struct ovl_transport {
    void *state;
    int tags; /* data tags are 0 to tags - 1 */
    /* The control message and its payload are copied. Control messages of one worker arrive in the order sent. */
    int (*send_ctrl)(void *state, int to, const struct ovl_ctrl_msg *msg, const void *payload);
    /* `data` stays untouched until `frag` has ended. Of one sender and tag, data arrives in the order sent. */
    int (*send)(void *state, int to, int tag, const void *data, size_t bytes, void *frag);
    int (*receive)(void *state, int from, int tag, void *data, size_t bytes, void *frag);
    /* Calls the events for what arrived and what completed; they may call the hooks above. Returns how many there were.
     */
    int (*poll)(void *state, const struct ovl_transport_events *events, void *to);
    /* Sleeps until there may be something to poll for, a bell that it listens to is rung, or `ns` are over. NULL:
       nothing tells of it. */
    void (*sleep)(void *state, int64_t ns);
    /* From now on a bell (mem/bell.h) ends a sleep, also where it was rung just before. -1: it cannot. NULL as `sleep`.
     */
    int (*listen)(void *state, int bell);
    bool (*quiet)(void *state); /* true when nothing of this worker's is still on its way out */
    /* That worker has said goodbye, and all that it sent has come. NULL: nobody says so. */
    bool (*left)(void *state, int worker);
    /* Gives up all data under way: afterwards its memory may go. No event tells of it. */
    void (*cancel)(void *state);
};

#endif
