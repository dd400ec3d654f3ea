/* Plans of training steps: for every strategy, model and number of ranks the rules that every plan keeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/grid.h"
#include "plan/check.h"
#include "tests/fake/train_case.h"
#include "tests/unit/test.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double gradients(const struct ovl_train_ask *ask)
{
    return 4 * ask->model->numbers;
}

static double gradients_and_parameters(const struct ovl_train_ask *ask)
{
    return 2 * gradients(ask);
}

/* The unit of weights that are tied, which is the first one, is gathered once. */
static double parameters_twice(const struct ovl_train_ask *ask)
{
    const struct ovl_model *m = ask->model;
    double once = 0;
    for (size_t l = 0; m->tied.by > 0 && m->layers[l].unit == m->layers[m->tied.of].unit; l++)
        once += 4 * m->layers[l].numbers;
    return 3 * gradients(ask) - once;
}

/* Megatron-LM: four for each block, and two for the words that embedding and head share. */
static double activations(const struct ovl_train_ask *ask)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    return 4.0 * ask->batch * t->sequence * t->hidden * (4 * t->blocks + (ask->model->tied.by ? 2 : 0));
}

/* What a strategy gives to the library at each rank; of a pipeline that depends on the cut, of experts on the gate
   (test_train_moe_plans.c). */
static const struct {
    const struct ovl_strategy *row;
    double (*bytes)(const struct ovl_train_ask *ask);
    bool transformer;
} strategies[] = {
    {&ovl_strategy_ddp, gradients, false},
    {&ovl_strategy_horovod, gradients, false},
    {&ovl_strategy_zero1, gradients_and_parameters, false},
    {&ovl_strategy_zero2, gradients_and_parameters, false},
    {&ovl_strategy_zero3, parameters_twice, false},
    {&ovl_strategy_fsdp, parameters_twice, false},
    {&ovl_strategy_tp, activations, true},
    {&ovl_strategy_moe, NULL, true},
    {&ovl_strategy_pp, NULL, false},
    {&ovl_strategy_3d, NULL, false},
};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

TEST(every_strategy_is_tested)
{
    int known = 0;
    while (ovl_strategies[known]) {
        const struct ovl_strategy *s = ovl_strategies[known];
        ck_assert(s->name && s->about && s->build && s->memory && s->samples);
        ck_assert_ptr_eq(strategies[known++].row, s);
    }
    ck_assert_int_eq(known, STRATEGIES);
}

static void check_plan(const struct ovl_strategy *row, int ranks, double wanted)
{
    int node[64];
    for (int r = 0; r < ranks; r++)
        node[r] = r / 2;
    struct ovl_train_plan p = {.ask = train_ask(ranks), .strategy = row, .scale_bytes = 1, .node = node};
    struct ovl_app_steps s;
    bool apart;
    bool split = row != &ovl_strategy_tp || train_model.transformer.heads % ranks == 0;
    if (!split || (ranks > train_model.units && row->bubble)) { /* at all ranks alike */
        for (int r = 0; r < ranks; r++) {
            ck_assert_int_eq(ovl_train_plan_open(&p, r, &train_err), -1);
            ck_assert_int_eq(train_err.code, OVL_USAGE);
            ovl_train_plan_close(&p);
        }
        return;
    }
    ck_assert_msg(ovl_train_plan_open(&p, ranks / 2, &train_err) == 0, "%s", train_err.text);
    double bytes = train_check_events(&p.own.events);
    ck_assert(isnan(wanted) || fabs(bytes - wanted) <= 1e-9 * wanted);
    if (ranks > 8 && ranks % 28 != 8) { /* all ranks' steps against each other: not for each number of them */
        ovl_train_plan_close(&p);
        return;
    }
    ck_assert_int_eq(ovl_app_steps_make(&s, &p.plan, 10000000, &train_err), 0);
    ck_assert_msg(ovl_app_check(&s, &apart, &train_err) == 0, "%s, %s, %d ranks: %s", train_model.name, row->name,
                  ranks, train_err.text);
    ck_assert_msg(apart, "%s, %s, %d ranks: operations cannot be timed alone", train_model.name, row->name, ranks);
    ovl_app_steps_free(&s);
    ovl_train_plan_close(&p);
}

LOOP_TEST(every_plan_is_one, 0, TRAIN_CASES)
{
    train_load(train_cases[_i].name);
    for (int s = 0; s < STRATEGIES; s++)
        for (int ranks = 1; ranks <= 64; ranks += ranks < 12 ? 1 : rounds(4, 1)) {
            struct ovl_train_ask ask = train_ask(ranks);
            if (strategies[s].row == &ovl_strategy_3d) /* grids_of_ranks; of stages alone it is pp */
                continue;
            if (!strategies[s].transformer || train_model.transformer.blocks > 0)
                check_plan(strategies[s].row, ranks, strategies[s].bytes ? strategies[s].bytes(&ask) : NAN);
        }
}

TEST(units_of_work_are_no_more_than_a_step_can_have)
{
    train_load("resnet152");
    struct ovl_train_plan p = {
        .ask = train_ask(1), .strategy = &ovl_strategy_ddp, .scale_bytes = 1, .tests = 100000000};
    ck_assert_int_eq(ovl_train_plan_open(&p, 0, &train_err), 0);
    ck_assert_int_eq(p.own.steps[0].units, INT_MAX);
    ovl_train_plan_close(&p);
}

/* What a rank does in a step of tensor x stages x chunks. */
struct shape {
    int ranks, tensor, stages, chunks;
};

static struct ovl_train_ask ask_of_shape(const struct shape *s)
{
    struct ovl_train_ask ask = train_ask(s->ranks);
    ask.tensor = s->tensor;
    ask.stages = s->stages;
    ask.interleave = s->chunks;
    return ask;
}

static const struct ovl_event *next_post(const struct ovl_events *e, size_t *at)
{
    while (*at < e->count && e->list[*at].kind != OVL_EVENT_POST)
        ++*at;
    return *at < e->count ? &e->list[*at] : NULL;
}

/* Is it at the same operation as the others of its team? */
static bool all_there(const struct ovl_events *e, size_t *at, const struct ovl_event *post)
{
    for (int i = 0; i < post->team.ranks; i++) {
        int r = ovl_train_member(&post->team, i);
        const struct ovl_event *other = next_post(&e[r], &at[r]);
        if (!other || other->team.axis != post->team.axis || other->team.first != post->team.first ||
            other->sequence != post->sequence)
            return false;
        if (other->operation != post->operation || other->bytes != post->bytes ||
            other->team.stride != post->team.stride)
            return false;
        if (post->operation == OVL_ISENDRECV &&
            (other->to + other->from != -i || (other != post && (other->to < 0) == (post->to < 0))))
            return false; /* each the other's place, and -1 */
    }
    return true;
}

/* The blocking twin ends even where every call waits for all members: no send is buffered. */
static void check_rendezvous(const struct shape *s, struct ovl_events *e)
{
    struct ovl_train_ask ask = ask_of_shape(s);
    size_t at[64] = {0};
    double bytes[OVL_TRAIN_AXES] = {0},
           numbers = ovl_model_element(&train_model, OVL_OF_GRADIENTS) * train_model.numbers,
           m = ovl_grid_microbatches(&ask);
    bool moved = true, left = false;
    for (int r = 0; r < s->ranks; r++) {
        ovl_events_clear(&e[r]);
        ck_assert_msg(ovl_strategy_3d.build(&ask, r, &e[r], &train_err) == 0, "%s", train_err.text);
        train_check_events(&e[r]);
        for (size_t i = 0; i < e[r].count; i++)
            bytes[e[r].list[i].team.axis] += e[r].list[i].kind == OVL_EVENT_POST ? e[r].list[i].bytes : 0;
    }
    while (moved) {
        moved = left = false;
        for (int r = 0; r < s->ranks; r++) {
            const struct ovl_event *post = next_post(&e[r], &at[r]);
            left |= post != NULL;
            if (!post || !all_there(e, at, post))
                continue;
            struct ovl_train_team team = post->team;
            for (int i = 0; i < team.ranks; i++)
                at[ovl_train_member(&team, i)]++;
            moved = true;
        }
    }
    ck_assert_msg(!left, "%s: %d ranks, %d x %d x %d: blocked", train_model.name, s->ranks, s->tensor, s->stages,
                  s->chunks);
    int replicas = s->ranks / s->tensor / s->stages;
    double tied = s->stages > 1 && train_model.tied.by ? 4 * 50257.0 * 768 : 0; /* GPT-2's words, at both ends */
    ck_assert(fabs(bytes[OVL_AXIS_TIED] - 2 * tied * replicas) <= 1e-9 * tied);
    numbers += tied;
    ck_assert(fabs(bytes[OVL_AXIS_DATA] - (replicas > 1 ? numbers * replicas : 0)) <= 1e-9 * numbers);
    double wanted = s->tensor > 1 ? m * s->tensor * replicas * activations(&ask) : 0;
    ck_assert(fabs(bytes[OVL_AXIS_TENSOR] - wanted) <= 1e-9 * wanted);
}

static void check_shape(const struct shape *s)
{
    int node[64];
    for (int r = 0; r < s->ranks; r++)
        node[r] = r / 2;
    struct ovl_train_plan p = {.ask = ask_of_shape(s), .strategy = &ovl_strategy_3d, .scale_bytes = 1, .node = node};
    struct ovl_app_steps steps;
    bool apart;
    ck_assert_msg(ovl_train_plan_open(&p, s->ranks - 1, &train_err) == 0, "%s", train_err.text);
    ck_assert_int_eq(ovl_app_steps_make(&steps, &p.plan, 10000000, &train_err), 0);
    ck_assert_msg(ovl_app_check(&steps, &apart, &train_err) == 0, "%s, %d ranks, %d x %d x %d: %s", train_model.name,
                  s->ranks, s->tensor, s->stages, s->chunks, train_err.text);
    ck_assert(apart);
    ovl_app_steps_free(&steps);
    ovl_train_plan_close(&p);
}

/* All shapes of up to 8 ranks, and some of each larger number. */
LOOP_TEST(grids_of_ranks, 0, TRAIN_CASES)
{
    struct ovl_events e[64]; /* kept, so that their memory is asked for once */
    train_load(train_cases[_i].name);
    for (int r = 0; r < 64; r++)
        ovl_events_open(&e[r]);
    for (int ranks = 1; ranks <= 64; ranks++)
        for (int tensor = 1; tensor <= (train_model.transformer.blocks ? 4 : 1); tensor++)
            for (int stages = 1; stages <= 8 && tensor * stages <= ranks; stages++)
                for (int chunks = 1; chunks <= (stages > 1 ? 3 : 1); chunks++) {
                    struct shape s = {ranks, tensor, stages, chunks};
                    if (ranks % (tensor * stages) != 0 || stages * chunks > train_model.units ||
                        (tensor > 1 && train_model.transformer.heads % tensor != 0))
                        continue;
                    if (ranks <= 4 || (ranks == 64 && stages == 4 && tensor + chunks == 4))
                        check_shape(&s);
                    if (ranks <= 8 || (ranks + tensor + stages + chunks) % 32 == 0)
                        check_rendezvous(&s, e);
                }
    for (int r = 0; r < 64; r++)
        ovl_events_close(&e[r]);
}

/* The idle time of the published formulas, with passes of equal length: of 1F1B exactly. */
TEST(bubbles_are_the_published_ones)
{
    for (int stages = 2; stages <= 16; stages++)
        for (int chunks = 1; chunks <= 4; chunks++)
            for (int m = stages; m <= 4 * stages; m += chunks > 1 ? stages : 1) {
                struct ovl_pipeline p = {.stages = stages, .chunks = chunks, .microbatches = m};
                ovl_pipeline_open(&p);
                size_t passes = 2 * (size_t)(m * chunks), idle = 2 * (size_t)(stages - 1);
                ck_assert_msg(p.times == passes + idle, "%d stages of %d, %d: %zu, not %zu", stages, chunks, m, p.times,
                              passes + idle);
                for (int s = 0; s < stages; s++) {
                    size_t runs = 0;
                    for (size_t t = 0; t < p.times; t++)
                        runs += ovl_pipeline_turn(&p, t, s)->runs;
                    ck_assert_uint_eq(runs, passes);
                }
                ovl_pipeline_close(&p);
            }
    train_load("gpt2");
    struct ovl_train_ask ask = train_ask(8);
    ck_assert_double_eq_tol(ovl_strategy_pp.bubble(&ask), 7.0 / 16, 1e-12);
    ask.interleave = 2;
    ck_assert_double_eq_tol(ovl_strategy_pp.bubble(&ask), 7.0 / 32, 1e-12);
    ask.tensor = ask.stages = 2;
    ck_assert_double_eq_tol(ovl_strategy_3d.bubble(&ask), 1.0 / 8, 1e-12);
    ck_assert_double_eq(ovl_strategy_3d.samples(&ask), 8);
}

static const struct {
    struct shape shape;
    int microbatches;
    const char *says;
} misfits[] = {
    {{6, 2, 2, 1}, 0, "--tp 2, --pp 2: 6 ranks are no multiple of 4"},
    {{4, 8, 0, 1}, 0, "--tp 8, --pp 1: 4 ranks are no multiple of 8"},
    {{4, 2, 2, 1}, 0, "resnet20 is no transformer"},
    {{4, 1, 4, 10}, 0, "11 units are too few for 4 stages of 10; give --interleave 2 or less"},
    {{12, 1, 0, 1}, 0, "11 units are too few for 12 stages of 1; give 11 ranks or fewer, or --strategy 3d --pp 6"},
    {{12, 1, 12, 1}, 0, "11 units are too few for 12 stages of 1; give --pp 6"},
    {{12, 1, 12, 3}, 0, "11 units are too few for 12 stages of 3; give --pp 6, without --interleave"},
    {{4, 1, 4, 2}, 6, "6 microbatches on 4 stages"},
    {{4, 1, 1, 2}, 0, "2 microbatches on 1 stages"},
};

LOOP_TEST(shapes_that_do_not_fit, 0, sizeof misfits / sizeof *misfits)
{
    train_load("resnet20");
    for (int r = 0; r < misfits[_i].shape.ranks; r++) {
        struct ovl_train_ask ask = ask_of_shape(&misfits[_i].shape);
        struct ovl_events e;
        ask.microbatches = misfits[_i].microbatches;
        ovl_events_open(&e);
        ck_assert_int_eq(ovl_strategy_3d.build(&ask, r, &e, &train_err), -1);
        ck_assert_int_eq(train_err.code, OVL_USAGE);
        ck_assert_msg(strstr(train_err.text, misfits[_i].says) != NULL, "%s", train_err.text);
        ovl_events_close(&e);
    }
}

/* More buckets than slots: a post waits for the oldest operation. */
TEST(more_buckets_than_slots)
{
    train_load("resnet152");
    struct ovl_train_ask ask = train_ask(2);
    struct ovl_events e;
    int outstanding = 0, most = 0;
    ask.bucket = ask.first_bucket = 1;
    ovl_events_open(&e);
    ovl_strategy_ddp.build(&ask, 0, &e, &train_err);
    for (size_t i = 0; i < e.count; i++) {
        outstanding += (e.list[i].kind == OVL_EVENT_POST) - (e.list[i].kind == OVL_EVENT_WAIT);
        most = outstanding > most ? outstanding : most;
    }
    ck_assert_int_eq(e.ids, 467);
    ck_assert_int_eq(most, OVL_TRAIN_SLOTS);
    ck_assert_double_eq(train_check_events(&e), 4 * train_model.numbers);
    ovl_events_close(&e);
}

/* The published formula: 7.5e9 parameters on 64 ranks. */
TEST(memory_of_the_states)
{
    static const double gigabytes[] = {120, 31.4, 16.6, 1.9};
    for (int z = 0; z < 4; z++)
        ck_assert_double_eq_tol(1e-9 * ovl_memory_of_states(7.5e9, 64, z), gigabytes[z], 0.05);
    ck_assert_double_eq_tol(1e-9 * ovl_memory_of_states(1e12, 1024, 3), 15.625, 1e-9);
}

AROUND(NULL, train_unload)
