/* Would workers help? The last line of the table of ovl_serve, by the rules of its page. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"
#include "record/status.h"
#include "table/serve.h"
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double little = 0.03;   /* of T: so much exposed is as good as none */
static const double at_bound = 1.05; /* T by the bound: so near to it nobody gets below */
static const double slows = 1.03;

static bool is_dpu(const struct ovl_cell *c)
{
    return strcmp(c->mode, "dpu") == 0;
}

/* As its row has it. */
static const char *name_of(char text[32], const struct ovl_cell *c)
{
    snprintf(text, 32, "%.28s%s", c->mode, ovl_cell_tests(c) ? "-t" : "");
    return text;
}
#define NAME(c) name_of((char[32]){""}, c)

/* The quickest cell with workers, or without, that carries a claim; NULL. */
static const struct ovl_cell *quickest(const struct ovl_run *run, bool workers)
{
    const struct ovl_cell *best = NULL;
    for (size_t i = 0; i < run->cell_count; i++) {
        const struct ovl_cell *c = &run->cells[i];
        bool quicker = !best || c->summary[OVL_TOTAL].median < best->summary[OVL_TOTAL].median;
        best = is_dpu(c) == workers && ovl_cell_claims(c) && quicker ? c : best;
    }
    return best;
}

static double share_exposed(const struct ovl_cell *c)
{
    return c->exposed.value / c->summary[OVL_TOTAL].median;
}

/* What is left of the communication of who is quickest without workers, and so why these do not save more. */
static void say_why_not(FILE *out, struct ovl_words *words, const struct ovl_run *run, const struct ovl_cell *dpu,
                        const struct ovl_cell *other)
{
    const json_t *offload = json_object_get(run->head, "offload");
    if (share_exposed(other) < little)
        ovl_words_put(out, words, "why: the work hides all but %s of the communication of %s, and no worker saves more",
                      OVL_TIME(fmax(0, other->exposed.value)), NAME(other));
    else if (other->bound_ratio.value < at_bound)
        ovl_words_put(out, words, "why: T of %s is %.2f times what the order of the steps allows, whoever carries",
                      NAME(other), other->bound_ratio.value);
    else if (json_is_true(json_object_get(offload, "cores_shared")))
        ovl_words_put(out, words, "why, maybe: the workers share the ranks' cores, which a DPU's do not");
    else
        ovl_words_put(out, words, "why: %s leaves %s of communication exposed, %s %s", NAME(dpu),
                      OVL_TIME(fmax(0, dpu->exposed.value)), NAME(other), OVL_TIME(fmax(0, other->exposed.value)));
}

static void say_why(FILE *out, struct ovl_words *words, const struct ovl_cell *dpu, const struct ovl_cell *other)
{
    const json_t *slowed = json_object_get(json_object_get(dpu->extra, "serving"), "decode_slowed");
    ovl_words_put(out, words, "why: %s leaves %s of communication exposed, %s %s", NAME(other),
                  OVL_TIME(fmax(0, other->exposed.value)), NAME(dpu), OVL_TIME(fmax(0, dpu->exposed.value)));
    if (dpu->marks & (1U << OVL_MARK_LATER_FIRST))
        ovl_words_put(out, words, "but first tokens are later than with blocking calls");
    if (json_is_number(slowed) && json_number_value(slowed) > slows)
        ovl_words_put(out, words, "but beside what comes the work takes %s %% longer",
                      OVL_PERCENT(0, json_number_value(slowed) - 1));
}

static void say(FILE *out, struct ovl_words *words, const struct ovl_run *run, const struct ovl_cell *dpu,
                const struct ovl_cell *other)
{
    const struct ovl_summary *t = &dpu->summary[OVL_TOTAL], *u = &other->summary[OVL_TOTAL];
    bool apart = t->ci_high < u->ci_low || t->ci_low > u->ci_high;
    bool known = !isnan(t->ci_low + t->ci_high + u->ci_low + u->ci_high);
    ovl_words_put(out, words, "%s: the trace takes %s with %s, and %s with %s, the quickest without",
                  !apart                  ? "not told apart"
                  : t->median < u->median ? "yes, workers help"
                                          : "no, workers do not help",
                  OVL_TIME(t->median), NAME(dpu), OVL_TIME(u->median), NAME(other));
    if (apart && t->median < u->median) {
        ovl_words_put(out, words, "%s %% less", OVL_PERCENT(0, 1 - t->median / u->median));
        say_why(out, words, dpu, other);
        return;
    }
    if (!apart)
        ovl_words_put(out, words,
                      known ? "their intervals meet" : "one of them has too few good blocks for an interval");
    say_why_not(out, words, run, dpu, other);
}

void ovl_table_serve_answer(FILE *out, const struct ovl_run *run)
{
    struct ovl_words words = {.head = "# answer    "};
    const struct ovl_cell *dpu = quickest(run, true), *other = quickest(run, false);
    bool asked = false;
    for (size_t i = 0; i < run->cell_count; i++)
        asked = asked || is_dpu(&run->cells[i]);
    if (run->cell_count > 0 && ovl_cell_lone(run->cells))
        ovl_words_put(out, &words,
                      run->cells->ranks == 1 ? "none: one rank communicates with nobody"
                                             : "none: these requests send nothing");
    else if (dpu && other)
        say(out, &words, run, dpu, other);
    else if (other && !asked) {
        ovl_words_put(out, &words, "none: dpu was not measured");
        ovl_words_put(out, &words, "of %s, the trace with %s, workers save %s of exposed communication at most",
                      OVL_TIME(other->summary[OVL_TOTAL].median), NAME(other), OVL_TIME(fmax(0, other->exposed.value)));
    } else if (run->cell_count > 0)
        ovl_words_put(out, &words, "none: no row %s has a result, as its status says",
                      !asked || dpu ? "without workers" : "of dpu");
    ovl_words_end(out, &words);
}
