/* Operations of ranks that are threads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/play.h"

const char *play_open(struct play *p, struct ovl_client_ctx *h, const struct ovl_team *team, const struct deal *d)
{
    struct ovl_error err;
    int n = d->ranks, *l = p->lists;
    p->deal = *d;
    deal_counts(d, team->rank, l);
    p->send = ovl_client_alloc(h, 4 * deal_length(d, team->rank, false), &err);
    p->recv = ovl_client_alloc(h, 4 * deal_length(d, team->rank, true), &err);
    if (!p->send || !p->recv)
        return fake_wrong("%s", err.text);
    bool counted = d->operation == OVL_IALLTOALLV || d->operation == OVL_IREDUCE_SCATTER;
    bool part = d->operation == OVL_IREDUCE_SCATTER;
    p->call = (struct ovl_coll_args){
        .operation = d->operation,
        .team = team,
        .send = p->send,
        .recv = p->recv,
        .bytes = 4 * d->count,
        .in_place = d->in_place,
        .root = d->root,
        .dtype = OVL_INT32,
        .send_counts = counted ? l : NULL,
        .send_displs = counted ? l + n : NULL,
        .recv_counts = counted ? l + 2 * n : NULL,
        .recv_displs = counted ? l + 3 * n : NULL,
        .payload = 4 * (part                             ? (size_t)deal_part(d, team->rank)
                        : d->operation == OVL_IALLTOALLV ? deal_length(d, team->rank, true) - (size_t)n
                                                         : deal_length(d, team->rank, true)),
    };
    return NULL;
}

const char *play_post(struct play *p, struct ovl_client_ctx *h)
{
    struct ovl_error err;
    deal_fill(&p->deal, p->call.team->rank, p->lists, p->send, p->recv);
    return ovl_client_post(h, &p->call, &p->request, &err) == 0 ? NULL : fake_wrong("%s", err.text);
}

const char *play_end(struct play *p, struct ovl_client_ctx *h)
{
    struct ovl_error err;
    long first;
    if (ovl_client_wait(h, &p->request, &err) != 0)
        return fake_wrong("%s", err.text);
    if (!ovl_client_test(h, &p->request))
        return "a ticket that was waited for is not complete";
    size_t bad = deal_wrong(&p->deal, p->call.team->rank, p->lists, p->recv, &first);
    return bad ? fake_wrong("operation %d of %d ranks, %zu numbers%s: rank %d has %zu wrong, the first at %ld",
                            p->deal.operation, p->deal.ranks, p->deal.count, p->deal.in_place ? ", in place" : "",
                            p->call.team->rank, bad, first)
               : NULL;
}

const char *play_close(struct play *p, struct ovl_client_ctx *h)
{
    struct ovl_error err;
    return ovl_client_free(h, p->send, &err) == 0 && ovl_client_free(h, p->recv, &err) == 0
               ? NULL
               : fake_wrong("%s", err.text);
}
