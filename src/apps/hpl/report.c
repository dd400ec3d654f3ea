/* What ovl_hpl prints. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/report.h"
#include "record/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_number(char text[32], int decimals, double x)
{
    if (isfinite(x))
        snprintf(text, 32, "%.*f", decimals, x);
    else
        strcpy(text, "-");
}

static void put_n(const struct ovl_hpl_result *r, char text[32])
{
    snprintf(text, 32, "%d", r->shape.n);
}
static void put_scheme(const struct ovl_hpl_result *r, char text[32])
{
    snprintf(text, 32, "%s", r->scheme);
}
static void put_mode(const struct ovl_hpl_result *r, char text[32])
{
    snprintf(text, 32, "%s", r->mode);
}
static void put_seconds(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 4, r->summary[OVL_HPL_TOTAL].median);
}
static void put_interval(const struct ovl_hpl_result *r, char text[32])
{
    const struct ovl_summary *s = &r->summary[OVL_HPL_TOTAL];
    if (isfinite(s->ci_low))
        snprintf(text, 32, "%.4f..%.4f", s->ci_low, s->ci_high);
    else
        strcpy(text, "-");
}
static void put_gflops(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 2, r->cell.gflops.value);
}
static void put_factor(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 4, r->summary[OVL_HPL_FACTOR].median);
}
static void put_exposed(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 4, r->summary[OVL_HPL_BCAST].median);
}
static void put_alone(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 4, r->summary[OVL_HPL_ALONE].median);
}
static void put_swap(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 4, r->summary[OVL_HPL_SWAP].median);
}
static void put_update(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 4, r->summary[OVL_HPL_UPDATE].median);
}
static void put_solve(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 4, r->summary[OVL_HPL_SOLVE].median);
}
static void put_slowdown(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 3, r->slowdown);
}
static void put_compute(const struct ovl_hpl_result *r, char text[32])
{
    put_number(text, 4, r->summary[OVL_HPL_COMPUTE].median);
}
static void put_residual(const struct ovl_hpl_result *r, char text[32])
{
    strcpy(text, "-");
    if (isfinite(r->residual))
        snprintf(text, 32, "%.2e", r->residual);
}
static void put_repetitions(const struct ovl_hpl_result *r, char text[32])
{
    snprintf(text, 32, "%zu", r->repetitions);
}

static const struct {
    const char *head;
    int width;
    bool full;
    void (*print)(const struct ovl_hpl_result *r, char text[32]);
} columns[] = {
    {"N", 7, false, put_n},
    {"bcast", 7, false, put_scheme},
    {"mode", 5, false, put_mode},
    {"time s", 10, false, put_seconds},
    {"95 % interval", 18, false, put_interval},
    {"GFLOP/s", 9, false, put_gflops},
    {"compute s", 10, true, put_compute},
    {"factor", 8, false, put_factor},
    {"exposed", 8, false, put_exposed},
    {"alone", 8, true, put_alone},
    {"swap", 8, false, put_swap},
    {"update", 8, false, put_update},
    {"solve", 8, true, put_solve},
    {"slowdown", 9, false, put_slowdown},
    {"residual", 10, false, put_residual},
    {"blocks", 7, true, put_repetitions},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static long long option(const struct ovl_run *run, const char *name)
{
    return (long long)json_integer_value(json_object_get(json_object_get(run->head, "options"), name));
}

static void head(FILE *out, const struct ovl_run *run)
{
    const char *grid = json_string_value(json_object_get(run->head, "grid")), *blas = ovl_run_text(run, "blas");
    int name = (int)strcspn(blas, " "); /* and version; what follows says how it was built */
    name += blas[name] ? 1 + (int)strcspn(blas + name + 1, " ") : 0;
    ovl_table_head(out, run);
    fprintf(out, "# hpl-panel an LU solution whose panels travel during the update; no rated HPL run\n");
    fprintf(out, "# work      grid %s, NB %lld, look-ahead %lld; %lld thread%s a rank, %.*s\n", grid ? grid : "?",
            option(run, "nb"), option(run, "depth"), option(run, "threads"), option(run, "threads") == 1 ? "" : "s",
            name, blas);
}

static void table_head(FILE *out, const struct ovl_run *run, bool full)
{
    struct ovl_line line = {.at = 1};
    head(out, run);
    fputs("#\n#", out);
    for (size_t c = 0; c < COLUMNS; c++)
        if (full || !columns[c].full)
            ovl_line_put(out, &line, columns[c].width, columns[c].head);
    fputs("  status\n", out);
    fflush(out);
}

static void table_foot(FILE *out, const struct ovl_run *run, bool full)
{
    (void)run, (void)full;
    fputs("# seconds of the slowest rank, medians. exposed: in calls of the broadcast, waiting for a late panel too, "
          "each "
          "panel by\n# its slowest rank; slowdown: of the update beside it. ovl_hpl(1) explains.\n",
          out);
    fflush(out);
}

static void hpl_head(FILE *out, const struct ovl_run *run, bool full)
{
    (void)full;
    head(out, run);
    fputs("#\nT/V                N    NB     P     Q               Time                 Gflops\n", out);
    for (int i = 0; i < 80; i++)
        putc('-', out);
    putc('\n', out);
    fflush(out);
}

static void hpl_foot(FILE *out, const struct ovl_run *run, bool full)
{
    (void)run, (void)full;
    fputs("# hpl-panel of ovl, in HPL's format; times are medians. No rated HPL run.\n", out);
    fflush(out);
}

const struct ovl_format ovl_hpl_format_table = {.name = "table", .head = table_head, .foot = table_foot};
const struct ovl_format ovl_hpl_format_hpl = {.name = "hpl", .head = hpl_head, .foot = hpl_foot};

void ovl_hpl_result_line(const struct ovl_hpl_result *r, char text[128])
{
    const struct ovl_hpl_shape *h = &r->shape;
    double seconds = isfinite(r->cell.gflops.value) ? r->summary[OVL_HPL_TOTAL].median : 0;
    snprintf(text, 128, "WR%d%cR2L8%12d %5d %5d %5d %18.2f %22.4e", h->depth, r->digit, h->n, h->nb, h->rows,
             h->columns, seconds, isfinite(r->cell.gflops.value) ? r->cell.gflops.value : 0);
}

void ovl_hpl_result_print(FILE *out, const struct ovl_format *format, const struct ovl_hpl_result *r, bool full)
{
    char text[128];
    struct ovl_line line = {0, 0};
    if (format == &ovl_hpl_format_hpl) {
        ovl_hpl_result_line(r, text);
        fprintf(out, "%s\n", text);
        fprintf(out, "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= %20.8e ...... %s\n", r->residual,
                *r->reason ? "FAILED" : "PASSED");
    } else {
        for (size_t c = 0; c < COLUMNS; c++)
            if (full || !columns[c].full) {
                columns[c].print(r, text);
                ovl_line_put(out, &line, columns[c].width, text);
            }
        fprintf(out, "  %s%s\n", r->status, ovl_cell_noisy(&r->cell) ? ", noisy" : "");
    }
    fflush(out);
}
