/* `ovl validate`: a cell against its own samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"
#include "record/derived/hpl_line.h"
#include "record/derived/percentile.h"
#include "record/field.h"
#include "record/plausible.h"
#include "record/proxy.h"
#include "tool/validate/state.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void ovl_checking_problem(struct ovl_checking *c, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (c->problems++ == 0)
        ovl_utf8_print(c->first, sizeof c->first, "line %zu: %s", c->line, text);
    if (c->out && c->problems <= OVL_CHECKING_SHOWN)
        fprintf(c->out, "%s:%zu: %s\n", c->file, c->line, text);
}

void ovl_checking_unread(struct ovl_checking *c, const char *why)
{
    if (c->problems++ == 0)
        ovl_utf8_print(c->first, sizeof c->first, "%s", why);
    if (c->out)
        fprintf(c->out, "%s\n", why);
}

void ovl_checking_compare(struct ovl_checking *c, const char *name, const char *part, double stored, double again,
                          double small)
{
    if (isnan(stored) && isnan(again))
        return;
    if (fabs(stored - again) <= 1e-9 * fmax(fabs(stored), fabs(again)) + small)
        return;
    char text[32] = "null";
    if (!isnan(again))
        snprintf(text, sizeof text, "%.12g", again);
    if (isnan(stored))
        ovl_checking_problem(c, "/%s%s: null, but the samples give %s", name, part, text);
    else
        ovl_checking_problem(c, "/%s%s: %.12g, but the samples give %s", name, part, stored, text);
}

static void compare_summary(struct ovl_checking *c, const char *name, const struct ovl_summary *a,
                            const struct ovl_summary *b)
{
    ovl_checking_compare(c, name, "/median", a->median, b->median, 0);
    ovl_checking_compare(c, name, "/ci_low", a->ci_low, b->ci_low, 0);
    ovl_checking_compare(c, name, "/ci_high", a->ci_high, b->ci_high, 0);
    ovl_checking_compare(c, name, "/min", a->min, b->min, 0);
    ovl_checking_compare(c, name, "/max", a->max, b->max, 0);
    ovl_checking_compare(c, name, "/p99", a->p99, b->p99, 0);
    ovl_checking_compare(c, name, "/outliers", (double)a->outliers, (double)b->outliers, 0);
}

void ovl_checking_estimate(struct ovl_checking *c, const char *name, const struct ovl_estimate *a,
                           const struct ovl_estimate *b)
{
    ovl_checking_compare(c, name, "/value", a->value, b->value, 1e-11);
    ovl_checking_compare(c, name, "/ci_low", a->ci_low, b->ci_low, 1e-11);
    ovl_checking_compare(c, name, "/ci_high", a->ci_high, b->ci_high, 1e-11);
}

static struct ovl_summary summary_in(const json_t *o)
{
    static const char *const names[] = {"median", "ci_low", "ci_high", "min", "max", "p99"};
    double values[6];
    for (int i = 0; i < 6; i++) {
        const json_t *x = json_object_get(o, names[i]);
        values[i] = json_is_number(x) ? json_number_value(x) : NAN;
    }
    return (struct ovl_summary){
        values[0], values[1], values[2], values[3],
        values[4], values[5], 0,         (size_t)json_integer_value(json_object_get(o, "outliers"))};
}

/* A summary of samples that only a proxy has. */
static void compare_others(struct ovl_checking *c, const struct ovl_field *f, const json_t *stored,
                           const struct ovl_cell *again)
{
    struct ovl_summary said = summary_in(stored), found;
    if (ovl_proxy_summarise(again, f->name, &found))
        compare_summary(c, f->name, &said, &found);
    else
        ovl_checking_problem(c, "/%s: there are no samples of it", f->name);
}

/* Each row that the line has and that follows from the cell's own samples. */
static void compare_derived(struct ovl_checking *c, json_t *line, const struct ovl_cell *stored,
                            const struct ovl_cell *again)
{
    for (const struct ovl_field *f = ovl_fields_cell; f->path; f++) {
        const json_t *value = ovl_field_at(line, f->path);
        const void *a = (const char *)stored + f->offset, *b = (const char *)again + f->offset;
        if (!value)
            continue;
        if (f->kind == OVL_FIELD_SUMMARY && f->size > 0)
            compare_summary(c, f->name, a, b);
        else if (f->kind == OVL_FIELD_SUMMARY)
            compare_others(c, f, value, again);
        else if (f->kind == OVL_FIELD_ESTIMATE && f->own)
            ovl_checking_estimate(c, f->name, a, b);
        else if ((f->kind == OVL_FIELD_NUMBER || f->kind == OVL_FIELD_WHOLE) && f->own && f->size > 0)
            ovl_checking_compare(c, f->name, "", *(const double *)a, *(const double *)b, 1e-9);
        else if (f->kind == OVL_FIELD_NUMBER && f->own)
            ovl_checking_compare(c, f->name, "", json_is_number(value) ? json_number_value(value) : NAN,
                                 f->again(NULL, again), 1e-9);
    }
}

static const char *name_of(int q)
{
    return ovl_field_of_quantity((enum ovl_quantity)q)->name;
}

/* Samples of one program alone. Those that are parts of T are no longer than it; exposed_comm_seconds of kept records
   on four nodes is. */
static const struct {
    const char *name, *benchmark; /* NULL: all applications */
    bool part;
} own_samples[] = {
    {"bound_seconds", NULL, false},         {"bound_here_seconds", NULL, false}, {"any_bound_seconds", NULL, false},
    {"exposed_comm_seconds", "hpl", false}, {"factor_seconds", "hpl", true},     {"swap_seconds", "hpl", true},
    {"solve_seconds", "hpl", true},         {"update_seconds", "hpl", true},     {"update_apart_seconds", "hpl", false},
};

/* Fields of other versions are told elsewhere (unknown.c), and decide nothing. */
static void check_own_samples(struct ovl_checking *c, const struct ovl_cell *cell)
{
    json_t *both;
    const char *name;
    const size_t rows = sizeof own_samples / sizeof *own_samples;
    json_object_foreach(cell->others, name, both) {
        size_t i = 0, n;
        while (i < rows && strcmp(own_samples[i].name, name) != 0)
            i++;
        const char *of = i < rows ? own_samples[i].benchmark : NULL;
        if (i < rows && (!ovl_cell_solves(cell) || (of && strcmp(cell->benchmark, of) != 0)))
            ovl_checking_problem(c, "/samples/%s: ovl_%s writes no such samples", name, cell->benchmark);
        if (i == rows || !own_samples[i].part)
            continue;
        double *part = ovl_proxy_samples(cell, name, &n);
        for (size_t b = 0; b < n && b < cell->samples.blocks; b++)
            if (part[b] > cell->samples.max[OVL_TOTAL][b] * (1 + 1e-9))
                ovl_checking_problem(c, "/samples/%s: block %zu has a part that is longer than its total", name, b);
        free(part);
    }
}

double ovl_checking_sum(const double *samples, size_t n)
{
    double all = 0;
    for (size_t i = 0; samples && i < n; i++)
        all += isnan(samples[i]) ? 0 : samples[i];
    return all;
}

double ovl_checking_longest(const struct ovl_cell *cell)
{
    static const enum ovl_quantity whole[] = {OVL_COMM, OVL_COMPUTE, OVL_BLOCKING, OVL_TOTAL};
    const struct ovl_samples *s = &cell->samples;
    double most = 0;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        most = fmax(most, ovl_checking_sum(s->max[whole[i]], s->blocks));
    for (size_t i = 0; i < sizeof own_samples / sizeof *own_samples; i++) {
        size_t n;
        double *own = own_samples[i].benchmark ? ovl_proxy_samples(cell, own_samples[i].name, &n) : NULL;
        most = own ? fmax(most, ovl_checking_sum(own, n)) : most;
        free(own);
    }
    return most;
}

/* Not every sample moves a derived value: these find a change in most others. */
static void check_samples(struct ovl_checking *c, const struct ovl_cell *cell)
{
    const struct ovl_samples *s = &cell->samples;
    for (size_t b = 0; b < s->blocks; b++) {
        for (int q = 0; q < OVL_QUANTITIES; q++) {
            const char *why = ovl_sample_fault(cell, q, b);
            if (why)
                ovl_checking_problem(c, "/samples/%s: block %zu %s", name_of(q), b, why);
        }
        if (s->max[OVL_STREAM] && s->max[OVL_STREAM][b] <= 0)
            ovl_checking_problem(c, "/samples/%s: block %zu has operations that took no time", name_of(OVL_STREAM), b);
        if (ovl_sample_parts_exceed(cell, b))
            ovl_checking_problem(c, "/samples/total_seconds: block %zu has parts that are more than the total", b);
    }
}

static void check_rank(struct ovl_checking *c, const char *name, double rank, double ranks)
{
    if (rank >= ranks)
        ovl_checking_problem(c, "/%s: %.0f, of %.0f ranks", name, rank, ranks);
}

/* Its mean T is the largest, and no term of it is more than that of the slowest rank of each block. */
static void check_slowest(struct ovl_checking *c, const json_t *line, const struct ovl_cell *again)
{
    const unsigned terms = 1U << OVL_TOTAL | 1U << OVL_INNER | 1U << OVL_COMM;
    const struct ovl_samples *s = &again->samples;
    const struct {
        enum ovl_quantity q;
        double mean;
    } told[] = {{OVL_TOTAL, again->slowest.total}, {OVL_INNER, again->slowest.inner}, {OVL_COMM, again->slowest.comm}};
    if (isnan(again->slowest.rank)) {
        size_t blocks = ovl_samples_joint(s, s->max, terms, OVL_TOTAL).blocks;
        if (json_object_get(line, "slowest_rank") && blocks > 0 && !ovl_cell_solves(again))
            ovl_checking_problem(c, "/slowest_rank: is null, and %zu blocks have T, the work in it and C", blocks);
        return;
    }
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const double rounding = 1e-9, ranks = again->ranks;
        double most = ovl_samples_joint(s, s->max, terms, told[i].q).mean,
               mean = ovl_samples_joint(s, s->mean, terms, told[i].q).mean,
               least = told[i].q == OVL_TOTAL ? mean : ranks * mean - (ranks - 1) * most; /* all others have the most */
        if (!(told[i].mean <= most * (1 + rounding) && told[i].mean >= least - rounding * most))
            ovl_checking_problem(c, "/slowest_rank: %s of %.6g, where a rank has %.6g to %.6g", name_of(told[i].q),
                                 told[i].mean, least, most);
    }
}

static size_t nulls(const double *samples, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += isnan(samples[i]);
    return found;
}

/* A sample is null where a rank began it too late to count, which the lateness of its block tells: by 3 clock reads at
   least (bench/loop.h). Records whose ranks had no common start, or of older versions, tell nothing: most cannot have
   been late there. */
static void check_nulls(struct ovl_checking *c, const struct ovl_cell *cell)
{
    const struct ovl_samples *s = &cell->samples;
    const double most = 3 * (1 - 1e-9) * cell->clock_read_seconds;
    for (int q = 0; q < OVL_QUANTITIES && strcmp(cell->status, "invalid") != 0; q++) {
        int of = ovl_quantity_late(q);
        if (of < 0)
            continue;
        const double *late = s->max[of];
        size_t lost = nulls(s->max[q], s->blocks), in_time = 0;
        bool tells = nulls(late, s->blocks) < s->blocks;
        for (size_t b = 0; b < s->blocks; b++)
            in_time += isnan(s->max[q][b]) && !(late[b] > most);
        if (lost < s->blocks && (tells ? in_time > 0 : 4 * lost > s->blocks))
            ovl_checking_problem(c, "/samples/%s: %zu of %zu blocks are null, and no rank began %zu of them late",
                                 name_of(q), lost, s->blocks, in_time);
    }
}

static void check_invalid_counts(struct ovl_checking *c, json_t *line, const struct ovl_cell *again)
{
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        if (!json_object_get(json_object_get(line, "invalid_samples"), name_of(q)))
            continue;
        double stored = json_number_value(json_object_get(json_object_get(line, "invalid_samples"), name_of(q)));
        ovl_checking_compare(c, "invalid_samples/", name_of(q), stored,
                             (double)(again->samples.blocks - again->summary[q].n), 0);
    }
}

/* Each percentile is one that there may be, and follows from the samples. */
static void check_percentiles(struct ovl_checking *c, json_t *line, const struct ovl_cell *stored,
                              const struct ovl_cell *again)
{
    const char *quantity, *percent;
    json_t *values, *value;
    struct ovl_cell said = *stored;
    said.samples.blocks = 0; /* so that what is stored speaks */
    json_object_foreach(json_object_get(line, "percentiles"), quantity, values) {
        json_object_foreach(values, percent, value) {
            char name[128];
            ovl_utf8_print(name, sizeof name, "%s.%s", quantity, percent);
            const struct ovl_field *f = ovl_percentile_field(name);
            if (!f || strcmp(f->name, name) != 0) {
                ovl_checking_problem(c, "/percentiles/%s/%s: there is no such percentile", quantity, percent);
                continue;
            }
            struct ovl_estimate a = ovl_percentile_of(f, &said), b = ovl_percentile_of(f, again);
            ovl_checking_estimate(c, name, &a, &b);
        }
    }
}

static void check_sum(struct ovl_checking *c, json_t *line)
{
    const char *stored = json_string_value(json_object_get(line, "samples_crc32"));
    char again[9];
    ovl_cell_checksum_json(json_object_get(line, "samples"), again);
    if (stored && strcmp(stored, again) != 0)
        ovl_checking_problem(c, "/samples_crc32: \"%s\", but the samples give \"%s\": a sample was changed", stored,
                             again);
}

/* A time for each block, one after the other. */
static void check_times(struct ovl_checking *c, const json_t *line, const struct ovl_cell *cell)
{
    const json_t *times = ovl_field_at(line, "block_times.started_seconds"), *one;
    double before = -INFINITY;
    size_t i;
    if (!times)
        return;
    if (json_array_size(times) != cell->samples.blocks)
        ovl_checking_problem(c, "/block_times/started_seconds: %zu times of %zu blocks", json_array_size(times),
                             cell->samples.blocks);
    json_array_foreach(times, i, one) {
        if (!(json_number_value(one) >= before)) {
            ovl_checking_problem(c, "/block_times/started_seconds: block %zu began before the one before it", i);
            return;
        }
        before = json_number_value(one);
    }
}

/* As HPL prints it: all but its two numbers as it would be again, and these but for their last digits. */
static void check_hpl_line(struct ovl_checking *c, const json_t *line, const struct ovl_cell *cell)
{
    struct {
        char kind[24], n[16], nb[16], rows[16], columns[16];
        double seconds, rate;
    } of[2];
    char text[2][OVL_HPL_LINE] = {""};
    const char *stored = json_string_value(ovl_field_at(line, "hpl_line"));
    if (!stored || !json_object_get(cell->problem, "n"))
        return;
    snprintf(text[0], sizeof text[0], "%s", stored);
    ovl_cell_hpl_line(cell, text[1]);
    int read[2];
    char more[2];
    for (int i = 0; i < 2; i++)
        read[i] = sscanf(text[i], "%23s %15s %15s %15s %15s %lf %lf %1s", of[i].kind, of[i].n, of[i].nb, of[i].rows,
                         of[i].columns, &of[i].seconds, &of[i].rate, more);
    if (read[0] != 7 || read[1] != 7 || strcmp(of[0].kind, of[1].kind) != 0 || strcmp(of[0].n, of[1].n) != 0 ||
        strcmp(of[0].nb, of[1].nb) != 0 || strcmp(of[0].rows, of[1].rows) != 0 ||
        strcmp(of[0].columns, of[1].columns) != 0 || fabs(of[0].seconds - of[1].seconds) > 0.015 ||
        fabs(of[0].rate - of[1].rate) > 2e-4 * of[1].rate)
        ovl_checking_problem(c, "/hpl_line: \"%.100s\", but problem and samples give \"%s\"", stored, text[1]);
}

void ovl_checking_cell(struct ovl_checking *c, json_t *line, const struct ovl_cell *stored,
                       const struct ovl_cell *again)
{
    check_times(c, line, again);
    check_sum(c, line);
    check_samples(c, again);
    check_own_samples(c, again);
    check_nulls(c, again);
    check_slowest(c, line, again);
    check_rank(c, "slowest_rank/rank", again->slowest.rank, again->ranks);
    check_rank(c, "lateness_seconds/rank", again->late_rank, again->ranks);
    check_invalid_counts(c, line, again);
    check_percentiles(c, line, stored, again);
    check_hpl_line(c, line, again);
    compare_derived(c, line, stored, again);
}
