/* The strategies of inference: a row each, which makes the events of a rank from a model, a trace and a few numbers.
   Pure functions: what they say is the same at every rank and in every launch. Events are those of ovl_train
   (apps/train/strategy/events.h), which know nothing of training but the names of work. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_STRATEGY_STRATEGY_H
#define OVL_APPS_SERVE_STRATEGY_STRATEGY_H

#include "apps/serve/batch/batch.h"
#include "apps/serve/strategy/served.h"
#include "apps/serve/trace/trace.h"
#include "apps/train/strategy/events.h"
#include "cli/moe/options.h"

/* What events are made from. */
struct ovl_serve_ask {
    const struct ovl_served *model;
    const struct ovl_request_trace *trace;
    int ranks;
    int nodes; /* that they are on, for what comes in over a link */
    bool continuous;
    int slots;                /* requests at once, at a team or a rank */
    double kv_memory;         /* bytes of keys and values at a rank; 0: as much as is needed */
    int chunk;                /* prompt tokens of an iteration; 0: whole prompts */
    enum ovl_preempt preempt; /* of tp, tier and ep; SWAP of tier alone */
    double kv_bytes;          /* of a number that is kept */
    double packed_bytes;      /* of one on its way, where that is another one; 0 */
    double act_bytes;         /* of one that is summed up */
    /* An iteration of fewer tokens takes as long as one of so many, in which the weights are read meanwhile: a
       roofline's edge (Williams et al., Roofline, 2009), in tokens. */
    double balance;
    bool two;           /* tp: the batch in two halves, one of which computes while the other one's sum travels */
    int prefill;        /* pd: ranks that read prompts, the first ones; the others write; 0: half of them */
    int messages;       /* pd: in which the keys and values of a request go, at most */
    int tiers;          /* tier: ranks that keep, the last ones; 0: half of them */
    int block;          /* tier: tokens whose keys and values are kept together; */
    double tier_memory; /* and bytes that such a rank has for them; 0: as many as are needed */
    struct ovl_moe moe; /* ep: how tokens travel; its experts are the model's; */
    int token_more;     /* and numbers that travel with a token beside its activations */
    bool works;         /* events keep what each iteration works at */
};

enum { OVL_SERVE_PUSHED = 1 << 22 }; /* more than a prompt has blocks */

/* What only serving knows of an event. */
struct ovl_serve_note {
    int iteration; /* of this rank, from 0: those in which it does something */
    bool opens;    /* COMPUTE: the first of its iteration, */
    bool closes;   /* and the last */
    int request;   /* POST: whose keys and values go, */
    int part;      /* and which part of the model's blocks, from 0; of tier: which block of the prompt; of a sum: which
                      one of its iteration */
    bool back;     /* POST: they come back from a tier, which sends them from where they arrived */
    int tokens;    /* POST of tier: of a request that is pushed out, all that it has; 0: a block of a prompt. `part` is
                      then OVL_SERVE_PUSHED and how often it was before; */
    int slot;      /* and the slot that it had */
    int half;      /* ep: of the batch; `part` is the model's block */
};

/* Of a request, what this rank knows: numbers of its iterations, or -1. */
struct ovl_serve_life {
    int begins; /* reads the prompt's first tokens */
    int first;  /* ends with the first token */
    int last;   /* ends with the last token, where there is more than one */
    /* It arrives in this iteration, after that part of it. */
    int arrival;
    double arrival_part;
    /* tier: so many operations, from that id on, bring what its prompt begins with, which this iteration waits for. */
    int fetches, fetch, waits;
};

struct ovl_serve_events {
    bool totals_alone; /* events are counted and not kept, which a long trace needs before it is known to fit */
    struct ovl_serve_totals {
        double steps, posts, bytes, largest; /* bytes of all posts, and of the largest, sent or received */
        double macs;                         /* of all that is computed */
        double routes;                       /* bytes that it takes to know where tokens go, */
        double routed, imbalance; /* how often they go, and the work of the rank with most by the mean, of all */
        bool one_way;             /* a place has what arrives, and is sent from there */
    } totals;
    struct ovl_events events;
    struct ovl_serve_note *notes; /* [events.count] */
    size_t note_room;
    /* Where an operation has its data: operations with one place follow each other. */
    int *place; /* [events.ids] */
    int place_room, places;
    int iterations;
    /* With `works` of what is asked for, but of ranks that read for pd: what each iteration works at, with the numbers
       that requests have in the trace, and where an iteration's begin. */
    struct ovl_batcher_work *works;
    size_t works_count, works_room, *works_at; /* [iterations] */
    struct ovl_serve_life *lives;              /* [requests of the trace] */
    int64_t kv_most;                           /* the most tokens that were kept at a time */
    int64_t tokens;                            /* that went through the model */
    /* Of tier, in blocks of prompts: at a server those that were looked for, found, and kept anew, and those that gave
       way; at a tier the most that it keeps. */
    struct ovl_serve_tiered {
        double blocks, found, kept, gave_way, most;
    } tiered;
    struct ovl_batcher_told pushed; /* with `preempt`; of tp at rank 0 alone, as all ranks do the same */
};

struct ovl_serve_strategy {
    const char *name, *about;
    /* The events of a rank; -1 and OVL_USAGE where model, trace or ranks do not fit, the same at all ranks. `e` is
       open, and stays so. */
    int (*build)(const struct ovl_serve_ask *ask, int rank, struct ovl_serve_events *e, struct ovl_error *err);
    bool alike; /* all ranks have the same events */
    bool pairs; /* its messages go from one rank to another one; else all ranks sum up */
    /* NULL, or false for ranks that write no token: what these wait for is not what requests wait for. */
    bool (*serves)(const struct ovl_serve_ask *ask, int rank);
    /* Bytes a rank, the most of all, in numbers of two bytes: its part of the weights; and of a token what it keeps. */
    double (*weights)(const struct ovl_serve_ask *ask);
    double (*token_bytes)(const struct ovl_serve_ask *ask);
    /* Bytes that come in over the link of the node of the ranks from `first` to the one before `end`. */
    double (*comes_in)(const struct ovl_serve_ask *ask, int first, int end);
    /* The rank that has most to tell of: it is what --plan prints. */
    int (*telling)(const struct ovl_serve_ask *ask);
};

/* All of them, NULL at the end; and the one of that name, or NULL with *err. */
extern const struct ovl_serve_strategy *const ovl_serve_strategies[];
const struct ovl_serve_strategy *ovl_serve_strategy_find(const char *name, struct ovl_error *err);
extern const struct ovl_serve_strategy ovl_serve_tp, ovl_serve_pd, ovl_serve_tier, ovl_serve_ep;

void ovl_serve_events_open(struct ovl_serve_events *e, size_t requests, bool totals_alone);
void ovl_serve_events_close(struct ovl_serve_events *e);
/* The end of the trace: everything must have been waited for. */
void ovl_serve_end(struct ovl_serve_events *e);
/* As ovl_events_compute and ovl_events_post, with a note, and the place of the data; a wait that is needed for a slot
   has the same note. */
void ovl_serve_compute(struct ovl_serve_events *e, struct ovl_event event, struct ovl_serve_note note);
int ovl_serve_post(struct ovl_serve_events *e, struct ovl_event event, struct ovl_serve_note note, int place);
void ovl_serve_wait(struct ovl_serve_events *e, int id, struct ovl_serve_note note);

/* countable.c. Can they be counted in some seconds? `steps`: of an iteration. -1 and OVL_USAGE: there are too many. */
int ovl_serve_countable(const struct ovl_serve_ask *ask, double steps, struct ovl_error *err);

/* The present iteration works at a request of the trace. */
void ovl_serve_live(struct ovl_serve_events *e, const struct ovl_batcher_work *w, size_t request);

/* Keeps what the present iteration works at, if that is asked for; which[]: numbers in the trace, or NULL where they
   are the batcher's. */
void ovl_serve_keep_works(const struct ovl_serve_ask *ask, struct ovl_serve_events *e, const struct ovl_iteration *it,
                          const size_t *which);

/* Bytes that travel of keys and values that have so many. */
double ovl_serve_sent_bytes(const struct ovl_serve_ask *ask, double kept);

/* The tokens that a memory of KV has room for, of which each takes so many bytes. */
int64_t ovl_serve_tokens(const struct ovl_serve_ask *ask, double token_bytes);

/* pd: ranks that read prompts; and the two that a request is at. */
int ovl_serve_prefill_ranks(const struct ovl_serve_ask *ask);
int ovl_serve_reader(const struct ovl_serve_ask *ask, size_t request);
int ovl_serve_writer(const struct ovl_serve_ask *ask, size_t request);
/* tier: ranks that keep, and that serve; and the one that a request is at. */
int ovl_serve_tier_ranks(const struct ovl_serve_ask *ask);
int ovl_serve_servers(const struct ovl_serve_ask *ask);
int ovl_serve_server(const struct ovl_serve_ask *ask, size_t request);
/* ep: the rank whose request it is. */
int ovl_serve_owner(const struct ovl_serve_ask *ask, size_t request);
/* pd: the messages of a request, and the first block of one; behind the last one all blocks. */
int ovl_serve_parts(const struct ovl_serve_ask *ask);
int ovl_serve_first_block(const struct ovl_serve_ask *ask, int part);

#endif
