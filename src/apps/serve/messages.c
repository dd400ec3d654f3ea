/* The operations of served requests: communicators, teams of workers, buffers, and data that any rank can check. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "apps/train/number_ops.h"
#include "apps/train/token_shape.h"
#include "apps/train/values/data.h"
#include "apps/train/values/whole.h"
#include "bench/app/pair.h"
#include "offload/boot/agree_mpi.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 64 };

static const struct ovl_event *post_of(const struct ovl_serve *s, int id)
{
    const struct ovl_events *e = &s->plan.own.events.events;
    return &e->list[e->posted_at[id]];
}

static const struct ovl_serve_note *note_of(const struct ovl_serve *s, int id)
{
    return &s->plan.own.events.notes[s->plan.own.events.events.posted_at[id]];
}

static bool is_pair(const struct ovl_event *post)
{
    return post->operation == OVL_ISENDRECV;
}

static bool is_of_tokens(const struct ovl_event *post)
{
    return post->route != NULL;
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

double ovl_serve_messages_bytes(const struct ovl_serve_plan *p, const struct ovl_serve_totals *t, int places)
{
    double descriptions =
        t->posts * (sizeof(struct ovl_exchange) + (t->routes > 0 ? 4.0 * p->ask.ranks * sizeof(int) : 0)) +
        t->steps *
            (sizeof(struct ovl_event) + sizeof(struct ovl_serve_note) + sizeof(struct ovl_app_step) + sizeof(uint64_t));
    bool each = places == (int)t->posts; /* has a place of its own, and goes one way */
    double bytes = t->one_way ? places * t->largest : each ? t->bytes : 2 * places * t->largest;
    if (p->ask.packed_bytes > 0) /* the largest one as f16, too */
        bytes += t->largest * (double)sizeof(uint16_t) / p->ask.packed_bytes;
    return descriptions + t->routes + bytes / p->scale_bytes + 2 * ALIGNED * places;
}

/* Everything but buffers, communicator and team. */
static void describe(struct ovl_serve *s, int id, struct ovl_exchange *x)
{
    const struct ovl_event *post = post_of(s, id);
    bool sums = !is_pair(post) && !is_of_tokens(post);
    const struct ovl_number *row = sums ? s->choice.act : &ovl_numbers[OVL_F32];
    *x = (struct ovl_exchange){
        .collective = is_pair(post) ? &ovl_app_pair
                      : sums        ? &ovl_coll_allreduce
                                    : &ovl_coll_ialltoallv,
        .rank = (s->job.rank - post->team.first) / post->team.stride,
        .ranks = post->team.ranks,
        .in = post->team.ranks,
        .out = post->team.ranks,
        .count = (int)ovl_serve_numbers(&s->plan, post),
        .element = row->bytes,
        .dtype = row->dtype,
        .redop = OVL_SUM,
        .pattern = {.numbers = sums, .dtype = OVL_FLOAT, .redop = OVL_SUM},
        .to = is_pair(post) && post->to >= 0 ? post->to : MPI_PROC_NULL,
        .from = is_pair(post) && post->from >= 0 ? post->from : MPI_PROC_NULL,
        .request = MPI_REQUEST_NULL,
    };
    x->size = x->extent = (size_t)x->count * x->element;
    x->send_bytes = is_pair(post) && post->to < 0 ? 0 : x->size;
    x->recv_bytes = is_pair(post) && post->from < 0 ? 0 : x->size;
    if (is_of_tokens(post)) {
        size_t words = ovl_moe_token_words(post->token_bytes, s->plan.scale_bytes);
        ovl_token_shape(x, post, words, s->lists + 4 * (size_t)id * (size_t)s->job.ranks);
        x->extent = x->size;
    }
    ovl_number_mpi(row, &x->type, &x->op);
}

static int by_ranks(const void *a, const void *b)
{
    const struct ovl_serve_team *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->second > y->second) - (x->second < y->second);
}

static struct ovl_serve_team *team_of(struct ovl_serve *s, const struct ovl_event *post)
{
    const struct ovl_serve_team key = {.first = post->team.first, .second = ovl_train_member(&post->team, 1)};
    for (int i = 0; i < s->team_count; i++)
        if (by_ranks(&s->teams[i], &key) == 0)
            return &s->teams[i];
    return NULL;
}

/* The communicator of a pair, made by these two alone; of all ranks a copy. */
static int join_team(struct ovl_serve *s, struct ovl_serve_team *t, bool pair, struct ovl_error *err)
{
    MPI_Group all, two;
    const int members[] = {t->first, t->second};
    if (!pair)
        MPI_Comm_dup(s->job.comm, &t->comm);
    else {
        MPI_Comm_group(s->job.comm, &all);
        MPI_Group_incl(all, 2, members, &two);
        MPI_Comm_create_group(s->job.comm, two, 0, &t->comm);
        MPI_Group_free(&two);
        MPI_Group_free(&all);
    }
    if (!s->job.stage.offload)
        return 0;
    int rc = ovl_engine_attach(&s->job.offload.engine, &t->team, t->comm, err);
    t->attached = rc == 0;
    return rc;
}

/* Collective: each rank goes through its teams in the order of their ranks, so that none waits for another in a circle.
 */
static int join(struct ovl_serve *s, struct ovl_error *err)
{
    int rc = 0;
    for (int id = 0; id < s->message_count; id++) {
        const struct ovl_event *post = post_of(s, id);
        if (team_of(s, post))
            continue;
        s->teams = ovl_grow_one(s->teams, (size_t)s->team_count, sizeof *s->teams);
        s->teams[s->team_count++] = (struct ovl_serve_team){
            .first = post->team.first, .second = ovl_train_member(&post->team, 1), .comm = MPI_COMM_NULL};
    }
    if (s->team_count > 0)
        qsort(s->teams, (size_t)s->team_count, sizeof *s->teams, by_ranks);
    for (int i = 0; i < s->team_count; i++) { /* all of them, so that nobody waits for a rank that had no luck */
        struct ovl_error why;
        if (join_team(s, &s->teams[i], s->choice.row->pairs, &why) != 0 && rc == 0) {
            rc = -1;
            *err = why;
        }
    }
    return ovl_agree(s->job.comm, rc, err);
}

/* Does it send what has arrived in its place? */
static bool sends_back(const struct ovl_serve *s, int id)
{
    return note_of(s, id)->back && s->messages[id].send_bytes > 0;
}

/* Where each place begins, and behind the last one how much all need. */
static size_t *lay_out(struct ovl_serve *s, bool sends)
{
    int places = s->plan.own.events.places;
    size_t *begin = ovl_alloc((size_t)places + 1, sizeof *begin), at = 0;
    for (int id = 0; id < s->message_count; id++) {
        size_t bytes = aligned(!sends              ? s->messages[id].recv_bytes
                               : sends_back(s, id) ? 0
                                                   : s->messages[id].send_bytes);
        int place = s->plan.own.events.place[id];
        begin[place] = bytes > begin[place] ? bytes : begin[place];
    }
    for (int place = 0; place <= places; place++) {
        size_t bytes = place < places ? begin[place] : 0;
        begin[place] = at;
        at += bytes;
    }
    return begin;
}

/* Collective. */
static int place(struct ovl_serve *s, struct ovl_error *err)
{
    size_t *sent = lay_out(s, true), *got = lay_out(s, false);
    int places = s->plan.own.events.places;
    char *from = ovl_app_memory_of_problem(&s->job, sent[places] + ALIGNED, err);
    char *to = from ? ovl_app_memory_of_problem(&s->job, got[places] + ALIGNED, err) : NULL;
    s->last = ovl_alloc((size_t)places + 1, sizeof *s->last);
    for (int at = 0; at < places; at++)
        s->last[at] = -1;
    for (int id = 0; id < s->message_count && to; id++) {
        struct ovl_exchange *x = &s->messages[id];
        struct ovl_serve_team *team = team_of(s, post_of(s, id));
        int at = s->plan.own.events.place[id];
        s->last[at] = x->recv_bytes > 0 || s->last[at] < 0 ? id : s->last[at];
        x->comm = team->comm;
        x->source = x->send = sends_back(s, id) ? to + got[at] : from + sent[at];
        x->target = x->recv = to + got[at];
        x->offload = s->job.stage.offload;
        if (x->offload) {
            ovl_offload_describe(x);
            x->call.team = &team->team;
        }
    }
    free(sent);
    free(got);
    return to ? 0 : -1;
}

int ovl_serve_messages_open(struct ovl_serve *s, struct ovl_error *err)
{
    s->message_count = s->plan.own.events.events.ids;
    s->messages = ovl_alloc((size_t)s->message_count + 1, sizeof *s->messages);
    s->bad = ovl_alloc((size_t)s->message_count + 1, sizeof *s->bad);
    if (s->plan.own.events.events.routes)
        s->lists = ovl_alloc(4 * (size_t)s->message_count * (size_t)s->job.ranks + 1, sizeof *s->lists);
    size_t largest = 0;
    for (int id = 0; id < s->message_count; id++) {
        describe(s, id, &s->messages[id]);
        largest = s->messages[id].size > largest ? s->messages[id].size : largest;
    }
    if (s->choice.packing)
        s->expanded = ovl_alloc(largest + 1, sizeof *s->expanded); /* a number of a byte, at most */
    return join(s, err) == 0 ? place(s, err) : -1;
}

void ovl_serve_messages_close(struct ovl_serve *s)
{
    struct ovl_error err;
    for (int i = 0; i < s->team_count; i++) {
        struct ovl_serve_team *t = &s->teams[i];
        if (t->attached && ovl_engine_detach(&s->job.offload.engine, &t->team, t->comm, &err) != 0)
            ovl_engine_abort(s->job.offload.program, &err);
        if (t->comm != MPI_COMM_NULL)
            MPI_Comm_free(&t->comm);
    }
    ovl_number_ops_free();
    free(s->teams);
    free(s->messages);
    free(s->last);
    free(s->bad);
    free(s->lists);
    free(s->expanded);
    s->expanded = NULL;
    s->bad = NULL;
    s->lists = NULL;
    s->teams = NULL;
    s->messages = NULL;
    s->last = NULL;
    s->team_count = s->message_count = 0;
}

/* The same at all members of the team: by request and part, or by the number of the operation, which is the same at
   all; answers to tokens follow from these. */
static uint64_t key_of(const struct ovl_serve *s, int id)
{
    const struct ovl_serve_note *n = note_of(s, id);
    const struct ovl_event *post = post_of(s, id);
    uint64_t which = is_pair(post)   ? (uint64_t)n->request << 24 | (uint64_t)n->part | (uint64_t)1 << 62
                     : post->returns ? (uint64_t)post->answers
                                     : (uint64_t)id;
    return ovl_rng_mix(s->key ^ ovl_rng_mix(which));
}

/* Whose keys and values they are: words differ by who made them, too, which is not a tier. */
static int maker(const struct ovl_serve *s, int id)
{
    return ovl_train_member(&post_of(s, id)->team, note_of(s, id)->back);
}

/* Words of a token in an operation and, where that answers another one, in the other. */
static struct ovl_moe_words words_of(const struct ovl_serve *s, const struct ovl_event *post)
{
    double there = post->returns ? post_of(s, post->answers)->token_bytes : post->token_bytes;
    return (struct ovl_moe_words){ovl_moe_token_words(there, s->plan.scale_bytes),
                                  ovl_moe_token_words(post->token_bytes, s->plan.scale_bytes)};
}

static void fill_tokens(struct ovl_serve *s, int id)
{
    const struct ovl_event *post = post_of(s, id);
    struct ovl_moe_words words = words_of(s, post);
    if (post->returns)
        ovl_moe_answer(post->route, key_of(s, id), words, s->messages[post->answers].recv, s->messages[id].send);
    else
        ovl_moe_fill(post->route, key_of(s, id), words.there, s->messages[id].send);
}

void ovl_serve_message_fill(struct ovl_serve *s, int id)
{
    struct ovl_exchange *x = &s->messages[id];
    size_t n = x->send_bytes / x->element;
    if (n == 0 || sends_back(s, id))
        return;
    if (is_of_tokens(post_of(s, id)))
        fill_tokens(s, id);
    else if (s->choice.packing)
        ovl_kv_packed_fill(s->choice.packing, ovl_train_data_words_of(key_of(s, id), maker(s, id)), x->send, n);
    else if (is_pair(post_of(s, id)))
        ovl_train_data_words(x->send, n, key_of(s, id), maker(s, id));
    else
        ovl_train_whole_fill(s->choice.act, x->send, n, key_of(s, id), x->rank, x->ranks);
}

void ovl_serve_message_expand(struct ovl_serve *s, int id)
{
    const struct ovl_exchange *x = &s->messages[id];
    ovl_kv_packed_expand(s->choice.packing, x->recv, x->recv_bytes / x->element, s->expanded);
}

/* --tiny: sums show in the tokens that follow from them. */
static bool is_of_prompt(const struct ovl_serve *s, int id)
{
    return ovl_lm_serial_sent(&s->tiny->serial, &s->plan.ask, s->choice.row, note_of(s, id), s->messages[id].recv);
}

/* The first wrong copy of a token, or -1. */
static int wrong_copy(const struct ovl_serve *s, int id)
{
    const struct ovl_event *post = post_of(s, id);
    return ovl_moe_wrong_copy(post->route, post->returns, key_of(s, id), words_of(s, post), s->messages[id].recv);
}

/* So many numbers or words from there on. */
static bool right_from(struct ovl_serve *s, int id, size_t first, size_t n)
{
    const struct ovl_exchange *x = &s->messages[id];
    const void *got = (const char *)x->recv + first * x->element;
    const struct ovl_event *post = post_of(s, id);
    if (is_of_tokens(post)) /* one word */
        return ovl_moe_word_is_right(post->route, post->returns, key_of(s, id), words_of(s, post), x->recv, first);
    if (s->choice.packing)
        return ovl_kv_packed_right(s->choice.packing, ovl_train_data_words_of(key_of(s, id), maker(s, id)), x->recv,
                                   x->recv_bytes / x->element, first, n, &s->packed_error);
    if (is_pair(post_of(s, id)))
        return ovl_train_data_moved(got, n, first, key_of(s, id), maker(s, id));
    return ovl_train_whole_sums(s->choice.act, got, n, first, key_of(s, id), x->ranks);
}

/* All of it, or, by the clock, some that are drawn anew each time, so that no part of a message may be left out. */
static bool right(struct ovl_serve *s, int id, bool all)
{
    enum { DRAWN = 4 };
    size_t n = s->messages[id].recv_bytes / s->messages[id].element;
    bool right = true;
    if (s->tiny)
        return !is_pair(post_of(s, id)) || n == 0 || is_of_prompt(s, id);
    if (all && is_of_tokens(post_of(s, id)))
        return wrong_copy(s, id) < 0;
    for (uint64_t i = 0; i < DRAWN && !all && n > 0; i++)
        right &= right_from(s, id, ovl_rng_mix(key_of(s, id) + i) % n, 1);
    return all ? right_from(s, id, 0, n) : right;
}

void ovl_serve_message_look(struct ovl_serve *s, int id, bool all)
{
    const struct ovl_serve_note *n = note_of(s, id);
    struct ovl_serve_wrong *w = &s->players[s->playing].wrong;
    if (right(s, id, all))
        return;
    s->bad[id] = true;
    if (w->any)
        return;
    *w = (struct ovl_serve_wrong){.any = 1,
                                  .rank = s->job.rank,
                                  .request = n->request,
                                  .part = n->part,
                                  .iteration = n->iteration,
                                  .from = post_of(s, id)->team.first,
                                  .back = n->back,
                                  .place = -1,
                                  .token = -1,
                                  .returns = post_of(s, id)->returns};
    if (is_of_tokens(post_of(s, id)))
        ovl_moe_copy_of(post_of(s, id)->route, w->returns, wrong_copy(s, id), &w->from, &w->token);
}

int ovl_serve_messages_wrong(struct ovl_serve *s)
{
    int wrong = 0;
    for (int place = 0; place < s->plan.own.events.places; place++)
        ovl_serve_message_look(s, s->last[place], true);
    for (int id = 0; id < s->message_count; id++)
        wrong += s->bad[id];
    return wrong;
}
