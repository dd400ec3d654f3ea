/* What a rank and a worker share: a ring of commands, completion slots, and a status page on which the worker shows
 * itself.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_MEM_CMDQ_H
#define OVL_OFFLOAD_MEM_CMDQ_H

#include "base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The orders that hold on any processor, and are all that is relied on:

   a command     its fields and arguments, then `sequence`, released; the worker acquires that before it reads them
   a completion  data and `result`, then `done`, released; the rank acquires that before it reads them
   a rank sleeps it exchanges rank_sleeping for 1, then looks at `done`, then sleeps while the word is 1; the worker
                 releases `done`, then exchanges the word for 0 and wakes who had put 1 there. Of two exchanges one is
                 the first: is it the worker's, the rank's acquires what it released, and sees `done`; is it the rank's,
                 the worker reads 1
   a worker      it stores its state, then looks at rings, doorbell and may_park, then sleeps while the state stands; a
   sleeps, parks rank stores one of these, then looks at the state. All four are sequentially consistent: one of the two
                 sees the other

   tests/unit/test_memory_order.c plays them in all ways in which processors of weakly ordered memory may, and shows
   that each is needed. What is counted for proof and shown on the status page besides is one word each, of no order. */

/* Commands of a rank that may be outstanding, in the queue and with more slots than that, and those that the worker
   need not have copied out yet: it copies them out whatever else it has to do, so a rank waits for that at most as long
   as the worker's turn lasts. */
enum { OVL_SLOTS = 512, OVL_MOST_SLOTS = 1 << 16, OVL_RING = 64, OVL_LINE = 64, OVL_BRIEF_BYTES = 128, OVL_AREAS = 64 };

enum ovl_command_kind {
    OVL_COMMAND_OPERATION,
    OVL_COMMAND_ATTACH, /* a team: the arguments are its members */
    OVL_COMMAND_DETACH,
    OVL_COMMAND_MAP, /* memory of the rank: handed over by the socket, or the argument is its key */
    OVL_COMMAND_UNMAP,
    OVL_COMMAND_PROBE, /* read `bytes` at `send` and write them at `recv`, to see whether it can be done */
    OVL_COMMAND_LEAVE, /* the rank needs this worker no more */
};

/* BRIEF: the send buffer's data are the slot's brief arguments. OWN: the rank has copied the block that it has for
   itself from the send buffer to the receive buffer. SLOTS: what is mapped are the slots from OVL_SLOTS on, which stay
   as long as the rank does. */
enum {
    OVL_COMMAND_IN_PLACE = 1,
    OVL_COMMAND_STAGED = 2,
    OVL_COMMAND_BRIEF = 4,
    OVL_COMMAND_OWN = 8,
    OVL_COMMAND_SLOTS = 16
};

/* One line of memory. A raddr names memory of the rank: the region in the upper 16 bits, the offset in it below; region
   0 is the rank's whole address space. `sequence` is written last, released, and counts the rank's commands to this
   worker from 1. */
struct ovl_command {
    uint8_t kind, operation, dtype, redop;
    uint8_t flags, area; /* area: of arguments, from 1 on; 0: the slot's brief arguments */
    uint16_t team;       /* the rank's own number for it */
    int32_t root;        /* of an operation, of a pair whom is sent to; MAP and UNMAP: the region */
    uint32_t ranks;      /* ATTACH: size of the team */
    uint64_t rank; /* ATTACH: the rank's number in it; of a pair: bytes that are received; IALLREDUCE_SZX: its bound */
    uint64_t bytes;
    uint64_t send, recv; /* raddrs; of ATTACH the team's id */
    int32_t from;        /* of a pair: who is received from */
    uint16_t algorithm;  /* 1 + its place in the table; 0: the table chooses */
    uint16_t slot;
    _Atomic uint64_t sequence;
};

_Static_assert(sizeof(struct ovl_command) == OVL_LINE, "a command is one line");

enum { OVL_RADDR_SHIFT = 48 };

static inline uint64_t ovl_raddr(unsigned region, uint64_t offset)
{
    return (uint64_t)region << OVL_RADDR_SHIFT | offset;
}

struct ovl_completion {
    _Atomic uint64_t done; /* sequence of the last command that completed here */
    int64_t result;        /* of that command: 0 or an errno */
};

/* What a rank hands over as more slots. */
enum { OVL_MORE_SLOTS_BYTES = (OVL_MOST_SLOTS - OVL_SLOTS) * sizeof(struct ovl_completion) };

/* Between one rank and one worker. All in it is an index or an offset: the two map it at different addresses. Arguments
   (counts of v-forms, members of teams, keys) of up to OVL_BRIEF_BYTES have room in each of the first slots, which are
   those that are used where few commands are outstanding. Others go to an area, of which there are few where teams are
   large: a rank uses one again when the worker has taken the command, and taking commands waits for nobody. */
struct ovl_cmdq {
    int32_t rank;                                 /* the rank */
    uint32_t areas, area_ints;                    /* argument areas, and ints in each: four for each rank of the job */
    uint64_t area_offset;                         /* bytes from the queue's begin to its first area */
    _Alignas(OVL_LINE) _Atomic uint32_t may_park; /* 1: as far as this rank goes, the worker may sleep */
    _Alignas(OVL_LINE) _Atomic uint32_t rank_sleeping; /* 1: the rank sleeps on this word until something completes */
    _Atomic uint32_t ends_job;                         /* 1: the rank ends the job, and has said why */
    _Alignas(OVL_LINE) _Atomic uint64_t operations;    /* proof: completed, and their payload in bytes */
    _Atomic uint64_t bytes;
    _Alignas(OVL_LINE) _Atomic uint64_t taken; /* sequence of the last command that the worker has taken; by an endpoint
                                                  it may be an earlier one, but of one with an area */
    _Alignas(OVL_LINE) struct ovl_command ring[OVL_RING];
    struct ovl_completion slot[OVL_SLOTS];
    char brief[OVL_RING][OVL_BRIEF_BYTES];
};

/* Of a slot below OVL_RING. */
static inline char *ovl_cmdq_brief(struct ovl_cmdq *s, unsigned slot)
{
    return s->brief[slot % OVL_RING];
}

/* Area `number` counts from 1. */
static inline int32_t *ovl_cmdq_area(struct ovl_cmdq *s, unsigned number)
{
    return (int32_t *)(void *)((char *)s + s->area_offset) + (size_t)(number - 1) * s->area_ints;
}

/* What goes with a command. */
static inline void *ovl_cmdq_args(struct ovl_cmdq *s, const struct ovl_command *c)
{
    return c->area && c->area <= s->areas ? (void *)ovl_cmdq_area(s, c->area) : ovl_cmdq_brief(s, c->slot);
}

/* Bytes of a command queue without areas, a multiple of a line; and of the areas for a job of that many ranks. */
size_t ovl_cmdq_bytes(void);
size_t ovl_cmdq_area_bytes(int ranks);
/* Zeroed memory becomes a command queue. */
void ovl_cmdq_init(struct ovl_cmdq *s, int rank);
/* Gives it areas: zeroed memory `offset` behind it, a multiple of a line. */
void ovl_cmdq_add_areas(struct ovl_cmdq *s, int ranks, size_t offset);

/* What a rank shares with the `workers` of its node: a queue for each, in the order of their numbers, and behind them
   the areas of its own worker's, the queue number `own`. Bytes of it; zeroed memory becomes it; one of its queues. */
size_t ovl_cmdq_set_bytes(int workers, int ranks);
void ovl_cmdq_set_init(void *set, int workers, int own, int rank, int ranks);
struct ovl_cmdq *ovl_cmdq_of_set(void *set, int number);

struct ovl_ep;

/* At the worker: the command of that sequence, whose slot `at` is, has completed, with 0 or an errno. The rank sees it
   at once, and is woken if it sleeps. `ep` to the rank, or NULL where the command queue is shared. */
void ovl_cmdq_complete(struct ovl_cmdq *s, struct ovl_ep *ep, struct ovl_completion *at, uint64_t sequence, int result);

enum ovl_worker_state {
    OVL_WORKER_RUNNING,
    OVL_WORKER_PARKED,
    OVL_WORKER_SLEEP_SHORT,
    OVL_WORKER_SLEEP_LONG,
    OVL_WORKER_LISTENS,
    OVL_WORKER_WAKING
};

/* GAVE_UP: the ranks end the job, and say so. LOST: some process has ended, and a worker ends the job. */
enum ovl_fault { OVL_FAULT_NONE, OVL_FAULT_GAVE_UP, OVL_FAULT_LOST };

/* The most that a worker has held at once, of what is bounded, and of control messages that came before their time. */
enum ovl_high_water {
    OVL_HIGH_WATER_SENDS,
    OVL_HIGH_WATER_RECEIVES,
    OVL_HIGH_WATER_SEND_BUFFERS,
    OVL_HIGH_WATER_RECEIVE_BUFFERS,
    OVL_HIGH_WATER_TAGS,
    OVL_HIGH_WATER_EARLY,
    OVL_HIGH_WATERS
};

/* What a worker shows to all its ranks, and the word on which it sleeps (futex): PARKED while all of them let it,
   SLEEP_SHORT for a moment between two looks, SLEEP_LONG for longer. One that LISTENS sleeps on no word: what comes of
   other workers wakes it, and its ranks do by the bell (bell.h). To wake the worker, a rank first changes a word
   that the worker checks (may_park, rank_sleeping, or a command in its ring). Then, if state is PARKED, SLEEP_SHORT,
   SLEEP_LONG or LISTENS, the rank sets it to WAKING and calls futex wake, or rings. The worker sets RUNNING when it is
   awake. The worker sets its sleeping state first and checks those words again before it sleeps, so no wake-up is lost.
 */
struct ovl_worker_status {
    _Alignas(OVL_LINE) _Atomic uint32_t state;
    _Alignas(OVL_LINE) _Atomic uint32_t doorbell;  /* commands in rings of ranks that are not its own */
    _Alignas(OVL_LINE) _Atomic uint64_t heartbeat; /* turns of its loop */
    _Atomic int32_t unresponsive;                  /* another worker that no longer answers, or -1 */
    _Atomic uint32_t fault;                        /* enum ovl_fault: `text` says why this worker gave up */
    _Atomic uint32_t end_reported;                 /* 1: a rank has said that this worker is lost */
    _Atomic uint32_t parks;                        /* how often it has parked with leave of all its ranks */
    _Atomic uint32_t high_water[OVL_HIGH_WATERS];
    char text[256];
};

size_t ovl_status_bytes(void);
void ovl_status_init(struct ovl_worker_status *b);

#endif
