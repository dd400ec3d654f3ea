/* What tests of training steps share: the models with what is known of them, and what every list of events keeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/train_case.h"
#include "tests/unit/test.h"

const struct train_case train_cases[TRAIN_CASES] = {
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

struct ovl_model train_model;
struct ovl_error train_err;

void train_load(const char *name)
{
    ck_assert_msg(ovl_model_load(&train_model, name, &train_err) == 0, "%s", train_err.text);
}

void train_unload(void)
{
    ovl_model_free(&train_model);
}

struct ovl_train_ask train_ask(int ranks)
{
    struct ovl_train_ask ask = ovl_train_ask_default();
    ask.model = &train_model;
    ask.ranks = ranks;
    return ask;
}

double train_check_events(const struct ovl_events *e)
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
