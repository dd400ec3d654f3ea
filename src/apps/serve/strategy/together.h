/* The batches of all ranks, in step: what an iteration works at, at every rank, which each of them knows. Pure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_SERVE_STRATEGY_TOGETHER_H
#define OVL_APPS_SERVE_STRATEGY_TOGETHER_H

#include "apps/serve/strategy/strategy.h"

struct ovl_together {
    const struct ovl_serve_ask *ask;
    struct ovl_batch_of { /* [ranks] */
        struct ovl_job_request *list;
        size_t *which, count; /* its requests: their numbers in the trace */
        struct ovl_batcher batcher;
        struct ovl_iteration it; /* the next one in which something happens there */
        bool opened, ended;
    } * of;
    int64_t number;                /* of the present iteration */
    struct ovl_moe_tokens *parts;  /* [2][ranks]: the tokens of each half of its batch */
    struct ovl_moe_token **tokens; /* [2][ranks]: their lists */
    int *rooms;                    /* [2][ranks] */
};

/* -1 and OVL_USAGE where a request needs more memory than there is; ovl_together_close all the same. */
int ovl_together_open(struct ovl_together *t, const struct ovl_serve_ask *ask, struct ovl_error *err);
void ovl_together_close(struct ovl_together *t);
/* The next iteration in which some rank works at a request; false: all have ended. With `two` of what is asked for
   every other request of a rank is of its other half. */
bool ovl_together_next(struct ovl_together *t);
/* What it works at, at a rank; NULL: nothing. */
const struct ovl_iteration *ovl_together_at(const struct ovl_together *t, int rank);
/* Tokens of all ranks in a half. */
double ovl_together_tokens(const struct ovl_together *t, int half);

#endif
