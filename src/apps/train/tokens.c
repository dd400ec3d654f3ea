/* Tokens of a mixture of experts as messages: their shape, what they carry, and what a record tells of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/moe/tokens.h"
#include "apps/train/state.h"

#include <stdio.h>
#include <string.h>

static const struct ovl_event *post_of(const struct ovl_train *t, int id)
{
    return &t->plan.own.events.list[t->plan.own.events.posted_at[id]];
}

/* Words of a token in an operation and, where that answers another one, in the other. */
static struct ovl_moe_words words_of(const struct ovl_train *t, const struct ovl_event *post)
{
    double there = post->returns ? post_of(t, post->answers)->token_bytes : post->token_bytes;
    return (struct ovl_moe_words){ovl_train_token_words(&t->plan, there),
                                  ovl_train_token_words(&t->plan, post->token_bytes)};
}

void ovl_train_tokens_fill(struct ovl_train *t, int id, uint64_t key)
{
    const struct ovl_event *post = post_of(t, id);
    struct ovl_moe_words words = words_of(t, post);
    if (post->returns)
        ovl_moe_answer(post->route, key, words, t->messages[post->answers].recv, t->messages[id].send);
    else
        ovl_moe_fill(post->route, key, words.there, t->messages[id].send);
}

double ovl_train_tokens_bytes(const struct ovl_train *t)
{
    const struct ovl_moe_routes *r = t->plan.own.events.routes;
    if (!r)
        return 0;
    struct ovl_moe_counts all = {.blocks = r->blocks, .parts = r->parts, .members = r->list->members};
    return ovl_moe_routes_bytes(r) + (t->job.rank == 0 ? ovl_moe_counts_bytes(&all) : 0);
}

/* How many operations on tokens this rank posted before it. */
static int number_of(const struct ovl_train *t, int id)
{
    int n = 0;
    for (int i = 0; i < id; i++)
        n += post_of(t, i)->route != NULL;
    return n;
}

bool ovl_train_tokens_wrong(struct ovl_train *t, int id, uint64_t key)
{
    const struct ovl_event *post = post_of(t, id);
    const struct ovl_moe_routes *routes = t->plan.own.events.routes;
    int copy = ovl_moe_wrong_copy(post->route, post->returns, key, words_of(t, post), t->messages[id].recv);
    struct ovl_wrong_token *w = &t->wrong_token[t->job.schemes.answered];
    if (copy < 0 || w->any)
        return copy >= 0;
    int of_blocks = (int)(post->route - routes->list);
    *w = (struct ovl_wrong_token){.any = 1,
                                  .rank = t->job.rank,
                                  .block = of_blocks / routes->parts,
                                  .part = of_blocks % routes->parts,
                                  .back = number_of(t, id) >= 2 * routes->blocks * routes->parts,
                                  .returns = post->returns};
    ovl_moe_copy_of(post->route, post->returns, copy, &w->from, &w->token);
    w->from += post->team.first;
    return true;
}

bool ovl_train_tokens_right(const struct ovl_train *t, int id, uint64_t key, uint64_t drawn)
{
    const struct ovl_event *post = post_of(t, id);
    const struct ovl_exchange *x = &t->messages[id];
    size_t words = x->recv_bytes / OVL_MOE_WORD;
    return words == 0 ||
           ovl_moe_word_is_right(post->route, post->returns, key, words_of(t, post), x->recv, drawn % words);
}

void ovl_train_tokens_forget(struct ovl_train *t)
{
    memset(t->wrong_token, 0, sizeof t->wrong_token);
}

void ovl_train_tokens_locate(struct ovl_app_job *job, int scheme)
{
    struct ovl_wrong_token *w = &((struct ovl_train *)job)->wrong_token[scheme];
    int mine = w->any ? job->rank : job->ranks, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, job->comm);
    if (first < job->ranks)
        MPI_Bcast(w, sizeof *w / sizeof(int), MPI_INT, first, job->comm);
}

void ovl_train_tokens_fault(const struct ovl_app_job *job, int scheme, double error, char text[128])
{
    const struct ovl_train *t = (const struct ovl_train *)job;
    const struct ovl_wrong_token *w = &t->wrong_token[scheme];
    char part[32] = "";
    (void)error;
    *text = '\0';
    if (!w->any)
        return;
    if (ovl_moe_parts(&t->moe) > 1)
        snprintf(part, sizeof part, ", microbatch %d", w->part);
    snprintf(text, 128, "%s of block %d%s, %s: token %d of rank %d came wrong at rank %d",
             w->returns ? "combine" : "dispatch", w->block, part, w->back ? "backwards" : "forwards", w->token, w->from,
             w->rank);
}

/* Bytes of a type that this rank sends to others and to itself, at the scale of the plan. */
static double bytes_of(const struct ovl_train *t, bool returns)
{
    double bytes = 0;
    for (int id = 0; id < t->message_count; id++)
        if (post_of(t, id)->route && post_of(t, id)->returns == returns)
            bytes += ovl_train_bytes(&t->plan, post_of(t, id));
    return bytes;
}

json_t *ovl_train_tokens_json(const struct ovl_train *t)
{
    const struct ovl_moe *m = &t->moe;
    int members = ovl_moe_members(m, t->job.ranks);
    double groups = (double)t->job.ranks / members;
    struct ovl_moe_told told = ovl_moe_tell(t->plan.own.events.routes);
    return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:{s:s, s:f}, s:{s:s, s:f}}", "experts", m->experts, "top_k",
                     m->top, "experts_of_a_rank", m->experts / members, "choices", told.chosen * groups, "dropped",
                     told.dropped * groups, "imbalance", told.imbalance, "largest_imbalance", told.largest, "dispatch",
                     "type", m->dispatch.name, "bytes", bytes_of(t, false), "combine", "type", m->combine.name, "bytes",
                     bytes_of(t, true));
}

/* A value of a curve for each operation on tokens, there or back. */
static json_t *picked(const struct ovl_train *t, const json_t *of_all, bool returns)
{
    json_t *list = json_array();
    for (int id = 0; id < t->message_count; id++)
        if (post_of(t, id)->route && post_of(t, id)->returns == returns)
            json_array_append(list, json_array_get(of_all, (size_t)id));
    return list;
}

void ovl_train_tokens_curve(const struct ovl_train *t, json_t *curve)
{
    const struct ovl_moe_routes *r = t->plan.own.events.routes;
    const json_t *exposed = json_object_get(curve, "exposed_comm_seconds");
    json_t *over = json_array();
    for (int i = 0; i < r->blocks * r->parts; i++)
        json_array_append_new(over, json_real(ovl_moe_imbalance(&r->list[i])));
    json_object_set_new(curve, "exposed_dispatch_seconds", picked(t, exposed, false));
    json_object_set_new(curve, "exposed_combine_seconds", picked(t, exposed, true));
    json_object_set_new(curve, "imbalance", over);
}
