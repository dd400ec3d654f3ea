/* The parts of a report's page. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/page.h"
#include "stats/stats.h"
#include "table/escape.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/metric.h"
#include "tool/cells/one_build.h"
#include "tool/util/command.h"
#include "version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *read_whole(const char *path, struct ovl_error *err)
{
    char *text = NULL;
    size_t length = 0, n = 0;
    FILE *in = fopen(path, "re"), *all = open_memstream(&text, &length);
    char piece[1 << 14];
    while (in && all && (n = fread(piece, 1, sizeof piece, in)) > 0)
        fwrite(piece, 1, n, all);
    bool bad = !in || !all || ferror(in);
    if (all && fclose(all) != 0)
        bad = true;
    if (bad) {
        ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}

static int put_share(FILE *out, const char *name, struct ovl_error *err)
{
    struct ovl_path path;
    char *text = ovl_command_share(name, &path, err) == 0 ? read_whole(path.text, err) : NULL;
    if (text)
        fputs(text, out);
    free(text);
    return text ? 0 : -1;
}

int ovl_page_head(FILE *out, const char *title, struct ovl_error *err)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" "
          "href=\"data:,\">\n"
          "<title>",
          out);
    ovl_escape_xml(out, title);
    fputs("</title>\n<style>\n", out);
    if (put_share(out, "page.css", err) != 0)
        return -1;
    fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<header><h1>", out);
    ovl_escape_xml(out, title);
    fputs("</h1><button id=\"theme\" type=\"button\" hidden>Light or dark</button></header>\n", out);
    return 0;
}

int ovl_page_begin(FILE *out, const char *title, bool verdicts, bool history, struct ovl_error *err)
{
    if (ovl_page_head(out, title, err) != 0)
        return -1;
    fprintf(out,
            "<nav aria-label=\"Parts\"><ul><li><a href=\"#summary\">Summary</a></li>%s%s"
            "<li><a href=\"#charts\">Charts</a></li><li><a href=\"#cells\">Cells</a></li>"
            "<li><a href=\"#setup\">Set-up</a></li><li><a href=\"#fairness\">Fairness</a></li></ul></nav>\n"
            "<main id=\"main\">\n",
            verdicts ? "<li><a href=\"#verdicts\">Verdicts</a></li>" : "",
            history ? "<li><a href=\"#history\">History</a></li>" : "");
    return 0;
}

int ovl_page_end(FILE *out, struct ovl_error *err)
{
    fprintf(out, "</main>\n<footer><p class=\"soft\">Made by ovl %s (%s).</p></footer>\n<script>\n", OVL_VERSION,
            OVL_GIT);
    if (put_share(out, "page.js", err) != 0)
        return -1;
    fputs("</script>\n</body>\n</html>\n", out);
    return 0;
}

static void fact(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<dt>%s</dt><dd>", name);
    ovl_escape_xml(out, text);
    fputs("</dd>\n", out);
}

static void count_fact(FILE *out, const char *name, size_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", n);
    fact(out, name, text);
}

/* "outcome  the gate fails": what stands in a column of its own in a text gets a colon on a page, where blanks are one.
 */
static void put_line(FILE *out, const char *line)
{
    size_t word = strcspn(line, " "), blanks = strspn(line + word, " ");
    if (blanks > 1) {
        char *first = ovl_text("%.*s", (int)word, line);
        fputs("<strong>", out);
        ovl_escape_xml(out, first);
        fputs(":</strong> ", out);
        free(first);
        line += word + blanks;
    }
    ovl_escape_xml(out, line);
}

void ovl_page_lines(FILE *out, char *text)
{
    bool open = false;
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        size_t blanks = strspn(line + 1, " ");
        fputs(!open ? "<p>" : blanks > 1 ? " " : "</p>\n<p>", out);
        if (open && blanks > 1)
            ovl_escape_xml(out, line + 1 + blanks);
        else
            put_line(out, line + 1 + blanks);
        open = true;
    }
    fputs(open ? "</p>\n" : "", out);
}

void ovl_page_summary(FILE *out, const struct ovl_record *record, const struct ovl_groups *groups, size_t copies)
{
    size_t invalid = 0, unshaped = 0, emulated = 0, alone = 0, cut = 0, wrong = 0;
    const char *first = "", *last = "";
    for (size_t i = 0; i < groups->member_count; i++) {
        const struct ovl_cell *cell = groups->members[i].cell;
        wrong += cell->validated == 0;
        invalid += strcmp(cell->status, "invalid") == 0 && cell->validated != 0;
        unshaped += cell->unshaped > 0;
        emulated += strcmp(cell->placement, OVL_EMULATED) == 0;
        alone += ovl_cell_alone(cell);
    }
    for (size_t r = 0; r < record->run_count; r++) {
        const char *started = ovl_run_text(&record->runs[r], "started");
        cut += ovl_run_unended(&record->runs[r]) != NULL;
        first = !*first || strcmp(started, first) < 0 ? started : first;
        last = strcmp(started, last) > 0 ? started : last;
    }
    fputs("<section id=\"summary\"><h2>Summary</h2><dl>\n", out);
    count_fact(out, "Launches", record->run_count);
    count_fact(out, "Cells", groups->count);
    count_fact(out, "Measurements", groups->member_count);
    if (wrong > 0)
        count_fact(out, "Wrong data", wrong);
    count_fact(out, "Invalid", invalid);
    if (unshaped > 0)
        count_fact(out, "Unshaped (no claim)", unshaped);
    if (emulated > 0)
        count_fact(out, "On an emulated processor (no claim)", emulated);
    if (alone > 0)
        count_fact(out, "Of one rank (no claim)", alone);
    if (cut > 0)
        count_fact(out, "Launches cut short, which count for nothing", cut);
    if (record->unwritten_count > 0)
        count_fact(out, "Launches of a sweep that left no record", record->unwritten_count);
    if (copies > 0)
        count_fact(out, "Copies passed over", copies);
    if (groups->repeated > 0)
        count_fact(out, "Cells that a launch has twice, passed over", groups->repeated);
    if (groups->again > 0)
        count_fact(out, "Cells with the very samples of another launch, which count for nothing", groups->again);
    fact(out, "First launch", first);
    fact(out, "Last launch", last);
    fact(out, "All cells have", groups->common);
    fputs("</dl></section>\n", out);
}

/* Each warning of the runs, with how many launches gave it. */
static void put_warnings(FILE *out, const struct ovl_record *record)
{
    json_t *seen = ovl_inputs_count_warnings(record), *n;
    const char *text;
    json_object_foreach(seen, text, n) {
        fprintf(out, "<li>Warned in %lld of %zu launches: ", (long long)json_integer_value(n), record->run_count);
        ovl_escape_xml(out, text);
        fputs(".</li>\n", out);
    }
    json_decref(seen);
}

void ovl_page_beside(FILE *out, const struct ovl_inputs *sources)
{
    char *text = NULL;
    size_t length = 0;
    FILE *all = ovl_check_alloc(open_memstream(&text, &length));
    ovl_inputs_note_beside(all, sources);
    fclose(all);
    if (sources->owed.untold)
        fputs("<p><strong class=\"INCONCLUSIVE\">It is not known how all of these records came about:</strong></p>\n",
              out);
    ovl_page_lines(out, text);
    free(text);
}

static void put_names(FILE *out, const char *gap, const json_t *names)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)names, name, value) {
        fputs(gap, out);
        ovl_escape_xml(out, name);
        gap = ", ";
    }
}

struct beside_host {
    size_t both, slower, alone;   /* cells of mode dpu with a host cell in their blocks; slower than it; without one */
    json_t *workers, *placements; /* names of all that there are */
};

/* A cell of mode dpu, over its launches. */
static void look_beside(struct beside_host *b, const struct ovl_group *group)
{
    double *ratio = ovl_alloc(group->count + 1, sizeof *ratio);
    size_t n = 0, claims = 0;
    for (size_t i = 0; i < group->count; i++) {
        const struct ovl_member *m = &group->member[i];
        char workers[64];
        snprintf(workers, sizeof workers, "%.0f beside %.0f ranks", m->cell->workers, m->cell->ranks);
        json_object_set_new(b->workers, workers, json_true());
        json_object_set_new(b->placements, *m->cell->placement ? m->cell->placement : "not told", json_true());
        if (!ovl_member_claims(m))
            continue;
        claims++;
        const struct ovl_cell *host = ovl_run_host_beside(m->run, m->cell);
        if (host)
            ratio[n++] = m->cell->summary[OVL_TOTAL].median / host->summary[OVL_TOTAL].median;
    }
    b->both += n > 0;
    b->slower += n > 0 && ovl_stats_median(ratio, n) > 1;
    b->alone += claims > 0 && n == 0;
    free(ratio);
}

/* Where offloading loses belongs beside where it gains. */
static void put_offload(FILE *out, const struct ovl_groups *groups)
{
    struct beside_host b = {.workers = json_object(), .placements = json_object()};
    for (size_t g = 0; g < groups->count; g++)
        if (strcmp(groups->group[g].member->cell->mode, "dpu") == 0)
            look_beside(&b, &groups->group[g]);
    size_t places = json_object_size(b.placements);
    if (places == 0) {
        fputs("<li>Host mode only: no workers, no offloading.</li>\n", out);
    } else {
        put_names(out, "<li>Workers: ", b.workers);
        put_names(out, "; these cores are not the host's to compute on. Placement: ", b.placements);
        fputs(places == 1 && json_object_get(b.placements, "bluefield") ? ".</li>\n"
              : json_object_get(b.placements, "bluefield")
                  ? ". Those that are not on bluefield are no results of a BlueField.</li>\n"
                  : ". These are no results of a BlueField.</li>\n",
              out);
        fprintf(out,
                "<li>In %zu of %zu cells that have both modes on the same work, DPU mode takes longer in total than "
                "host mode, in the median over launches.</li>\n",
                b.slower, b.both);
    }
    if (b.alone > 0)
        fprintf(out, "<li>%zu cells of DPU mode have no host cell in the same blocks: their gain is not shown.</li>\n",
                b.alone);
    if (places > 0)
        fputs("<li>A fair comparison has baselines with as many cores: host with MPI_Test calls, with a progress "
              "thread, with more ranks, and tuned. They are launches of their own; the table of cells shows those that "
              "were given.</li>\n",
              out);
    json_decref(b.workers);
    json_decref(b.placements);
}

void ovl_page_fairness(FILE *out, const struct ovl_record *record, const struct ovl_groups *groups)
{
    size_t few = 0, builds = ovl_one_build_count(record);
    for (size_t g = 0; g < groups->count; g++)
        few += ovl_group_claims(&groups->group[g]) < 6;
    fputs("<section id=\"fairness\"><h2>Fairness</h2><ul>\n", out);
    put_offload(out, groups);
    fputs("<li>Hidden is 1 - (total - compute) / comm, with the columns of the table of cells, and not clamped: a "
          "negative value is harm. It cannot exceed hideable, which is compute / comm and at most 1.</li>\n<li>Totals "
          "compare like with like only at the same work; modes of one launch share it.</li>\n",
          out);
    if (few > 0)
        fprintf(out, "<li>%zu of %zu cells have under 6 launches that count, and so no interval over launches.</li>\n",
                few, groups->count);
    if (builds > 1)
        fprintf(out, "<li>The launches are of %zu builds of the programs; the set-up names them.</li>\n", builds);
    put_warnings(out, record);
    fputs("</ul></section>\n", out);
}

/* Copies an SVG from its root element on; names and references to them get a prefix. */
static void put_svg(FILE *out, const char *text, size_t number)
{
    static const char *const before[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    for (; *text; text++) {
        size_t n = 0;
        for (size_t i = 0; i < sizeof before / sizeof *before && n == 0; i++)
            if (strncmp(text, before[i], strlen(before[i])) == 0)
                n = strlen(before[i]);
        if (n > 0) {
            fprintf(out, "%.*sc%zu-", (int)n, text, number);
            text += n - 1;
        } else {
            fputc(*text, out);
        }
    }
}

int ovl_page_chart(FILE *out, const char *file, const char *caption, size_t number, struct ovl_error *err)
{
    char *text = read_whole(file, err), *root = text ? strstr(text, "<svg") : NULL;
    if (!root) {
        free(text);
        return text ? ovl_error_set(err, OVL_ENVIRONMENT, "%s: gnuplot wrote no SVG", file) : -1;
    }
    fprintf(out, "<figure><svg role=\"img\" aria-label=\"");
    ovl_escape_xml(out, caption);
    fputc('"', out);
    put_svg(out, root + strlen("<svg"), number);
    fputs("<figcaption>", out);
    ovl_escape_xml(out, caption);
    fputs("</figcaption></figure>\n", out);
    free(text);
    return 0;
}
