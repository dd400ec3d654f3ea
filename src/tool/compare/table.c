/* The table of a comparison. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/compare/table.h"

#include <math.h>
#include <stdio.h>

const struct ovl_column ovl_change_columns[] = {
    {.show = {"cell", 1, 0, 0, false}, .left = 2},
    {.show = {"old us", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE, .in = OVL_IN_TEXT},
    {.show = {"new us", 1e6, 2, 13, false}, .of = OVL_COLUMN_VALUE, .in = OVL_IN_TEXT},
    {.show = {"new/old", 1, 3, 9, false}, .of = OVL_COLUMN_CHANGE, .page = "change"},
    {.show = {"interval", 1, 3, 0, false}, .of = OVL_COLUMN_CHANGE, .interval = 19},
    {.show = {"p", 1, -2, 9, false}},
    {.show = {"launches", 1, 0, 9, false}, .page = "launches a side"},
    {.show = {"MDE", 1, 3, 9, false}, .of = OVL_COLUMN_CHANGE},
    {.show = {"verdict", 1, 0, 0, false}, .left = 2},
    {.field = NULL},
};

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_change *c = &((const struct ovl_changes *)of)->change[i];
    char note[200], p[32], launches[48];
    ovl_change_note(c, note);
    snprintf(p, sizeof p, c->p < 0.001 ? "%.1e" : "%.3f", c->p);
    snprintf(launches, sizeof launches, "%zu v %zu", c->launches, c->launches);
    ovl_table_text(t, "%s", c->group->label);
    ovl_table_number(t, c->before);
    ovl_table_number(t, c->now);
    ovl_table_number(t, c->value);
    ovl_table_estimate(t, (struct ovl_estimate){NAN, c->low, c->high});
    ovl_table_put(t, &(struct ovl_value){.text = isnan(c->p) ? "-" : p, .number = true, .x.value = c->p});
    ovl_table_put(t, &(struct ovl_value){.text = launches, .number = true, .x.value = (double)c->launches});
    ovl_table_number(t, c->detectable);
    ovl_table_verdict(t, ovl_verdict_names[c->verdict], c->reason, note);
    ovl_table_row_end(t);
}

void ovl_compare_table(FILE *out, const struct ovl_table_writer *writer, const struct ovl_changes *c,
                       const struct ovl_gate *gate)
{
    struct ovl_table t = ovl_table_to(out, writer, ovl_change_columns, 0, false);
    t.metric = gate->metric;
    t.caption = "Comparison with old launches";
    ovl_table_print(t, c->count, put_row, c);
}

static void put_unlike_work(FILE *out, const struct ovl_changes *all, const struct ovl_gate *gate)
{
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < all->count; i++)
        if (!all->change[i].same_work) {
            least = fmin(least, all->change[i].work);
            greatest = fmax(greatest, all->change[i].work);
        }
    char ratio[64] = "no record tells it";
    if (isfinite(least))
        snprintf(ratio, sizeof ratio, "new / old %.3f .. %.3f", least, greatest);
    fprintf(out, "# in %zu cell%s the launches did not the same work (%s): %s\n", all->unlike,
            all->unlike == 1 ? "" : "s", ratio,
            gate->any_work ? "a change of the total may be one of the work"
                           : "give all launches the units of one\n#  record by --work-from FILE, or compare all the "
                             "same by --any-work");
}

/* What the exit code says: another claim than that of the labels. */
static void put_gate(FILE *out, const struct ovl_changes *all, const struct ovl_gate *gate)
{
    size_t worse = all->verdicts[OVL_VERDICT_REGRESSED] - all->wrong, not_shown = all->count - all->passing;
    fprintf(out, "# outcome  ");
    if (all->wrong > 0)
        fprintf(out, "the gate fails: wrong data in %zu cell%s of the new side%s", all->wrong,
                all->wrong == 1 ? "" : "s", worse > 0 ? "\n# outcome  " : "\n");
    if (worse > 0)
        fprintf(out, "the gate fails: %zu cell%s worse by more than %g\n", worse, worse == 1 ? " is" : "s are",
                gate->delta);
    else if (all->wrong > 0)
        return;
    else if (ovl_changes_exit(all) == OVL_OK)
        fprintf(out,
                "the gate passes: each cell shows alone that it is less than %g worse; that all of them do is one\n"
                "#          claim at 5 %%, however many there are\n",
                gate->delta);
    else
        fprintf(out, "the gate is open: %zu of %zu cell%s not shown to be less than %g worse\n", not_shown, all->count,
                all->count == 1 ? "" : "s", gate->delta);
}

void ovl_compare_put_outcome(FILE *out, const struct ovl_changes *all, const struct ovl_gate *gate)
{
    bool blunt = false;
    for (size_t i = 0; i < all->count; i++)
        blunt |= !isnan(all->change[i].p) && isinf(all->change[i].detectable);
    fprintf(out, "# %zu REGRESSED, %zu INCONCLUSIVE, %zu OK, %zu IMPROVED of %zu cell%s",
            all->verdicts[OVL_VERDICT_REGRESSED], all->verdicts[OVL_VERDICT_INCONCLUSIVE],
            all->verdicts[OVL_VERDICT_OK], all->verdicts[OVL_VERDICT_IMPROVED], all->count, all->count == 1 ? "" : "s");
    if (all->added > 0)
        fprintf(out, "; %zu on the new side only", all->added);
    fprintf(out, "\n");
    put_gate(out, all, gate);
    if (blunt)
        fprintf(
            out,
            "# at the strictest step %zu %s are needed: with fewer no cell of %zu can be called REGRESSED, whatever "
            "it does\n",
            all->needed, gate->paired ? "pairs of launches" : "launches a side", all->tested);
    if (all->unlike > 0 && gate->metric->of_work)
        put_unlike_work(out, all, gate);
}

static void put_pairs(FILE *out, const struct ovl_changes *all)
{
    fprintf(out, "# pairs    by %s", all->by_number > 0 ? "launch number" : "start, of launches next to each other");
    if (all->by_number > 0 && all->by_number < all->count)
        fprintf(out, "; in %zu of %zu cells by start, where numbers are missing or not unique",
                all->count - all->by_number, all->count);
    fprintf(out, "\n");
    if (all->one_order > 0)
        fprintf(out,
                "# note     in %zu of %zu cells one side began first in every pair, and a drift within pairs counts as "
                "a change: take old, new, new, old\n",
                all->one_order, all->count);
}

void ovl_compare_put_test(FILE *out, const struct ovl_changes *c, const struct ovl_gate *gate)
{
    fprintf(out, "# test     %s\n",
            gate->paired ? "signed ranks of the differences in pairs of launches (--paired)"
                         : "old launches against new ones, no pairs: p is the larger of Mann-Whitney's and Welch's");
    if (gate->paired)
        put_pairs(out, c);
}

static void print_legend(const struct ovl_changes *all, const struct ovl_gate *gate)
{
    const char *s = all->tested == 1 ? "" : "s";
    printf(
        "# labels   hold for %zu cell%s read together, each kind with 95 %%: so a cell may be INCONCLUSIVE and pass\n"
        "# interval of the true change; each end holds for the %zu cell%s together with 95 %%\n"
        "# p        of \"at most %g worse\", one-sided, adjusted for %zu cell%s by steps as Holm's\n"
        "# MDE      the minimum detectable effect, a true change that so many launches call REGRESSED in\n"
        "#          80 %% of cases at the strictest step\n",
        all->tested, s, all->tested, s, gate->delta, all->tested, s);
}

void ovl_compare_print(const struct ovl_changes *c, const struct ovl_groups *groups, const struct ovl_gate *gate)
{
    const struct ovl_field *m = gate->metric;
    printf("# common   %s\n", groups->common);
    printf("# gate     %s, %s is better; REGRESSED when worse than %.4g %s\n", m->name,
           m->more_is_better ? "more" : "less", ovl_gate_line(gate),
           m->scale == OVL_METRIC_RATIO ? "times the old value" : "apart");
    ovl_compare_put_test(stdout, c, gate);
    if (groups->repeated > 0)
        printf("# note     %zu cells that a launch has twice passed over\n", groups->repeated);
    ovl_groups_note_again(stdout, groups);
    printf("#\n");
    ovl_compare_table(stdout, &ovl_table_plain, c, gate);
    printf("#\n");
    ovl_compare_put_outcome(stdout, c, gate);
    print_legend(c, gate);
}
