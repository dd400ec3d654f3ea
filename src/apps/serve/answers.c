/* --tiny: a network that really answers, whose tokens must be those of a serial program. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"

#include <stdlib.h>
#include <string.h>

static void *buffer(void *of, int id, bool sends)
{
    const struct ovl_exchange *x = &((const struct ovl_serve *)of)->messages[id];
    return sends ? x->send : x->recv;
}

void ovl_serve_tiny_open(struct ovl_serve *s)
{
    if (!s->options.tiny)
        return;
    s->tiny = ovl_alloc(1, sizeof *s->tiny);
    s->tiny->rank.buffer = buffer;
    s->tiny->rank.of = s;
    ovl_lm_serial_open(&s->tiny->serial, &s->trace);
    ovl_lm_rank_open(&s->tiny->rank, &s->plan.ask, &s->plan.own.events, s->choice.row, s->job.rank);
}

void ovl_serve_tiny_close(struct ovl_serve *s)
{
    if (!s->tiny)
        return;
    ovl_lm_rank_close(&s->tiny->rank);
    ovl_lm_serial_close(&s->tiny->serial);
    free(s->tiny);
    s->tiny = NULL;
}

void ovl_serve_tiny_clear(struct ovl_serve *s)
{
    for (int id = 0; id < s->message_count && s->tiny; id++)
        memset(s->messages[id].recv, 0x55, s->messages[id].recv_bytes);
}

int ovl_serve_tiny_wrong(struct ovl_serve *s)
{
    size_t request;
    int place;
    ovl_lm_serial_run(&s->tiny->serial, s->key);
    int messages = ovl_serve_messages_wrong(s);
    int tokens = ovl_lm_rank_wrong(&s->tiny->rank, &s->tiny->serial, &request, &place);
    struct ovl_serve_wrong *w = &s->players[s->playing].wrong;
    if (tokens > 0 && !w->any)
        *w = (struct ovl_serve_wrong){
            .any = 1, .rank = s->job.rank, .request = (int)request, .place = place, .token = -1};
    return messages + tokens;
}

uint64_t ovl_serve_tiny_written(const struct ovl_serve *s)
{
    uint64_t mine = ovl_lm_rank_written(&s->tiny->rank), all;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, s->job.comm);
    return all;
}
