/* Where pipelines are cut, and what their stages hand on and hold, by the sizes that the papers give: a feature map has
   channels x height x width numbers, a token's state the width of the network. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/strategy/grid.h"
#include "tests/fake/train_case.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { F32 = 4 };

/* What units hand on, in order: `count` of them so many bytes. The last unit hands on nothing, and is not counted. */
struct run {
    int count, bytes;
};

static const struct paper {
    const char *model;
    struct run runs[8];
} papers[] = {
    /* Radford et al. 2019: 12 blocks of 1024 tokens by 768, behind the embedding. */
    {"gpt2", {{13, F32 * 1024 * 768}}},
    /* Devlin et al. 2019: 24 blocks of 512 tokens by 1024, behind the embeddings. */
    {"bert-large", {{25, F32 * 512 * 1024}}},
    /* He et al. 2016, table 1: pooled to 56 x 56, then blocks of 256, 512, 1024 and 2048 channels. */
    {"resnet50",
     {{1, F32 * 64 * 56 * 56},
      {3, F32 * 256 * 56 * 56},
      {4, F32 * 512 * 28 * 28},
      {6, F32 * 1024 * 14 * 14},
      {3, F32 * 2048 * 7 * 7}}},
    {"resnet152",
     {{1, F32 * 64 * 56 * 56},
      {3, F32 * 256 * 56 * 56},
      {8, F32 * 512 * 28 * 28},
      {36, F32 * 1024 * 14 * 14},
      {3, F32 * 2048 * 7 * 7}}},
    /* The same, section 4.2: n blocks of 16, 32 and 64 channels. */
    {"resnet20", {{4, F32 * 16 * 32 * 32}, {3, F32 * 32 * 16 * 16}, {3, F32 * 64 * 8 * 8}}},
    {"resnet56", {{10, F32 * 16 * 32 * 32}, {9, F32 * 32 * 16 * 16}, {9, F32 * 64 * 8 * 8}}},
    /* Lim et al. 2017: 32 blocks, and the head's output, which is added behind them and travels, too. */
    {"edsr_x2", {{1, F32 * 256 * 48 * 48}, {32, 2 * F32 * 256 * 48 * 48}, {1, F32 * 256 * 48 * 48}}},
    {"edsr_x4", {{1, F32 * 256 * 48 * 48}, {32, 2 * F32 * 256 * 48 * 48}, {1, F32 * 256 * 48 * 48}}},
    /* Ma et al. 2018, table 5, for 64 x 64: pooled to 16 x 16, then 4, 8 and 4 blocks, and a convolution. */
    {"shufflenetv2",
     {{1, F32 * 24 * 16 * 16},
      {4, F32 * 116 * 8 * 8},
      {8, F32 * 232 * 4 * 4},
      {4, F32 * 464 * 2 * 2},
      {1, F32 * 1024 * 2 * 2}}},
};
enum { PAPERS = sizeof papers / sizeof *papers };

/* Bytes behind each unit but the last; returns how many. */
static int bytes_of(const struct paper *p, double *bytes)
{
    int n = 0;
    for (const struct run *r = p->runs; r->count > 0; r++)
        for (int i = 0; i < r->count; i++)
            bytes[n++] = r->bytes;
    return n;
}

TEST(every_model_is_cut_here)
{
    for (int i = 0; i < TRAIN_CASES; i++) {
        int known = 0;
        for (int p = 0; p < PAPERS; p++)
            known += strcmp(papers[p].model, train_cases[i].name) == 0;
        ck_assert_msg(known == 1, "%s", train_cases[i].name);
    }
}

/* Units before the end of a piece. */
static int units_before(int layer)
{
    return layer < (int)train_model.layer_count ? train_model.layers[layer].unit : train_model.units;
}

LOOP_TEST(stages_hand_on_what_the_papers_blocks_do, 0, PAPERS)
{
    double bytes[64];
    int wrong = 0;
    train_load(papers[_i].model);
    int units = 1 + bytes_of(&papers[_i], bytes);
    ck_assert_int_eq(units, train_model.units);
    for (int stages = 1; stages <= units; stages++) {
        struct ovl_piece pieces[64];
        ovl_pieces_cut(&train_model, stages, 1, pieces);
        ck_assert_int_eq(pieces[0].first, 0);
        ck_assert_int_eq(pieces[stages - 1].end, (int)train_model.layer_count);
        for (int i = 0; i < stages; i++) {
            int end = units_before(pieces[i].end);
            wrong += i > 0 && pieces[i].first != pieces[i - 1].end;
            wrong += end == units_before(pieces[i].first);
            wrong += end < units && train_model.layers[pieces[i].end - 1].unit == end; /* inside a unit */
            wrong += end < units && pieces[i].bytes != bytes[end - 1];
        }
    }
    ck_assert_int_eq(wrong, 0);
}

/* Every message of a pipeline, at every stage, of every plan: GPT-2's have one size. */
TEST(messages_of_gpt2_have_one_size)
{
    train_load("gpt2");
    for (int stages = 2; stages <= 14; stages++)
        for (int rank = 0; rank < stages; rank++) {
            struct ovl_train_ask ask = train_ask(stages);
            struct ovl_events e;
            int messages = 0, wrong = 0;
            ovl_events_open(&e);
            ck_assert_int_eq(ovl_strategy_pp.build(&ask, rank, &e, &train_err), 0);
            for (int id = 0; id < e.ids; id++) {
                const struct ovl_event *t = &e.list[e.posted_at[id]];
                messages += t->operation == OVL_ISENDRECV;
                wrong += t->operation == OVL_ISENDRECV && t->bytes != 3145728;
            }
            ck_assert_int_eq(wrong, 0);
            ck_assert_int_eq(messages, 2 * 2 * stages * ((rank > 0) + (rank + 1 < stages)));
            ovl_events_close(&e);
        }
}

/* The least work of the piece that has most, by trying all cuts. */
static double least_of_all(const double *macs, int units, int pieces)
{
    double least = INFINITY, sum = 0;
    if (pieces == 1) {
        for (int u = 0; u < units; u++)
            sum += macs[u];
        return sum;
    }
    for (int u = 0; u < units - (pieces - 1); u++) {
        sum += macs[u];
        least = fmin(least, fmax(sum, least_of_all(macs + u + 1, units - u - 1, pieces - 1)));
    }
    return least;
}

static const char *const small[] = {"gpt2", "resnet20"};

LOOP_TEST(no_cut_has_less_work_at_the_stage_with_most, 0, sizeof small / sizeof *small)
{
    double macs[64] = {0};
    train_load(small[_i]);
    for (size_t l = 0; l < train_model.layer_count; l++)
        macs[train_model.layers[l].unit] += train_model.layers[l].macs;
    for (int stages = 1; stages <= train_model.units; stages++) {
        struct ovl_piece pieces[64];
        double most = 0, all = 0;
        ovl_pieces_cut(&train_model, stages, 1, pieces);
        for (int i = 0; i < stages; i++) {
            most = fmax(most, pieces[i].macs);
            all += pieces[i].macs;
        }
        ck_assert_double_eq(all, train_model.macs);
        ck_assert_double_eq_tol(most, least_of_all(macs, train_model.units, stages), 1);
    }
}

/* Blocks of a transformer: each stage has the allreduces of its own, the head none. */
TEST(teams_add_up_in_their_own_blocks)
{
    struct ovl_piece pieces[14];
    train_load("gpt2");
    ovl_pieces_cut(&train_model, 4, 1, pieces); /* 3 x 4 blocks, and the head, whose work is that of 4.5 */
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pieces[i].halves, i < 3 ? 8 : 0);
    for (int stages = 1; stages <= 14; stages++) {
        int halves = 0;
        ovl_pieces_cut(&train_model, stages, 1, pieces);
        for (int i = 0; i < stages; i++)
            halves += pieces[i].halves;
        ck_assert_int_eq(halves, 24);
    }
}

/* The post of tied weights in a rank's events, the last one of all, or NULL. */
static const struct ovl_event *tied_of(const struct ovl_events *e)
{
    const struct ovl_event *tied = NULL;
    for (int id = 0; id < e->ids; id++)
        if (e->list[e->posted_at[id]].team.axis == OVL_AXIS_TIED) {
            ck_assert_int_eq(id, e->ids - 1);
            tied = &e->list[e->posted_at[id]];
        }
    return tied;
}

static double gradients_of(const struct ovl_events *e)
{
    double bytes = 0;
    for (int id = 0; id < e->ids; id++)
        bytes += e->list[e->posted_at[id]].team.axis == OVL_AXIS_DATA ? e->list[e->posted_at[id]].bytes : 0;
    return bytes;
}

static const struct {
    int tensor, stages, replicas, chunks;
} grids[] = {{1, 2, 1, 1}, {1, 14, 1, 1}, {2, 4, 2, 1}, {1, 3, 2, 4}, {4, 1, 2, 1}, {2, 2, 1, 3}};

/* Shoeybi et al. 2019: the embedding's weights are at both ends, whose gradients are added up. */
LOOP_TEST(tied_weights_stand_on_both_ends, 0, sizeof grids / sizeof *grids)
{
    const double words = 50257 * 768, all = 124439808;
    int tensor = grids[_i].tensor, stages = grids[_i].stages, replicas = grids[_i].replicas;
    struct ovl_train_ask ask;
    double numbers = 0, gradients = 0, most = 0;
    train_load("gpt2");
    ask = train_ask(tensor * stages * replicas);
    ask.tensor = tensor;
    ask.stages = stages;
    ask.interleave = grids[_i].chunks;
    for (int r = 0; r < ask.ranks; r++) {
        int stage = r / tensor % stages, first = r - stage * tensor;
        bool end = stages > 1 && (stage == 0 || stage == stages - 1);
        struct ovl_train_grid g;
        struct ovl_events e;
        ck_assert_int_eq(ovl_grid_open(&g, &ask, r, &train_err), 0);
        numbers += ovl_grid_numbers(&g);
        most = fmax(most, ovl_grid_numbers(&g));
        ovl_grid_close(&g);
        ovl_events_open(&e);
        ck_assert_int_eq(ovl_strategy_3d.build(&ask, r, &e, &train_err), 0);
        gradients += gradients_of(&e);
        const struct ovl_event *tied = tied_of(&e);
        ck_assert_int_eq(tied != NULL, end);
        if (tied) {
            ck_assert_int_eq(tied->operation, OVL_IALLREDUCE);
            ck_assert_double_eq(tied->bytes, F32 * words / tensor);
            ck_assert_int_eq(tied->team.ranks, 2);
            ck_assert_int_eq(ovl_train_member(&tied->team, 0), first);
            ck_assert_int_eq(ovl_train_member(&tied->team, 1), first + (stages - 1) * tensor);
        }
        ovl_events_close(&e);
    }
    ck_assert_double_eq(most, ovl_grid_numbers_most(&ask));
    double held = all + (stages > 1 ? words : 0);
    ck_assert_double_eq_tol(numbers, held * replicas, 1);
    ck_assert_double_eq_tol(gradients, replicas > 1 ? F32 * held * replicas : 0, 1);
}

/* Older files, and those of users: without groups each layer is a unit; skips and ties are nobody's. */
static void load_text(const char *text)
{
    char path[] = "/tmp/ovl-model-XXXXXX.json";
    int fd = mkstemps(path, 5);
    ck_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    int rc = ovl_model_load(&train_model, path, &train_err);
    unlink(path);
    ck_assert_msg(rc == 0, "%s", train_err.text);
}

TEST(a_flat_model_has_a_unit_for_each_layer)
{
    struct ovl_piece pieces[3];
    load_text("{\"schema\": \"ovl-model-1\", \"name\": \"flat\", \"dtype\": \"f32\", \"layers\": ["
              "{\"tensors\": [10], \"macs\": 5, \"activation_bytes\": 7}, {\"tensors\": [20], \"macs\": 5, "
              "\"activation_bytes\": 8}, {\"tensors\": [30], \"macs\": 5, \"activation_bytes\": 9}]}");
    ck_assert_int_eq(train_model.units, 3);
    ck_assert_uint_eq(train_model.skip_count, 0);
    ck_assert_int_eq(train_model.tied.by, 0);
    ovl_pieces_cut(&train_model, 3, 1, pieces);
    for (int i = 0; i < 3; i++)
        ck_assert(pieces[i].bytes == 7 + i && pieces[i].numbers == 10 * (i + 1));
}

/* A skip is handed on once, as far as its last reader, and not beside the output that it is; the nearest layer or group
   of that name is meant. A transformer without an entry for its blocks has halves by work. */
TEST(skips_go_as_far_as_they_are_read)
{
    static const double wanted[] = {1, 2 + 1, 4 + 1, 8 + 1 + 4, 16 + 4, 32};
    struct ovl_piece pieces[6];
    load_text(
        "{\"schema\": \"ovl-model-1\", \"name\": \"u\", \"dtype\": \"f32\", \"transformer\": {\"blocks\": 3, "
        "\"hidden\": 1, \"sequence\": 1, \"heads\": 1}, \"layers\": ["
        "{\"name\": \"in\", \"layers\": [{\"name\": \"x\", \"tensors\": [1], \"macs\": 1, \"activation_bytes\": 64}, "
        "{\"tensors\": [1], \"macs\": 1, \"activation_bytes\": 1}]},"
        "{\"tensors\": [1], \"macs\": 2, \"activation_bytes\": 2},"
        "{\"name\": \"x\", \"tensors\": [1], \"macs\": 2, \"activation_bytes\": 4, \"skip\": \"in\"},"
        "{\"tensors\": [1], \"macs\": 2, \"activation_bytes\": 8},"
        "{\"tensors\": [1], \"macs\": 2, \"activation_bytes\": 16, \"skip\": \"in\"},"
        "{\"tensors\": [1], \"macs\": 2, \"activation_bytes\": 32, \"skip\": \"x\", \"tied\": \"x\"}]}");
    ovl_pieces_cut(&train_model, 6, 1, pieces);
    for (int i = 0; i < 6; i++) {
        ck_assert_msg(pieces[i].bytes == wanted[i], "%d: %.0f bytes", i, pieces[i].bytes);
        ck_assert_int_eq(pieces[i].halves, 1);
    }
    ck_assert_int_eq(train_model.tied.of, 3);
    ck_assert_int_eq(train_model.tied.by, 6);
}

AROUND(NULL, train_unload)
