/* What is said of guidelines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "cli/sizes.h"
#include "tool/guidelines/guidelines.h"
#include "tool/util/answer.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static enum ovl_verdict verdict_of(const struct ovl_guideline *r)
{
    return r->unknown || (r->stalls > 0 && r->test->verdict != OVL_VERDICT_REGRESSED) ? OVL_VERDICT_INCONCLUSIVE
                                                                                      : r->test->verdict;
}

/* Why it is not known; "": as the pairs have it. */
static const char *why_not(const struct ovl_guideline *r)
{
    return r->unknown                                                   ? r->unknown
           : r->stalls > 0 && verdict_of(r) == OVL_VERDICT_INCONCLUSIVE ? "some launches stall"
                                                                        : "";
}

static const char *word(const struct ovl_guideline *r)
{
    enum ovl_verdict v = verdict_of(r);
    return v == OVL_VERDICT_REGRESSED ? "BROKEN" : v == OVL_VERDICT_INCONCLUSIVE ? "not known" : "kept";
}

int ovl_guidelines_print(const struct ovl_guidelines *g, double margin)
{
    size_t of[OVL_VERDICTS] = {0}, fewest = SIZE_MAX;
    printf("# test     signed ranks of launches of one number; all rows together with 95 %%, by Holm's steps\n#\n");
    printf("# %-43s %-20s %-6s %8s %7s %17s %6s  %s\n", "guideline", "of", "mode", "size", "ratio", "interval", "pairs",
           "verdict");
    for (size_t i = 0; i < g->count; i++) {
        const struct ovl_guideline *r = &g->row[i];
        const struct ovl_family_cell *t = r->test;
        char size[24], interval[48];
        ovl_options_size_text((uint64_t)r->member->cell->size_bytes, size);
        snprintf(interval, sizeof interval, "%.3f .. %.3f", exp(t->shift.low), exp(t->shift.high));
        printf("  %-43s %-20s %-6s %8s %7.3f %17s %6zu  %s%s%s\n", r->text, r->member->cell->benchmark,
               r->member->cell->mode, size, exp(t->shift.value), interval, t->n, word(r), *why_not(r) ? ": " : "",
               why_not(r));
        of[verdict_of(r)]++;
        fewest = t->n < fewest ? t->n : fewest;
    }
    printf("#\n# %zu BROKEN, %zu not known, %zu kept: a ratio of left to right above %.3g breaks one\n",
           of[OVL_VERDICT_REGRESSED], of[OVL_VERDICT_INCONCLUSIVE], of[OVL_VERDICT_OK] + of[OVL_VERDICT_IMPROVED],
           1 + margin);
    if (g->count == 0)
        printf("# none of the guidelines has cells on both sides; the plan of the page has all of them\n");
    else if (fewest < g->needed)
        printf("# %zu launches of each job are needed: with fewer none can be found broken\n", g->needed);
    if (g->unlike > 0)
        printf("# not known of %zu cells of workers, which did other work than the host's: take the work of one job\n",
               g->unlike);
    if (g->apart > 0)
        printf("# note     %zu pairs are of launches that differ in %s, and count for nothing\n", g->apart,
               g->apart_in);
    if (g->left_out > 0)
        printf("# note     %zu cells of launches that gave others their work are left out\n", g->left_out);
    if (g->later > 0)
        printf("# not known of %zu guidelines, whose launches of one number were not taken in turns: measure them "
               "again in one sweep\n",
               g->later);
    if (g->unmatched > 0)
        printf("# not known of %zu guidelines, of which too many launches have no partner: measure them again\n",
               g->unmatched);
    if (g->elsewhere > 0)
        printf(
            "# not known of %zu guidelines, whose right side was measured in another setting alone (%s): measure both "
            "alike, or leave out by --filter what is not asked for\n",
            g->elsewhere, g->elsewhere_in);
    if (g->lost > 0)
        printf("# not known of %zu cells, of which too many launches are lost: measure them again\n", g->lost);
    if (g->gone > 0) {
        printf("# lost     %zu launch%s of jobs that left no cell: ", g->gone, g->gone == 1 ? "" : "es");
        ovl_printable_put(stdout, g->gone_first);
        printf("\n");
    }
    if (g->wrong > 0)
        printf("# wrong data in %zu cells\n", g->wrong);
    bool known = g->count > 0 && of[OVL_VERDICT_INCONCLUSIVE] + g->lost + g->gone + g->apart + g->later + g->unmatched +
                                         g->elsewhere + g->unlike ==
                                     0;
    return g->wrong > 0                    ? OVL_WRONG_DATA
           : of[OVL_VERDICT_REGRESSED] > 0 ? OVL_MISSED
           : known                         ? OVL_OK
                                           : OVL_INCONCLUSIVE;
}

json_t *ovl_guidelines_answer(const struct ovl_guidelines *g, double margin)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < g->count; i++) {
        const struct ovl_guideline *r = &g->row[i];
        const struct ovl_cell *cell = r->member->cell;
        const struct ovl_family_cell *t = r->test;
        json_array_append_new(
            rows, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:s}", "guideline", r->text, "benchmark",
                            ovl_printable_json(cell->benchmark), "mode", ovl_printable_json(cell->mode), "size_bytes",
                            ovl_answer_number(cell->size_bytes), "ranks", ovl_answer_number(cell->ranks), "ratio",
                            ovl_answer_number(exp(t->shift.value)), "ratio_low", ovl_answer_number(exp(t->shift.low)),
                            "ratio_high", ovl_answer_number(exp(t->shift.high)), "pairs", (json_int_t)t->n, "verdict",
                            word(r)));
    }
    return json_pack("{s:f, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "delta", margin, "needed",
                     (json_int_t)g->needed, "rows", rows, "unlike_work", (json_int_t)g->unlike, "apart",
                     (json_int_t)g->apart, "later", (json_int_t)g->later, "unmatched", (json_int_t)g->unmatched,
                     "elsewhere", (json_int_t)g->elsewhere, "lost", (json_int_t)g->lost, "gone", (json_int_t)g->gone,
                     "wrong", (json_int_t)g->wrong);
}
