/* What a design gains beside the rank alone, with its interval, and the bound of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/helper_epochs.h"
#include "stats/overlap.h"

#include <math.h>
#include <string.h>

/* A median, which leaves the values in their order. */
static double median(const double *x, size_t n)
{
    double copy[OVL_DESIGN_EPOCHS];
    memcpy(copy, x, n * sizeof *x);
    return ovl_stats_median(copy, n);
}

/* Of a step, by what it was spent on. */
static void medians(const struct ovl_design_epochs *k, double steps, double spent[OVL_SPENT_KINDS])
{
    for (int s = 0; s < OVL_SPENT_KINDS; s++)
        spent[s] = median(k->spent[s], k->n) / steps;
}

static double less(const double *m)
{
    return 1 - m[OVL_TOTAL] / m[OVL_BLOCKING];
}

/* 1 - T / T of `none`, whose epochs stand beside these in the same rounds. */
static json_t *improvement(struct ovl_design_epochs *k, struct ovl_design_epochs *none, uint64_t seed)
{
    static const struct ovl_derived_row row = {
        .of = less, .terms = 1u << OVL_TOTAL | 1u << OVL_BLOCKING, .divide = 1u << OVL_BLOCKING};
    struct ovl_samples s;
    ovl_samples_make(&s, k->n);
    s.blocks = k->n;
    memcpy(s.max[OVL_TOTAL], k->seconds, k->n * sizeof(double));
    memcpy(s.max[OVL_BLOCKING], none->seconds, k->n * sizeof(double));
    struct ovl_estimate e = ovl_overlap_estimate_row(&s, &row, 0, seed);
    ovl_samples_free(&s);
    json_t *to = json_pack("{s:f}", "value", e.value);
    json_object_set_new(to, "ci_low", isnan(e.ci_low) ? json_null() : json_real(e.ci_low));
    json_object_set_new(to, "ci_high", isnan(e.ci_high) ? json_null() : json_real(e.ci_high));
    return to;
}

/* Seconds of a step that no helper can save: of those who work side by side the slowest. */
static double bound_of(const struct ovl_design_epochs *k, double bare, const double *none, const double *spent,
                       double helpers)
{
    const struct ovl_design *d = k->design;
    double rank = bare + (d->loads ? 0 : none[OVL_SPENT_AUGMENT]);
    double helper = (d->loads ? spent[OVL_SPENT_AUGMENT] : 0) + (d->validates ? spent[OVL_SPENT_VALIDATE] : 0);
    if (d->trains)
        rank /= 1 + k->rate;
    return fmax(rank, helper / helpers) + (d->validates ? 0 : none[OVL_SPENT_VALIDATE]);
}

json_t *ovl_train_phases(const struct ovl_train *t, struct ovl_design_epochs *kinds, size_t count)
{
    const struct ovl_train_options *o = &t->options;
    double steps = (double)o->steps_per_epoch, bare = median(kinds[0].seconds, kinds[0].n) / steps;
    double none = median(kinds[1].seconds, kinds[1].n) / steps;
    double alone[OVL_SPENT_KINDS]; /* of `none` */
    medians(&kinds[1], steps, alone);
    json_t *all = json_array();
    for (size_t i = 1; i < count; i++) {
        struct ovl_design_epochs *k = &kinds[i];
        double spent[OVL_SPENT_KINDS], step = median(k->seconds, k->n) / steps;
        medians(k, steps, spent);
        double bound = bound_of(k, bare, alone, spent, (double)o->helpers);
        json_t *seconds = json_array();
        for (size_t n = 0; n < k->n; n++)
            json_array_append_new(seconds, json_real(k->seconds[n]));
        json_t *d = json_pack("{s:s, s:o, s:f, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "offload",
                              k->design->name, "seconds", seconds, "step_seconds", step, "improvement",
                              improvement(k, &kinds[1], t->job.options->seed), "au", bare / step, "bound_seconds",
                              bound, "over_bound", step / bound, "augment_seconds", spent[OVL_SPENT_AUGMENT],
                              "validate_seconds", spent[OVL_SPENT_VALIDATE], "stall_seconds", spent[OVL_SPENT_STALL],
                              "check_seconds", spent[OVL_SPENT_CHECK], "copy_seconds", spent[OVL_SPENT_COPY],
                              "wait_seconds", spent[OVL_SPENT_WAIT]);
        if (k->design->trains) {
            json_object_set_new(d, "rate", json_real(k->rate));
            json_object_set_new(d, "share", json_real(1 - (double)k->from / (double)k->samples));
        }
        json_array_append_new(all, d);
    }
    json_t *phases =
        json_pack("{s:f, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "steps", steps, "samples",
                  (json_int_t)t->pool->sizes.samples, "sample_bytes", (json_int_t)t->pool->sizes.sample_bytes,
                  "helpers", (json_int_t)o->helpers, "slowdown", o->helper_slowdown, "bare_seconds", bare,
                  "augment_share", alone[OVL_SPENT_AUGMENT] / none, "validate_share", alone[OVL_SPENT_VALIDATE] / none,
                  "augment_asked", o->phases.augment, "validate_asked", o->phases.validate, "designs", all);
    if (o->dataset) {
        json_object_set_new(phases, "dataset", json_string(o->dataset_text));
        json_object_set_new(phases, "au_wanted", json_real(o->dataset->pass));
    }
    return phases;
}
