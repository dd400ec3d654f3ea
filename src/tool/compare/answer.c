/* The verdicts of a comparison, and the changes of a history, as JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/answer.h"
#include "base/printable.h"
#include "tool/util/answer.h"

static json_t *metric_of(const struct ovl_field *m)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "name", m->name, "unit", m->unit, "better",
                     m->more_is_better ? "more" : "less", "change",
                     m->scale == OVL_METRIC_RATIO ? "ratio" : "difference");
}

static json_t *change_json(const struct ovl_change *c)
{
    char note[200];
    ovl_change_note(c, note);
    json_t *row = json_pack("{s:o, s:o, s:s, s:b, s:o, s:o}", "cell", ovl_group_json(c->group), "label",
                            ovl_printable_json(c->group->label), "verdict", ovl_verdict_names[c->verdict], "passes",
                            (int)c->passes, "reason", ovl_printable_json(c->reason), "note", ovl_printable_json(note));
    const struct {
        const char *name;
        double x;
    } numbers[] = {{"old", c->before},       {"new", c->now}, {"change", c->value},          {"change_low", c->low},
                   {"change_high", c->high}, {"p", c->p},     {"detectable", c->detectable}, {"work", c->work}};
    const struct {
        const char *name;
        size_t n;
    } counts[] = {{"launches", c->launches},
                  {"unusable", c->unusable},
                  {"unmatched", c->unmatched},
                  {"wrong", c->wrong},
                  {"stalls", c->stalls}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(row, numbers[i].name, ovl_answer_number(numbers[i].x));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(row, counts[i].name, json_integer((json_int_t)counts[i].n));
    return row;
}

json_t *ovl_changes_answer(const struct ovl_changes *c, const struct ovl_groups *groups, const struct ovl_gate *gate)
{
    json_t *rows = json_array(), *verdicts = json_object();
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(rows, change_json(&c->change[i]));
    for (size_t v = 0; v < OVL_VERDICTS; v++)
        json_object_set_new(verdicts, ovl_verdict_names[v], json_integer((json_int_t)c->verdicts[v]));
    return json_pack("{s:o, s:o, s:f, s:f, s:b, s:b, s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "metric",
                     metric_of(gate->metric), "common", ovl_printable_json(groups->common), "delta", gate->delta,
                     "limit", ovl_gate_line(gate), "paired", (int)gate->paired, "any_work", (int)gate->any_work,
                     "verdicts", verdicts, "passing", (json_int_t)c->passing, "tested", (json_int_t)c->tested, "needed",
                     (json_int_t)c->needed, "added", (json_int_t)c->added, "unlike_work", (json_int_t)c->unlike,
                     "cells", rows);
}

static json_t *point_change(const struct ovl_history *h, const struct ovl_history_point *p,
                            const struct ovl_history_change *c)
{
    char verdict[OVL_HISTORY_VERDICT], revisions[96];
    ovl_history_verdict(h, c, verdict);
    ovl_history_revisions(p, c, revisions);
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:s}", "launch", (json_int_t)c->at + 1,
                     "first_place", (json_int_t)c->first + 1, "last_place", (json_int_t)c->last + 1, "started",
                     ovl_printable_json(ovl_run_text(p->launch[c->at]->run, "started")), "revisions",
                     ovl_printable_json(revisions), "before", ovl_answer_number(c->before), "after",
                     ovl_answer_number(c->after), "change", ovl_answer_number(c->value), "worse", (int)c->worse, "new",
                     (int)c->fresh, "fails", (int)ovl_history_fails(c), "verdict", verdict);
}

json_t *ovl_history_answer(const struct ovl_history *h)
{
    json_t *points = json_array();
    for (size_t i = 0; i < h->count; i++) {
        const struct ovl_history_point *p = &h->point[i];
        json_t *changes = json_array();
        for (size_t k = 0; k < p->change_count; k++)
            json_array_append_new(changes, point_change(h, p, &p->change[k]));
        json_array_append_new(
            points, json_pack("{s:o, s:o, s:I, s:I, s:b, s:o, s:o}", "cell", ovl_group_json(p->group), "label",
                              ovl_printable_json(p->label), "launches", (json_int_t)p->count, "unusable",
                              (json_int_t)p->unusable, "looked_at", (int)p->looked_at, "median",
                              ovl_answer_number(ovl_stats_summarise(p->value, p->count).median), "changes", changes));
    }
    return json_pack("{s:o, s:s, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "metric",
                     metric_of(h->how.metric), "since", h->since, "delta", h->how.delta, "needed",
                     (json_int_t)h->needed, "worse", (json_int_t)h->worse, "better", (json_int_t)h->better, "new_worse",
                     (json_int_t)h->new_worse, "wrong", (json_int_t)h->wrong, "blind", (json_int_t)h->blind, "silent",
                     (json_int_t)h->silent, "moved", (json_int_t)h->moved, "clock_went_back",
                     (int)(h->order.odd != NULL), "points", points);
}
