/* Teams that are no more, and of which an RTS may still come: it has crossed an early grant. Of those of whom no worker
 * can have one under way any more nothing is kept: since control messages of one worker arrive in the order sent, that
 * is so when all others have answered a ping that was sent after the team had gone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker/state.h"

#include <stdlib.h>
#include <string.h>

enum { ASK_FROM = 256 }; /* teams */

bool ovl_gone_has(const struct ovl_gone *g, uint64_t id, int rank)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->team[i].id == id && g->team[i].rank == rank)
            return true;
    return false;
}

/* Who has left sends nothing. */
static bool all_answered(const struct ovl_worker *w)
{
    const struct ovl_transport *by = w->config.transport;
    for (int i = 0; i < w->config.workers; i++)
        if (i != w->config.index && w->peer_workers[i].answered != w->gone.ping &&
            !(by->left && by->left(by->state, i)))
            return false;
    return true;
}

static void ask(struct ovl_worker *w)
{
    w->gone.asked = w->gone.count;
    w->gone.ping++;
    for (int i = 0; i < w->config.workers; i++) {
        struct ovl_ctrl_msg ping = {.kind = OVL_CTRL_PING, .key.sequence = w->gone.ping};
        if (i != w->config.index)
            ovl_worker_send_ctrl(w, i, &ping, NULL);
    }
}

static bool make_room(struct ovl_gone *g)
{
    size_t room = g->room ? 2 * g->room : 2 * (size_t)ASK_FROM;
    struct ovl_gone_team *more = g->count < g->room ? NULL : realloc(g->team, room * sizeof *more);
    if (more) {
        g->team = more;
        g->room = room;
    }
    return g->count < g->room;
}

void ovl_gone_add(struct ovl_worker *w, const struct ovl_worker_team *team)
{
    struct ovl_gone *g = &w->gone;
    if (g->asked && all_answered(w)) {
        g->count -= g->asked;
        memmove(g->team, g->team + g->asked, g->count * sizeof *g->team);
        g->asked = 0;
    }
    if (!make_room(g)) /* one message of it would be kept to no end */
        return;
    g->team[g->count++] = (struct ovl_gone_team){team->id, team->rank};
    if (!g->asked && g->count >= ASK_FROM)
        ask(w);
}
