/* Training steps as data: models, buckets and fusion buffers by their published rules, and for every strategy, model
   and number of ranks the rules that every plan keeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/grid.h"
#include "apps/train/steps.h"
#include "plan/check.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Totals from the papers' definitions; the sizes of buckets are rounded to 0.01 MiB, those of Horovod's to 0.1. */
static const struct {
    const char *name;
    double numbers;
    size_t tensors;
    double gmacs;
    double ddp[16], horovod[16]; /* MiB, up to 0; a prefix of the buckets */
    size_t ddp_count, horovod_count;
} models[] = {
    {"resnet20", 269722, 59, 0.041, {1.00, 0.03}, {1.0}, 2, 1},
    {"resnet56", 853018, 167, 0.125, {1.13, 2.12}, {3.3}, 2, 1},
    {"shufflenetv2", 1458604, 170, 0.012, {2.60, 2.96}, {5.6}, 2, 1},
    {"resnet50", 25557032, 161, 4.089, {7.82, 30.04, 25.04, 25.32, 9.27}, {62.9, 34.6}, 5, 2},
    {"resnet152",
     60192808,
     467,
     11.514,
     {7.82, 30.04, 25.04, 26.57, 25.57, 25.57, 25.57, 25.57, 25.33, 12.54},
     {62.9, 62.7, 63.9, 40.1},
     10,
     4},
    {"edsr_x2", 40729603, 136, 93.847, {9.03, 27.01, 27.01, 27.01, 27.01, 27.01, 11.28}, {63.1, 63.0, 29.3}, 7, 3},
    {"edsr_x4", 43089923, 138, 115.782, {9.03, 27.01, 27.01, 27.01, 27.01, 27.01, 20.29}, {63.1, 63.0, 38.3}, 7, 3},
    {"bert-large", 335141888, 391, 167.505, {4.00}, {52.1}, 38, 25},
    {"gpt2",
     124439808,
     148,
     145.824,
     {9.01, 27.04, 27.04, 27.04, 27.04, 27.04, 27.04, 27.04, 27.04, 27.04, 27.04, 27.04, 168.27},
     {63.1, 63.1, 63.1, 63.1, 63.1, 12.0, 147.2},
     13,
     7},
};
enum { MODELS = sizeof models / sizeof *models };

static struct ovl_model model;
static struct ovl_error err;

static void load(const char *name)
{
    ck_assert_msg(ovl_model_load(&model, name, &err) == 0, "%s", err.text);
}

static void unload(void)
{
    ovl_model_free(&model);
}

static struct ovl_train_ask ask_of(int ranks)
{
    struct ovl_train_ask ask = ovl_train_ask_default();
    ask.model = &model;
    ask.ranks = ranks;
    return ask;
}

START_TEST(models_have_their_papers_totals)
{
    double numbers = 0, macs = 0;
    size_t tensors = 0;
    load(models[_i].name);
    ck_assert_str_eq(model.name, models[_i].name);
    ck_assert_double_eq(model.numbers, models[_i].numbers);
    ck_assert_uint_eq(model.tensor_count, models[_i].tensors);
    ck_assert_double_eq_tol(1e-9 * model.macs, models[_i].gmacs, 0.0005);
    for (size_t l = 0; l < model.layer_count; l++) {
        ck_assert_uint_eq(model.layers[l].first, tensors);
        tensors += model.layers[l].tensors;
        numbers += model.layers[l].numbers;
        macs += model.layers[l].macs;
        ck_assert(model.layers[l].activation_bytes > 0);
    }
    ck_assert_uint_eq(tensors, model.tensor_count);
    ck_assert_double_eq(numbers, model.numbers);
    ck_assert_double_eq(macs, model.macs);
}
END_TEST

static void buckets_are(const struct ovl_buckets *b, const double *mib, size_t count, double unit)
{
    double all = 0;
    ck_assert_uint_eq(b->count, count);
    for (size_t i = 0; i < count; i++) {
        double bytes = 0;
        for (size_t t = b->low[i]; t < (i > 0 ? b->low[i - 1] : model.tensor_count); t++)
            bytes += 4 * (double)model.tensors[t];
        ck_assert_double_eq(b->bytes[i], bytes); /* tensors are covered once, in reverse order */
        ck_assert_msg(i >= 16 || mib[i] == 0 || fabs(b->bytes[i] / (1 << 20) - mib[i]) <= unit * 0.5001,
                      "%s: bucket %zu of %.0f bytes", model.name, i, b->bytes[i]);
        all += bytes;
    }
    ck_assert_uint_eq(b->low[count - 1], 0);
    ck_assert_double_eq(all, 4 * model.numbers);
}

START_TEST(buckets_are_those_of_pytorch_and_horovod)
{
    struct ovl_buckets b;
    load(models[_i].name);
    struct ovl_train_ask ask = ask_of(4);
    ovl_buckets_ddp(&b, &ask);
    buckets_are(&b, models[_i].ddp, models[_i].ddp_count, 0.01);
    for (size_t i = 0; i < b.count; i++) { /* closed by its last tensor, and not before */
        double limit = i > 0 ? 25 << 20 : 1 << 20;
        ck_assert(b.bytes[i] - 4 * (double)model.tensors[b.low[i]] < limit);
        ck_assert(b.bytes[i] >= limit || i + 1 == b.count);
    }
    ovl_buckets_free(&b);
    for (int all = 0; all < 2; all++) {
        ask.cycle = all ? INFINITY : 0;
        ovl_buckets_horovod(&b, &ask);
        buckets_are(&b, models[_i].horovod, models[_i].horovod_count, 0.1);
        ovl_buckets_free(&b);
    }
}
END_TEST

START_TEST(buckets_are_right_to_the_byte)
{
    static const double resnet50[] = {8196000, 31502336, 26255360, 26550272, 9724160},
                        edsr[] = {66117644, 66088960, 30711808};
    struct ovl_buckets b;
    struct ovl_train_ask ask = ask_of(2);
    load("resnet50");
    ovl_buckets_ddp(&b, &ask);
    for (size_t i = 0; i < 5; i++)
        ck_assert_double_eq(b.bytes[i], resnet50[i]);
    ovl_buckets_free(&b);
    ask.fusion = 128 << 20;
    ovl_buckets_horovod(&b, &ask);
    ck_assert_uint_eq(b.count, 1);
    ovl_buckets_free(&b);
    unload();
    load("edsr_x2");
    ck_assert_ptr_eq(ovl_strategy_find("horovod:0.19", &ask, &err), &ovl_strategy_horovod);
    ovl_buckets_horovod(&b, &ask);
    for (size_t i = 0; i < 3; i++)
        ck_assert_double_eq(b.bytes[i], edsr[i]);
    ovl_buckets_free(&b);
    ask.local = 100000; /* 51,200,000 bytes at a time: the threshold becomes 102,400,000 */
    ovl_buckets_horovod(&b, &ask);
    ck_assert_uint_eq(b.count, 2);
    ck_assert(b.bytes[0] > 66117644 && b.bytes[0] <= 102400000);
    ovl_buckets_free(&b);
}
END_TEST

/* A cycle after each tenth of the backward pass: what is ready goes, and is posted no earlier than the cycle's end. */
START_TEST(cycles_of_horovod_count_in_work)
{
    struct ovl_buckets b;
    load("resnet152");
    struct ovl_train_ask ask = ask_of(2);
    ask.cycle = ovl_backward_macs(&ask) / 10;
    ovl_buckets_horovod(&b, &ask);
    ck_assert(b.count >= 8 && b.count <= 14);
    for (size_t i = 0; i < b.count; i++)
        ck_assert(b.after[i] <= ovl_backward_macs(&ask) && (i == 0 || b.after[i] >= b.after[i - 1]));
    ovl_buckets_free(&b);
    struct ovl_events e;
    double done = 0;
    int posts = 0;
    ovl_events_open(&e);
    ovl_strategy_horovod.build(&ask, 0, &e, &err);
    ovl_buckets_horovod(&b, &ask);
    for (size_t i = 0; i < e.count; i++) {
        done += e.list[i].work == OVL_EVENT_BACKWARD ? e.list[i].macs : 0;
        if (e.list[i].kind == OVL_EVENT_POST)
            ck_assert_double_ge(done * (1 + 1e-9), b.after[posts++]);
    }
    ck_assert_uint_eq((size_t)posts, b.count);
    ovl_buckets_free(&b);
    ovl_events_close(&e);
}
END_TEST

static double gradients(const struct ovl_train_ask *ask)
{
    return 4 * ask->model->numbers;
}

static double gradients_and_parameters(const struct ovl_train_ask *ask)
{
    return 2 * gradients(ask);
}

static double parameters_twice(const struct ovl_train_ask *ask)
{
    return 3 * gradients(ask);
}

static double activations(const struct ovl_train_ask *ask)
{
    const struct ovl_transformer *t = &ask->model->transformer;
    return 4.0 * 4 * ask->batch * t->sequence * t->hidden * t->blocks;
}

static double activations_of_two(const struct ovl_train_ask *ask)
{
    return 2 * activations(ask);
}

/* What a strategy gives to the library at each rank; of a pipeline that depends on the cut. */
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
    {&ovl_strategy_moe, activations_of_two, true},
    {&ovl_strategy_pp, NULL, false},
    {&ovl_strategy_3d, NULL, false},
};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

START_TEST(every_strategy_is_tested)
{
    int known = 0;
    while (ovl_strategies[known]) {
        const struct ovl_strategy *s = ovl_strategies[known];
        ck_assert(s->name && s->about && s->build && s->memory && s->samples);
        ck_assert_ptr_eq(strategies[known++].row, s);
    }
    ck_assert_int_eq(known, STRATEGIES);
}
END_TEST

/* Each operation is posted once, waited for once, and before the step ends. */
static double check_events(const struct ovl_events *e)
{
    double bytes = 0;
    int posted = 0, waited = 0, wrong = 0; /* an assertion for each would take a system call for each */
    for (size_t i = 0; i < e->count; i++) {
        const struct ovl_event *t = &e->list[i];
        if (t->kind == OVL_EVENT_POST) {
            wrong += t->id != posted++;
            wrong += !(t->slot >= 0 && t->slot < OVL_TRAIN_SLOTS && t->bytes > 0);
            bytes += t->bytes;
        }
        waited += t->kind == OVL_EVENT_WAIT;
        wrong += (t->kind == OVL_EVENT_STEP) != (i + 1 == e->count);
    }
    ck_assert_int_eq(posted, waited);
    for (int s = 0; s < OVL_TRAIN_SLOTS; s++)
        wrong += e->slots[s] != -1;
    ck_assert_int_eq(wrong, 0);
    return bytes;
}

static void check_plan(const struct ovl_strategy *row, int ranks, double wanted)
{
    int node[64];
    for (int r = 0; r < ranks; r++)
        node[r] = r / 2;
    struct ovl_train_plan p = {.ask = ask_of(ranks), .strategy = row, .scale_bytes = 1, .node = node};
    struct ovl_app_steps s;
    bool apart;
    if (ranks > (int)model.layer_count && row->bubble) { /* at all ranks alike */
        for (int r = 0; r < ranks; r++) {
            ck_assert_int_eq(ovl_train_plan_open(&p, r, &err), -1);
            ck_assert_int_eq(err.code, OVL_USAGE);
            ovl_train_plan_close(&p);
        }
        return;
    }
    ck_assert_msg(ovl_train_plan_open(&p, ranks / 2, &err) == 0, "%s", err.text);
    double bytes = check_events(&p.own.events);
    ck_assert(isnan(wanted) || fabs(bytes - wanted) <= 1e-9 * wanted);
    if (ranks > 8 && ranks % 28 != 8) { /* all ranks' steps against each other: not for each number of them */
        ovl_train_plan_close(&p);
        return;
    }
    ck_assert_int_eq(ovl_app_steps_make(&s, &p.plan, 10000000, &err), 0);
    ck_assert_msg(ovl_app_check(&s, &apart, &err) == 0, "%s, %s, %d ranks: %s", model.name, row->name, ranks, err.text);
    ck_assert_msg(apart, "%s, %s, %d ranks: operations cannot be timed alone", model.name, row->name, ranks);
    ovl_app_steps_free(&s);
    ovl_train_plan_close(&p);
}

START_TEST(every_plan_is_one)
{
    load(models[_i].name);
    for (int s = 0; s < STRATEGIES; s++)
        for (int ranks = 1; ranks <= 64; ranks++) {
            struct ovl_train_ask ask = ask_of(ranks);
            if (strategies[s].row == &ovl_strategy_3d) /* grids_of_ranks; of stages alone it is pp */
                continue;
            if (!strategies[s].transformer || model.transformer.blocks > 0)
                check_plan(strategies[s].row, ranks, strategies[s].bytes ? strategies[s].bytes(&ask) : NAN);
        }
}
END_TEST

/* What a rank does in a step of tensor x stages x chunks. */
struct shape {
    int ranks, tensor, stages, chunks;
};

static struct ovl_train_ask ask_of_shape(const struct shape *s)
{
    struct ovl_train_ask ask = ask_of(s->ranks);
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
            other->turn != post->turn)
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
    double bytes[OVL_AXES] = {0}, numbers = model.element * model.numbers, m = ovl_grid_microbatches(&ask);
    bool moved = true, left = false;
    for (int r = 0; r < s->ranks; r++) {
        ovl_events_clear(&e[r]);
        ck_assert_msg(ovl_strategy_3d.build(&ask, r, &e[r], &err) == 0, "%s", err.text);
        check_events(&e[r]);
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
    ck_assert_msg(!left, "%s: %d ranks, %d x %d x %d: blocked", model.name, s->ranks, s->tensor, s->stages, s->chunks);
    int replicas = s->ranks / s->tensor / s->stages;
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
    ck_assert_msg(ovl_train_plan_open(&p, s->ranks - 1, &err) == 0, "%s", err.text);
    ck_assert_int_eq(ovl_app_steps_make(&steps, &p.plan, 10000000, &err), 0);
    ck_assert_msg(ovl_app_check(&steps, &apart, &err) == 0, "%s, %d ranks, %d x %d x %d: %s", model.name, s->ranks,
                  s->tensor, s->stages, s->chunks, err.text);
    ck_assert(apart);
    ovl_app_steps_free(&steps);
    ovl_train_plan_close(&p);
}

/* All shapes of up to 8 ranks, and some of each larger number. */
START_TEST(grids_of_ranks)
{
    struct ovl_events e[64]; /* kept, so that their memory is asked for once */
    load(models[_i].name);
    for (int r = 0; r < 64; r++)
        ovl_events_open(&e[r]);
    for (int ranks = 1; ranks <= 64; ranks++)
        for (int tensor = 1; tensor <= (model.transformer.blocks ? 4 : 1); tensor++)
            for (int stages = 1; stages <= 8 && tensor * stages <= ranks; stages++)
                for (int chunks = 1; chunks <= (stages > 1 ? 3 : 1); chunks++) {
                    struct shape s = {ranks, tensor, stages, chunks};
                    if (ranks % (tensor * stages) != 0 || (size_t)(stages * chunks) > model.layer_count)
                        continue;
                    if (ranks <= 4 || (ranks == 64 && stages == 4 && tensor + chunks == 4))
                        check_shape(&s);
                    if (ranks <= 8 || (ranks + tensor + stages + chunks) % 32 == 0)
                        check_rendezvous(&s, e);
                }
    for (int r = 0; r < 64; r++)
        ovl_events_close(&e[r]);
}
END_TEST

/* The idle time of the published formulas, with passes of equal length: of 1F1B exactly. */
START_TEST(bubbles_are_the_published_ones)
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
    load("gpt2");
    struct ovl_train_ask ask = ask_of(8);
    ck_assert_double_eq_tol(ovl_strategy_pp.bubble(&ask), 7.0 / 16, 1e-12);
    ask.interleave = 2;
    ck_assert_double_eq_tol(ovl_strategy_pp.bubble(&ask), 7.0 / 32, 1e-12);
    ask.tensor = ask.stages = 2;
    ck_assert_double_eq_tol(ovl_strategy_3d.bubble(&ask), 1.0 / 8, 1e-12);
    ck_assert_double_eq(ovl_strategy_3d.samples(&ask), 8);
}
END_TEST

static const struct {
    struct shape shape;
    int microbatches;
    const char *says;
} misfits[] = {
    {{6, 2, 2, 1}, 0, "--tp 2, --pp 2: 6 ranks are no multiple of 4"},
    {{4, 8, 0, 1}, 0, "--tp 8, --pp 1: 4 ranks are no multiple of 8"},
    {{4, 2, 2, 1}, 0, "resnet20 is no transformer"},
    {{4, 1, 4, 10}, 0, "39 layers are too few for 4 stages of 10"},
    {{4, 1, 4, 2}, 6, "6 microbatches on 4 stages"},
    {{4, 1, 1, 2}, 0, "2 microbatches on 1 stages"},
};

START_TEST(shapes_that_do_not_fit)
{
    load("resnet20");
    for (int r = 0; r < misfits[_i].shape.ranks; r++) {
        struct ovl_train_ask ask = ask_of_shape(&misfits[_i].shape);
        struct ovl_events e;
        ask.microbatches = misfits[_i].microbatches;
        ovl_events_open(&e);
        ck_assert_int_eq(ovl_strategy_3d.build(&ask, r, &e, &err), -1);
        ck_assert_int_eq(err.code, OVL_USAGE);
        ck_assert_msg(strstr(err.text, misfits[_i].says) != NULL, "%s", err.text);
        ovl_events_close(&e);
    }
}
END_TEST

/* More buckets than slots: a post waits for the oldest operation. */
START_TEST(more_buckets_than_slots)
{
    load("resnet152");
    struct ovl_train_ask ask = ask_of(2);
    struct ovl_events e;
    int outstanding = 0, most = 0;
    ask.bucket = ask.first_bucket = 1;
    ovl_events_open(&e);
    ovl_strategy_ddp.build(&ask, 0, &e, &err);
    for (size_t i = 0; i < e.count; i++) {
        outstanding += (e.list[i].kind == OVL_EVENT_POST) - (e.list[i].kind == OVL_EVENT_WAIT);
        most = outstanding > most ? outstanding : most;
    }
    ck_assert_int_eq(e.ids, 467);
    ck_assert_int_eq(most, OVL_TRAIN_SLOTS);
    ck_assert_double_eq(check_events(&e), 4 * model.numbers);
    ovl_events_close(&e);
}
END_TEST

/* What a file says in place of the rule: here a benchmark's list for resnet152 of other boundaries than tensors have.
 */
static const struct {
    const char *text, *says;
    enum ovl_exit code;
} lists[] = {
    {"6511592 6567936 5905920 6113280 6176256\n# half\n6112768 6176256 6112768 # two more\n5321216\n5194816", NULL, 0},
    {"60192808\n", NULL, 0},
    {"60192807\n", "60192807 parameters, and resnet152 60192808", OVL_USAGE},
    {"", "0 parameters", OVL_USAGE},
    {"60000000\n192808 x\n", "line 2: give whole numbers", OVL_WRONG_DATA},
    {"60192808 0", "line 1", OVL_WRONG_DATA},
    {"60192807.5 0.5", "line 1", OVL_WRONG_DATA},
};

START_TEST(buckets_of_a_file)
{
    char path[] = "/tmp/ovl-buckets-XXXXXX";
    int fd = mkstemp(path);
    ck_assert(write(fd, lists[_i].text, strlen(lists[_i].text)) == (ssize_t)strlen(lists[_i].text));
    close(fd);
    load("resnet152");
    struct ovl_train_ask ask = ask_of(2);
    int rc = ovl_bucket_list_read(&ask.list, path, &model, &err);
    unlink(path);
    ck_assert_int_eq(rc, lists[_i].says ? -1 : 0);
    if (lists[_i].says) {
        ck_assert_int_eq(err.code, lists[_i].code);
        ck_assert_msg(strstr(err.text, lists[_i].says) != NULL, "%s", err.text);
        return;
    }
    struct ovl_events e;
    double number = model.numbers, layer = model.numbers;
    int l = (int)model.layer_count;
    ovl_events_open(&e);
    ovl_strategy_ddp.build(&ask, 0, &e, &err);
    ck_assert_int_eq(e.ids, (int)ask.list.count);
    ck_assert_double_eq(check_events(&e), 4 * model.numbers);
    for (size_t i = 0; i < e.count; i++) { /* posted when all its parameters have gradients, and not later */
        const struct ovl_event *t = &e.list[i];
        if (t->kind == OVL_EVENT_COMPUTE && t->work == OVL_EVENT_BACKWARD)
            while (l > t->first_layer)
                layer -= model.layers[--l].numbers;
        if (t->kind != OVL_EVENT_POST)
            continue;
        number -= ask.list.numbers[t->id];
        ck_assert_double_eq(t->number, number);
        ck_assert(layer <= number && number < layer + model.layers[l].numbers + (l == 0));
    }
    ck_assert_double_eq(number, 0);
    ovl_events_close(&e);
    ovl_bucket_list_free(&ask.list);
}
END_TEST

/* The published formula: 7.5e9 parameters on 64 ranks. */
START_TEST(memory_of_the_states)
{
    static const double gigabytes[] = {120, 31.4, 16.6, 1.9};
    for (int z = 0; z < 4; z++)
        ck_assert_double_eq_tol(1e-9 * ovl_memory_of_states(7.5e9, 64, z), gigabytes[z], 0.05);
    ck_assert_double_eq_tol(1e-9 * ovl_memory_of_states(1e12, 1024, 3), 15.625, 1e-9);
}
END_TEST

static const struct {
    const char *text, *says;
    enum ovl_exit code;
} damaged[] = {
    {"{", "line 1", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-limits-1\"}", "schema: give \"ovl-model-1\"", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f16\"}", "dtype: give \"f32\"", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[]}", "layers: give a list",
     OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"macs\":1,\"activation_bytes\":1,"
     "\"tensors\":[0]}]}",
     "layers[0].tensors: give whole numbers", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"repeat\":2,\"layers\":[{\"macs\":1,"
     "\"activation_bytes\":1,\"tensors\":[1]},{\"macs\":-1,\"tensors\":[1]}]}]}",
     "layers[0].layers[1].macs: give a number", OVL_WRONG_DATA},
    {"{\"schema\":\"ovl-model-1\",\"name\":\"x\",\"dtype\":\"f32\",\"layers\":[{\"repeat\":100000,\"layers\":[{"
     "\"repeat\":100000,\"macs\":1,\"activation_bytes\":1,\"tensors\":[1]}]}]}",
     "over 100000 layers", OVL_WRONG_DATA},
};

START_TEST(damaged_models_are_refused_with_the_place)
{
    char path[] = "/tmp/ovl-model-XXXXXX.json";
    int fd = mkstemps(path, 5);
    ck_assert(write(fd, damaged[_i].text, strlen(damaged[_i].text)) == (ssize_t)strlen(damaged[_i].text));
    close(fd);
    int rc = ovl_model_load(&model, path, &err);
    unlink(path);
    ck_assert_int_eq(rc, -1);
    ck_assert_int_eq(err.code, damaged[_i].code);
    ck_assert_msg(strstr(err.text, damaged[_i].says) != NULL, "%s", err.text);
}
END_TEST

START_TEST(unknown_names_are_told_with_those_that_are_known)
{
    struct ovl_train_ask ask = ask_of(1);
    ck_assert_int_eq(ovl_model_load(&model, "resnet51", &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_msg(strstr(err.text, "bert-large, edsr_x2, edsr_x4, gpt2") != NULL, "%s", err.text);
    ck_assert_ptr_null(ovl_strategy_find("dpp", &ask, &err));
    ck_assert_msg(strstr(err.text, "ddp, horovod") != NULL, "%s", err.text);
    ck_assert_ptr_null(ovl_strategy_find("horovod:0.20", &ask, &err));
    ck_assert_ptr_null(ovl_strategy_find("ddp:0.19", &ask, &err));
    ck_assert_int_eq(err.code, OVL_USAGE);
}
END_TEST

Suite *suite_train(void)
{
    Suite *s = suite_create("train");
    TCase *t = tcase_create("train");
    tcase_add_checked_fixture(t, NULL, unload);
    tcase_add_loop_test(t, models_have_their_papers_totals, 0, MODELS);
    tcase_add_loop_test(t, buckets_are_those_of_pytorch_and_horovod, 0, MODELS);
    tcase_add_test(t, buckets_are_right_to_the_byte);
    tcase_add_test(t, cycles_of_horovod_count_in_work);
    tcase_add_test(t, every_strategy_is_tested);
    tcase_add_loop_test(t, every_plan_is_one, 0, MODELS);
    tcase_add_loop_test(t, grids_of_ranks, 0, MODELS);
    tcase_add_test(t, bubbles_are_the_published_ones);
    tcase_add_loop_test(t, shapes_that_do_not_fit, 0, sizeof misfits / sizeof *misfits);
    tcase_add_test(t, more_buckets_than_slots);
    tcase_add_loop_test(t, buckets_of_a_file, 0, sizeof lists / sizeof *lists);
    tcase_add_test(t, memory_of_the_states);
    tcase_add_loop_test(t, damaged_models_are_refused_with_the_place, 0, sizeof damaged / sizeof *damaged);
    tcase_add_test(t, unknown_names_are_told_with_those_that_are_known);
    suite_add_tcase(s, t);
    return s;
}
