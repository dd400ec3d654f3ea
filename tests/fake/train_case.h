/* What tests of training steps share: the models with what is known of them, and what every list of events keeps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_TRAIN_CASE_H
#define OVL_TESTS_FAKE_TRAIN_CASE_H

#include "apps/train/strategy/steps.h"

/* Totals from the papers' definitions; the sizes of buckets are rounded to 0.01 MiB, those of Horovod's to 0.1. */
enum { TRAIN_CASES = 9 };
extern const struct train_case {
    const char *name;
    double numbers;
    size_t tensors;
    double gmacs;
    double ddp[16], horovod[16]; /* MiB, up to 0; a prefix of the buckets */
    size_t ddp_count, horovod_count;
} train_cases[TRAIN_CASES];

extern struct ovl_model train_model;
extern struct ovl_error train_err;

/* By its name. */
void train_load(const char *name);
void train_unload(void);
struct ovl_train_ask train_ask(int ranks);

/* Each operation is posted once, waited for once, and before the step ends. The bytes of all. */
double train_check_events(const struct ovl_events *e);

#endif
