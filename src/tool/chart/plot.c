/* `ovl plot`: charts of record files, drawn by the gnuplot files in share/ovl/plot. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/chart/plot.h"
#include "base/path.h"
#include "base/printable.h"
#include "cli/catalog.h"
#include "tool/cells/filter.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/chart/chart.h"
#include "tool/chart/column.h"
#include "tool/chart/gnuplot.h"
#include "tool/chart/ranks.h"
#include "tool/util/command.h"
#include "tool/util/scratch.h"
#include "tool/util/signals.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BOXES_PER_FILE = 4 };

struct plot_options {
    int help;
    const char *directory, *term, *charts;
    struct ovl_texts filter;
};

#define AT(member) offsetof(struct plot_options, member)

static const struct ovl_option options[] = {
    {'o', "output", "DIR", "folder for the files, made when it is not there (default .)", OVL_OPTION_TEXT,
     AT(directory), 0, 0, NULL, NULL},
    {0, "term", "KIND", "svg, png or pdf; text, which is printed where there is no -o (default svg)", OVL_OPTION_WORD,
     AT(term), 0, 0, "svg|png|pdf|text", NULL},
    {0, "chart", "LIST",
     OVL_CHART_NAMES(
         ", ") " (default all that have something to show, but samples); or ranks, of what --plan simulated",
     OVL_OPTION_WORDS, AT(charts), 0, 0, OVL_CHART_NAMES("|") "|ranks", NULL},
    OVL_FILTER_OPTION(AT(filter)),
    {'h', "help", NULL, "print this and exit", OVL_OPTION_ON, AT(help), 0, 0, NULL, NULL},
    {.name = NULL},
};

struct plotting {
    struct plot_options options;
    struct ovl_path data;     /* where each chart's data is written for gnuplot */
    struct ovl_path drawn;    /* where gnuplot writes each chart: in a folder that only we may write */
    struct ovl_path terminal; /* the terminal's gnuplot file */
    size_t made;
    void (*tell)(void *to, const char *path); /* called for each file in place of printing its name; NULL: print */
    void *to;
};

static bool asked_for(const struct plotting *p, const struct ovl_chart *chart)
{
    const char *charts = p->options.charts;
    return charts ? ovl_options_has_word(charts, chart->name, strlen(chart->name)) : !chart->on_request;
}

static void put_labels(struct ovl_gnuplot *g, const struct ovl_chart *chart, const struct ovl_chart_data *f,
                       size_t first, size_t last)
{
    ovl_gnuplot_number(g, "panels", 0, (double)(last - first));
    ovl_gnuplot_number(g, "series", 0, (double)f->series_count);
    ovl_gnuplot_text(g, "crosses", 0, ovl_chart_crosses(f, first, last));
    ovl_gnuplot_text(g, "reference", 0, chart->reference ? chart->reference_label : "");
    for (size_t p = first; p < last; p++) {
        ovl_gnuplot_text(g, "panel", p - first + 1, f->panels[p]);
        ovl_gnuplot_number(g, "crossover", p - first + 1, ovl_chart_crossover(f, p));
    }
    for (size_t s = 0; s < f->series_count; s++) {
        ovl_gnuplot_text(g, "series", s + 1, f->series[s].label);
        ovl_gnuplot_number(g, "style", s + 1, f->series[s].style);
    }
}

static int draw(const struct plotting *p, const struct ovl_chart *chart, const struct ovl_chart_data *f, size_t first,
                size_t last, struct ovl_error *err)
{
    struct ovl_path drawing, folder;
    char name[64], note[OVL_FIGURE_LABEL] = "";
    struct ovl_gnuplot g;
    const struct ovl_benchmark *b = ovl_benchmark_find(f->benchmark);
    snprintf(name, sizeof name, "plot/%s.gp", chart->name);
    if (ovl_command_share(name, &drawing, err) != 0 || ovl_command_share("plot", &folder, err) != 0)
        return -1;
    ovl_gnuplot_open(&g);
    if (chart->note)
        chart->note(note, f, first, last);
    ovl_gnuplot_path(&g, "data", p->data.text);
    ovl_gnuplot_path(&g, "output", p->drawn.text);
    ovl_gnuplot_path(&g, "folder", folder.text);
    ovl_gnuplot_path(&g, "terminal", p->terminal.text);
    ovl_gnuplot_text(&g, "benchmark", 0, b && strncmp(b->call, "MPI_", 4) == 0 ? b->call : f->benchmark);
    char head[sizeof f->subtitle + sizeof f->medians];
    snprintf(head, sizeof head, "%s%s", f->subtitle,
             f->medians[0] && chart->of_latest ? "; the latest launch" : f->medians);
    ovl_gnuplot_lines(&g, "head", head);
    ovl_gnuplot_lines(&g, "note", note);
    ovl_gnuplot_lines(&g, "warning", f->warnings);
    put_labels(&g, chart, f, first, last);
    if (chart->labels)
        chart->labels(&g, f, first, last);
    int rc = ovl_gnuplot_run(&g, drawing.text, err);
    ovl_gnuplot_close(&g);
    return rc;
}

/* Writes the data file; *drawn is the number of points that have something to draw. */
static int write_data(const struct plotting *p, const struct ovl_chart *chart, const struct ovl_chart_data *f,
                      size_t first, size_t last, size_t *drawn, struct ovl_error *err)
{
    FILE *out = fopen(p->data.text, "we");
    if (!out)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot write %s: %s", p->data.text, strerror(errno));
    *drawn = ovl_chart_write(chart, out, f, first, last);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        return ovl_error_set(err, OVL_ENVIRONMENT, "cannot write %s: %s", p->data.text, strerror(errno));
    return 0;
}

/* "DIR/ialltoall-overlap-2.svg": the number from the second file of a chart on. */
static struct ovl_path path_of(const struct plotting *p, const struct ovl_chart *chart, const struct ovl_chart_data *f,
                               size_t file)
{
    char benchmark[64], number[24] = "";
    snprintf(benchmark, sizeof benchmark, "%s", f->benchmark);
    for (char *c = benchmark; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
            *c = '_';
    if (file > 0)
        snprintf(number, sizeof number, "-%zu", file + 1);
    return ovl_path("%s/%s-%s%s.%s", p->options.directory ? p->options.directory : "", benchmark, chart->name, number,
                    p->options.term);
}

static size_t panels_per_file(const struct ovl_chart *chart, const struct ovl_chart_data *f)
{
    size_t boxes = chart->boxes(f);
    return boxes < BOXES_PER_FILE ? BOXES_PER_FILE / boxes : 1;
}

/* A word on a chart that is not made, for those who asked for it by name. */
static void none_of(const struct plotting *p, const char *benchmark, const struct ovl_chart *chart, const char *why)
{
    if (p->options.charts)
        printf("%s: no %s chart: %s\n", benchmark, chart->name, why);
}

/* Of text that has no folder to go to: on standard output, without blanks at the ends of lines. */
static int print_text(const char *drawn, struct ovl_error *err)
{
    char line[1024];
    FILE *in = fopen(drawn, "re");
    if (!in)
        return ovl_error_set(err, OVL_ENVIRONMENT, "%s: cannot read: %s", drawn, strerror(errno));
    while (fgets(line, sizeof line, in)) {
        size_t n = strcspn(line, "\n\f");
        while (n > 0 && line[n - 1] == ' ')
            n--;
        printf("%.*s\n", (int)n, line);
    }
    fclose(in);
    return 0;
}

/* Draws one file in our own folder and copies it, so that a chart is there whole or not at all. */
static int plot_file(struct plotting *p, const struct ovl_chart *chart, const struct ovl_chart_data *f, size_t file,
                     struct ovl_error *err)
{
    const struct ovl_path path = path_of(p, chart, f, file);
    size_t panels = panels_per_file(chart, f), first = file * panels, drawn = 0;
    size_t last = first + panels < f->panel_count ? first + panels : f->panel_count;
    if (ovl_signals_came())
        return ovl_error_set(err, OVL_ENVIRONMENT, "interrupted");
    if (write_data(p, chart, f, first, last, &drawn, err) != 0)
        return -1;
    if (drawn == 0) {
        none_of(p, f->benchmark, chart, chart->lacks ? chart->lacks : "no cell has a value for it");
        return 0;
    }
    int rc = draw(p, chart, f, first, last, err);
    if (rc == 0)
        rc = p->options.directory ? ovl_gnuplot_take(p->drawn.text, path.text, err) : print_text(p->drawn.text, err);
    unlink(p->drawn.text);
    if (rc != 0)
        return -1;
    if (p->tell)
        p->tell(p->to, path.text);
    else if (p->options.directory) {
        ovl_printable_put(stdout, path.text);
        printf("\n");
    }
    p->made++;
    return 0;
}

/* The files of one chart. */
static int plot_chart(struct plotting *p, const struct ovl_chart *chart, const struct ovl_chart_data *figure,
                      struct ovl_error *err)
{
    struct ovl_chart_data arranged = {.points = NULL};
    const struct ovl_chart_data *f = chart->arrange ? &arranged : figure;
    int rc = 0;
    if (chart->arrange)
        chart->arrange(&arranged, figure);
    if (f->panel_count == 0)
        none_of(p, f->benchmark, chart, "no cell has a value for it");
    for (size_t file = 0; rc == 0 && file * panels_per_file(chart, f) < f->panel_count; file++)
        rc = plot_file(p, chart, f, file, err);
    free(arranged.points); /* all else is the figure's */
    return rc;
}

static bool has_size(const struct ovl_chart_data *f)
{
    for (size_t i = 0; i < f->point_count; i++)
        if (f->points[i].cell->size_bytes > 0)
            return true;
    return false;
}

static bool has_grid(const struct ovl_chart_data *f)
{
    const struct ovl_cell *cell = f->point_count > 0 ? f->points[0].cell : NULL;
    return cell && (*ovl_cell_problem_text(cell, "grid") || *ovl_cell_problem_text(cell, "model"));
}

static int plot_benchmark(struct plotting *p, const struct ovl_record *record, const char *benchmark,
                          struct ovl_error *err)
{
    struct ovl_chart_data figure;
    char left_out[OVL_CHART_LEFT_OUT];
    ovl_chart_data_make(&figure, record, benchmark);
    if (figure.repeated > 0 && !p->tell)
        printf("%s: %zu %s measured by several runs of the same set-up; the latest of each is drawn\n", benchmark,
               figure.repeated, figure.repeated == 1 ? "point was" : "points were");
    if (figure.again > 0 && !p->tell)
        printf("%s: %zu point%s the very samples of another launch, and %s left out\n", benchmark, figure.again,
               figure.again == 1 ? " has" : "s have", figure.again == 1 ? "is" : "are");
    if (figure.gave > 0 && !p->tell)
        printf("%s: %zu point%s of a launch that gave others their work %s left out\n", benchmark, figure.gave,
               figure.gave == 1 ? "" : "s", figure.gave == 1 ? "is" : "are");
    ovl_chart_left_out(&figure, left_out);
    if (*left_out && !p->tell)
        printf("%s: %s; give fewer files\n", benchmark, left_out);
    int rc = 0;
    for (const struct ovl_chart *chart = ovl_charts; chart->name && rc == 0; chart++) {
        if (!asked_for(p, chart) || (!p->options.charts && chart->only && strcmp(chart->only, benchmark) != 0 &&
                                     !(chart->also && strcmp(chart->also, benchmark) == 0)))
            continue;
        if (chart->needs_grid && !has_grid(&figure)) {
            none_of(p, benchmark, chart, "this benchmark has no grid and no model");
            continue;
        }
        if (chart->needs_size && !has_size(&figure)) {
            none_of(p, benchmark, chart, "this benchmark has no message sizes");
            continue;
        }
        rc = plot_chart(p, chart, &figure, err);
    }
    ovl_chart_data_free(&figure);
    return rc;
}

/* Each benchmark once, in the order of the files. */
static int plot_record(struct plotting *p, const struct ovl_record *record, struct ovl_error *err)
{
    for (size_t r = 0; r < record->run_count; r++) {
        const char *benchmark = ovl_run_text(&record->runs[r], "benchmark");
        size_t before = 0;
        while (strcmp(ovl_run_text(&record->runs[before], "benchmark"), benchmark) != 0)
            before++;
        if (before == r && plot_benchmark(p, record, benchmark, err) != 0)
            return -1;
    }
    if (p->made == 0)
        return ovl_error_set(err, OVL_WRONG_DATA, "no chart made: no cell in these files has what the charts show");
    return 0;
}

/* Draws with a folder of its own for the data, which is gone afterwards. */
static int plot_in_folder(struct plotting *p, const struct ovl_record *record, struct ovl_error *err)
{
    char folder[2048];
    if (ovl_signals_hold(err) != 0)
        return -1;
    int rc = ovl_scratch_make(folder, "plot", err);
    if (rc == 0) {
        p->data = ovl_path("%s/data.tsv", folder);
        p->drawn = ovl_path("%s/drawn.%s", folder, p->options.term);
        rc = plot_record(p, record, err);
        unlink(p->data.text);
        rmdir(folder);
    }
    ovl_signals_release();
    return rc;
}

static int make_folder(const char *folder, struct ovl_error *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--output %s: cannot make it: %s", folder, strerror(errno));
    if (access(ovl_path("%s/.", folder).text, W_OK | X_OK) != 0)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--output %s: cannot write there: %s", folder, strerror(errno));
    return 0;
}

int ovl_plot_svg(const struct ovl_record *record, const char *folder, void (*tell)(void *to, const char *path),
                 void *to, struct ovl_error *err)
{
    struct plotting p = {.options = {.directory = folder, .term = "svg"}, .tell = tell, .to = to};
    if (ovl_command_share("plot/term-svg.gp", &p.terminal, err) != 0)
        return -1;
    return plot_in_folder(&p, record, err);
}

/* What is simulated has a chart of its own, and no other. */
static int plot_ranks(const struct plot_options *o, char **files, size_t count, struct ovl_error *err)
{
    bool text = strcmp(o->term, "text") == 0;
    if (strcmp(o->charts, "ranks") != 0 || text || o->filter.n > 0)
        return ovl_error_set(err, OVL_USAGE, "--chart %s: ranks is of what is simulated; leave out %s", o->charts,
                             text              ? "--term text"
                             : o->filter.n > 0 ? "--filter"
                                               : "the other charts");
    if (make_folder(o->directory, err) != 0 || ovl_chart_ranks(files, count, o->directory, o->term, err) != 0)
        return -1;
    return OVL_OK;
}

static int run(int argc, char **argv, struct ovl_error *err)
{
    struct plotting p = {.options = {.term = "svg"}};
    struct ovl_inputs sources = {.path = NULL};
    struct ovl_record record = {.runs = NULL};
    char terminal[64];
    int first, rc = 0;
    if (ovl_command_parse(&ovl_command_plot, argc, argv, &p.options, &first, err) != 0)
        return -1;
    if (!p.options.directory && strcmp(p.options.term, "text") != 0)
        p.options.directory = ".";
    if (p.options.charts && ovl_options_has_word(p.options.charts, "ranks", strlen("ranks")))
        return plot_ranks(&p.options, argv + first, (size_t)(argc - first), err);
    snprintf(terminal, sizeof terminal, "plot/term-%s.gp", p.options.term);
    if (ovl_command_share(terminal, &p.terminal, err) != 0)
        return -1;
    for (int i = first; i < argc && rc == 0; i++)
        rc = ovl_inputs_add(&sources, argv[i], err);
    for (size_t i = 0; i < sources.count && rc == 0; i++)
        rc = ovl_record_read(&record, sources.path[i], err);
    if (rc == 0)
        rc = ovl_filter_record(&p.options.filter, &record, "these files", err);
    if (rc == 0 && p.options.directory)
        rc = make_folder(p.options.directory, err);
    if (rc == 0)
        rc = plot_in_folder(&p, &record, err);
    ovl_record_free(&record);
    ovl_inputs_free(&sources);
    return rc == 0 ? OVL_OK : -1;
}

const struct ovl_tool_command ovl_command_plot = {
    .name = "plot",
    .arguments = "FILE... [options]",
    .summary = "draw the charts of record files",
    .options = options,
    .run = run,
};
