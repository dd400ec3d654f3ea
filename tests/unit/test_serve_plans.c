/* Models that are served and the plans of their strategies: damaged models, bytes by formula, plans that the checker
   accepts, on random traces and with a single slot. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/strategy/plan.h"
#include "base/rng.h"
#include "plan/check.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <string.h>

/* Llama-like, small enough to be counted by hand. */
static const char small[] =
    "{\"schema\": \"ovl-served-model-1\", \"name\": \"small\", \"blocks\": 3, \"hidden\": 8, \"heads\": 4, "
    "\"kv_heads\": 2, \"head\": 2, \"latent\": 0, \"vocabulary\": 10, \"parameters\": 2000, \"active\": 1000, "
    "\"tied\": false, \"attention\": 100}";

/* In front of another member. */
#define MIXTURE(experts, top, dense)                                                                                   \
    "\"mixture\": {\"experts\": " #experts ", \"top\": " #top                                                          \
    ", \"shared\": 0, \"expert\": 10, \"dense_blocks\": " #dense ", \"dense\": 0}, \"tied\""

static struct ovl_served model_of(const char *text)
{
    struct ovl_served m;
    ck_assert_msg(ovl_served_parse(&m, text, "small.json", &err) == 0, "%s", err.text);
    return m;
}

TEST(damaged_models_are_refused_with_the_member)
{
    static const struct {
        const char *from, *to, *says;
    } bad[] = {
        {"\"blocks\": 3", "\"blocks\": 0", "small.json: blocks: give a whole number from 1 to 16777216"},
        {"\"blocks\": 3", "\"blocks\": 3.5", "small.json: blocks: give"},
        {"\"heads\": 4", "\"heds\": 4", "small.json: heads: give"},
        {"\"active\": 1000", "\"active\": 400", "small.json: active: give a whole number from 460"},
        {"\"parameters\": 2000", "\"parameters\": 999", "small.json: parameters: give a whole number from 1000"},
        {"\"tied\": false", "\"tied\": 0", "small.json: tied: give true or false"},
        {"served-model-1", "model-1", "small.json: schema: give \"ovl-served-model-1\""},
        {"\"name\": \"small\"", "\"name\": \"\"", "small.json: name: give 1 to 63 letters"},
        {"\"head\": 2,", "\"head\": 2", "small.json: line 1, column "},
        {"\"latent\": 0", "\"latent\": 0, \"rotary\": 1", "small.json: rotary: give no more than the 0 of latent"},
        {"\"tied\"", "\"mixture\": 3, \"tied\"", "small.json: mixture: give an object"},
        {"\"tied\"", MIXTURE(0, 1, 0), "small.json: experts: give a whole number from 1"},
        {"\"tied\"", MIXTURE(4, 5, 0), "small.json: experts, top: give 4096 at most, and no more than these or 64"},
        {"\"tied\"", MIXTURE(100, 65, 0), "small.json: experts, top: give"},
        {"\"tied\"", MIXTURE(5000, 1, 0), "small.json: experts, top: give"},
        {"\"tied\"", MIXTURE(4, 2, 3), "small.json: dense_blocks: give less than the 3 blocks"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1024];
        struct ovl_served m;
        const char *at = strstr(small, bad[i].from);
        ck_assert_ptr_nonnull(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - small), small, bad[i].to, at + strlen(bad[i].from));
        ck_assert_int_eq(ovl_served_parse(&m, text, "small.json", &err), -1);
        ck_assert_int_eq(err.code, OVL_WRONG_DATA);
        ck_assert_msg(strstr(err.text, bad[i].says) == err.text, "%s", err.text);
    }
}

static struct ovl_serve_ask ask_of(const struct ovl_served *m, const struct ovl_request_trace *t, int ranks)
{
    return (struct ovl_serve_ask){.model = m,
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

/* The plan and its blocking twin can be played, and none of their ranks waits for ever. */
static void accepted(const struct ovl_serve_ask *ask, const struct ovl_serve_strategy *s)
{
    struct ovl_serve_plan p = {.ask = *ask, .strategy = s, .scale_bytes = 1};
    struct ovl_app_steps steps;
    bool apart;
    ck_assert_msg(ovl_serve_plan_open(&p, 0, &err) == 0, "%s", err.text);
    struct ovl_app_plan twin = ovl_app_blocking(&p.plan), *plans[] = {&p.plan, &twin};
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(ovl_app_steps_make(&steps, plans[i], 1000000, &err) == 0, "%s", err.text);
        ck_assert_msg(ovl_app_check(&steps, &apart, &err) == 0, "%s %s: %s", s->name, i ? "blocking" : "", err.text);
        ovl_app_steps_free(&steps);
    }
    ovl_serve_plan_close(&p);
}

static struct ovl_request_trace random_trace(struct ovl_rng *rng, struct ovl_served_request *list, size_t most)
{
    struct ovl_request_trace t = {.list = list, .count = ovl_rng_below(rng, (uint32_t)most)};
    int64_t at = 0;
    for (size_t r = 0; r < t.count; r++) {
        at += ovl_rng_below(rng, 2) ? ovl_rng_below(rng, 6) : 0;
        list[r] = (struct ovl_served_request){at, 1 + (int)ovl_rng_below(rng, 40), (int)ovl_rng_below(rng, 8)};
    }
    return t;
}

TEST(plans_of_random_traces_are_accepted)
{
    struct ovl_served m = model_of(small);
    struct ovl_rng rng = ovl_rng_seeded(48);
    for (int round = 0; round < rounds(200, 5000); round++) {
        struct ovl_served_request list[24];
        struct ovl_request_trace t = random_trace(&rng, list, 24);
        for (int i = 0; ovl_serve_strategies[i] != &ovl_serve_ep; i++) { /* which test_serve_experts.c has */
            bool tp = ovl_serve_strategies[i] == &ovl_serve_tp;
            int ranks = tp ? 1 << ovl_rng_below(&rng, 3) : 2 + (int)ovl_rng_below(&rng, 5);
            struct ovl_serve_ask ask = ask_of(&m, &t, ranks);
            ask.continuous = ovl_rng_below(&rng, 2);
            ask.slots = 1 + (int)ovl_rng_below(&rng, 5);
            ask.chunk = (int)ovl_rng_below(&rng, 20);
            ask.two = ovl_rng_below(&rng, 2);
            ask.messages = 1 + (int)ovl_rng_below(&rng, 4);
            ask.prefill = tp ? 0 : 1 + (int)ovl_rng_below(&rng, (uint32_t)ranks - 1);
            ask.block = 1 + (int)ovl_rng_below(&rng, 9);
            ask.tiers = tp ? 0 : (int)ovl_rng_below(&rng, (uint32_t)ranks / 2 + 1);
            t.shared = (struct ovl_shared_texts){1 + (int)ovl_rng_below(&rng, 3), (int)ovl_rng_below(&rng, 30)};
            int room = (int)ovl_rng_below(&rng, 8) * ranks; /* blocks; 0: as many as are needed */
            ask.tier_memory = room * ask.block * ask.kv_bytes * ovl_served_kept(&m);
            accepted(&ask, ovl_serve_strategies[i]);
        }
    }
}

/* More messages than slots of the plan are under way. */
TEST(many_messages_and_one_slot_are_accepted)
{
    struct ovl_served m = model_of(small);
    struct ovl_served_request list[30];
    struct ovl_request_trace t = {.list = list, .count = 30};
    m.blocks = 80;
    for (int r = 0; r < 30; r++)
        list[r] = (struct ovl_served_request){0, 3, 1 + r % 3};
    struct ovl_serve_ask ask = ask_of(&m, &t, 5);
    for (ask.slots = 1; ask.slots < 40; ask.slots += 30)
        for (ask.messages = 1; ask.messages <= 64; ask.messages *= 8)
            for (ask.prefill = 1; ask.prefill < 5; ask.prefill++)
                accepted(&ask, &ovl_serve_pd);
}

/* What the two ranks of pd do, counted by hand. */
TEST(keys_and_values_go_from_reader_to_writer)
{
    struct ovl_served m = model_of(small);
    struct ovl_served_request list[] = {{0, 5, 3}, {0, 7, 1}, {0, 6, 0}, {1, 2, 2}};
    struct ovl_request_trace t = {.list = list, .count = 4};
    struct ovl_serve_ask ask = ask_of(&m, &t, 2);
    struct ovl_serve_events reader, writer;
    ovl_serve_events_open(&reader, 4, false);
    ovl_serve_events_open(&writer, 4, false);
    ck_assert_int_eq(ovl_serve_pd.build(&ask, 0, &reader, &err), 0);
    ck_assert_int_eq(ovl_serve_pd.build(&ask, 1, &writer, &err), 0);
    /* Two requests go on, each in two parts of one and of two blocks; 2 x 2 x 2 numbers of 2 bytes a token and block.
     */
    static const double bytes[] = {5 * 16, 5 * 32, 2 * 16, 2 * 32};
    ck_assert(reader.events.ids == 4 && writer.events.ids == 4);
    for (int id = 0; id < 4; id++) {
        const struct ovl_event *s = &reader.events.list[reader.events.posted_at[id]],
                               *g = &writer.events.list[writer.events.posted_at[id]];
        ck_assert_double_eq(s->bytes, bytes[id]);
        ck_assert_double_eq(g->bytes, bytes[id]);
        ck_assert(s->to == 1 && s->from == -1 && g->to == -1 && g->from == 0);
        ck_assert_int_eq(reader.notes[reader.events.posted_at[id]].request, id < 2 ? 0 : 3);
        ck_assert_int_eq(writer.notes[writer.events.posted_at[id]].part, id % 2);
    }
    ck_assert_int_eq(reader.tokens, 5 + 7 + 6 + 2);
    ck_assert_int_eq(writer.tokens, 2 + 1);
    ck_assert_int_eq(writer.kv_most, 5 + 2);
    ck_assert(reader.lives[0].first == 0 && reader.lives[1].first == 1 && reader.lives[2].first == -1);
    ck_assert(writer.lives[0].last == 1 && writer.lives[1].last == -1 && writer.lives[3].last == 2);
    /* The fourth arrives while the second is read. */
    ck_assert(reader.lives[3].arrival == 1 && reader.lives[3].begins == 3);
    ck_assert_double_eq(reader.lives[3].arrival_part, 0);
    ck_assert_double_eq(ovl_serve_pd.comes_in(&ask, 1, 2), 5 * 48 + 2 * 48);
    ck_assert_double_eq(ovl_serve_pd.comes_in(&ask, 0, 2), 0);
    ovl_serve_events_close(&reader);
    ovl_serve_events_close(&writer);
}

static double macs_of(const struct ovl_serve_events *e)
{
    double macs = 0;
    for (size_t i = 0; i < e->events.count; i++)
        macs += e->events.list[i].macs;
    return macs;
}

/* Both strategies, and both ways to batch, do the same work, as many tokens have to go through the same model. */
TEST(work_is_that_of_the_tokens)
{
    struct ovl_served m = model_of(small);
    struct ovl_rng rng = ovl_rng_seeded(9);
    struct ovl_served_request list[20];
    struct ovl_request_trace t = random_trace(&rng, list, 20);
    while (t.count < 10)
        t = random_trace(&rng, list, 20);
    double wanted = 0, tokens = 0, sums = 0;
    for (size_t r = 0; r < t.count; r++) {
        double n = list[r].prompt + (list[r].output > 1 ? list[r].output - 1 : 0);
        tokens += n;
        wanted += 3 * ovl_served_look_macs(&m, true) * n * (n + 1) / 2 + list[r].output * ovl_served_head_macs(&m);
    }
    wanted += tokens * 3 * (ovl_served_attention_macs(&m) + ovl_served_own_macs(&m, 0));
    for (int way = 0; way < 8; way++) {
        struct ovl_serve_ask ask = ask_of(&m, &t, 4);
        struct ovl_serve_events e;
        ask.continuous = way & 1;
        ask.two = way & 2;
        ask.chunk = way & 4 ? 6 : 0;
        ovl_serve_events_open(&e, t.count, false);
        ck_assert_int_eq(ovl_serve_tp.build(&ask, 3, &e, &err), 0);
        ck_assert_double_eq_tol(4 * macs_of(&e), wanted, 1e-9 * wanted);
        ck_assert_int_eq(e.tokens, (int64_t)tokens);
        struct ovl_serve_events told;
        ovl_serve_events_open(&told, t.count, true);
        ck_assert_int_eq(ovl_serve_tp.build(&ask, 3, &told, &err), 0);
        ck_assert(told.totals.steps == (double)e.events.count - 1 && told.totals.posts == e.events.ids);
        ck_assert_double_eq(told.totals.bytes, 2 * 3 * tokens * 8 * 4);
        ck_assert(told.events.count == 0 && told.kv_most == e.kv_most && told.iterations == e.iterations);
        ovl_serve_events_close(&told);
        sums = 0;
        for (int id = 0; id < e.events.ids; id++)
            sums += e.events.list[e.events.posted_at[id]].bytes;
        ck_assert_double_eq(sums, 2 * 3 * tokens * 8 * 4); /* two sums a block, 8 numbers of 4 bytes a token */
        ovl_serve_events_close(&e);
        double both = 0;
        for (int rank = 0; rank < 4; rank++) {
            ovl_serve_events_open(&e, t.count, false);
            ck_assert_int_eq(ovl_serve_pd.build(&ask, rank, &e, &err), 0);
            both += macs_of(&e);
            ovl_serve_events_close(&e);
        }
        ck_assert_double_eq_tol(both, wanted, 1e-9 * wanted);
    }
}

/* With halves, work of the other one stands between each sum and what waits for it; without, nothing does. */
TEST(halves_of_a_batch_hide_each_other_s_sums)
{
    struct ovl_served m = model_of(small);
    struct ovl_served_request list[] = {{0, 3, 2}, {0, 3, 2}};
    struct ovl_request_trace t = {.list = list, .count = 2};
    for (int two = 0; two < 2; two++) {
        struct ovl_serve_ask ask = ask_of(&m, &t, 2);
        struct ovl_serve_events e;
        ask.two = two;
        ovl_serve_events_open(&e, 2, false);
        ck_assert_int_eq(ovl_serve_tp.build(&ask, 0, &e, &err), 0);
        ck_assert_int_eq(e.places, 1 + two);
        int hidden = 0;
        for (size_t i = 0, posted = 0; i < e.events.count; i++) {
            if (e.events.list[i].kind == OVL_EVENT_POST)
                posted = i;
            hidden +=
                e.events.list[i].kind == OVL_EVENT_COMPUTE && posted > 0 && e.events.list[i - 1].kind == OVL_EVENT_POST;
        }
        ck_assert(two ? hidden > 0 : hidden == 0);
        ovl_serve_events_close(&e);
    }
}

TEST(what_does_not_fit_is_refused_with_the_number)
{
    struct ovl_served m = model_of(small);
    struct ovl_served_request list[] = {{0, 5, 3}};
    struct ovl_request_trace t = {.list = list, .count = 1};
    struct ovl_serve_ask ask = ask_of(&m, &t, 3);
    static const struct {
        const struct ovl_serve_strategy *strategy;
        int ranks, prefill;
        double memory;
        const char *says;
    } bad[] = {
        {&ovl_serve_tp, 3, 0, 0,
         "--strategy tp: the 4 heads of small do not divide by 3; give 2 ranks, or --strategy pd"},
        {&ovl_serve_tp, 8, 0, 0,
         "--strategy tp: the 4 heads of small do not divide by 8; give 4 ranks, or --strategy pd"},
        {&ovl_serve_pd, 1, 0, 0,
         "--strategy pd: one rank reads, another one writes; give 2 ranks or more, or --strategy tp"},
        {&ovl_serve_pd, 3, 3, 0, "--prefill 3: of 3 ranks one must be left to write; give 2 or less"},
        {&ovl_serve_pd, 2, 1, 335,
         "--kv-memory: a request of 7 tokens needs 336 bytes for its keys and values; give as much or more"},
        {&ovl_serve_tp, 2, 0, 167,
         "--kv-memory: a request of 7 tokens needs 168 bytes for its keys and values; give as much or more"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int rank = 0; rank < bad[i].ranks; rank++) {
            struct ovl_serve_events e;
            ask.ranks = bad[i].ranks;
            ask.prefill = bad[i].prefill;
            ask.kv_memory = bad[i].memory;
            ovl_serve_events_open(&e, 1, false);
            ck_assert_int_eq(bad[i].strategy->build(&ask, rank, &e, &err), -1);
            ck_assert_int_eq(err.code, OVL_USAGE);
            ck_assert_str_eq(err.text, bad[i].says);
            ovl_serve_events_close(&e);
        }
    ask.kv_memory = 336;
    ask.ranks = 2;
    ask.prefill = 1;
    accepted(&ask, &ovl_serve_pd);
    ck_assert_ptr_null(ovl_serve_strategy_find("epp", &err));
    ck_assert_str_eq(err.text, "--strategy epp: there is none of that name; give one of tp, pd, tier, ep");
}
