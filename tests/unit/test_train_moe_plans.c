/* Steps of a mixture of experts, and bulk work: bytes, work and order from the definitions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/check.h"
#include "tests/fake/train_case.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

enum { HIDDEN = 768, BLOCKS = 12, TOKENS = 1024, NODES_OF = 2 };
/* Multiply-adds of a sample forwards, half as many as operations: of each block 24 s h^2 and 4 s^2 h of these, of the
   head 2 s h V (Narayanan et al., SC 2021, appendix). The term of s^2 has no weights. */
static const double scores = 2.0 * BLOCKS * TOKENS * TOKENS * HIDDEN,
                    weighted = 12.0 * BLOCKS * TOKENS * HIDDEN * HIDDEN + 50257.0 * TOKENS * HIDDEN;
static const double all = 124439808, ffn = 8.0 * HIDDEN * HIDDEN + 5 * HIDDEN; /* of GPT-2, and of a block's half */

static const struct ask {
    int ranks, experts, top;
    double capacity, skew;
    enum ovl_moe_overlap overlap;
    bool per_expert;
} asks[] = {
    {1, 0, 0, 0, 0, OVL_MOE_NONE, false},    {4, 8, 2, 0, 0, OVL_MOE_TWO, false},
    {4, 8, 3, 0, 1, OVL_MOE_SHARED, true},   {6, 3, 2, 0, 1, OVL_MOE_TWO, false},
    {8, 4, 1, 0, 1.5, OVL_MOE_NONE, true},   {4, 8, 4, 1, 1.5, OVL_MOE_TWO, true},
    {3, 12, 5, 1, 1, OVL_MOE_SHARED, false}, {8, 2, 2, 0.5, 0, OVL_MOE_SHARED, false},
};
enum { ASKS = sizeof asks / sizeof *asks };

static struct ovl_train_ask ask_of(const struct ask *a)
{
    struct ovl_train_ask ask = train_ask(a->ranks);
    ask.batch = 2;
    ask.moe.experts = a->experts;
    ask.moe.top = a->top;
    ask.moe.capacity = a->capacity;
    ask.moe.skew = a->skew;
    ask.moe.overlap = a->overlap;
    ask.moe.per_expert = a->per_expert;
    return ask;
}

/* Copies that leave a member in one pass, by the gate, and all choices that are not dropped. */
static void count(const struct ovl_moe *moe, int members, int member, double *copies, double *taken)
{
    int parts = ovl_moe_parts(moe), tokens = 2 * TOKENS / parts, chosen[OVL_MOE_TOP_MOST];
    double most = moe->capacity > 0 ? ceil(moe->capacity * tokens * moe->top / moe->experts) : INFINITY;
    *copies = *taken = 0;
    for (int i = 0; i < BLOCKS * parts; i++) {
        struct ovl_moe_gate g;
        double of_expert[16] = {0};
        ovl_moe_gate_open(&g, moe, i / parts);
        for (int t = 0; t < tokens; t++) {
            bool there[16] = {false};
            ovl_moe_gate_choose(&g, i / parts, i % parts, member, t, chosen);
            for (int k = 0; k < moe->top; k++) {
                int to = chosen[k] / (moe->experts / members);
                if (of_expert[chosen[k]]++ >= most)
                    continue;
                ++*taken;
                *copies += moe->per_expert || !there[to];
                there[to] = true;
            }
        }
        ovl_moe_gate_close(&g);
    }
}

/* Bytes of a rank's operations of a kind. */
static double bytes_of(const struct ovl_events *e, enum ovl_operation operation, int axis)
{
    double bytes = 0;
    for (int id = 0; id < e->ids; id++) {
        const struct ovl_event *post = &e->list[e->posted_at[id]];
        bytes += post->operation == operation && (int)post->team.axis == axis ? post->bytes : 0;
    }
    return bytes;
}

static double tokens_back(const struct ovl_events *e, bool back)
{
    double bytes = 0;
    for (int id = 0; id < e->ids; id++) {
        const struct ovl_event *post = &e->list[e->posted_at[id]];
        bytes += post->route && post->returns == back ? post->bytes : 0;
    }
    return bytes;
}

static double macs_of(const struct ovl_events *e, int work, bool bulk_too)
{
    double macs = 0;
    for (size_t i = 0; i < e->count; i++)
        if (e->list[i].kind == OVL_EVENT_COMPUTE && (int)e->list[i].work == work && (bulk_too || !e->list[i].bulk))
            macs += e->list[i].macs;
    return macs;
}

/* Tokens there in bytes of f8 and back in those of bf16, twice; gradients of all but experts by all, those of experts
   by their replicas; and the multiply-adds of top experts for each token that is not dropped. */
LOOP_TEST(bytes_and_work_are_those_of_the_gate, 0, ASKS)
{
    const struct ask *a = &asks[_i];
    struct ovl_train_ask ask = ask_of(a);
    struct ovl_moe moe = ask.moe;
    double sent = 0, back = 0, taken = 0, forward = 0, update = 0;
    train_load("gpt2");
    ck_assert_int_eq(ovl_moe_settle(&moe, a->ranks, 2, &train_err), 0);
    int members = ovl_moe_members(&moe, a->ranks), replicas = a->ranks / members;
    bool shared = moe.overlap == OVL_MOE_SHARED;
    double dense = all - BLOCKS * ffn * !shared + (double)BLOCKS * HIDDEN * moe.experts;
    double own = (double)moe.experts / members * BLOCKS * ffn;
    for (int r = 0; r < a->ranks; r++) {
        struct ovl_events e;
        double copies, of_rank;
        ovl_events_open(&e);
        ck_assert_msg(ovl_strategy_moe.build(&ask, r, &e, &train_err) == 0, "%s", train_err.text);
        train_check_events(&e);
        count(&moe, members, r % members, &copies, &of_rank);
        taken += of_rank;
        ck_assert_double_eq(tokens_back(&e, false), 2 * copies * HIDDEN);
        sent += tokens_back(&e, false);
        back += tokens_back(&e, true);
        ck_assert_double_eq_tol(bytes_of(&e, OVL_IALLREDUCE, OVL_AXIS_OF_ALL), 4 * dense, 1);
        ck_assert_double_eq_tol(bytes_of(&e, OVL_IALLREDUCE, OVL_AXIS_DATA), replicas > 1 ? 4 * own : 0, 1);
        forward += macs_of(&e, OVL_EVENT_FORWARD, true);
        ck_assert_double_eq_tol(macs_of(&e, OVL_EVENT_BACKWARD, true), 2 * macs_of(&e, OVL_EVENT_FORWARD, true), 1e3);
        update = macs_of(&e, OVL_EVENT_UPDATE, true);
        ck_assert_double_eq_tol(update, 2 * (dense + own), 1);
        ovl_events_close(&e);
    }
    ck_assert_double_eq(back, 2 * sent);   /* bf16 */
    double expert = 8.0 * HIDDEN * HIDDEN; /* of a token */
    double without = train_model.macs - BLOCKS * TOKENS * expert + (double)BLOCKS * TOKENS * HIDDEN * moe.experts;
    double wanted = 2 * a->ranks * (without + shared * BLOCKS * TOKENS * expert) + taken * expert;
    ck_assert_double_eq_tol(forward, wanted, 1e-9 * wanted);
}

/* Work of a rank between the post of tokens and the wait for them. */
static void check_overlap(const struct ovl_events *e, enum ovl_moe_overlap overlap)
{
    for (int id = 0; id < e->ids; id++) {
        size_t i = (size_t)e->posted_at[id];
        double macs = 0;
        if (!e->list[i].route)
            continue;
        bool last_back = e->list[i].returns; /* of a pass, whose second part has nothing behind it */
        for (i++; e->list[i].kind != OVL_EVENT_WAIT || e->list[i].id != id; i++)
            macs += e->list[i].kind == OVL_EVENT_COMPUTE && !e->list[i].bulk ? e->list[i].macs : 0;
        ck_assert(overlap != OVL_MOE_NONE || macs == 0);
        ck_assert(overlap == OVL_MOE_NONE || last_back || macs > 0);
        ck_assert(overlap != OVL_MOE_SHARED || macs > 0);
    }
}

/* So much of the backward pass stands in the bulk, and the update comes behind all of it. */
static void check_bulk(const struct ovl_events *e, double wanted)
{
    double chain = macs_of(e, OVL_EVENT_BACKWARD, false), both = macs_of(e, OVL_EVENT_BACKWARD, true);
    int bulks = 0, last = -1;
    ck_assert_double_eq_tol(both - chain, wanted, 1e-9 * both);
    for (size_t i = 0; i < e->count; i++) {
        const struct ovl_event *t = &e->list[i];
        bulks += t->bulk;
        ck_assert(!t->bulk || (t->makes_count == 0 && t->takes_count == 0 && t->kind == OVL_EVENT_COMPUTE));
        ck_assert(t->after <= bulks && (!t->bulk || t->after == 0));
        last = t->work == OVL_EVENT_UPDATE ? t->after : last;
    }
    ck_assert_int_eq(bulks, e->bulks);
    ck_assert_int_eq(last, bulks);
    ck_assert((bulks > 0) == (wanted > 0));
}

LOOP_TEST(tokens_travel_behind_what_was_asked_for, 0, ASKS)
{
    struct ovl_train_ask ask = ask_of(&asks[_i]);
    struct ovl_events e;
    train_load("gpt2");
    ovl_events_open(&e);
    ck_assert_int_eq(ovl_strategy_moe.build(&ask, 0, &e, &train_err), 0);
    check_overlap(&e, ask.moe.overlap);
    double weights = macs_of(&e, OVL_EVENT_FORWARD, true) - 2 * scores; /* of two samples */
    check_bulk(&e, ask.moe.overlap == OVL_MOE_NONE ? 0 : weights);
    ovl_events_close(&e);
}

static const struct {
    const struct ovl_strategy *row;
    int ranks, tensor, stages, chunks, samples;
} split[] = {{&ovl_strategy_tp, 4, 1, 0, 1, 1},
             {&ovl_strategy_pp, 4, 1, 0, 1, 8},
             {&ovl_strategy_pp, 2, 1, 0, 3, 8},
             {&ovl_strategy_3d, 8, 2, 2, 1, 16},
             {&ovl_strategy_3d, 8, 1, 2, 2, 32}};

/* What has no weights, a block's scores and their products with the values, is twice the work in the chain, and none in
   the bulk. And what replicas or tied stages add up is there by then. */
LOOP_TEST(gradients_of_weights_are_bulk_work, 0, sizeof split / sizeof *split)
{
    struct ovl_train_ask ask = train_ask(split[_i].ranks);
    double bulk = 0, chain = 0;
    train_load("gpt2");
    ask.tensor = split[_i].tensor;
    ask.stages = split[_i].stages;
    ask.interleave = split[_i].chunks;
    ask.microbatches = 8;
    for (int r = 0; r < ask.ranks; r++) {
        struct ovl_events e;
        int last = 0;
        ovl_events_open(&e);
        ck_assert_int_eq(split[_i].row->build(&ask, r, &e, &train_err), 0);
        double here = macs_of(&e, OVL_EVENT_BACKWARD, true) - macs_of(&e, OVL_EVENT_BACKWARD, false);
        check_bulk(&e, here);
        bulk += here;
        chain += macs_of(&e, OVL_EVENT_BACKWARD, false);
        for (size_t i = 0; i < e.count; i++) {
            const struct ovl_event *t = &e.list[i];
            last = t->after > last ? t->after : last;
            ck_assert(t->kind != OVL_EVENT_POST || t->team.axis != OVL_AXIS_TIED || last == e.bulks);
            ck_assert(t->kind != OVL_EVENT_POST || t->team.axis != OVL_AXIS_DATA || last > 0);
        }
        ovl_events_close(&e);
    }
    ck_assert_double_eq_tol(bulk, split[_i].samples * weighted, 1e-9 * bulk);
    ck_assert_double_eq_tol(chain, split[_i].samples * (weighted + 2 * scores), 1e-9 * chain);
}

/* As a plan: it can be played, in every way, and what goes out of nodes comes in at others, by the numbers' sizes. */
static void check_played(const struct ask *a)
{
    struct ovl_train_ask ask = ask_of(a);
    int node[8];
    struct ovl_app_steps s;
    bool apart;
    double in = 0, out = 0;
    train_load("gpt2");
    for (int r = 0; r < ask.ranks; r++)
        node[r] = r / NODES_OF;
    struct ovl_train_plan p = {.ask = ask, .strategy = &ovl_strategy_moe, .scale_bytes = 3, .node = node};
    ck_assert_int_eq(ovl_train_plan_open(&p, 0, &train_err), 0);
    ck_assert_int_eq(ovl_app_steps_make(&s, &p.plan, 1000000, &train_err), 0);
    ck_assert_msg(ovl_app_check(&s, &apart, &train_err) == 0, "%s", train_err.text);
    ck_assert(apart);
    ck_assert(!p.other.events.routes || !p.other.events.routes->list->in); /* of others no single tokens */
    ck_assert_int_eq(p.counts.members, ask.ranks > 1 ? p.own.events.routes->list->members : 0);
    for (int r = 0; r < ask.ranks; r++) {
        const struct ovl_app_list *chain = ovl_app_list(&s, r, OVL_LANE_CHAIN);
        for (size_t i = 0; i < chain->count; i++)
            if (chain->steps[i].kind == OVL_APP_POST && chain->steps[i].what == OVL_IALLTOALLV) {
                in += chain->steps[i].in;
                out += chain->steps[i].out;
                ck_assert_double_eq(fmod(chain->steps[i].in, 4 * round(HIDDEN / 4.0 / 3)), 0);
            }
    }
    ck_assert_double_eq(in, out);
    ck_assert((in > 0) == (ask.ranks > NODES_OF && (a->experts == 0 || a->experts > NODES_OF)));
    ovl_app_steps_free(&s);
    ovl_train_plan_close(&p);
}

LOOP_TEST(plans_with_experts_can_be_played, 0, ASKS)
{
    check_played(&asks[_i]);
}

/* Nearly all tokens go to one expert of a block; the ranks of others have as many events. */
TEST(ranks_without_tokens_play_the_same_plan)
{
    for (int overlap = OVL_MOE_NONE; overlap <= OVL_MOE_TWO; overlap++) {
        struct ask a = {8, 8, 1, 0, 10, (enum ovl_moe_overlap)overlap, false};
        struct ovl_train_ask ask;
        int without = 0;
        check_played(&a);
        ask = ask_of(&a);
        for (int r = 0, events = 0; r < a.ranks; r++) {
            struct ovl_events e;
            ovl_events_open(&e);
            ck_assert_int_eq(ovl_strategy_moe.build(&ask, r, &e, &train_err), 0);
            for (int i = 0; i < BLOCKS * e.routes->parts; i++)
                without += e.routes->list[i].work == 0;
            ck_assert(events == 0 || events == (int)e.count);
            events = (int)e.count;
            ovl_events_close(&e);
        }
        ck_assert_int_gt(without, 0);
        train_unload();
    }
}

/* Groups of the chain and of the bulk lane: every event stands in one of them, in its order. */
TEST(bulk_work_begins_behind_what_stands_before_it)
{
    struct ovl_train_ask ask = train_ask(4);
    struct ovl_app_step steps[OVL_APP_GROUP_MOST];
    size_t chain = 0, bulk = 0, before[4096];
    train_load("gpt2");
    struct ovl_train_plan p = {.ask = ask, .strategy = &ovl_strategy_pp, .scale_bytes = 1};
    ck_assert_int_eq(ovl_train_plan_open(&p, 1, &train_err), 0);
    for (size_t g = 0; g < p.plan.groups[OVL_LANE_CHAIN]; g++) {
        chain += (size_t)p.plan.group(p.plan.of, 1, OVL_LANE_CHAIN, g, steps);
        before[g + 1] = chain;
    }
    before[0] = 0;
    for (size_t g = 0; g < p.plan.groups[OVL_LANE_BULK]; g++)
        if (p.plan.group(p.plan.of, 1, OVL_LANE_BULK, g, steps) > 0) {
            size_t standing = 0;
            for (int i = 0; i < steps->index; i++)
                standing += !p.own.events.list[i].bulk;
            ck_assert_uint_eq(before[steps->after], standing);
            bulk++;
        }
    ck_assert_uint_eq(bulk, (size_t)p.own.events.bulks);
    ck_assert_uint_eq(chain + bulk + 1, p.own.events.count); /* and STEP */
    ovl_train_plan_close(&p);
}

TEST(models_without_feed_forward_layers_have_no_experts)
{
    struct ovl_events e;
    ovl_events_open(&e);
    train_load("resnet20");
    struct ovl_train_ask ask = train_ask(2);
    ck_assert_int_eq(ovl_strategy_moe.build(&ask, 0, &e, &train_err), -1);
    ck_assert_str_eq(train_err.text,
                     "--strategy moe: resnet20 is no transformer; give one that is, such as --model gpt2");
    train_unload();
    train_load("gpt2");
    train_model.transformer.hidden = 4000;
    ck_assert_int_eq(ovl_strategy_moe.build(&ask, 0, &e, &train_err), -1);
    ck_assert_str_eq(train_err.text, "--strategy moe: gpt2 has no blocks with feed-forward layers; give a model that "
                                     "has, such as gpt2");
    train_unload();
    train_load("gpt2"); /* a million samples: more draws than anybody would wait for */
    ask.batch = 1e6;
    ck_assert_int_eq(ovl_strategy_moe.build(&ask, 0, &e, &train_err), -1);
    ck_assert_str_eq(train_err.text,
                     "--strategy moe: 4.92e+10 choices of experts in a pass, and 3e+08 at most are drawn; "
                     "give a smaller --batch, or fewer --experts");
    ovl_events_close(&e);
}

AROUND(NULL, train_unload)
