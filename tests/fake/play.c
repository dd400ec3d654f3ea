/* Operations of ranks that are threads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/play.h"
#include "base/clock.h"

const char *play_open(struct play *p, struct ovl_client_ctx *h, const struct ovl_team *team, const struct deal *d)
{
    struct ovl_error err;
    int *l = p->lists;
    p->deal = *d;
    deal_counts(d, team->rank, l);
    p->send = ovl_client_alloc(h, 4 * deal_length(d, team->rank, false), &err);
    p->recv = ovl_client_alloc(h, 4 * deal_length(d, team->rank, true), &err);
    if (!p->send || !p->recv)
        return fake_wrong("%s", err.text);
    p->call = deal_args(d, team->rank, l);
    p->call.team = team;
    p->call.send = p->send;
    p->call.recv = p->recv;
    return ovl_client_check(&p->call, &err) == 0 ? NULL : fake_wrong("%s", err.text);
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
    p->ended_ns = ovl_clock_ns();
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
