/* Presets of strategies: what DeepSpeed, Horovod without fusion and Megatron with sequence parallelism send, by hand
 * from their papers and defaults, and when they wait; heads that a team cannot share; memory with recomputation. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/tensor.h"
#include "cli/train_options.h"
#include "plan/check.h"
#include "tests/fake/train_case.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct ovl_events events;

static void build(const char *name, const struct ovl_train_ask *like)
{
    struct ovl_train_ask ask = *like;
    const struct ovl_strategy *s = ovl_strategy_find(name, &ask, &train_err);
    ck_assert_msg(s != NULL, "%s", train_err.text);
    ask.deepspeed.live = like->deepspeed.live > 0 ? like->deepspeed.live : ask.deepspeed.live;
    ask.deepspeed.prefetch = like->deepspeed.prefetch > 0 ? like->deepspeed.prefetch : ask.deepspeed.prefetch;
    ask.deepspeed.reuse = like->deepspeed.reuse > 0 ? like->deepspeed.reuse : ask.deepspeed.reuse;
    ask.bucket = like->bucket != 25 << 20 ? like->bucket : ask.bucket;
    ovl_events_clear(&events);
    ck_assert_msg(s->build(&ask, 0, &events, &train_err) == 0, "%s", train_err.text);
    train_check_events(&events);
}

/* How many operations of a kind there are, and their bytes. */
static int count(enum ovl_operation operation, double *bytes)
{
    int n = 0;
    *bytes = 0;
    for (int id = 0; id < events.ids; id++) {
        const struct ovl_event *post = &events.list[events.posted_at[id]];
        n += post->operation == operation;
        *bytes += post->operation == operation ? post->bytes : 0;
    }
    return n;
}

static size_t waited_at(int id)
{
    for (size_t i = 0; i < events.count; i++)
        if (events.list[i].kind == OVL_EVENT_WAIT && events.list[i].id == id)
            return i;
    return events.count;
}

/* Multiply-adds between the post of an operation and its wait. */
static double beside(int id)
{
    double macs = 0;
    for (size_t i = (size_t)events.posted_at[id]; i < waited_at(id); i++)
        macs += events.list[i].kind == OVL_EVENT_COMPUTE ? events.list[i].macs : 0;
    return macs;
}

/* Stages 1 and 2: all gradients are one bucket of 5e8 numbers for each of these models; an allreduce, and one gather.
 */
TEST(deepspeed_has_one_bucket_and_hides_nothing)
{
    static const char *const models[] = {"gpt2", "resnet152", "edsr_x2", "bert-large"};
    static const char *const names[] = {"zero1:deepspeed", "zero2:deepspeed", "zero1:overlap_comm",
                                        "zero2:overlap_comm"};
    for (size_t m = 0; m < 4; m++) {
        train_load(models[m]);
        for (size_t s = 0; s < 4; s++) {
            struct ovl_train_ask ask = train_ask(8);
            double reduced, gathered;
            build(names[s], &ask);
            ck_assert_int_eq(count(OVL_IALLREDUCE, &reduced), 1);
            ck_assert_int_eq(count(OVL_IALLGATHER, &gathered), 1);
            ck_assert_double_eq(reduced, 4 * train_model.numbers);
            ck_assert_double_eq(gathered, 4 * train_model.numbers);
            ck_assert_double_eq(beside(0), 0);
            ck_assert_double_eq(beside(1), 0);
        }
        train_unload();
    }
}

/* 2,451,307,520 parameters: the pooler and layers of 12,596,224, of which 39 fit into 5e8 with it, and no 40th whole.
 */
TEST(deepspeed_closes_a_bucket_before_the_tensor_that_does_not_fit)
{
    train_load("bert-2.5b");
    struct ovl_train_ask ask = train_ask(2);
    double bytes, all = 0, largest = 31254528; /* the words */
    ck_assert_double_eq(train_model.numbers, 2451307520);
    for (int overlap = 0; overlap < 2; overlap++) {
        build(overlap ? "zero2:overlap_comm" : "zero2:deepspeed", &ask);
        ck_assert_int_eq(count(OVL_IALLREDUCE, &bytes), 5);
        ck_assert_double_eq(bytes, 4 * 2451307520.0);
        all = 0;
        for (int id = 0; id < 5; id++) {
            const struct ovl_event *post = &events.list[events.posted_at[id]];
            ck_assert(post->bytes <= 4 * 5e8 && (id == 4 || post->bytes > 4 * (5e8 - largest)));
            ck_assert((beside(id) > 0) == (overlap && id < 4)); /* the last one is full behind the backward pass */
            all += post->bytes / 4;
            ck_assert_double_eq(post->number, 2451307520 - all);
            if (overlap && id > 0) /* two buffers: the one before has travelled by then */
                ck_assert(waited_at(id - 1) < (size_t)events.posted_at[id]);
        }
    }
    /* Stage 1 without overlap_comm: from the first tensor on, when all is computed. */
    build("zero1:deepspeed", &ask);
    ck_assert_int_eq(count(OVL_IALLREDUCE, &bytes), 5);
    ck_assert_double_eq(bytes, 4 * 2451307520.0);
    ck_assert_double_eq(events.list[events.posted_at[0]].number, 0);
    for (int id = 0; id < 5; id++)
        ck_assert_double_eq(beside(id), 0);
    ask.bucket = 4 * 1e8; /* as a user may set it */
    build("zero1:deepspeed", &ask);
    ck_assert_int_eq(count(OVL_IALLREDUCE, &bytes), 25);
}

/* GPT-2 in stage 3. First the words; then, 5e7 numbers or a tensor more at a time, what has over 1e5 numbers: the
   positions and seven blocks of 7,077,888 come to 50,331,648; five are left. Nothing goes before the backward pass, as
   its next use is under 1e9 numbers away. The other 98 tensors are gathered behind the update. */
TEST(stage_3_of_deepspeed_gathers_gpt2_once)
{
    static const double wanted[] = {38597376, 786432 + 7 * 7077888, 5 * 7077888};
    train_load("gpt2");
    struct ovl_train_ask ask = train_ask(4);
    double bytes, small = 0;
    build("zero3:deepspeed", &ask);
    ck_assert_int_eq(count(OVL_IALLGATHER, &bytes), 3 + 98);
    ck_assert_double_eq(bytes, 4 * train_model.numbers);
    for (int id = 0; id < 3; id++)
        ck_assert_double_eq(events.list[events.posted_at[id]].bytes, 4 * wanted[id]);
    ck_assert_double_eq(beside(0), 0); /* nobody fetched it beforehand */
    ck_assert_double_eq(beside(1), 0); /* the positions are in it, which come next */
    ck_assert_double_gt(beside(2), 0);
    ck_assert_int_eq(count(OVL_IREDUCE_SCATTER, &bytes), 1);
    ck_assert_double_eq(bytes, 4 * train_model.numbers);
    for (int id = 4; id < events.ids; id++) {
        small += events.list[events.posted_at[id]].bytes;
        ck_assert_double_eq(beside(id), 0);
    }
    ck_assert_double_eq(small, 4 * (124439808 - wanted[0] - wanted[1] - wanted[2]));
}

/* A tensor whose next use is far goes, and is gathered again, but for what the prefetch has seen to be here at the
   turn. How many gathers there are, and their bytes, by a program of its own that keeps sets of tensors and looks
   through the whole trace, as DeepSpeed does. */
static const struct {
    const char *model;
    double prefetch, live, reuse;
    int gathers;
    double bytes;
} traces[] = {
    {"gpt2", 5e7, 1e9, 1e9, 3 + 98, 497759232},         {"gpt2", 5e6, 1e9, 1e7, 16 + 98, 693043200},
    {"resnet152", 5e6, 1e8, 1e7, 11 + 338, 240771232},  {"bert-2.5b", 5e7, 1e9, 1e9, 693 + 1924, 15603044352},
    {"bert-2.5b", 1, 1e9, 1, 1924 + 1924, 16374796288},
};

LOOP_TEST(stage_3_of_deepspeed_gathers_again_what_is_used_much_later, 0, sizeof traces / sizeof *traces)
{
    train_load(traces[_i].model);
    struct ovl_train_ask ask = train_ask(2);
    double bytes;
    int before[3] = {-1, -1, -1}, n = 0;
    ask.deepspeed.prefetch = traces[_i].prefetch;
    ask.deepspeed.live = traces[_i].live;
    ask.deepspeed.reuse = traces[_i].reuse;
    build("zero3:deepspeed", &ask);
    ck_assert_int_eq(count(OVL_IALLGATHER, &bytes), traces[_i].gathers);
    ck_assert_double_eq(bytes, traces[_i].bytes);
    ck_assert_int_eq(count(OVL_IREDUCE_SCATTER, &bytes), train_model.numbers > 2e9 ? 5 : 1);
    ck_assert_double_eq(bytes, 4 * train_model.numbers);
    for (int id = 0; id < events.ids; id++) { /* three on their way at most */
        if (events.list[events.posted_at[id]].operation != OVL_IREDUCE_SCATTER)
            continue;
        if (n >= 3)
            ck_assert(waited_at(before[n % 3]) < (size_t)events.posted_at[id]);
        before[n++ % 3] = id;
    }
}

/* Every plan can be played: no buffer is in use twice, and whoever waits is served. */
TEST(plans_of_presets_can_be_played)
{
    static const char *const names[] = {"zero1:deepspeed",    "zero1:overlap_comm", "zero2:deepspeed",
                                        "zero2:overlap_comm", "zero3:deepspeed",    "tp:sequence",
                                        "3d:sequence"};
    int node[8] = {0, 0, 1, 1, 2, 2, 3, 3};
    train_load("gpt2");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int ranks = 1; ranks <= 8; ranks *= 2) {
            struct ovl_train_plan p = {.ask = train_ask(ranks), .scale_bytes = 1, .node = node};
            struct ovl_app_steps s;
            bool apart;
            p.strategy = ovl_strategy_find(names[i], &p.ask, &train_err);
            p.ask.tensor = p.strategy == &ovl_strategy_3d ? 2 : 1;
            p.ask.bucket = p.ask.deepspeed.on ? 4e7 : p.ask.bucket;
            p.ask.deepspeed.prefetch /= 10;
            p.ask.deepspeed.reuse = 1e7;
            if (ranks < p.ask.tensor || (p.strategy == &ovl_strategy_tp && ranks == 8)) /* 12 heads */
                continue;
            ck_assert_msg(ovl_train_plan_open(&p, 0, &train_err) == 0, "%s: %s", names[i], train_err.text);
            ck_assert_int_eq(ovl_app_steps_make(&s, &p.plan, 10000000, &train_err), 0);
            ck_assert_msg(ovl_app_check(&s, &apart, &train_err) == 0, "%s, %d ranks: %s", names[i], ranks,
                          train_err.text);
            ck_assert(apart);
            ovl_app_steps_free(&s);
            ovl_train_plan_close(&p);
        }
}

/* Threshold 0 turns Horovod's fusion off: a message for each tensor. */
TEST(horovod_without_fusion)
{
    train_load("resnet50");
    struct ovl_train_ask ask = train_ask(2);
    double bytes;
    ask.fusion = 0;
    for (int cycle = 0; cycle < 2; cycle++) {
        ask.cycle = cycle ? INFINITY : 0;
        build("horovod", &ask);
        ck_assert_int_eq(count(OVL_IALLREDUCE, &bytes), 161);
        ck_assert_double_eq(bytes, 4 * 25557032.0);
        for (int id = 0; id < 161; id++)
            ck_assert_double_eq(events.list[events.posted_at[id]].bytes, 4 * (double)train_model.tensors[160 - id]);
    }
}

/* Korthikanti et al., 2022: for each half of a block an allgather and a reduce-scatter forwards, and backwards these
   and a gather of the input; GPT-2's words have a reduce-scatter and, backwards, a gather; its head a gather, and
   backwards a gather and a reduce-scatter. Each rank has gradients of its tokens alone for weight and bias of the two
   norms of a block and of the last one, and for the biases of a block's second and fourth matrix, which are added to
   split tokens: one allreduce of them all (Megatron-LM, finalize_model_grads). */
TEST(sequence_parallelism_has_no_allreduce_of_activations)
{
    train_load("gpt2");
    struct ovl_train_ask ask = train_ask(4);
    const double each = 4.0 * 1024 * 768;
    double bytes;
    build("tp:sequence", &ask);
    ck_assert_int_eq(count(OVL_IALLREDUCE, &bytes), 1);
    ck_assert_double_eq(bytes, 4.0 * 768 * (12 * (2 * 2 + 2) + 2));
    ck_assert_int_eq(events.list[events.posted_at[events.ids - 1]].operation, OVL_IALLREDUCE);
    ck_assert_int_eq(events.list[events.posted_at[events.ids - 1]].of, OVL_OF_GRADIENTS);
    ck_assert_int_eq(count(OVL_IALLGATHER, &bytes), 24 * 3 + 3);
    ck_assert_double_eq(bytes, 75 * each);
    ck_assert_int_eq(count(OVL_IREDUCE_SCATTER, &bytes), 24 * 2 + 2);
    ck_assert_double_eq(bytes, 50 * each);
    for (int id = 0; id < 2 + 48; id++) /* forwards nothing is hidden */
        ck_assert_double_eq(beside(id), 0);
    int hidden = 0;
    for (int id = 0; id < events.ids; id++)
        hidden += beside(id) > 0;
    ck_assert_int_eq(hidden, 48); /* the gather of the input, and the sum of its gradients */
    build("tp", &ask);
    ck_assert_int_eq(count(OVL_IALLREDUCE, &bytes), 48 + 2);
}

/* BERT's norms stand behind each half and behind its words, whose width is 1024; its query's, key's and value's biases
   are split as their matrices are. In 3d each stage has its own, at every rank of a team, behind the replicas' sums. */
TEST(norms_and_biases_of_split_tokens_are_summed_up_by_teams)
{
    double bytes;
    train_load("bert-large");
    struct ovl_train_ask ask = train_ask(4);
    build("tp:sequence", &ask);
    ck_assert_int_eq(count(OVL_IALLREDUCE, &bytes), 1);
    ck_assert_double_eq(bytes, 4.0 * 1024 * (2 + 24 * (2 * 2 + 2)));
    train_unload();
    train_load("gpt2");
    ask = train_ask(8);
    ask.tensor = ask.stages = 2;
    build("3d:sequence", &ask); /* rank 0: the stage without the last norm */
    bytes = 0;
    int sums = 0, after = 0;
    for (int id = 0; id < events.ids; id++) {
        const struct ovl_event *post = &events.list[events.posted_at[id]];
        bool norms = post->operation == OVL_IALLREDUCE && post->team.axis == OVL_AXIS_TENSOR;
        sums += norms;
        bytes += norms ? post->bytes : 0;
        after += post->team.axis == OVL_AXIS_DATA && sums > 0;
    }
    ck_assert_int_eq(sums, 1);
    ck_assert_int_eq(after, 0);
    ck_assert_double_eq(fmod(bytes, 4.0 * 768 * 6), 0);
    ck_assert(bytes >= 4.0 * 768 * 6 && bytes <= 12 * 4.0 * 768 * 6);
}

static const struct {
    const char *model, *strategy;
    int ranks, tensor;
    const char *says;
} unshared[] = {
    {"gpt2", "tp", 7, 1, "--strategy tp: the 12 heads of gpt2 do not divide by 7; give 6 ranks, or --strategy 3d"},
    {"gpt2", "tp", 100000, 1, "give 12 ranks, or --strategy 3d"},
    {"gpt2", "tp:sequence", 6, 1, "the 1024 tokens of gpt2 do not divide by 6; give 4 ranks"},
    {"gpt2", "3d", 16, 8, "--tp: the 12 heads of gpt2 do not divide by 8; give --tp 4"},
    {"gpt2", "3d:sequence", 12, 3, "--tp: the 1024 tokens of gpt2 do not divide by 3; give --tp 2"},
    {"gpt2", "3d:sequence", 3, 3, "give --strategy 3d"},
    {"gpt2", "3d:sequence", 4, 1, "a team of one rank splits no tokens; give --tp"},
    {"bert-large", "3d", 9, 3, "the 16 heads of bert-large do not divide by 3; give --tp 1"},
};

LOOP_TEST(heads_that_a_team_cannot_share, 0, sizeof unshared / sizeof *unshared)
{
    train_load(unshared[_i].model);
    struct ovl_train_ask ask = train_ask(unshared[_i].ranks);
    const struct ovl_strategy *s = ovl_strategy_find(unshared[_i].strategy, &ask, &train_err);
    ask.tensor = unshared[_i].tensor;
    for (int r = 0; r < 4 && r < ask.ranks; r++) {
        ovl_events_clear(&events);
        ck_assert_int_eq(s->build(&ask, r, &events, &train_err), -1);
        ck_assert_int_eq(train_err.code, OVL_USAGE);
        ck_assert_msg(strstr(train_err.text, unshared[_i].says) != NULL, "%s", train_err.text);
    }
}

/* Korthikanti et al., 2022, table 2, for the 22 billion parameters of its table 3: 64 heads, h 6144, 48 layers, s 2048,
   b 4, t 8. */
TEST(memory_of_activations_with_recomputation)
{
    struct ovl_model big = {.transformer = {.blocks = 48, .hidden = 6144, .sequence = 2048, .heads = 64}};
    struct ovl_train_ask ask = ovl_train_ask_default();
    const double sbh = 2048.0 * 4 * 6144 * 48, attention = 5 * 64 * 2048.0 / 6144;
    const struct {
        int tensor;
        bool sequence;
        enum ovl_recompute recompute;
        double wanted;
    } rows[] = {
        {1, false, OVL_RECOMPUTE_NONE, 34 + attention},
        {8, false, OVL_RECOMPUTE_NONE, 10 + 24 / 8.0 + attention / 8},
        {8, true, OVL_RECOMPUTE_NONE, 34 / 8.0 + attention / 8},
        {8, false, OVL_RECOMPUTE_SELECTIVE, 10 + 24 / 8.0},
        {8, true, OVL_RECOMPUTE_SELECTIVE, 34 / 8.0},
        {8, false, OVL_RECOMPUTE_FULL, 2},
        {8, true, OVL_RECOMPUTE_FULL, 2},
    };
    ask.model = &big;
    ask.batch = 4;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ask.sequence = rows[i].sequence;
        ask.recompute = rows[i].recompute;
        ck_assert_double_eq_tol(ovl_memory_of_shared_activations(&ask, rows[i].tensor) / sbh, rows[i].wanted, 1e-9);
    }
}

/* Published of BERT with 192 layers on two GPUs in stage 1 or 2: 18.42 GiB are allocated, 8.07 bytes a parameter. */
TEST(memory_that_is_kept_between_steps)
{
    ck_assert_double_eq(ovl_memory_kept(1, 2, 1), 2 + 12 / 2.0);
    ck_assert_double_eq(ovl_memory_kept(1, 2, 2), 8);
    ck_assert_double_eq(ovl_memory_kept(1, 4, 0), 14);
    ck_assert_double_eq(ovl_memory_kept(1, 4, 3), 14 / 4.0);
    train_load("bert-2.5b");
    ck_assert_double_eq_tol(ovl_memory_kept(train_model.numbers, 2, 2) / (18.42 * (1 << 30)), 1, 0.01);
}

static const struct {
    const char *strategy, *more;
    double bucket, first_bucket, fusion;
} sizes[] = {
    {"ddp", NULL, 25 << 20, 1 << 20, 64 << 20},
    {"horovod", NULL, 25 << 20, 1 << 20, 64 << 20},
    {"horovod:0.25", NULL, 25 << 20, 1 << 20, 128 << 20},
    {"horovod:0.25", "--fusion=0", 25 << 20, 1 << 20, 0},
    {"horovod:0.25", "--fusion=1M", 25 << 20, 1 << 20, 1 << 20},
    {"zero2:deepspeed", NULL, 2e9, 2e9, 64 << 20},
    {"zero3:deepspeed", "--bucket=1M", 1 << 20, 1 << 20, 64 << 20},
    {"zero2:deepspeed", "--first-bucket=1M", 0, 0, 0},
};

LOOP_TEST(sizes_are_those_of_the_preset_or_of_the_user, 0, sizeof sizes / sizeof *sizes)
{
    char program[] = "ovl_train", strategy[64], more[32];
    char *argv[] = {program, strategy, more, NULL};
    struct ovl_train_options o;
    snprintf(strategy, sizeof strategy, "--strategy=%s", sizes[_i].strategy);
    snprintf(more, sizeof more, "%s", sizes[_i].more ? sizes[_i].more : "");
    int rc = ovl_train_options_parse(sizes[_i].more ? 3 : 2, argv, &o, &err);
    ck_assert_int_eq(rc, sizes[_i].bucket > 0 ? 0 : -1);
    if (rc != 0) {
        ck_assert_int_eq(err.code, OVL_USAGE);
        ck_assert_msg(strstr(err.text, "--first-bucket: DeepSpeed's first bucket") != NULL, "%s", err.text);
        return;
    }
    ck_assert_double_eq((double)o.bucket, sizes[_i].bucket);
    ck_assert_double_eq((double)o.first_bucket, sizes[_i].first_bucket);
    ck_assert_double_eq((double)o.fusion, sizes[_i].fusion);
}

static void begin(void)
{
    ovl_events_open(&events);
}

static void end(void)
{
    ovl_events_close(&events);
    train_unload();
}

AROUND(begin, end)
