/* The plans of strategy `tier`: what a tier sends back is what it was given, in the order in which its server asks for
   it, on random traces; counted by hand; and what does not fit is refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/plan.h"
#include "base/rng.h"
#include "plan/check.h"
#include "tests/unit/test.h"

#include <string.h>

enum { REQUESTS = 24, RANKS = 6 };

static const struct ovl_served small = {.name = "small",
                                        .blocks = 3,
                                        .hidden = 8,
                                        .heads = 4,
                                        .kv_heads = 2,
                                        .head = 2,
                                        .vocabulary = 10,
                                        .parameters = 2000,
                                        .active = 1000,
                                        .attention = 100};

enum { TOKEN = 2 * 3 * 2 * 2 * 2 }; /* bytes of a token's keys and values */

static struct ovl_serve_ask ask_of(const struct ovl_request_trace *t, int ranks)
{
    return (struct ovl_serve_ask){.model = &small,
                                  .trace = t,
                                  .ranks = ranks,
                                  .continuous = true,
                                  .slots = 4,
                                  .kv_bytes = 2,
                                  .act_bytes = 4,
                                  .balance = 1,
                                  .messages = 2,
                                  .block = 4};
}

static struct ovl_serve_events events_of(const struct ovl_serve_ask *ask, int rank)
{
    struct ovl_serve_events e;
    ovl_serve_events_open(&e, ask->trace->count, false);
    ck_assert_msg(ovl_serve_tier.build(ask, rank, &e, &err) == 0, "%s", err.text);
    return e;
}

static const struct ovl_event *post_of(const struct ovl_serve_events *e, int id)
{
    return &e->events.list[e->events.posted_at[id]];
}

static const struct ovl_serve_note *note_of(const struct ovl_serve_events *e, int id)
{
    return &e->notes[e->events.posted_at[id]];
}

/* The tier's next message with that server is the same one as the server's. */
static void same_message(const struct ovl_serve_events *server, int id, const struct ovl_serve_events *tier, int *next,
                         int server_rank)
{
    while (ovl_train_member(&post_of(tier, *next)->team, !note_of(tier, *next)->back ? 0 : 1) != server_rank)
        ++*next;
    const struct ovl_serve_note *own = note_of(server, id), *other = note_of(tier, *next);
    ck_assert(own->back == other->back && own->request == other->request && own->part == other->part);
    ck_assert(post_of(server, id)->bytes == post_of(tier, *next)->bytes);
    ck_assert(post_of(server, id)->to == (own->back ? -1 : 1) && post_of(tier, *next)->to == (own->back ? 1 : -1));
    ++*next;
}

/* What a tier sends has come into that place, and was waited for; the place of what it gets has nothing under way. */
static void holds(const struct ovl_serve_events *tier)
{
    int *has = ovl_alloc((size_t)tier->places + 1, sizeof *has),
        *busy = ovl_alloc((size_t)tier->places + 1, sizeof *busy);
    bool *came = ovl_alloc((size_t)tier->events.ids + 1, sizeof *came);
    for (size_t i = 0; i < tier->events.count; i++) {
        const struct ovl_event *v = &tier->events.list[i];
        if (v->kind == OVL_EVENT_WAIT) {
            busy[tier->place[v->id]]--;
            came[v->id] = true;
        } else if (v->kind == OVL_EVENT_POST && tier->notes[i].back) {
            int id = has[tier->place[v->id]];
            ck_assert(came[id] && note_of(tier, id)->request == tier->notes[i].request);
            ck_assert_int_eq(note_of(tier, id)->part, tier->notes[i].part);
            busy[tier->place[v->id]]++;
        } else if (v->kind == OVL_EVENT_POST) {
            ck_assert_int_eq(busy[tier->place[v->id]]++, 0);
            has[tier->place[v->id]] = v->id;
        } else
            ck_assert_int_eq(v->kind, OVL_EVENT_STEP); /* it computes nothing */
    }
    free(has);
    free(busy);
    free(came);
}

/* Whole blocks that two prompts begin with. */
static int alike(const struct ovl_request_trace *t, size_t a, size_t b, int block)
{
    int shorter = t->list[a].prompt < t->list[b].prompt ? t->list[a].prompt : t->list[b].prompt, n = 0;
    while ((n + 1) * block <= shorter && ovl_trace_block(t, a, n, block) == ovl_trace_block(t, b, n, block))
        n++;
    return n;
}

/* Does a prompt begin with what this work takes, block by block? */
static bool begins_with(const struct ovl_serve_ask *ask, const struct ovl_serve_events *e, const struct ovl_event *v,
                        size_t request)
{
    for (int n = 0; n < v->takes_count; n++) {
        const struct ovl_serve_note *of = note_of(e, v->takes + n);
        if (of->tokens > 0 || of->part != n || alike(ask->trace, request, (size_t)of->request, ask->block) <= n)
            return false;
    }
    return true;
}

/* Is it all that a request had that was pushed out? */
static bool has_all(const struct ovl_serve_events *e, const struct ovl_event *v, const struct ovl_batcher_work *w)
{
    const struct ovl_serve_note *of = note_of(e, v->takes);
    return w->returns && of->back && of->request == (int)w->request && of->tokens == w->context;
}

/* What comes back is of a prompt that begins as that of a request which is begun now, with just so many tokens known,
   or of a request that was pushed out and is worked at now. */
static void is_needed(const struct ovl_serve_ask *ask, const struct ovl_serve_events *e)
{
    for (size_t i = 0; i < e->events.count; i++) {
        const struct ovl_event *v = &e->events.list[i];
        if (v->kind != OVL_EVENT_COMPUTE || v->takes_count == 0)
            continue;
        int iteration = e->notes[i].iteration, needs = 0;
        size_t end = iteration + 1 < e->iterations ? e->works_at[iteration + 1] : e->works_count;
        for (size_t k = e->works_at[iteration]; k < end; k++)
            needs += has_all(e, v, &e->works[k]) ||
                     (e->works[k].begins && e->works[k].context == (int64_t)v->takes_count * ask->block &&
                      begins_with(ask, e, v, e->works[k].request));
        ck_assert_int_gt(needs, 0);
    }
}

static void look(const struct ovl_serve_ask *ask)
{
    int tiers = ovl_serve_tier_ranks(ask), servers = ovl_serve_servers(ask);
    struct ovl_serve_events e[RANKS];
    double tokens = 0, found = 0, kept = 0, again = 0, away = 0;
    int ids = 0;
    for (int r = 0; r < ask->ranks; r++) {
        e[r] = events_of(ask, r);
        ids += r < servers ? e[r].events.ids : -e[r].events.ids;
        tokens += (double)e[r].tokens;
        found += e[r].tiered.found;
        kept += e[r].tiered.kept;
        again += (double)e[r].pushed.again;
        away += (double)e[r].pushed.moved;
        ck_assert(ask->kv_memory == 0 || (double)e[r].kv_most * TOKEN <= ask->kv_memory);
        if (r < servers)
            is_needed(ask, &e[r]);
    }
    ck_assert_int_eq(ids, 0); /* each message at both ends */
    for (int server = 0; server < servers; server++) {
        int next = 0;
        for (int id = 0; id < e[server].events.ids; id++)
            same_message(&e[server], id, &e[servers + server % tiers], &next, server);
        ck_assert(e[server].tiered.found <= e[server].tiered.blocks);
    }
    for (int r = servers; r < ask->ranks; r++) {
        holds(&e[r]);
        int most = ask->tier_memory > 0 ? (int)(ask->tier_memory / TOKEN / ask->block) : e[r].events.ids;
        ck_assert(e[r].tiered.most <= most && e[r].tiered.most <= e[r].places);
        ck_assert(e[r].places <= e[r].tiered.most + (ask->preempt == OVL_PREEMPT_SWAP ? servers * ask->slots : 0));
    }
    double all = 0;
    for (size_t r = 0; r < ask->trace->count; r++)
        all += ask->trace->list[r].prompt + (ask->trace->list[r].output > 1 ? ask->trace->list[r].output - 1 : 0);
    /* What comes back is not read again. */
    ck_assert_double_eq(tokens + found * ask->block, all + again);
    double in = 0, moved = found + kept;
    for (int server = 0; server < servers; server++)
        in += ovl_serve_tier.comes_in(ask, server, server + 1);
    ck_assert_double_eq(in, (found * ask->block + away) * TOKEN);
    ck_assert_double_eq(ovl_serve_tier.comes_in(ask, 0, servers) + ovl_serve_tier.comes_in(ask, servers, ask->ranks),
                        (moved * ask->block + 2 * away) * TOKEN);
    for (int r = 0; r < ask->ranks; r++)
        ovl_serve_events_close(&e[r]);
}

/* By the checker of plans: nobody waits in a circle, with blocking messages either. */
static void is_accepted(const struct ovl_serve_ask *ask)
{
    struct ovl_serve_plan p = {.ask = *ask, .strategy = &ovl_serve_tier, .scale_bytes = 1};
    struct ovl_app_steps steps;
    bool apart;
    ck_assert_msg(ovl_serve_plan_open(&p, ask->ranks - 1, &err) == 0, "%s", err.text);
    struct ovl_app_plan twin = ovl_app_blocking(&p.plan), *plans[] = {&p.plan, &twin};
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(ovl_app_steps_make(&steps, plans[i], 1000000, &err) == 0, "%s", err.text);
        ck_assert_msg(ovl_app_check(&steps, &apart, &err) == 0, "%d: %s", i, err.text);
        ovl_app_steps_free(&steps);
    }
    ovl_serve_plan_close(&p);
}

TEST(what_comes_back_is_what_was_given)
{
    struct ovl_rng rng = ovl_rng_seeded(4);
    for (int round = 0; round < rounds(200, 5000); round++) {
        struct ovl_served_request list[REQUESTS];
        struct ovl_request_trace t = {.list = list, .count = ovl_rng_below(&rng, REQUESTS)};
        int64_t at = 0;
        for (size_t r = 0; r < t.count; r++) {
            at += ovl_rng_below(&rng, 2) ? ovl_rng_below(&rng, 6) : 0;
            list[r] = (struct ovl_served_request){at, 1 + (int)ovl_rng_below(&rng, 40), (int)ovl_rng_below(&rng, 8)};
        }
        t.shared = (struct ovl_shared_texts){1 + (int)ovl_rng_below(&rng, 3), (int)ovl_rng_below(&rng, 30)};
        struct ovl_serve_ask ask = ask_of(&t, 2 + (int)ovl_rng_below(&rng, RANKS - 1));
        ask.continuous = ovl_rng_below(&rng, 2);
        ask.slots = 1 + (int)ovl_rng_below(&rng, 5);
        ask.chunk = (int)ovl_rng_below(&rng, 2) * (1 + (int)ovl_rng_below(&rng, 20));
        ask.block = 1 + (int)ovl_rng_below(&rng, 6);
        ask.tiers = (int)ovl_rng_below(&rng, (uint32_t)ask.ranks / 2 + 1);
        ask.works = true;
        ask.tier_memory = (int)ovl_rng_below(&rng, 5) * ask.ranks * ask.block * TOKEN;
        ask.preempt = OVL_PREEMPT_NEVER + ovl_rng_below(&rng, 3);
        ask.kv_memory = ask.preempt ? TOKEN * (46 + (double)ovl_rng_below(&rng, 40)) : 0; /* 40 and 6 of a request */
        look(&ask);
        if (round % 8 == 0)
            is_accepted(&ask);
    }
}

/* Two requests of 4 + 4 tokens with memory for 10: the second one goes to the tier with 5 of them, and comes back when
   the first one has ended. */
TEST(a_request_goes_to_the_tier_and_comes_back)
{
    struct ovl_served_request list[] = {{0, 4, 5}, {0, 4, 4}};
    struct ovl_request_trace t = {.list = list, .count = 2};
    struct ovl_serve_ask ask = ask_of(&t, 2);
    ask.block = 100;
    ask.kv_memory = 10 * TOKEN;
    ask.preempt = OVL_PREEMPT_SWAP;
    struct ovl_serve_events server = events_of(&ask, 0), tier = events_of(&ask, 1);
    ck_assert(server.events.ids == 2 && tier.events.ids == 2 && tier.places == 1 && tier.tiered.most == 0);
    for (int id = 0; id < 2; id++) {
        const struct ovl_serve_note *n = note_of(&server, id);
        ck_assert(n->back == (id == 1) && n->request == 1 && n->tokens == 5 && n->part == OVL_SERVE_PUSHED + 1);
        ck_assert_double_eq(post_of(&server, id)->bytes, 5 * TOKEN);
    }
    ck_assert_int_eq(note_of(&server, 0)->iteration, 2);
    ck_assert(server.lives[0].last == 4 && server.lives[1].begins == 0 && server.lives[1].first == 0);
    ck_assert_int_eq(server.lives[1].last, 6);
    ck_assert_int_eq(server.kv_most, 10);
    ovl_serve_events_close(&server);
    ovl_serve_events_close(&tier);
}

/* Two requests with the same 8 tokens in front, of 4 to a block; the second one arrives when the first one is read. */
TEST(blocks_go_and_come_back)
{
    struct ovl_served_request list[] = {{0, 9, 3}, {2, 10, 1}, {9, 8, 1}};
    struct ovl_request_trace t = {.list = list, .count = 3, .shared = {1, 8}};
    struct ovl_serve_ask ask = ask_of(&t, 2);
    struct ovl_serve_events server = events_of(&ask, 0), tier = events_of(&ask, 1);
    /* Of the third only one block comes back: its last token must be read, and it is in the second one. */
    static const struct {
        bool back;
        int part;
    } wanted[] = {{false, 0}, {false, 1}, {true, 0}, {true, 1}, {true, 0}};
    ck_assert(server.events.ids == 5 && tier.events.ids == 5 && tier.places == 2);
    for (int id = 0; id < 5; id++) {
        ck_assert(note_of(&tier, id)->back == wanted[id].back && note_of(&tier, id)->part == wanted[id].part);
        ck_assert_int_eq(note_of(&tier, id)->request, 0);
        ck_assert_double_eq(post_of(&tier, id)->bytes, 4 * TOKEN);
    }
    ck_assert_int_eq(server.tokens, 9 + 2 + 2 + 4);
    ck_assert(server.tiered.blocks == 2 + 2 + 1 && server.tiered.found == 3 && server.tiered.kept == 2);
    /* Asked for in iteration 2, in which the first one writes its last token, and begun in the next one. */
    ck_assert(server.lives[1].arrival == 2 && server.lives[1].begins == 2 && server.lives[1].first == 3);
    ck_assert(server.lives[0].first == 0 && server.lives[0].last == 2);
    /* What it waits for then, and the one before for nothing. */
    ck_assert(server.lives[1].fetches == 2 && server.lives[1].fetch == 2 && server.lives[1].waits == 3);
    ck_assert(server.lives[0].fetches == 0 && server.lives[2].fetches == 1 && server.lives[2].fetch == 4);
    ovl_serve_events_close(&server);
    ovl_serve_events_close(&tier);
    ask.tier_memory = 4 * TOKEN; /* one block: the second one of each prompt finds no room */
    server = events_of(&ask, 0);
    ck_assert(server.tiered.found == 2 && server.tiered.kept == 1 && server.tiered.gave_way == 0);
    ovl_serve_events_close(&server);
}

TEST(what_does_not_fit_is_refused_with_the_number)
{
    struct ovl_served_request list[] = {{0, 5, 3}, {0, 2, 1}};
    struct ovl_request_trace t = {.list = list, .count = 2};
    static const struct {
        int ranks, tiers;
        double tier_memory, kv_memory;
        const char *says;
    } bad[] = {
        {1, 0, 0, 0, "--strategy tier: one rank serves, another one keeps; give 2 ranks or more, or --strategy tp"},
        {3, 2, 0, 0, "--tier-ranks 2: of 3 ranks as many must be left to serve; give 1 or less"},
        {3, 1, 383, 0,
         "--tier-memory: a block of 4 tokens, for each of 2 rank(s) that it serves, needs 384 bytes; give as much or "
         "more, or a smaller --kv-block"},
        {2, 1, 0, 335,
         "--kv-memory: a request of 7 tokens needs 336 bytes for its keys and values; give as much or more"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int rank = 0; rank < bad[i].ranks; rank++) {
            struct ovl_serve_events e;
            struct ovl_serve_ask ask = ask_of(&t, bad[i].ranks);
            ask.tiers = bad[i].tiers;
            ask.tier_memory = bad[i].tier_memory;
            ask.kv_memory = bad[i].kv_memory;
            ovl_serve_events_open(&e, 2, false);
            ck_assert_int_eq(ovl_serve_tier.build(&ask, rank, &e, &err), -1);
            ck_assert_int_eq(err.code, OVL_USAGE);
            ck_assert_str_eq(err.text, bad[i].says);
            ovl_serve_events_close(&e);
        }
}

/* One slot, one block, and more messages than a plan has slots. */
TEST(one_slot_and_one_block_are_accepted)
{
    struct ovl_served_request list[REQUESTS];
    struct ovl_request_trace t = {.list = list, .count = REQUESTS, .shared = {1, 90}};
    for (int r = 0; r < REQUESTS; r++)
        list[r] = (struct ovl_served_request){r / 4, 100, r % 3};
    for (int way = 0; way < 4; way++) {
        struct ovl_serve_ask ask = ask_of(&t, 4);
        ask.slots = way % 2 ? 8 : 1;
        ask.tier_memory = way / 2 ? 12 * TOKEN : 0;
        ask.block = way / 2 ? 4 : 1;
        ask.tiers = 1 + way % 2;
        is_accepted(&ask);
    }
}
