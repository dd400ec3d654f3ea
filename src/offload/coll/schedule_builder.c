/* Adding steps to a schedule, and putting them in order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/schedule_builder.h"

#include <stdlib.h>

void ovl_build_step(struct ovl_builder *b, struct ovl_step step)
{
    struct ovl_schedule *s = b->schedule;
    if (s->steps == b->room) {
        size_t room = b->room ? 2 * b->room : 16;
        struct ovl_step *more = realloc(s->step, room * sizeof *more);
        if (!more) {
            b->failed = true;
            return;
        }
        s->step = more;
        b->room = room;
    }
    step.round = b->round;
    s->step[s->steps++] = step;
}

void ovl_build_send(struct ovl_builder *b, int peer, uint32_t tag, struct ovl_bufref from, size_t bytes)
{
    if (bytes)
        ovl_build_step(b, (struct ovl_step){.kind = OVL_STEP_SEND,
                                            .first_round = b->round,
                                            .peer = peer,
                                            .tag = tag,
                                            .bytes = bytes,
                                            .from = from});
}

static int clipped(const struct ovl_builder *b, int first_round)
{
    return first_round < b->round ? first_round : b->round;
}

void ovl_build_recv(struct ovl_builder *b, int first_round, int peer, uint32_t tag, struct ovl_bufref to, size_t bytes)
{
    if (bytes)
        ovl_build_step(b, (struct ovl_step){.kind = OVL_STEP_RECV,
                                            .first_round = clipped(b, first_round),
                                            .peer = peer,
                                            .tag = tag,
                                            .bytes = bytes,
                                            .to = to});
}

void ovl_build_reduce(struct ovl_builder *b, int first_round, int peer, uint32_t tag, struct ovl_bufref from,
                      struct ovl_bufref to, size_t bytes)
{
    if (bytes)
        ovl_build_step(b, (struct ovl_step){.kind = OVL_STEP_REDUCE,
                                            .first_round = clipped(b, first_round),
                                            .peer = peer,
                                            .tag = tag,
                                            .bytes = bytes,
                                            .from = from,
                                            .to = to});
}

void ovl_build_copy(struct ovl_builder *b, struct ovl_bufref from, struct ovl_bufref to, size_t bytes)
{
    if (bytes && (from.buffer != to.buffer || from.offset != to.offset))
        ovl_build_step(
            b, (struct ovl_step){
                   .kind = OVL_STEP_COPY, .first_round = b->round, .peer = -1, .bytes = bytes, .from = from, .to = to});
}

void ovl_build_strided(struct ovl_builder *b, size_t from, int from_stride, size_t to, int to_stride, size_t bytes,
                       int blocks)
{
    if (bytes && blocks > 0)
        ovl_build_step(b, (struct ovl_step){.kind = OVL_STEP_STRIDED,
                                            .first_round = b->round,
                                            .peer = -1,
                                            .blocks = (uint32_t)blocks,
                                            .bytes = bytes,
                                            .from = {OVL_TEMPORARY, from},
                                            .to = {OVL_TEMPORARY, to},
                                            .from_stride = from_stride,
                                            .to_stride = to_stride});
}

void ovl_build_signal(struct ovl_builder *b, int to, int from, uint32_t tag)
{
    ovl_build_step(b, (struct ovl_step){.kind = OVL_STEP_SEND, .first_round = b->round, .peer = to, .tag = tag});
    ovl_build_step(b, (struct ovl_step){.kind = OVL_STEP_RECV, .first_round = b->round, .peer = from, .tag = tag});
}

struct ovl_bufref ovl_build_temporary(struct ovl_builder *b, size_t bytes)
{
    struct ovl_bufref ref = {OVL_TEMPORARY, b->schedule->temporary};
    b->schedule->temporary += (bytes + 63) / 64 * 64;
    return ref;
}

size_t *ovl_build_list(struct ovl_builder *b, int n)
{
    size_t *list = b->lists < OVL_BUILD_LISTS ? calloc((size_t)n, sizeof *list) : NULL;
    if (list)
        b->list[b->lists++] = list;
    else
        b->failed = true;
    return list;
}

/* What is received begins before what is sent: the word that it may come must not stand behind our own data. */
static size_t place_in_order(const struct ovl_step *s)
{
    return 2 * (size_t)s->first_round + (s->kind != OVL_STEP_RECV && s->kind != OVL_STEP_REDUCE);
}

/* Rounds that hold nothing are left out; then the steps are put in order, and otherwise stay as they were added. */
int ovl_build_finish(struct ovl_builder *b)
{
    struct ovl_schedule *s = b->schedule;
    int rounds = 0;
    for (size_t i = 0; i < s->steps; i++)
        rounds = s->step[i].round >= rounds ? s->step[i].round + 1 : rounds;
    struct ovl_step *sorted = malloc((s->steps + 1) * sizeof *sorted);
    size_t *first = calloc(2 * (size_t)rounds + 1, sizeof *first);
    s->in_round = calloc((size_t)rounds + 1, sizeof *s->in_round);
    int *number = calloc((size_t)rounds + 1, sizeof *number);
    if (!sorted || !first || !s->in_round || !number) {
        free(sorted);
        free(first);
        free(number);
        return -1;
    }
    for (size_t i = 0; i < s->steps; i++)
        s->in_round[s->step[i].round]++;
    for (int r = 0; r < rounds; r++) { /* number[r] becomes how many rounds before r hold something */
        number[r + 1] = number[r] + (s->in_round[r] > 0);
        s->in_round[number[r]] = s->in_round[r];
    }
    for (size_t i = 0; i < s->steps; i++) {
        s->step[i].round = number[s->step[i].round];
        s->step[i].first_round = number[s->step[i].first_round];
        first[place_in_order(&s->step[i]) + 1]++;
    }
    s->rounds = number[rounds];
    for (int r = 0; r < 2 * s->rounds; r++)
        first[r + 1] += first[r];
    for (size_t i = 0; i < s->steps; i++)
        sorted[first[place_in_order(&s->step[i])]++] = s->step[i];
    free(s->step);
    s->step = sorted;
    free(first);
    free(number);
    return 0;
}
