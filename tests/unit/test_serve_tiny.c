/* The transformer of ovl_serve --tiny: its tokens are those of a serial program by each strategy on random traces, and
   what comes damaged is told with its place. All ranks are played here, by one process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/tiny/answers.h"
#include "base/rng.h"
#include "tests/unit/test.h"

#include <string.h>

enum { RANKS = 6, REQUESTS = 12 };

static struct ovl_served model;

static void before(void)
{
    ovl_lm_model(&model);
}

AROUND(before, NULL)

/* A rank, with the data of each of its operations. */
struct played {
    struct ovl_serve_events events;
    struct ovl_lm_rank rank;
    void **sent, **got;
};

struct job {
    struct ovl_serve_ask ask;
    const struct ovl_serve_strategy *strategy;
    struct played ranks[RANKS];
    int damaged; /* the id whose data lose a bit on the way to the last rank; -1: none */
};

static void *buffer(void *of, int id, bool sends)
{
    const struct played *p = of;
    return (sends ? p->sent : p->got)[id];
}

static const struct ovl_event *post_of(const struct played *p, int id)
{
    return &p->events.events.list[p->events.events.posted_at[id]];
}

static size_t got_bytes(const struct ovl_event *post)
{
    double tokens = post->route ? post->token_bytes * ovl_moe_sends(post->route, !post->returns) : 0;
    return (size_t)(post->route ? tokens : post->bytes);
}

static void open_job(struct job *j)
{
    for (int r = 0; r < j->ask.ranks; r++) {
        struct played *p = &j->ranks[r];
        ovl_serve_events_open(&p->events, j->ask.trace->count, false);
        ck_assert_msg(j->strategy->build(&j->ask, r, &p->events, &err) == 0, "%s", err.text);
        size_t ids = (size_t)p->events.events.ids;
        p->sent = ovl_alloc(ids + 1, sizeof *p->sent);
        p->got = ovl_alloc(ids + 1, sizeof *p->got);
        for (size_t id = 0; id < ids; id++) {
            p->sent[id] = ovl_alloc((size_t)post_of(p, (int)id)->bytes + 1, 1);
            p->got[id] = ovl_alloc(got_bytes(post_of(p, (int)id)) + 1, 1);
        }
        p->rank.buffer = buffer;
        p->rank.of = p;
        ovl_lm_rank_open(&p->rank, &j->ask, &p->events, j->strategy, r);
    }
}

static void close_job(struct job *j)
{
    for (int r = 0; r < j->ask.ranks; r++) {
        struct played *p = &j->ranks[r];
        for (int id = 0; id < p->events.events.ids; id++) {
            free(p->sent[id]);
            free(p->got[id]);
        }
        free(p->sent);
        free(p->got);
        ovl_lm_rank_close(&p->rank);
        ovl_serve_events_close(&p->events);
    }
}

static void damage(const struct job *j, int rank, int id, size_t bytes)
{
    if (rank == j->ask.ranks - 1 && id == j->damaged)
        ((unsigned char *)j->ranks[rank].got[id])[bytes / 2] ^= 0x10;
}

/* The sum of what all ranks have sent. */
static void sum_up(struct job *j, int id)
{
    size_t n = (size_t)post_of(&j->ranks[0], id)->bytes / sizeof(int64_t);
    for (int to = 0; to < j->ask.ranks; to++) {
        int64_t *sum = j->ranks[to].got[id];
        memset(sum, 0, n * sizeof *sum);
        for (int from = 0; from < j->ask.ranks; from++)
            for (size_t i = 0; i < n; i++)
                sum[i] += ((const int64_t *)j->ranks[from].sent[id])[i];
        damage(j, to, id, n * sizeof *sum);
    }
}

/* Each rank gets of each one what that has for it. */
static void exchange(struct job *j, int id)
{
    for (int to = 0; to < j->ask.ranks; to++) {
        const struct ovl_event *post = post_of(&j->ranks[to], id);
        const int *got = post->returns ? post->route->sent : post->route->got;
        for (int from = 0; from < j->ask.ranks; from++) {
            const struct ovl_moe_route *other = post_of(&j->ranks[from], id)->route;
            const int *sent = post->returns ? other->got : other->sent;
            size_t token = (size_t)post->token_bytes, n = (size_t)(sent[to + 1] - sent[to]);
            ck_assert_int_eq((int)n, got[from + 1] - got[from]);
            memcpy((char *)j->ranks[to].got[id] + token * (size_t)got[from],
                   (char *)j->ranks[from].sent[id] + token * (size_t)sent[to], n * token);
        }
        if (got_bytes(post) > 0)
            damage(j, to, id, got_bytes(post));
    }
}

/* All ranks have the same events. */
static void play_together(struct job *j)
{
    const struct ovl_events *e = &j->ranks[0].events.events;
    for (size_t i = 0; i < e->count; i++) {
        for (int r = 0; r < j->ask.ranks && e->list[i].kind == OVL_EVENT_COMPUTE; r++)
            ovl_lm_rank_compute(&j->ranks[r].rank, i);
        if (e->list[i].kind == OVL_EVENT_WAIT)
            (j->strategy == &ovl_serve_ep ? exchange : sum_up)(j, e->list[i].id);
    }
}

/* What the reader of a request has sent of it. */
static void bring(struct job *j, int rank, int id)
{
    const struct played *to = &j->ranks[rank];
    const struct ovl_serve_note *note = &to->events.notes[to->events.events.posted_at[id]];
    const struct played *from = &j->ranks[ovl_serve_reader(&j->ask, (size_t)note->request)];
    for (int other = 0; other < from->events.events.ids; other++) {
        const struct ovl_serve_note *own = &from->events.notes[from->events.events.posted_at[other]];
        if (own->request == note->request && own->part == note->part)
            memcpy(to->got[id], from->sent[other], (size_t)post_of(to, id)->bytes);
    }
    damage(j, rank, id, (size_t)post_of(to, id)->bytes);
}

/* Those that read wait for nobody, and have lower numbers. */
static void play_pairs(struct job *j)
{
    for (int r = 0; r < j->ask.ranks; r++) {
        const struct ovl_events *e = &j->ranks[r].events.events;
        for (size_t i = 0; i < e->count; i++)
            if (e->list[i].kind == OVL_EVENT_COMPUTE)
                ovl_lm_rank_compute(&j->ranks[r].rank, i);
            else if (e->list[i].kind == OVL_EVENT_WAIT && r >= ovl_serve_prefill_ranks(&j->ask))
                bring(j, r, e->list[i].id);
    }
}

/* The tier's end of a server's message: the n-th one that it has with it. */
static int other_end(const struct job *j, int server, int n, int tier)
{
    const struct played *p = &j->ranks[tier];
    for (int id = 0; id < p->events.events.ids; id++) {
        const struct ovl_event *post = post_of(p, id);
        if (ovl_train_member(&post->team, post->to >= 0 ? 1 : 0) == server && n-- == 0)
            return id;
    }
    ck_abort_msg("a message without another end");
}

/* What arrived last, before this message, in its place. */
static int arrived_in(const struct played *tier, int id)
{
    int place = tier->events.place[id];
    while (tier->events.place[--id] != place || post_of(tier, id)->to >= 0)
        ;
    return id;
}

/* A tier does nothing by itself. */
static void play_tiers(struct job *j)
{
    for (int r = 0; r < ovl_serve_servers(&j->ask); r++) {
        struct played *own = &j->ranks[r];
        const struct ovl_events *e = &own->events.events;
        int rank = ovl_serve_servers(&j->ask) + r % ovl_serve_tier_ranks(&j->ask);
        struct played *tier = &j->ranks[rank];
        for (size_t i = 0; i < e->count; i++) {
            const struct ovl_event *v = &e->list[i];
            if (v->kind == OVL_EVENT_COMPUTE)
                ovl_lm_rank_compute(&own->rank, i);
            if (v->kind != OVL_EVENT_POST && v->kind != OVL_EVENT_WAIT)
                continue;
            size_t bytes = (size_t)post_of(own, v->id)->bytes;
            int other = other_end(j, r, v->id, rank);
            bool back = post_of(own, v->id)->to < 0;
            if (v->kind == OVL_EVENT_POST && !back) {
                memcpy(tier->got[other], own->sent[v->id], bytes);
                damage(j, rank, other, bytes);
            } else if (v->kind == OVL_EVENT_WAIT && back)
                memcpy(own->got[v->id], tier->got[arrived_in(tier, other)], bytes);
        }
    }
}

/* Do all ranks have a part in each operation? */
static bool together(const struct ovl_serve_strategy *s)
{
    return s == &ovl_serve_tp || s == &ovl_serve_ep;
}

static void play(struct job *j, uint64_t key)
{
    for (int r = 0; r < j->ask.ranks; r++)
        ovl_lm_rank_begin(&j->ranks[r].rank, key);
    if (together(j->strategy))
        play_together(j);
    else if (j->strategy == &ovl_serve_tier)
        play_tiers(j);
    else
        play_pairs(j);
}

/* The number that all tokens of a trace have together, from the serial program's words. */
static uint64_t written_by(const struct ovl_lm_serial *s)
{
    uint64_t all = 0;
    for (size_t r = 0; r < s->answers.trace->count; r++) {
        const struct ovl_served_request *q = &s->answers.trace->list[r];
        for (int t = 0; t < q->output; t++)
            all ^= ovl_rng_mix(ovl_rng_mix((uint64_t)r << 32 | (uint64_t)t) ^
                               (uint64_t)s->answers.words[s->answers.first[r] + (size_t)(q->prompt + t)]);
    }
    return all;
}

static struct ovl_request_trace random_trace(struct ovl_rng *rng, struct ovl_served_request list[REQUESTS])
{
    struct ovl_request_trace t = {.list = list, .count = ovl_rng_below(rng, REQUESTS)};
    int64_t at = 0;
    for (size_t r = 0; r < t.count; r++) {
        at += ovl_rng_below(rng, 2) ? ovl_rng_below(rng, 6) : 0;
        list[r] = (struct ovl_served_request){at, 1 + (int)ovl_rng_below(rng, 12), (int)ovl_rng_below(rng, 7)};
    }
    t.shared = (struct ovl_shared_texts){1 + (int)ovl_rng_below(rng, 3), (int)ovl_rng_below(rng, 10)};
    return t;
}

static struct ovl_serve_ask random_ask(struct ovl_rng *rng, const struct ovl_request_trace *t, bool tp)
{
    static const int tensor[] = {1, 2, 3, 4, 6};
    int ranks = tp ? tensor[ovl_rng_below(rng, 5)] : 2 + (int)ovl_rng_below(rng, RANKS - 1);
    int block = 1 + (int)ovl_rng_below(rng, 4);
    double block_bytes = block * sizeof(int32_t) * ovl_served_kept(&model);
    return (struct ovl_serve_ask){.model = &model,
                                  .trace = t,
                                  .ranks = ranks,
                                  .continuous = ovl_rng_below(rng, 2),
                                  .slots = 1 + (int)ovl_rng_below(rng, 5),
                                  .chunk = (int)ovl_rng_below(rng, 6),
                                  .kv_bytes = sizeof(int32_t),
                                  .act_bytes = sizeof(int64_t),
                                  .balance = 1,
                                  .two = ovl_rng_below(rng, 2),
                                  .prefill = tp ? 0 : 1 + (int)ovl_rng_below(rng, (uint32_t)ranks - 1),
                                  .messages = 1 + (int)ovl_rng_below(rng, 3),
                                  .moe = {.skew = (double)ovl_rng_below(rng, 3),
                                          .dispatch = {"i64", sizeof(int64_t)},
                                          .combine = {"i64", sizeof(int64_t)},
                                          .per_expert = ovl_rng_below(rng, 2)},
                                  .token_more = OVL_LM_TOKEN_MORE,
                                  .tiers = (int)ovl_rng_below(rng, (uint32_t)ranks / 2 + 1),
                                  .block = block,
                                  .tier_memory = (double)ovl_rng_below(rng, 4) * ranks * block_bytes,
                                  .works = true};
}

/* Memory for the longest request and a few tokens more, in half of the rounds: the youngest ones give way. */
static void be_short(struct ovl_rng *rng, struct job *j)
{
    int longest = 1;
    for (size_t r = 0; r < j->ask.trace->count; r++) {
        const struct ovl_served_request *q = &j->ask.trace->list[r];
        longest = q->prompt + q->output > longest ? q->prompt + q->output : longest;
    }
    if (j->strategy == &ovl_serve_pd || ovl_rng_below(rng, 2))
        return;
    if (j->strategy != &ovl_serve_tp) /* few ranks have many requests each */
        j->ask.ranks = 2;
    j->ask.tiers = 0;
    j->ask.slots = 2 + (int)ovl_rng_below(rng, 4);
    j->ask.kv_memory = j->strategy->token_bytes(&j->ask) * (longest + (double)ovl_rng_below(rng, 12));
    j->ask.preempt = j->strategy == &ovl_serve_tier && ovl_rng_below(rng, 2) ? OVL_PREEMPT_SWAP : OVL_PREEMPT_RECOMPUTE;
}

TEST(tokens_of_random_traces_are_those_of_a_serial_program)
{
    struct ovl_rng rng = ovl_rng_seeded(2026);
    int tokens = 0;
    int64_t again[4] = {0}, moved = 0; /* by strategy: tokens that were read again; and that were put away */
    for (int round = 0; round < rounds(200, 2000); round++) {
        struct ovl_served_request list[REQUESTS];
        struct ovl_request_trace t = random_trace(&rng, list);
        struct ovl_lm_serial serial;
        uint64_t key = ovl_rng_next(&rng);
        ovl_lm_serial_open(&serial, &t);
        ovl_lm_serial_run(&serial, key);
        for (int i = 0; ovl_serve_strategies[i]; i++) {
            struct job j = {.strategy = ovl_serve_strategies[i], .damaged = -1};
            j.ask = random_ask(&rng, &t, together(j.strategy));
            be_short(&rng, &j);
            open_job(&j);
            for (int r = 0; r < j.ask.ranks; r++) {
                again[i] += j.ranks[r].events.pushed.again;
                moved += j.ranks[r].events.pushed.moved;
                ck_assert(!j.ask.preempt ||
                          (double)j.ranks[r].events.kv_most * j.strategy->token_bytes(&j.ask) <= j.ask.kv_memory);
            }
            play(&j, key + 1); /* leaves keys and values of another sample behind */
            play(&j, key);
            uint64_t all = 0;
            for (int r = 0; r < j.ask.ranks; r++) {
                size_t request = 0;
                int place = 0, wrong = ovl_lm_rank_wrong(&j.ranks[r].rank, &serial, &request, &place);
                ck_assert_msg(wrong == 0, "%s, round %d, rank %d of %d: %d wrong, first request %zu, place %d",
                              j.strategy->name, round, r, j.ask.ranks, wrong, request, place);
                all ^= ovl_lm_rank_written(&j.ranks[r].rank);
            }
            ck_assert(all == written_by(&serial));
            close_job(&j);
        }
        for (size_t r = 0; r < t.count; r++)
            tokens += list[r].output;
        ovl_lm_serial_close(&serial);
    }
    ck_assert_int_gt(tokens, 1000);
    for (int i = 0; ovl_serve_strategies[i]; i++)
        ck_assert_msg(again[i] > (ovl_serve_strategies[i] == &ovl_serve_pd ? -1 : 50), "%s: %lld tokens again",
                      ovl_serve_strategies[i]->name, (long long)again[i]);
    ck_assert_int_gt((int)moved, 20);
}

/* A bit of any message: the last rank has a request with another outcome, or keys and values that are not the prompt's.
 */
TEST(a_damaged_bit_is_told_with_its_place)
{
    struct ovl_served_request list[] = {{0, 5, 4}, {0, 3, 2}, {1, 4, 3}};
    struct ovl_request_trace t = {.list = list, .count = 3, .shared = {1, 4}};
    struct ovl_lm_serial serial;
    struct ovl_rng rng = ovl_rng_seeded(7);
    ovl_lm_serial_open(&serial, &t);
    ovl_lm_serial_run(&serial, 99);
    for (int i = 0; ovl_serve_strategies[i]; i++) {
        struct job j = {.strategy = ovl_serve_strategies[i], .damaged = -1};
        j.ask = random_ask(&rng, &t, together(j.strategy));
        j.ask.ranks = 2;
        j.ask.prefill = together(j.strategy) ? 0 : 1;
        j.ask.tiers = 0;
        j.ask.tier_memory = 0;
        open_job(&j);
        struct played *last = &j.ranks[1];
        for (j.damaged = 0; j.damaged < last->events.events.ids; j.damaged++) {
            size_t request = 99;
            int place = -1;
            if (!together(j.strategy) && post_of(last, j.damaged)->to >= 0) /* a tier sends it */
                continue;
            if (post_of(last, j.damaged)->route && got_bytes(post_of(last, j.damaged)) == 0)
                continue;
            play(&j, 99);
            int wrong = ovl_lm_rank_wrong(&last->rank, &serial, &request, &place);
            if (j.strategy == &ovl_serve_ep) /* its tokens may be those of the other one */
                wrong += ovl_lm_rank_wrong(&j.ranks[0].rank, &serial, &request, &place);
            if (together(j.strategy)) {
                ck_assert_int_gt(wrong, 0);
                ck_assert(request < 3 && place >= 0);
                continue;
            }
            for (int id = 0; id < last->events.events.ids; id++) {
                const struct ovl_serve_note *n = &last->events.notes[last->events.events.posted_at[id]];
                if (post_of(last, id)->to < 0)
                    ck_assert_int_eq(ovl_lm_serial_sent(&serial, &j.ask, j.strategy, n, last->got[id]),
                                     id != j.damaged);
            }
        }
        close_job(&j);
    }
    ovl_lm_serial_close(&serial);
}
