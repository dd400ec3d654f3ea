/* The table of a history, and what changed in the settings where a metric changed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "tool/cells/setting.h"
#include "tool/compare/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct ovl_column ovl_history_columns[] = {
    {.show = {"point", 1, 0, 0, false}, .left = 2, .page = "cell"},
    {.show = {"launches", 1, 0, 9, false}, .in = OVL_IN_PAGE},
    {.show = {"launch", 1, 0, 9, false}, .page = "at launch"},
    {.show = {"started", 1, 0, 20, false}, .left = 2},
    {.show = {"places", 1, 0, 12, false}},
    {.show = {"before us", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE},
    {.show = {"after", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE, .page = "after us"},
    {.show = {"after/b.", 1, 3, 9, false}, .of = OVL_COLUMN_CHANGE, .page = "change"},
    {.show = {"revision", 1, 0, 24, false}, .left = 2},
    {.show = {"change", 1, 0, 0, false}, .left = 2, .page = "verdict"},
    {.field = NULL},
};

/* A point where it changed, or one without a change (NULL), whose level is its value before. */
static void put_row(struct ovl_table *t, const struct ovl_history *h, const struct ovl_history_point *p,
                    const struct ovl_history_change *c)
{
    char sign[OVL_HISTORY_VERDICT], places[48] = "-", revisions[96] = "-";
    if (c) {
        ovl_history_verdict(h, c, sign);
        ovl_history_places(c, places);
        ovl_history_revisions(p, c, revisions);
    } else {
        snprintf(sign, sizeof sign,
                 p->looked_at ? "no change in %zu launches" : "too few launches: %zu, and %zu are needed", p->count,
                 h->needed);
    }
    ovl_table_text(t, "%s", p->label);
    ovl_table_number(t, (double)p->count);
    ovl_table_number(t, c ? (double)c->at + 1 : NAN);
    ovl_table_text(t, "%s", c ? ovl_run_text(p->launch[c->at]->run, "started") : "-");
    ovl_table_text(t, "%s", places);
    ovl_table_number(t, c ? c->before : ovl_stats_summarise(p->value, p->count).median);
    ovl_table_number(t, c ? c->after : NAN);
    ovl_table_number(t, c ? c->value : NAN);
    ovl_table_text(t, "%s", revisions);
    t->class = c && ovl_history_fails(c) ? "REGRESSED wide" : "wide";
    ovl_table_text(t, "%s", sign);
    ovl_table_row_end(t);
}

static void put_point(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_history *h = of;
    const struct ovl_history_point *p = &h->point[i];
    for (size_t k = 0; k < p->change_count; k++)
        put_row(t, h, p, &p->change[k]);
    if (p->change_count == 0)
        put_row(t, h, p, NULL);
}

void ovl_history_table(FILE *out, const struct ovl_table_writer *writer, const struct ovl_history *h)
{
    struct ovl_table t = ovl_table_to(out, writer, ovl_history_columns, 0, false);
    t.metric = h->how.metric;
    t.caption = "History; click a heading to sort by it";
    ovl_table_print(t, h->count, put_point, h);
}

void ovl_history_put_left_out(FILE *out, const struct ovl_history *h)
{
    size_t unusable = 0, work = 0;
    for (size_t i = 0; i < h->count; i++) {
        unusable += h->point[i].unusable;
        work += h->point[i].other_work;
    }
    if (unusable > 0)
        fprintf(out, "# left out: %zu value%s of no claim (invalid, unshaped, wrong, cut short or not there)\n",
                unusable, unusable == 1 ? "" : "s");
    if (work > 0)
        fprintf(out,
                "# left out: %zu value%s at work that too few launches did: give all launches the units of one record "
                "by\n#           --work-from FILE, or look at all the same by --any-work\n",
                work, work == 1 ? "" : "s");
}

/* A place at which points changed: the first launch behind it, the range that it may be in (the launch before the first
   possible place, that place, and the last one, over all these points), and how many points. */
struct place {
    const struct ovl_run *at, *old, *first, *last;
    size_t points;
};

static const char *started(const struct ovl_run *run)
{
    return ovl_run_text(run, "started");
}

static int by_time(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(started(x->at), started(y->at));
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static void widen(struct place *p, const struct place *by)
{
    if (strcmp(started(by->first), started(p->first)) < 0) {
        p->old = by->old;
        p->first = by->first;
    }
    if (strcmp(started(by->last), started(p->last)) > 0)
        p->last = by->last;
}

static size_t find_places(const struct ovl_history *h, struct place *place)
{
    size_t n = 0;
    for (size_t i = 0; i < h->count; i++)
        for (size_t k = 0; k < h->point[i].change_count; k++) {
            const struct ovl_history_point *p = &h->point[i];
            const struct ovl_history_change *c = &p->change[k];
            struct place here = {p->launch[c->at]->run, p->launch[c->first - 1]->run, p->launch[c->first]->run,
                                 p->launch[c->last]->run, 0};
            size_t same = 0;
            while (same < n && place[same].at != here.at)
                same++;
            if (same == n)
                place[n++] = here;
            widen(&place[same], &here);
            place[same].points++;
        }
    qsort(place, n, sizeof *place, by_time);
    return n;
}

static void print_place(const struct place *p)
{
    struct ovl_run runs[2] = {*p->old, *p->last};
    json_t *old = ovl_setting_of(&(struct ovl_record){.runs = &runs[0], .run_count = 1});
    json_t *new = ovl_setting_of(&(struct ovl_record){.runs = &runs[1], .run_count = 1});
    printf("# at       %s: %zu change%s; ", started(p->at), p->points, p->points == 1 ? "" : "s");
    ovl_printable_put(stdout, p->at->file);
    printf("\n# places   %s .. %s; ", started(p->first), started(p->last));
    ovl_printable_put(stdout, p->last->file);
    printf(" after ");
    ovl_printable_put(stdout, p->old->file);
    printf("\n");
    ovl_setting_differences(stdout, old, new, NULL);
    json_decref(old);
    json_decref(new);
}

static void print_places(const struct ovl_history *h)
{
    size_t all = 0;
    for (size_t i = 0; i < h->count; i++)
        all += h->point[i].change_count;
    struct place *place = ovl_alloc(all, sizeof *place);
    size_t n = find_places(h, place);
    if (n > 0)
        printf("#\n");
    for (size_t i = 0; i < n; i++)
        print_place(&place[i]);
    free(place);
}

void ovl_history_put_outcome(FILE *out, const struct ovl_history *h)
{
    if (h->moved > 0) {
        fprintf(out, "# note     %zu launch%s since %s measured at settings that none before had: ", h->moved,
                h->moved == 1 ? "" : "es", h->since);
        ovl_printable_put(out, h->moved_to->file);
        fputs("\n", out);
    }
    if (h->by_mean > 0)
        fprintf(out,
                "# note     %zu change%s for the worse in the mean of the launches, though not in their median: some "
                "launches became slow\n",
                h->by_mean, h->by_mean == 1 ? " is" : "s are");
    if (h->in_sum > 0)
        fprintf(out, "# note     %zu change%s within %g, but worse by more than that beside the level at %s\n",
                h->in_sum, h->in_sum == 1 ? " is" : "s are", h->how.delta, h->since);
    if (h->undated > 0) {
        fprintf(out, "# outcome  not known: %zu launch%s left out that tell%s no time at which %s began: ", h->undated,
                h->undated == 1 ? " was" : "es were", h->undated == 1 ? "s" : "", h->undated == 1 ? "it" : "they");
        ovl_printable_put(out, h->undated_first->file);
        fputs("\n", out);
        if (*h->since && h->new_worse + h->wrong == 0)
            return;
    }
    if (h->order.odd) {
        fprintf(out, "# outcome  not known: %s: ", h->order.why);
        ovl_printable_put(out, h->order.odd->file);
        fprintf(out, " says %s\n", started(h->order.odd));
        if (*h->since && h->new_worse + h->wrong == 0)
            return;
    }
    if (h->silent > 0) {
        fprintf(out, "# outcome  not known: %zu cell%s measured no more, while others are: ", h->silent,
                h->silent == 1 ? " is" : "s are");
        ovl_printable_put(out, h->silent_first->label);
        fprintf(out, ", last at %s; measure %s, or leave %s\n#           out by --filter\n", h->silent_last,
                h->silent == 1 ? "it" : "them", h->silent == 1 ? "it" : "them");
        if (h->blind + h->new_worse + h->wrong == 0)
            return;
    }
    fprintf(out, "# outcome  ");
    if (h->wrong > 0)
        fprintf(out, "wrong data in %zu cell%s since %s%s", h->wrong, h->wrong == 1 ? "" : "s", h->since,
                h->new_worse > 0 ? "\n# outcome  " : "\n");
    if (h->blind > 0 && h->pastless && h->new_worse + h->wrong == 0)
        fprintf(out,
                "not known: no launch before %s carries a claim, so that there is nothing to hold those since then "
                "against;\n#           choose a later point, or give launches from before it\n",
                h->since);
    else if (h->blind > 0 && h->new_worse + h->wrong == 0)
        fprintf(out,
                "not known: in %zu cell%s too few launches since %s show anything (none there, cut short, of no claim, "
                "or at\n#           work or settings that no launch before had); measure them, or leave them out by "
                "--filter\n",
                h->blind, h->blind == 1 ? "" : "s", h->since);
    else if (h->looked_at == 0 && h->wrong == 0)
        fprintf(out, "no point has the %zu launches that a change needs\n", h->needed);
    else if (*h->since && (h->wrong == 0 || h->new_worse > 0))
        fprintf(out, "%zu change%s for the worse since %s\n", h->new_worse, h->new_worse == 1 ? "" : "s", h->since);
    else if (!*h->since)
        fprintf(out, "%zu change%s for the worse, %zu for the better\n", h->worse, h->worse == 1 ? "" : "s", h->better);
}

void ovl_history_put_method(FILE *out, const struct ovl_history *h)
{
    fprintf(out,
            "# method   E-divisive with permutations; a false change in any of %zu point%s: %g %% at most\n"
            "# places   the launches at which a change may be, with %g %% confidence\n",
            h->looked_at, h->looked_at == 1 ? "" : "s", 100 * OVL_CHANGE_ALPHA, 100 - 100 * OVL_CHANGE_DOUBT);
}

void ovl_history_print(const struct ovl_history *h)
{
    ovl_history_put_method(stdout, h);
    printf("#\n");
    ovl_history_table(stdout, &ovl_table_plain, h);
    ovl_history_put_left_out(stdout, h);
    print_places(h);
    printf("#\n");
    ovl_history_put_outcome(stdout, h);
}
