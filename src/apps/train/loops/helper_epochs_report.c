/* What a design gains beside the rank alone, with its interval, and the bound of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/loops/helper_epochs.h"

#include <math.h>

/* Of a step, by what it was spent on. */
static void medians(const struct ovl_turns_kind *k, double steps, double spent[OVL_SPENT_KINDS])
{
    for (int s = 0; s < OVL_SPENT_KINDS; s++)
        spent[s] = ovl_turns_value(k, s) / steps;
}

/* How much of an epoch a part of it takes, or another epoch that has less to do. */
static json_t *share(const struct ovl_train *t, const double *part, const struct ovl_turns_kind *of)
{
    return ovl_turns_limits(ovl_bootstrap_median_by_median, part, of->seconds, of->n, t->job.options->seed);
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

json_t *ovl_train_phases(const struct ovl_train *t, const struct ovl_turns_kind *kinds, size_t count)
{
    const struct ovl_train_options *o = &t->options;
    double steps = (double)o->steps_per_epoch, bare = ovl_turns_seconds(&kinds[0]) / steps;
    double none = ovl_turns_seconds(&kinds[1]) / steps;
    double alone[OVL_SPENT_KINDS]; /* of `none` */
    medians(&kinds[1], steps, alone);
    json_t *all = json_array();
    for (size_t i = 1; i < count; i++) {
        const struct ovl_design_epochs *k = kinds[i].what;
        double spent[OVL_SPENT_KINDS], step = ovl_turns_seconds(&kinds[i]) / steps;
        medians(&kinds[i], steps, spent);
        double bound = bound_of(k, bare, alone, spent, (double)o->helpers);
        json_t *d =
            json_pack("{s:s, s:o, s:f, s:o, s:f, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "offload",
                      k->design->name, "seconds", ovl_turns_list(&kinds[i]), "step_seconds", step, "improvement",
                      ovl_turns_less(&kinds[i], &kinds[1], t->job.options->seed), "au", bare / step, "au_ci",
                      share(t, kinds[0].seconds, &kinds[i]), "bound_seconds", bound, "over_bound", step / bound,
                      "augment_seconds", spent[OVL_SPENT_AUGMENT], "validate_seconds", spent[OVL_SPENT_VALIDATE],
                      "stall_seconds", spent[OVL_SPENT_STALL], "check_seconds", spent[OVL_SPENT_CHECK], "copy_seconds",
                      spent[OVL_SPENT_COPY], "wait_seconds", spent[OVL_SPENT_WAIT]);
        if (k->design->trains) {
            json_object_set_new(d, "rate", json_real(k->rate));
            json_object_set_new(d, "share", json_real(1 - (double)k->from / (double)k->samples));
        }
        json_array_append_new(all, d);
    }
    json_t *phases = json_pack(
        "{s:f, s:I, s:I, s:I, s:f, s:f, s:f, s:o, s:f, s:o, s:f, s:f, s:o}", "steps", steps, "samples",
        (json_int_t)t->pool->sizes.samples, "sample_bytes", (json_int_t)t->pool->sizes.sample_bytes, "helpers",
        (json_int_t)o->helpers, "slowdown", o->helper_slowdown, "bare_seconds", bare, "augment_share",
        alone[OVL_SPENT_AUGMENT] / none, "augment_share_ci", share(t, kinds[1].values[OVL_SPENT_AUGMENT], &kinds[1]),
        "validate_share", alone[OVL_SPENT_VALIDATE] / none, "validate_share_ci",
        share(t, kinds[1].values[OVL_SPENT_VALIDATE], &kinds[1]), "augment_asked", o->phases.augment, "validate_asked",
        o->phases.validate, "designs", all);
    if (o->records)
        json_object_set_new(phases, "records", json_string(o->records));
    return phases;
}
