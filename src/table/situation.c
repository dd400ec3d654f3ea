/* What the cells of a run come to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/situation.h"
#include "cli/catalog.h"
#include "record/derived/settle.h"
#include "record/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum ovl_finding_kind kind_of(const struct ovl_cell *c)
{
    const struct ovl_estimate *hidden = &c->derived[OVL_HIDDEN];
    double hideable = c->derived[OVL_HIDEABLE].value;
    if (isnan(hideable))
        hideable = 1;
    if (hidden->value < -0.05 && hidden->ci_high < 0)
        return OVL_FOUND_HARM;
    return hidden->value < 0.2 * hideable   ? OVL_FOUND_LITTLE
           : hidden->value < 0.8 * hideable ? OVL_FOUND_PART
                                            : OVL_FOUND_MOST;
}

static bool nearer(double ratio, double than)
{
    return isnan(than) || fabs(log(ratio)) < fabs(log(than));
}

static bool is_looked_at(const struct ovl_situation *s, const struct ovl_cell *c)
{
    return isnan(c->ratio) || c->ratio == s->ratio;
}

static bool is_measured(const struct ovl_situation *s, const struct ovl_cell *c, const char *mode)
{
    return strcmp(c->mode, mode) == 0 && ovl_cell_claims(c) && !isnan(c->derived[OVL_HIDDEN].value) &&
           is_looked_at(s, c);
}

/* Within so much; a sentence on less would be on noise. */
static bool is_known(const struct ovl_cell *c)
{
    const double within = 0.15;
    const struct ovl_estimate *hidden = &c->derived[OVL_HIDDEN];
    return hidden->ci_high - hidden->ci_low <= 2 * within;
}

static bool is_usable(const struct ovl_situation *s, const struct ovl_cell *c, const char *mode)
{
    return is_measured(s, c, mode) && is_known(c);
}

/* The usable cell of the next smaller size than that of `above` (NULL: the largest), or NULL. */
static const struct ovl_cell *next_smaller(const struct ovl_situation *s, const char *mode,
                                           const struct ovl_cell *above)
{
    const struct ovl_cell *found = NULL;
    for (size_t i = 0; i < s->run->cell_count; i++) {
        const struct ovl_cell *c = &s->run->cells[i];
        if (is_usable(s, c, mode) && (!above || c->size_bytes < above->size_bytes) &&
            (!found || c->size_bytes > found->size_bytes))
            found = c;
    }
    return found;
}

static void look_at(struct ovl_situation *s, struct ovl_facts *f, const char *mode)
{
    *f = (struct ovl_facts){.mode = mode, .total_ratio = {NAN, NAN, NAN}};
    for (size_t i = 0; i < s->run->cell_count; i++) {
        const struct ovl_cell *c = &s->run->cells[i];
        f->cells += strcmp(c->mode, mode) == 0;
        f->claims += strcmp(c->mode, mode) == 0 && ovl_cell_claims(c);
        f->usable += is_usable(s, c, mode);
        f->silent += strcmp(c->mode, mode) == 0 && is_looked_at(s, c) && !is_usable(s, c, mode);
        f->vague += is_measured(s, c, mode) && !is_known(c);
        f->wide += is_usable(s, c, mode) && (ovl_cell_marks(c) & (1U << OVL_MARK_FEW | 1U << OVL_MARK_WIDE)) != 0;
    }
    const struct ovl_cell *c = next_smaller(s, mode, NULL);
    if (!c)
        return;
    f->largest = c;
    f->kind = kind_of(c);
    f->low = f->high = c->derived[OVL_HIDDEN].value;
    f->slowdown = c->derived[OVL_SLOWDOWN].ci_low;
    f->speedup = c->derived[OVL_SPEEDUP].ci_high;
    const struct ovl_estimate *e = &c->offload_efficiency;
    f->total_ratio = (struct ovl_estimate){1 / e->value, 1 / e->ci_high, 1 / e->ci_low};
    for (; c && kind_of(c) == f->kind; c = next_smaller(s, mode, c)) {
        f->smallest = c;
        f->low = fmin(f->low, c->derived[OVL_HIDDEN].value);
        f->high = fmax(f->high, c->derived[OVL_HIDDEN].value);
    }
    f->all = !c && f->silent == 0;
}

/* Where dpu mode begins to win: the least size, by its interval, above the largest one at which it loses, by its
   interval and by over 2 %. Sizes at which neither is known are passed over. */
static double find_dpu_from(const struct ovl_situation *s)
{
    double from = NAN, chosen = json_number_value(json_object_get(json_object_get(s->run->head, "options"), "dpu_min"));
    const struct ovl_cell *c = NULL;
    while ((c = next_smaller(s, "dpu", c))) {
        if (isnan(c->offload_efficiency.value) || chosen > 0)
            return NAN;
        if (c->offload_efficiency.value < 0.98 && c->offload_efficiency.ci_high < 1)
            return from;
        if (c->offload_efficiency.ci_low > 1)
            from = c->size_bytes;
    }
    return NAN; /* it loses none */
}

/* Workers have not all operations, and move messages in one piece; each wants a core beside those of the ranks. */
static bool no_workers(const struct ovl_run *run)
{
    const json_t *hosts = json_object_get(run->head, "hosts"), *options = json_object_get(run->head, "options");
    double cores = 0;
    for (size_t i = 0; i < json_array_size(hosts); i++)
        cores += json_number_value(json_object_get(json_array_get(hosts, i), "cores"));
    return ovl_benchmark_find(ovl_run_text(run, "benchmark"))->host_only ||
           json_is_string(json_object_get(options, "vector")) || (cores > 0 && run->cells[0].ranks >= cores);
}

void ovl_situation_look(struct ovl_situation *s, const struct ovl_run *run)
{
    const json_t *warnings = json_object_get(run->head, "warnings");
    *s = (struct ovl_situation){.run = run, .ratio = NAN, .tests = NAN};
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *warning = json_string_value(json_array_get(warnings, i));
        double ranks, workers, cores;
        s->oversubscribed |= warning && sscanf(warning, "oversubscribed: %lf", &ranks) == 1; /* not by threads */
        if (warning &&
            sscanf(warning, "oversubscribed: %lf rank%*[s] and %lf worker%*[s] on %lf", &ranks, &workers, &cores) ==
                3 &&
            ranks <= cores) {
            s->workers_share = true;
            s->cores = cores;
            s->wanted = ranks + workers;
        }
    }
    for (size_t i = 0; i < run->cell_count; i++) {
        const struct ovl_cell *c = &run->cells[i];
        if (nearer(c->ratio, s->ratio) && !isnan(c->ratio))
            s->ratio = c->ratio;
        if (strcmp(c->status, "invalid") == 0)
            snprintf(s->invalid, sizeof s->invalid, "%s", c->reason);
        s->wrong_data |= c->validated == 0;
        s->tests = c->test_calls;
    }
    s->alone = run->cells[0].ranks == 1;
    s->no_workers = no_workers(run);
    look_at(s, &s->host, "host");
    look_at(s, &s->thread, "thread");
    look_at(s, &s->dpu, "dpu");
    s->dpu_from = find_dpu_from(s);
}
