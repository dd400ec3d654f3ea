/* What the tiny transformer makes of the requests of a trace: by one process, one request after the other, without a
   batch; and by a rank that plays the events of a strategy. Both must be the same to the last bit. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_TINY_ANSWERS_H
#define OVL_APPS_SERVE_TINY_ANSWERS_H

#include "apps/serve/strategy/strategy.h"
#include "apps/serve/tiny/network.h"

/* Of all requests. A request has a place for each token of its prompt and for each one that is written. */
struct ovl_answers {
    const struct ovl_request_trace *trace;
    size_t *first;  /* [requests + 1]: number of its first place */
    int *words;     /* [places]; -1: none yet */
    uint64_t *seen; /* [places]: the digest behind the last block; 0: nothing came there yet */
};

void ovl_answers_open(struct ovl_answers *a, const struct ovl_request_trace *trace);
void ovl_answers_close(struct ovl_answers *a);
/* The prompts of a sample, and nothing yet of what follows from them. */
void ovl_answers_ask(struct ovl_answers *a, uint64_t key);

/* The serial program. */
struct ovl_lm_serial {
    struct ovl_lm network;
    struct ovl_answers answers;
    int32_t (*kept)[OVL_LM_KEPT]; /* of a request from OVL_LM_BLOCKS x its first place on: block by block its places */
    uint64_t key;                 /* of the sample that it has; 0: none */
};

void ovl_lm_serial_open(struct ovl_lm_serial *s, const struct ovl_request_trace *trace);
void ovl_lm_serial_close(struct ovl_lm_serial *s);
/* All of a sample; at once where it has that one. */
void ovl_lm_serial_run(struct ovl_lm_serial *s, uint64_t key);
/* Are these the keys and values of `count` places of a prompt, of blocks up to the one before `end`, block by block
   place by place? */
bool ovl_lm_serial_kept(const struct ovl_lm_serial *s, size_t request, int block, int end, int from, int count,
                        const int32_t *words);
/* The same of what a message has, by what is known of it. */
bool ovl_lm_serial_sent(const struct ovl_lm_serial *s, const struct ovl_serve_ask *ask,
                        const struct ovl_serve_strategy *strategy, const struct ovl_serve_note *note,
                        const int32_t *words);

/* A rank of a strategy. */
struct ovl_lm_rank {
    struct ovl_lm network;
    struct ovl_answers answers;
    const struct ovl_serve_ask *ask;
    const struct ovl_serve_events *events; /* with `works` */
    bool shares;                           /* each block with all ranks, as tp does */
    bool tiered;                           /* whole requests, with a tier */
    bool routed;                           /* whole requests, and a part of each block's experts */
    int rank;
    size_t begun; /* of a tier's server: works of the present iteration whose blocks have come, or that need none */
    /* Where an operation has what it sends, and what it has brought. */
    void *(*buffer)(void *of, int id, bool sends);
    void *of;

    int longest;                  /* places of a request */
    int32_t (*kept)[OVL_LM_KEPT]; /* [slots][OVL_LM_BLOCKS][longest] */
    struct ovl_lm_token {         /* that goes through the blocks now */
        size_t request;
        int slot, place;
        bool writes;
        struct ovl_lm_state state;
    } * tokens[2]; /* of each half of the batch; readers have one */
    int count[2];
    int64_t (*sums)[OVL_LM_HIDDEN]; /* routed: of each token what its experts made */
};

/* `ask` and `events` are the caller's, and stay. Ids of operations are those of the events. */
void ovl_lm_rank_open(struct ovl_lm_rank *l, const struct ovl_serve_ask *ask, const struct ovl_serve_events *events,
                      const struct ovl_serve_strategy *strategy, int rank);
void ovl_lm_rank_close(struct ovl_lm_rank *l);
/* Bytes of a rank and its serial program. */
double ovl_lm_rank_bytes(const struct ovl_serve_ask *ask);
/* A sample begins. */
void ovl_lm_rank_begin(struct ovl_lm_rank *l, uint64_t key);
/* A COMPUTE event, by its number: what its operations brought is taken, and what they send is made. */
void ovl_lm_rank_compute(struct ovl_lm_rank *l, size_t event);

/* How many of the places that are this rank's differ from the serial program's, whose sample it played; of the first
   one request and place. */
int ovl_lm_rank_wrong(const struct ovl_lm_rank *l, const struct ovl_lm_serial *s, size_t *request, int *place);
/* A number by the tokens that this rank has written first: of all ranks together (xor) the same for every strategy. */
uint64_t ovl_lm_rank_written(const struct ovl_lm_rank *l);

#endif
