/* What a server of `tier` does, iteration by iteration, and which blocks of keys and values its tier then has: a pure
   function of the trace, which the server and its tier both follow. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_STRATEGY_COURSE_H
#define OVL_APPS_SERVE_STRATEGY_COURSE_H

#include "apps/serve/batch/prefix.h"
#include "apps/serve/strategy/strategy.h"

struct ovl_course {
    const struct ovl_serve_ask *ask;
    struct ovl_job_request *list; /* the server's requests; which[]: their numbers in the trace */
    size_t *which, count;
    struct ovl_batcher batcher;
    struct ovl_prefix kept;
    struct ovl_iteration it; /* the present one */
    bool ended;
    uint64_t *keys;    /* of the prompt that is looked at; */
    int *places;       /* and where the tier has its blocks */
    int *found;        /* [count]: messages of each request that come back before it is worked at */
    int *out;          /* [count]: how often its KV were put away */
    struct ovl_moved { /* in the present iteration: what comes back, then requests that go, then blocks that do */
        bool back;
        size_t job;         /* the request that reads or needs them; */
        int request, block; /* whose they were when they were kept, in the trace, and where in its prompt */
        int place;          /* of `kept` */
        /* Of a request that is pushed out, or comes back so: the tokens that it has, the slot that it had, and as
           `block` what its note has as part; its place is none of `kept`. 0: a block. */
        int tokens, slot;
    } * moves;
    size_t moves_count, moves_room;
};

/* -1 and OVL_USAGE where a request needs more memory than there is; ovl_course_close all the same. *c stays where it
   is. */
int ovl_course_open(struct ovl_course *c, const struct ovl_serve_ask *ask, int server, struct ovl_error *err);
void ovl_course_close(struct ovl_course *c);
/* The next iteration in which something happens; false: all requests have ended. */
bool ovl_course_go_on(struct ovl_course *c);

/* The rank that keeps the blocks of a server; bytes of a token's keys and values, and of a block's as it travels and is
   in the tier; and how many blocks a tier has room for, of each of its servers. */
int ovl_serve_tier_of(const struct ovl_serve_ask *ask, int server);
double ovl_serve_kept_bytes(const struct ovl_serve_ask *ask);
double ovl_serve_block_bytes(const struct ovl_serve_ask *ask);
double ovl_serve_tier_room(const struct ovl_serve_ask *ask);

#endif
