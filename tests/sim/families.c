/* Families of cells whose truth is known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/families.h"
#include "tests/fake/normal.h"

const char *const launch_shape_names[LAUNCH_SHAPES] = {"normal", "t5", "skewed"};

static double student5(struct ovl_rng *rng)
{
    double squares = 0, x = normal(rng);
    for (int i = 0; i < 5; i++)
        squares += pow(normal(rng), 2);
    return x / sqrt(squares / 5) / sqrt(5.0 / 3);
}

/* Lognormal with sigma 0.8: skewness 3.7. */
static double skewed(struct ovl_rng *rng)
{
    double s = 0.64;
    return (exp(sqrt(s) * normal(rng)) - 1) / sqrt(exp(s) * (exp(s) - 1));
}

double launch_value(struct ovl_rng *rng, enum launch_shape shape)
{
    return shape == LAUNCH_NORMAL ? normal(rng) : shape == LAUNCH_T5 ? student5(rng) : skewed(rng);
}

static bool denies(const struct ovl_family_cell *c)
{
    const struct ovl_shift *s = &c->shift;
    switch (c->verdict) {
    case OVL_VERDICT_REGRESSED:
        return s->low < c->margin;
    case OVL_VERDICT_IMPROVED:
        return s->high >= 0;
    case OVL_VERDICT_OK:
        return s->high > c->margin || s->low > c->margin;
    default:
        return s->low > c->margin || s->high < c->margin;
    }
}

static double truth_of(const struct family_truth *t, size_t cell)
{
    return cell < t->changed ? t->change : 0;
}

static void count(const struct family_truth *t, const struct ovl_family_cell *cell, struct family_counts *n)
{
    struct family_counts here = {.all_ok = 1, .passed = 1};
    for (size_t c = 0; c < t->cells; c++) {
        double truth = truth_of(t, c);
        bool improved = cell[c].verdict == OVL_VERDICT_IMPROVED, ok = improved || cell[c].verdict == OVL_VERDICT_OK;
        here.false_regressed |= cell[c].verdict == OVL_VERDICT_REGRESSED && truth <= t->margin;
        here.false_ok |= ok && truth >= t->margin;
        here.false_improved |= improved && truth >= 0;
        here.low_wrong |= cell[c].shift.low > truth;
        here.high_wrong |= cell[c].shift.high < truth;
        here.contradicted |= denies(&cell[c]);
        here.all_ok &= ok;
        here.passed &= cell[c].passes;
    }
    n->false_regressed += here.false_regressed;
    n->false_ok += here.false_ok;
    n->false_improved += here.false_improved;
    n->low_wrong += here.low_wrong;
    n->high_wrong += here.high_wrong;
    n->contradicted += here.contradicted;
    n->first_regressed += cell[0].verdict == OVL_VERDICT_REGRESSED;
    n->all_ok += here.all_ok;
    n->passed += here.passed;
}

struct family_counts families_judge(const struct family_truth *t, int families, uint64_t seed)
{
    struct ovl_rng rng = ovl_rng_seeded(seed);
    struct ovl_family_tests tests = {.paired = t->paired};
    static double value[FAMILY_MOST_CELLS][2][FAMILY_MOST_LAUNCHES];
    struct ovl_family_cell cell[FAMILY_MOST_CELLS];
    struct family_counts counts = {0};
    for (int f = 0; f < families; f++) {
        for (size_t c = 0; c < t->cells; c++) {
            cell[c] =
                (struct ovl_family_cell){.old = value[c][0], .new = value[c][1], .n = t->launches, .margin = t->margin};
            for (size_t i = 0; i < t->launches; i++) {
                value[c][0][i] = t->old_sigma * launch_value(&rng, t->shape);
                value[c][1][i] = t->new_sigma * launch_value(&rng, t->shape) + truth_of(t, c);
            }
        }
        ovl_family_judge(&tests, cell, t->cells);
        count(t, cell, &counts);
    }
    ovl_family_tests_free(&tests);
    return counts;
}
