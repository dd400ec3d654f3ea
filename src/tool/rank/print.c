/* What a ranking says: a table, a sentence for each side, and JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "table/columns.h"
#include "tool/rank/rank.h"
#include "tool/util/answer.h"

#include <math.h>
#include <string.h>

void ovl_rank_place(const struct ovl_ranking_side *s, char text[48])
{
    int n = snprintf(text, 48, "%zu", s->first);
    if (s->last > s->first)
        snprintf(text + n, 48 - (size_t)n, "-%zu", s->last);
}

struct ovl_estimate ovl_rank_change(const struct ovl_rank *r, const struct ovl_ranking_side *s)
{
    const struct ovl_field *m = r->how.metric;
    struct ovl_estimate e = {s->shift.value, s->shift.low, s->shift.high};
    if (m->more_is_better)
        e = (struct ovl_estimate){-s->shift.value, -s->shift.high, -s->shift.low};
    if (m->scale == OVL_METRIC_RATIO)
        e = (struct ovl_estimate){exp(e.value), isfinite(e.ci_low) ? exp(e.ci_low) : NAN,
                                  isfinite(e.ci_high) ? exp(e.ci_high) : NAN};
    e.ci_low = isfinite(e.ci_low) ? e.ci_low : NAN;
    e.ci_high = isfinite(e.ci_high) ? e.ci_high : NAN;
    return e;
}

static const struct ovl_column columns[] = {
    {.show = {"work", 1, 0, 0, false}, .left = 2},
    {.show = {"place", 1, 0, 7, false}},
    {.show = {"value us", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE},
    {.show = {"/ref", 1, 3, 9, false}},
    {.show = {"interval", 1, 3, 0, false}, .interval = 19},
    {.show = {"launches", 1, 0, 10, false}},
    {.show = {"side", 1, 0, 0, false}, .left = 2},
    {.field = NULL},
};

static void put_work(struct ovl_table *t, const struct ovl_rank *r, const struct ovl_rank_work *w)
{
    for (size_t k = 0; k < w->ranking.count; k++) {
        const struct ovl_rank_entry *e = &w->entry[w->order[k]];
        const struct ovl_ranking_side *s = &w->ranking.side[w->order[k]];
        char place[48] = "-", launches[48];
        struct ovl_estimate change = {NAN, NAN, NAN};
        if (!w->fault) {
            ovl_rank_place(s, place);
            change = ovl_rank_change(r, s);
        }
        bool reference = !w->fault && w->order[k] == w->ranking.reference;
        snprintf(launches, sizeof launches, e->launches < e->all ? "%zu of %zu" : "%zu", e->launches, e->all);
        ovl_table_text(t, "%s", w->label);
        ovl_table_text(t, "%s", place);
        ovl_table_number(t, e->median);
        ovl_table_number(t, change.value);
        ovl_table_estimate(
            t, (struct ovl_estimate){NAN, reference ? NAN : change.ci_low, reference ? NAN : change.ci_high});
        ovl_table_text(t, "%s", launches);
        ovl_table_text(t, "%s%s%s%s", r->side[e->side], reference ? " (reference)" : "", w->fault ? ": " : "",
                       w->fault ? w->fault : "");
        ovl_table_row_end(t);
    }
}

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_rank *r = of;
    put_work(t, r, i < r->count ? &r->work[i] : &r->all);
}

/* "1.31 times faster": which words, and the ratio that is above 1. `of`: the work, where there are several. */
static void say(FILE *out, const struct ovl_rank *r, const char *of, const char *one, const char *other,
                struct ovl_estimate e)
{
    const struct ovl_field *m = r->how.metric;
    bool ratio = m->scale == OVL_METRIC_RATIO, seconds = strcmp(m->unit, "s") == 0 && !m->more_is_better;
    double none = ratio ? 1 : 0;
    int digits = ratio ? 2 : 3;
    bool known = !isnan(e.ci_low) && !isnan(e.ci_high), apart = known && (e.ci_low > none || e.ci_high < none);
    bool better = (e.value < none) != (m->more_is_better != 0);
    if (ratio && e.value < 1) /* say how many times, whichever way */
        e = (struct ovl_estimate){1 / e.value, 1 / e.ci_high, 1 / e.ci_low};
    if (!ratio && apart && e.value < 0)
        e = (struct ovl_estimate){-e.value, -e.ci_high, -e.ci_low};
    fprintf(out, "# %s%s", of, *of ? ": " : "");
    ovl_printable_put(out, one);
    if (!apart) {
        fputs(" and ", out);
        ovl_printable_put(out, other);
        fprintf(out, ": not told apart, %.*f", digits, e.value);
    } else {
        fprintf(out, " is %.*f", digits, e.value);
    }
    if (known)
        fprintf(out, " (%.*f .. %.*f)", digits, e.ci_low, digits, e.ci_high);
    if (apart) {
        fprintf(out, "%s %s than ", ratio ? " times" : "",
                seconds && better ? "faster"
                : seconds         ? "slower"
                : better          ? "better"
                                  : "worse");
        ovl_printable_put(out, other);
    }
    fputs("\n", out);
}

/* Of the best one that nobody named: how much better it is; else of each side. */
static void say_work(FILE *out, const struct ovl_rank *r, const struct ovl_rank_work *w)
{
    for (size_t k = 0; k < w->ranking.count && !w->fault; k++) {
        size_t at = w->order[k];
        const char *of = r->count > 1 && w != &r->all ? w->label : "";
        struct ovl_estimate e = ovl_rank_change(r, &w->ranking.side[at]);
        const char *reference = r->side[w->entry[w->ranking.reference].side], *side = r->side[w->entry[at].side];
        if (at == w->ranking.reference || isnan(e.value))
            continue;
        if (r->how.reference) {
            say(out, r, of, side, reference, e);
            continue;
        }
        if (r->how.metric->scale == OVL_METRIC_RATIO)
            e = (struct ovl_estimate){1 / e.value, 1 / e.ci_high, 1 / e.ci_low};
        else
            e = (struct ovl_estimate){-e.value, -e.ci_high, -e.ci_low};
        say(out, r, of, reference, side, e);
    }
}

static bool has_too_few(const struct ovl_rank *r)
{
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < r->work[i].ranking.count && !r->work[i].fault; k++)
            if (k != r->work[i].ranking.reference && r->work[i].ranking.side[k].n < r->needed)
                return true;
    return false;
}

static void say_lacks(FILE *out, const struct ovl_rank *r, const struct ovl_rank_work *w)
{
    for (size_t side = 0; side < r->sides; side++) {
        if (!ovl_rank_lacks(r, w, side))
            continue;
        fputs("# lacks    ", out);
        ovl_printable_put(out, r->side[side]);
        fprintf(out, ": no launch has a cell of %s, which others have: its place there is not known\n", w->label);
    }
}

void ovl_rank_print(FILE *out, const struct ovl_rank *r)
{
    struct ovl_table t = ovl_table_to(out, &ovl_table_plain, columns, 0, false);
    bool together = r->all.ranking.count > 1;
    const char *of_one = r->count > 1 ? " of a work" : "";
    t.metric = r->how.metric;
    fprintf(out, "# test     %s\n#\n",
            r->how.paired ? "signed ranks of the differences of launches of one number, which were taken in turns"
                          : "launches of one side against those of another, no pairs: the larger p of Mann-Whitney's "
                            "and Welch's");
    ovl_table_print(t, r->count + together, put_row, r);
    fputs("#\n", out);
    for (size_t i = 0; i < (together ? 1 : r->count); i++)
        say_work(out, r, together ? &r->all : &r->work[i]);
    if (has_too_few(r))
        fprintf(out, "# %zu %s are needed: with fewer no side of %zu has a place of its own\n", r->needed,
                r->how.paired ? "launches of each side" : "launches a side", r->sides);
    for (size_t i = 0; i < r->count; i++)
        say_lacks(out, r, &r->work[i]);
    for (size_t i = 0; i < r->losts; i++) {
        fputs("# lost     ", out);
        ovl_printable_put(out, r->lost[i].name);
        fprintf(out, ": no launch of %zu left a cell: measure it again; its place is not known\n", r->lost[i].launches);
    }
    if (r->left_out > 0)
        fprintf(
            out,
            "# note     %zu cell%s of a job of one launch left out, whose very point another job has in more: it gave "
            "that its work\n",
            r->left_out, r->left_out == 1 ? "" : "s");
    fprintf(out,
            "# place    those that a side may have, from 1, the best; for all sides%s with 95 %%\n"
            "# interval of the true %s to the reference; for all sides%s with 95 %%\n",
            of_one, r->how.metric->scale == OVL_METRIC_RATIO ? "ratio" : "difference", of_one);
    if (r->count > 1)
        fprintf(out, "# works    each is ranked by itself: of 20 works one may have a wrong place\n");
}

static json_t *work_json(const struct ovl_rank *r, const struct ovl_rank_work *w)
{
    json_t *rows = json_array(), *lacks = json_array();
    for (size_t side = 0; side < r->sides && w->benchmark; side++)
        if (ovl_rank_lacks(r, w, side))
            json_array_append_new(lacks, ovl_printable_json(r->side[side]));
    for (size_t k = 0; k < w->ranking.count; k++) {
        const struct ovl_rank_entry *e = &w->entry[w->order[k]];
        const struct ovl_ranking_side *s = &w->ranking.side[w->order[k]];
        struct ovl_estimate change = w->fault ? (struct ovl_estimate){NAN, NAN, NAN} : ovl_rank_change(r, s);
        json_t *place = w->fault ? json_null() : json_pack("[I,I]", (json_int_t)s->first, (json_int_t)s->last);
        json_array_append_new(
            rows,
            json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "side", ovl_printable_json(r->side[e->side]),
                      "reference", (int)(!w->fault && w->order[k] == w->ranking.reference), "places", place, "value",
                      ovl_answer_number(e->median), "change", ovl_answer_number(change.value), "change_low",
                      ovl_answer_number(change.ci_low), "change_high", ovl_answer_number(change.ci_high), "launches",
                      (json_int_t)e->launches, "measured", (json_int_t)e->all));
    }
    return json_pack("{s:o, s:s, s:o, s:o}", "label", ovl_printable_json(w->label), "fault", w->fault ? w->fault : "",
                     "sides", rows, "lacks", lacks);
}

json_t *ovl_rank_answer(const struct ovl_rank *r)
{
    const struct ovl_field *m = r->how.metric;
    json_t *works = json_array(), *lost = json_array();
    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(works, work_json(r, &r->work[i]));
    for (size_t i = 0; i < r->losts; i++)
        json_array_append_new(lost, ovl_printable_json(r->lost[i].name));
    return json_pack("{s:{s:s, s:s, s:s, s:s}, s:b, s:b, s:I, s:o, s:o, s:o}", "metric", "name", m->name, "unit",
                     m->unit, "better", m->more_is_better ? "more" : "less", "change",
                     m->scale == OVL_METRIC_RATIO ? "ratio" : "difference", "paired", (int)r->how.paired, "any_work",
                     (int)r->how.any_work, "needed", (json_int_t)r->needed, "together",
                     r->all.ranking.count > 1 ? work_json(r, &r->all) : json_null(), "works", works, "lost", lost);
}
