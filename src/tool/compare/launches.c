/* The launches of one side. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/launches.h"
#include "tool/cells/filter.h"
#include "tool/cells/metric.h"

int ovl_launches_open(struct ovl_launches *l, char *const *paths, size_t count, const struct ovl_field *metric,
                      const struct ovl_texts *filter, struct ovl_error *err)
{
    *l = (struct ovl_launches){.inputs = {.failed = true, .filtered = filter->n > 0}};
    for (size_t i = 0; i < count; i++)
        if (ovl_inputs_add(&l->inputs, paths[i], err) != 0)
            return -1;
    if (ovl_inputs_read(&l->inputs, ovl_metric_brief(metric), &l->record, &l->copies, err) != 0 ||
        ovl_filter_launches(filter, &l->record, "these launches", err) != 0)
        return -1;
    const struct ovl_record *const one[] = {&l->record};
    ovl_groups_make(&l->groups, one, 1);
    return 0;
}

void ovl_launches_close(struct ovl_launches *l)
{
    ovl_groups_free(&l->groups);
    ovl_record_free(&l->record);
    ovl_inputs_free(&l->inputs);
}

void ovl_launches_note(const struct ovl_launches *l)
{
    if (l->copies > 0)
        printf("# note     %zu cop%s of a launch passed over\n", l->copies, l->copies == 1 ? "y" : "ies");
    if (l->groups.repeated > 0)
        printf("# note     %zu cell%s that a launch has twice passed over\n", l->groups.repeated,
               l->groups.repeated == 1 ? "" : "s");
    ovl_groups_note_again(stdout, &l->groups);
    ovl_inputs_note_unended(stdout, &l->record, "");
    ovl_inputs_note_unchecked(stdout, &l->record);
    ovl_inputs_note_disturbed(stdout, &l->record, "");
    ovl_inputs_note_beside(stdout, &l->inputs);
}
