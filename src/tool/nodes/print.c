/* What is said of nodes and pairs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "table/columns.h"
#include "tool/nodes/nodes.h"
#include "tool/util/answer.h"

#include <math.h>
#include <string.h>

static const struct ovl_column columns[] = {
    {.show = {"node or pair", 1, 0, 0, false}, .left = 2},
    {.show = {"/median", 1, 3, 9, false}},
    {.show = {"launches", 1, 0, 10, false}},
    {.show = {"verdict", 1, 0, 0, false}, .left = 2},
    {.field = NULL},
};

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_place *p = &((const struct ovl_nodes *)of)->place[i];
    char launches[64], why[400] = "";
    snprintf(launches, sizeof launches, p->failed + p->open > 0 ? "%zu of %zu" : "%zu", p->launches,
             p->launches + p->failed + p->open);
    if (p->state == OVL_PLACE_ELSEWHERE)
        snprintf(why, sizeof why, ": ran on %s", p->elsewhere);
    else if (p->state == OVL_PLACE_FAILED)
        snprintf(why, sizeof why, ": %s", p->failed > 0 ? "a launch failed" : "wrong data");
    else if (p->state == OVL_PLACE_OPEN && p->open > 0)
        snprintf(why, sizeof why, ": %zu launch%s without a record", p->open, p->open == 1 ? "" : "es");
    else if (p->state == OVL_PLACE_UNSURE && p->unknown == 0 && p->partly > 0)
        snprintf(why, sizeof why, ": %zu cell%s that one of its launches lacks", p->partly, p->partly == 1 ? "" : "s");
    else if (p->state < OVL_PLACE_ELSEWHERE && p->unknown > 0)
        snprintf(why, sizeof why, ": %zu cell%s not measured there, or compared with none", p->unknown,
                 p->unknown == 1 ? "" : "s");
    else if (p->late && p->state == OVL_PLACE_UNSURE)
        snprintf(why, sizeof why, ": its launches were not taken in turns with those of others");
    else if (p->state == OVL_PLACE_SLOW || p->state == OVL_PLACE_UNSURE)
        snprintf(why, sizeof why, "%s%.300s", *p->where ? ": " : "", p->where);
    ovl_table_text(t, "%s", p->name);
    ovl_table_number(t, p->worst);
    ovl_table_text(t, "%s", launches);
    ovl_table_text(t, "%s%s", ovl_place_words[p->state], why);
    ovl_table_row_end(t);
}

static size_t count_of(const struct ovl_nodes *n, enum ovl_place_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < n->places; i++)
        count += n->place[i].state == state;
    return count;
}

/* That of which the most is known to be wrong. */
static const struct ovl_place *slowest(const struct ovl_nodes *n)
{
    const struct ovl_place *worst = NULL;
    for (size_t i = 0; i < n->places; i++)
        if (!isnan(n->place[i].worst) && (!worst || n->place[i].worst > worst->worst))
            worst = &n->place[i];
    return worst;
}

static void put_names(FILE *out, const struct ovl_nodes *n, bool good)
{
    const char *gap = "";
    for (size_t i = 0; i < n->count; i++)
        if (n->good[i] == good) {
            fputs(gap, out);
            ovl_printable_put(out, n->name[i]);
            gap = ",";
        }
    fputs("\n", out);
}

void ovl_nodes_print(FILE *out, const struct ovl_nodes *n)
{
    const struct ovl_place *worst = slowest(n);
    fprintf(out, "# slow     where %s is over %g times the median of all in each launch of a cell\n#\n",
            n->how.metric->more_is_better ? "the median of all" : n->how.metric->name, 1 + n->how.within);
    ovl_table_print(ovl_table_to(out, &ovl_table_plain, columns, 0, false), n->places, put_row, n);
    fputs("#\n# ", out);
    for (int s = OVL_PLACE_STATES - 1; s >= 0; s--)
        fprintf(out, "%s%zu %s", s < OVL_PLACE_STATES - 1 ? ", " : "", count_of(n, (enum ovl_place_state)s),
                ovl_place_words[s]);
    fputs("\n", out);
    if (n->unlike > 0)
        fprintf(out,
                "# in %zu of %zu cells the launches did not the same work: give all the units of one record (work_of, "
                "--work-from), or --any-work\n",
                n->unlike, n->cells);
    if (n->alone > 0)
        fprintf(out, "# %zu of %zu cells have fewer than three places of a kind: nothing to compare with\n", n->alone,
                n->cells);
    if (worst) {
        fprintf(out, "# slowest  ");
        ovl_printable_put(out, worst->name);
        fprintf(out, ": %.3f times the median, ", worst->worst);
        ovl_printable_put(out, worst->where);
        fprintf(out, "\n");
    }
    fprintf(out, "# good set %zu of %zu nodes%s: ", n->good_count, n->count,
            n->largest ? ", and no larger one" : ", a larger one is not excluded");
    put_names(out, n, true);
    if (n->good_count < n->count) {
        fprintf(out, "# left out ");
        put_names(out, n, false);
    }
}

json_t *ovl_nodes_answer(const struct ovl_nodes *n)
{
    const struct ovl_field *m = n->how.metric;
    json_t *places = json_array(), *good = json_array(), *out = json_array();
    for (size_t i = 0; i < n->places; i++) {
        const struct ovl_place *p = &n->place[i];
        json_t *nodes = json_array();
        for (size_t k = 0; k < p->nodes; k++)
            json_array_append_new(nodes, ovl_printable_json(n->name[p->node[k]]));
        json_array_append_new(places, json_pack("{s:o, s:s, s:o, s:o, s:I, s:I, s:I}", "nodes", nodes, "verdict",
                                                ovl_place_words[p->state], "worst", ovl_answer_number(p->worst), "cell",
                                                ovl_printable_json(p->where), "launches", (json_int_t)p->launches,
                                                "failed", (json_int_t)p->failed, "open", (json_int_t)p->open));
    }
    for (size_t i = 0; i < n->count; i++)
        json_array_append_new(n->good[i] ? good : out, ovl_printable_json(n->name[i]));
    return json_pack("{s:{s:s, s:s, s:s, s:s}, s:f, s:o, s:o, s:o, s:b}", "metric", "name", m->name, "unit", m->unit,
                     "better", m->more_is_better ? "more" : "less", "change", "ratio", "within", n->how.within,
                     "places", places, "good_set", good, "left_out", out, "largest", (int)n->largest);
}
