/* What every comparison of two sides asks first. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/gate.h"
#include "cli/catalog.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/setting.h"

#include <string.h>

int ovl_gate_make(struct ovl_gate *gate, const struct ovl_gate_options *o, const char *metric, struct ovl_error *err)
{
    *gate = (struct ovl_gate){ovl_metric_find(metric, err), o->delta, o->paired, o->any_work};
    return gate->metric ? 0 : -1;
}

static int refuse_same(const struct ovl_record *old, const struct ovl_record *new, struct ovl_error *err)
{
    json_t *seen = json_object();
    int rc = 0;
    for (size_t i = 0; i < old->run_count && rc == 0; i++)
        json_object_set_new(seen, ovl_run_text(&old->runs[i], "run_id"), json_integer((json_int_t)i));
    for (size_t j = 0; j < new->run_count &&rc == 0; j++) {
        const struct ovl_run *run = &new->runs[j];
        const json_t *same = json_object_get(seen, ovl_run_text(run, "run_id"));
        if (same)
            rc = ovl_error_set(err, OVL_USAGE, "launch %s is on both sides (%s, %s): that compares nothing",
                               ovl_run_text(run, "run_id"), old->runs[json_integer_value(same)].file, run->file);
    }
    json_decref(seen);
    return rc;
}

/* A side whose data nobody looked at may be quick because they are wrong. */
static void tell_unchecked(FILE *out, const struct ovl_groups *groups)
{
    size_t unchecked[2] = {0, 0}, all[2] = {0, 0};
    for (size_t i = 0; i < groups->member_count; i++) {
        const struct ovl_member *m = &groups->members[i];
        if (!ovl_member_claims(m) || !ovl_benchmark_moves(m->cell->benchmark))
            continue;
        all[m->side]++;
        unchecked[m->side] += m->cell->validated < 0;
    }
    if (unchecked[1] > 0)
        fprintf(out,
                "# note     data not checked in %zu of %zu cells of the new side, and in %zu of %zu of the old one: "
                "wrong data can be quick\n",
                unchecked[1], all[1], unchecked[0], all[0]);
}

/* Sides the wrong way round make what got worse an improvement. */
static void tell_turned(FILE *out, const struct ovl_record *old, const struct ovl_record *new)
{
    const char *first = NULL, *last = NULL; /* of the old side, of the new one */
    for (size_t i = 0; i < old->run_count; i++) {
        const char *at = ovl_run_text(&old->runs[i], "started");
        first = !first || strcmp(at, first) < 0 ? at : first;
    }
    for (size_t i = 0; i < new->run_count; i++) {
        const char *at = ovl_run_text(&new->runs[i], "started");
        last = !last || strcmp(at, last) > 0 ? at : last;
    }
    if (first && last && strcmp(first, last) > 0)
        fprintf(out, "# note     all old launches began later than all new ones: are the sides the right way round?\n");
}

int ovl_gate_check(FILE *out, const struct ovl_record *old, const struct ovl_record *new,
                   const struct ovl_groups *groups, const struct ovl_gate_options *o, size_t *differ,
                   struct ovl_error *err)
{
    if (refuse_same(old, new, err) != 0)
        return -1;
    json_t *before = ovl_setting_of(old), *now = ovl_setting_of(new), *unlike = ovl_setting_unlike(groups);
    tell_turned(out, old, new);
    tell_unchecked(out, groups);
    ovl_inputs_note_unended(out, old, "old ");
    ovl_inputs_note_unended(out, new, "new ");
    ovl_inputs_note_disturbed(out, old, "old ");
    ovl_inputs_note_disturbed(out, new, "new ");
    *differ = ovl_setting_differences(out, before, now, unlike);
    json_decref(before);
    json_decref(now);
    json_decref(unlike);
    if (*differ > 0 && !o->across)
        return ovl_error_set(err, OVL_ENVIRONMENT,
                             "old and new were measured in different settings, or in unlike mixtures of them, as "
                             "listed; give --across to compare them all the same");
    return 0;
}
