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

/* Operations of a rank that may be outstanding, and so also the length of its ring: a ring entry is free once the
   worker has copied it out, and a command not yet copied out is outstanding, so the ring is never full. */
enum { OVL_SLOTS = 64, OVL_LINE = 64 };

enum ovl_command_kind {
    OVL_COMMAND_OPERATION,
    OVL_COMMAND_ATTACH, /* a team: argument area holds the members */
    OVL_COMMAND_DETACH,
    OVL_COMMAND_MAP, /* memory of the rank: argument area holds a name */
    OVL_COMMAND_UNMAP,
    OVL_COMMAND_PROBE, /* read `bytes` at `send` and write them at `recv`, to see whether it can be done */
    OVL_COMMAND_LEAVE, /* the rank needs this worker no more */
};

enum { OVL_COMMAND_IN_PLACE = 1, OVL_COMMAND_STAGED = 2 };

/* One line of memory. A raddr names memory of the rank: the region in the upper 16 bits, the offset in it below; region
   0 is the rank's whole address space. `sequence` is written last, released, and counts the rank's commands to this
   worker from 1. */
struct ovl_command {
    uint8_t kind, operation, dtype, redop;
    uint8_t flags, slot;
    uint16_t team;  /* the rank's own number for it */
    int32_t root;   /* of an operation; MAP and UNMAP: the region */
    uint32_t ranks; /* ATTACH: size of the team; `rank` is the rank's number in it */
    uint64_t rank;
    uint64_t bytes;
    uint64_t send, recv; /* raddrs; of ATTACH the team's id */
    _Atomic uint64_t sequence;
    uint64_t unused;
};

_Static_assert(sizeof(struct ovl_command) == OVL_LINE, "a command is one line");

enum { OVL_RADDR_SHIFT = 48 };

static inline uint64_t ovl_raddr(unsigned region, uint64_t offset)
{
    return (uint64_t)region << OVL_RADDR_SHIFT | offset;
}

struct ovl_completion {
    _Alignas(OVL_LINE) _Atomic uint64_t done; /* sequence of the last command that completed here */
    int32_t result;                           /* of it: 0 or an errno */
};

/* Between one rank and one worker. All in it is an index or an offset: the two map it at different addresses. */
struct ovl_cmdq {
    int32_t rank, pid;                                 /* of the rank */
    uint32_t arg_ints;                                 /* in each argument area: four per rank, and room for a name */
    _Alignas(OVL_LINE) _Atomic uint32_t may_park;      /* 1: as far as this rank goes, the worker may sleep */
    _Alignas(OVL_LINE) _Atomic uint32_t rank_sleeping; /* 1: the rank sleeps on this word until something completes */
    _Alignas(OVL_LINE) _Atomic uint64_t operations;    /* proof: completed, and their payload in bytes */
    _Atomic uint64_t bytes;
    _Alignas(OVL_LINE) struct ovl_command ring[OVL_SLOTS];
    struct ovl_completion slot[OVL_SLOTS];
    int32_t args[]; /* one per slot: counts and displacements of v-forms, members of teams, names */
};

static inline int32_t *ovl_cmdq_args(struct ovl_cmdq *s, unsigned slot)
{
    return s->args + (size_t)slot * s->arg_ints;
}

/* Bytes of a command queue for a job of that many ranks, a multiple of a page. */
size_t ovl_cmdq_bytes(int ranks);
/* The size before it is rounded up to pages: the same at both ends, even where page sizes differ. */
size_t ovl_cmdq_plain_bytes(int ranks);
/* Zeroed memory becomes a command queue. */
void ovl_cmdq_init(struct ovl_cmdq *s, int rank, int ranks);

struct ovl_ep;

/* At the worker: the command of that slot and sequence has completed, with 0 or an errno. The rank sees it at once, and
   is woken if it sleeps. `endpoint` to the rank, or NULL where the command queue is shared. */
void ovl_cmdq_complete(struct ovl_cmdq *s, struct ovl_ep *ep, unsigned slot, uint64_t sequence, int result);

enum ovl_worker_state {
    OVL_WORKER_RUNNING,
    OVL_WORKER_PARKED,
    OVL_WORKER_SLEEP_SHORT,
    OVL_WORKER_SLEEP_LONG,
    OVL_WORKER_WAKING
};

/* What a worker shows to all its ranks, and the word on which it sleeps (futex): PARKED while all of them let it,
   SLEEP_SHORT for a moment between two looks, SLEEP_LONG for longer. To wake the worker, a rank first changes a word
   that the worker checks (may_park, rank_sleeping, or a command in its ring). Then, if state is PARKED, SLEEP_SHORT or
   SLEEP_LONG, the rank sets it to WAKING and calls futex wake. The worker sets RUNNING when it is awake. The worker
   sets its sleeping state first and checks those words again before it sleeps, so no wake-up is lost. */
struct ovl_worker_status {
    _Alignas(OVL_LINE) _Atomic uint32_t state;
    _Alignas(OVL_LINE) _Atomic uint32_t doorbell;  /* commands in rings of ranks that are not its own */
    _Alignas(OVL_LINE) _Atomic uint64_t heartbeat; /* turns of its loop */
    _Atomic int32_t unresponsive;                  /* another worker that no longer answers, or -1 */
    _Atomic uint32_t fault;                        /* 1: `text` says why this worker gave up */
    int32_t pid;                                   /* 0: not known */
    char text[256];
};

size_t ovl_status_bytes(void);
void ovl_status_init(struct ovl_worker_status *b);

/* Memory that other processes of the machine can map by name. The name goes when ovl_shared_unlink is called, the
   memory with the last mapping. */
struct ovl_shared {
    char name[64]; /* of a file in /dev/shm */
    void *base;
    size_t bytes;
};

/* Reserves and maps `bytes`, zeroed: -1 and OVL_ENVIRONMENT where /dev/shm is too small or not writable. */
int ovl_shared_create(struct ovl_shared *s, size_t bytes, struct ovl_error *err);
int ovl_shared_open(struct ovl_shared *s, const char *name, struct ovl_error *err);
void ovl_shared_unlink(const struct ovl_shared *s);
void ovl_shared_close(struct ovl_shared *s);

#endif
