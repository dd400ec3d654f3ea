/* The tables of a report's page, which sort by their heads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/show.h"
#include "tool/export/junit.h"
#include "tool/report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void begin_table(FILE *out, const char *caption, const char *const *heads, size_t n, size_t texts)
{
    fprintf(out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"sorts\"><caption>%s"
            "</caption><thead><tr>",
            caption, caption);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "<th scope=\"col\"%s>", i + texts >= n ? " class=\"text\"" : "");
        ovl_xml_text(out, heads[i]);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
}

static void end_table(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

static void put_text(FILE *out, const char *text, const char *class)
{
    fprintf(out, "<td class=\"%s\">", class);
    ovl_xml_text(out, text);
    fputs("</td>", out);
}

/* How a number is written: so many decimals, or significant digits, and a sign in any case. */
struct digits {
    int decimals, significant;
    bool sign;
};

static void put_digits(FILE *out, double x, struct digits d)
{
    if (d.sign && x >= 0)
        fputc('+', out);
    if (d.significant > 0)
        fprintf(out, "%.*g", d.significant, x);
    else
        fprintf(out, "%.*f", d.decimals, x);
}

/* A number that sorts by its value. */
static void put_number(FILE *out, double x, struct digits d)
{
    if (!isfinite(x)) {
        fputs("<td data-v=\"\">-</td>", out);
        return;
    }
    fprintf(out, "<td data-v=\"%.9g\">", x);
    put_digits(out, x, d);
    fputs("</td>", out);
}

static void put_interval(FILE *out, double low, double high, struct digits d)
{
    if (!isfinite(low) || !isfinite(high)) {
        fputs("<td data-v=\"\">-</td>", out);
        return;
    }
    fprintf(out, "<td data-v=\"%.9g\">", low);
    put_digits(out, low, d);
    fputs(" .. ", out);
    put_digits(out, high, d);
    fputs("</td>", out);
}

static const struct digits whole = {0, 0, false}, fine = {0, 6, false};

static void put_verdict(FILE *out, const char *verdict, const char *reason)
{
    fprintf(out, "<td class=\"text wide\"><span class=\"%s\">%s</span>%s", verdict, verdict,
            reason && *reason ? ": " : "");
    ovl_xml_text(out, reason ? reason : "");
    fputs("</td></tr>\n", out);
}

static double number_in(const json_t *object, const char *name)
{
    const json_t *x = json_object_get(object, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

void ovl_page_rules(FILE *out, const json_t *verdicts)
{
    static const char *const heads[] = {"cell",          "rule",     "limit",  "value",
                                        "95 % interval", "launches", "metric", "verdict"};
    begin_table(out, "Acceptance: the whole interval must keep the limit", heads, 8, 2);
    for (size_t i = 0; i < json_array_size(verdicts); i++) {
        const json_t *v = json_array_get(verdicts, i);
        const char *label = json_string_value(json_object_get(v, "label"));
        const char *name = json_string_value(json_object_get(v, "name"));
        const char *baseline = json_string_value(json_object_get(v, "ratio_to"));
        char limit[64], ratio[128];
        snprintf(ratio, sizeof ratio, "T / %.100s", baseline ? baseline : "");
        snprintf(limit, sizeof limit, "%s %.6g", json_string_value(json_object_get(v, "operator")),
                 number_in(v, "limit"));
        fputs("<tr>", out);
        put_text(out, label ? label : name ? name : "-", "text");
        put_number(out, number_in(v, "rule"), whole);
        put_text(out, limit, "");
        put_number(out, number_in(v, "value"), fine);
        put_interval(out, number_in(v, "ci_low"), number_in(v, "ci_high"), fine);
        put_number(out, number_in(v, "n"), whole);
        put_text(out, baseline ? ratio : json_string_value(json_object_get(v, "metric")), "text");
        put_verdict(out, json_string_value(json_object_get(v, "verdict")),
                    json_string_value(json_object_get(v, "reason")));
    }
    end_table(out);
}

void ovl_page_changes(FILE *out, const struct ovl_changes *changes, const struct ovl_gate *gate)
{
    static const char *const heads[] = {"cell", "change", "interval", "p", "launches a side", "MDE", "verdict"};
    struct digits format = {3, 0, gate->metric->scale != OVL_METRIC_RATIO};
    fprintf(
        out,
        "<p>Change of %s from old launches to new ones (%s); worse than %.4g is REGRESSED. Verdicts, p and each end of "
        "the intervals hold for all cells together with 95 %%. <em>MDE</em>, the minimum detectable effect: the "
        "true change that so many launches call REGRESSED in 80 %% of cases.</p>\n",
        gate->metric->name, gate->metric->scale == OVL_METRIC_RATIO ? "new / old" : "new - old", ovl_gate_line(gate));
    begin_table(out, "Comparison with old launches", heads, 7, 1);
    for (size_t i = 0; i < changes->count; i++) {
        const struct ovl_change *c = &changes->change[i];
        char note[200], reason[400];
        ovl_change_note(c, note);
        snprintf(reason, sizeof reason, "%s%s%s", c->reason, *c->reason && *note ? "; " : "", note);
        fputs("<tr>", out);
        put_text(out, c->group->label, "text");
        put_number(out, c->value, format);
        put_interval(out, c->low, c->high, format);
        put_number(out, c->p, (struct digits){0, 2, false});
        put_number(out, (double)c->launches, whole);
        put_number(out, c->detectable, format);
        put_verdict(out, ovl_verdict_names[c->verdict], reason);
    }
    end_table(out);
}

static void put_history_row(FILE *out, const struct ovl_history *h, const struct ovl_history_point *p,
                            const struct ovl_history_change *c)
{
    bool ratio = h->how.metric->scale == OVL_METRIC_RATIO;
    const struct ovl_show show = ovl_show_of_unit(h->how.metric);
    const struct digits format = *show.head ? (struct digits){show.decimals, 0, false} : fine;
    char text[96] = "-", places[48] = "-", verdict[80];
    fputs("<tr>", out);
    put_text(out, p->label, "text");
    put_number(out, (double)p->count, whole);
    put_number(out, c ? (double)c->at + 1 : NAN, whole);
    put_text(out, c ? ovl_run_text(p->launch[c->at]->run, "started") : "-", "");
    if (c)
        ovl_history_places(c, places);
    put_text(out, places, "");
    put_number(out, c ? show.factor * c->before : NAN, format);
    put_number(out, c ? show.factor * c->after : NAN, format);
    put_number(out, c ? c->value : NAN, (struct digits){3, 0, !ratio});
    if (c)
        ovl_history_revisions(p, c, text);
    put_text(out, text, "text");
    if (c)
        ovl_history_verdict(h, c, verdict);
    else if (p->looked_at)
        snprintf(verdict, sizeof verdict, "no change");
    else
        snprintf(verdict, sizeof verdict, "too few launches: %zu are needed", h->needed);
    put_text(out, verdict, c && c->worse && !c->within ? "text REGRESSED" : "text");
    fputs("</tr>\n", out);
}

/* In words as `ovl history` prints them. */
static void put_outcome(FILE *out, const struct ovl_history *h)
{
    char *text = NULL;
    size_t length = 0;
    FILE *all = ovl_check_alloc(open_memstream(&text, &length));
    ovl_history_put_left_out(all, h);
    ovl_history_put_outcome(all, h);
    fclose(all);
    ovl_page_lines(out, text);
    free(text);
}

void ovl_page_history(FILE *out, const struct ovl_history *h)
{
    bool seconds = strcmp(h->how.metric->unit, "s") == 0;
    const char *const heads[] = {"cell",
                                 "launches",
                                 "at launch",
                                 "started",
                                 "places",
                                 seconds ? "before us" : "before",
                                 seconds ? "after us" : "after",
                                 "change",
                                 "revision",
                                 "verdict"};
    fprintf(out,
            "<section id=\"history\"><h2>History</h2><p>Changes of %s over launches in order of time, by E-divisive "
            "(Matteson and James, 2014) with "
            "permutations: a false one in any of %zu cells has at most %g %% probability if launches do not depend on "
            "each other. Places: the launches at which it may be, with %g %% confidence. Before and after are medians "
            "between changes.%s",
            h->how.metric->name, h->looked_at, 100 * OVL_CHANGE_ALPHA, 100 - 100 * OVL_CHANGE_DOUBT,
            *h->since ? " New is what may have changed at " : "");
    ovl_xml_text(out, h->since);
    fputs(*h->since ? " or later.</p>\n" : "</p>\n", out);
    begin_table(out, "History; click a heading to sort by it", heads, 10, 2);
    for (size_t i = 0; i < h->count; i++) {
        const struct ovl_history_point *p = &h->point[i];
        for (size_t k = 0; k < p->change_count; k++)
            put_history_row(out, h, p, &p->change[k]);
        if (p->change_count == 0)
            put_history_row(out, h, p, NULL);
    }
    end_table(out);
    put_outcome(out, h);
    fputs("</section>\n", out);
}

/* The columns of the table of cells: metrics, each as its row in the table of fields says. */
static const char *const columns[] = {"total_seconds",       "comm_seconds",          "compute_seconds",
                                      "blocking_seconds",    "hidden_fraction",       "hideable_fraction",
                                      "speedup_vs_blocking", "compute_slowdown_ratio"};
static const size_t has_interval = 1 << 0 | 1 << 4; /* the first and the fifth */

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const struct ovl_field *column(size_t c)
{
    return ovl_field_named(ovl_fields_cell, columns[c]);
}

static void put_cell(FILE *out, const struct ovl_group *g)
{
    size_t bad = 0, n;
    char status[64] = "ok";
    for (size_t i = 0; i < g->count; i++)
        bad += !ovl_member_claims(&g->member[i]);
    fputs("<tr>", out);
    put_text(out, g->label, "text");
    put_number(out, (double)(g->count - bad), whole);
    for (size_t c = 0; c < COLUMNS; c++) {
        const struct ovl_show *show = &column(c)->show;
        struct ovl_estimate e = ovl_metric_over(column(c), g->member, g->count, &n);
        const struct digits format = {show->decimals, 0, false};
        put_number(out, show->factor * e.value, format);
        if (has_interval & (size_t)1 << c)
            put_interval(out, show->factor * e.ci_low, show->factor * e.ci_high, format);
    }
    if (bad > 0)
        snprintf(status, sizeof status, "%zu of %zu invalid, unshaped or cut short", bad, g->count);
    put_text(out, status, bad > 0 ? "text invalid" : "text");
    fputs("</tr>\n", out);
}

void ovl_page_cells(FILE *out, const struct ovl_groups *groups)
{
    const char *heads[COLUMNS * 2 + 3] = {"cell", "launches"};
    size_t n = 2;
    for (size_t c = 0; c < COLUMNS; c++) {
        heads[n++] = column(c)->show.head;
        if (has_interval & (size_t)1 << c)
            heads[n++] = "95 % interval";
    }
    heads[n++] = "status";
    fputs("<section id=\"cells\"><h2>Cells</h2><p>Medians over launches, of each launch its median. The interval over "
          "launches is exact if they are independent, and needs 6 of them; a single launch has the interval of its own "
          "blocks, which says nothing "
          "of another launch.</p>\n",
          out);
    begin_table(out, "All cells; click a heading to sort by it", heads, n, 1);
    for (size_t g = 0; g < groups->count; g++)
        put_cell(out, &groups->group[g]);
    end_table(out);
    fputs("</section>\n", out);
}
