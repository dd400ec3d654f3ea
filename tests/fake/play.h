/* An operation that a rank of fake_workers.h posts, on data of known answer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_PLAY_H
#define OVL_TESTS_FAKE_PLAY_H

#include "tests/fake/deal.h"
#include "tests/fake/workers.h"

/* For a rank that returns what went wrong. */
#define TRY(what)                                                                                                      \
    do {                                                                                                               \
        const char *try_text = (what);                                                                                 \
        if (try_text)                                                                                                  \
            return try_text;                                                                                           \
    } while (0)

/* One operation of one rank: its buffers and counts. */
struct play {
    struct deal deal;
    struct ovl_coll_args call;
    struct ovl_request request;
    int64_t ended_ns; /* the last one, as far as its rank saw */
    int32_t *send, *recv;
    int lists[4 * 16];
};

/* All return NULL, or what went wrong. play_open obtains the buffers; between it and play_close any number of
   play_post, which fills them anew, and play_end, which waits and looks at what came. */
const char *play_open(struct play *p, struct ovl_client_ctx *h, const struct ovl_team *team, const struct deal *d);
const char *play_post(struct play *p, struct ovl_client_ctx *h);
const char *play_end(struct play *p, struct ovl_client_ctx *h);
const char *play_close(struct play *p, struct ovl_client_ctx *h);

#endif
