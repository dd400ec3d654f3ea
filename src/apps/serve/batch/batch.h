/* Which requests an iteration works at: a pure function of the trace and a few numbers, made an iteration at a time. A
   request holds a slot, and memory for all its keys and values, from when it is taken up to its end: so it never has to
   give way, and one slot is enough to serve them all, one after the other.

   With `preempt`, as vLLM has it (Kwon et al., PagedAttention, 2023, 4.5), it holds memory for its prompt and for what
   it has written, and takes more as it writes. Where there is none, the youngest request gives up its slot and its
   memory, and is the first to get a slot again: its keys and values are read again, or were put away and come back. The
   oldest one never gives way, so that each iteration brings all requests nearer to their end. A request gets a slot
   only where all that have one can write their next token, too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_BATCH_BATCH_H
#define OVL_APPS_SERVE_BATCH_BATCH_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Slots and memory of keys and values (KV), in tokens. */
struct ovl_kv {
    int slots, free_slots;
    int *free;                 /* [slots]: the free ones, the next one last */
    int64_t limit, used, most; /* tokens; the most that were ever used */
};

void ovl_kv_open(struct ovl_kv *kv, int slots, int64_t limit);
void ovl_kv_close(struct ovl_kv *kv);
/* A slot with memory for so many tokens; -1 where there is none now. */
int ovl_kv_take(struct ovl_kv *kv, int64_t tokens);
/* Memory for one token more of a request that has a slot; false: there is none. */
bool ovl_kv_grow(struct ovl_kv *kv);
void ovl_kv_give(struct ovl_kv *kv, int slot, int64_t tokens);

/* A request as a batcher has it: in order of `from`. */
struct ovl_job_request {
    int64_t from;  /* the iteration from which on it may have a slot */
    int64_t ready; /* from which on it may be worked at, `from` or later: before, its KV are on their way */
    int prompt;    /* tokens that must be read first; 0: their KV come from elsewhere */
    int known;     /* tokens whose KV come so */
    int output;    /* tokens that are written, the first one by the iteration that ends its prompt */
};

/* Tokens whose KV a request needs at its end: all but the last one that is written, which nothing reads. Where its KV
   come from elsewhere, so does the first token, and is none of `output`. */
int64_t ovl_job_request_tokens(const struct ovl_job_request *r);

/* What becomes of keys and values where memory is short. */
enum ovl_preempt {
    OVL_PREEMPT_NEVER, /* it never is */
    OVL_PREEMPT_RECOMPUTE,
    OVL_PREEMPT_SWAP, /* but those of a request that still reads its prompt, which is read again */
};

struct ovl_batcher_rules {
    bool continuous; /* slots are given in each iteration; else when the batch before has ended */
    int slots;       /* requests at once */
    int64_t tokens;  /* memory of KV */
    int chunk;       /* prompt tokens of an iteration at most; 0: whole prompts */
    int arriving;    /* requests with a slot that are not ready yet, at most; 0: any number */
    enum ovl_preempt preempt;
    /* NULL, or called where a request gets its slot in the iteration `now`: it may move tokens of its prompt, but not
       the last one, to those that are known, and make it ready later. */
    void (*taken)(void *self, size_t request, int64_t now);
    void *self;
};

/* What an iteration does for a request. */
struct ovl_batcher_work {
    size_t request;
    int slot;
    int reads;       /* prompt tokens; */
    int64_t context; /* tokens whose KV are there before */
    bool writes;     /* a token */
    bool begins;     /* it is the first iteration that works at it */
    bool ends;       /* and the last */
    bool returns;    /* it is the first one since its KV, which had been put away, were asked for again */
};

/* A request gives up its slot, or has one again. */
struct ovl_batcher_pushed {
    size_t request;
    int slot;
    int64_t tokens; /* whose KV are put away, or come back; 0: they are read again */
    int place; /* where they are meanwhile: no two requests have the same one at a time, nor one of slots or more */
};

struct ovl_iteration {
    int64_t number; /* iterations in which nothing happens are left out */
    size_t taken;   /* requests that got a slot in it: from `first` on */
    size_t first;
    size_t count;                  /* requests that are worked at; may be 0 */
    struct ovl_batcher_work *work; /* [slots], in the order in which they got slots; good until the next one */
    /* [slots]; good until the next one: requests that are pushed out before it works at others, and those that have a
       slot again; none get one where some are pushed out. */
    struct ovl_batcher_pushed *out, *back;
    int out_count, back_count;
};

struct ovl_batcher {
    struct ovl_batcher_rules rules;
    const struct ovl_job_request *list; /* the caller's, who changes it in `taken` alone */
    size_t requests, next;              /* the next one that has no slot yet */
    struct ovl_kv kv;
    struct ovl_batcher_active {
        size_t request;
        struct ovl_job_request job; /* what is to be done; where it is read again, written tokens are of its prompt */
        int slot, read, written;    /* tokens of `job` */
        int64_t holds;              /* tokens that it has memory for, or, pushed out, needs */
        bool begun, returns;
        bool was_out;
    } * active; /* [slots]: those with a slot, by their age; then those that are pushed out */
    int count, pushed;
    struct ovl_batcher_work *work;
    struct ovl_batcher_pushed *out, *back;
    int64_t now; /* the next iteration */
    struct ovl_batcher_told {
        int64_t requests, times; /* that were pushed out, and how often any was */
        int64_t again, moved;    /* tokens whose KV were there and are read again, and those whose KV were put away */
    } told;
};

/* -1 and OVL_USAGE where a request needs more memory than there is, with the number that would do: in bytes, of which
   a token has so many, by `option`; then there is nothing to close. */
int ovl_batcher_open(struct ovl_batcher *b, const struct ovl_batcher_rules *rules, const struct ovl_job_request *list,
                     size_t requests, double token_bytes, struct ovl_error *err);
void ovl_batcher_close(struct ovl_batcher *b);

/* The next iteration in which something happens; false: all requests have ended. */
bool ovl_batcher_next(struct ovl_batcher *b, struct ovl_iteration *it);

#endif
