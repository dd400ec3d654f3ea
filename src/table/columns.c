/* Columns, and the values that go into them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/columns.h"
#include "record/derived/percentile.h"
#include "record/derived/show.h"
#include "record/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool has(const struct ovl_table *t, const struct ovl_column *c)
{
    return (t->full || !c->full) && (c->in == 0 || c->in & (t->in | t->writer->in));
}

static bool is_column(const struct ovl_column *c)
{
    return c->field || c->show.head;
}

const struct ovl_column *ovl_table_next(const struct ovl_table *t, const struct ovl_column *c)
{
    for (c = c ? c + 1 : t->columns; is_column(c); c++)
        if (has(t, c))
            return c;
    return NULL;
}

const struct ovl_field *ovl_column_field(const struct ovl_column *c)
{
    const struct ovl_field *f = c->field ? ovl_field_named(ovl_fields_point, c->field) : NULL;
    f = f || !c->field ? f : ovl_field_named(ovl_fields_cell, c->field);
    return f || !c->field ? f : ovl_percentile_field(c->field);
}

struct ovl_show ovl_column_show(const struct ovl_table *t, const struct ovl_column *c)
{
    struct ovl_show show = c->show;
    if (!show.head && c->field)
        show = *ovl_field_show(ovl_column_field(c), c->in & OVL_IN_PROXY && !(c->in & OVL_IN_DRIVER));
    if (c->of == OVL_COLUMN_VALUE && t->metric) {
        show = ovl_show_of_unit(t->metric);
        show.width = c->show.width;
    }
    if (c->of == OVL_COLUMN_CHANGE && t->metric)
        show.sign = ovl_show_of_change(t->metric).sign;
    return show;
}

void ovl_column_head(const struct ovl_table *t, const struct ovl_column *c, char head[96])
{
    bool page = t->writer->in == OVL_IN_PAGE && c->page;
    const char *own = page ? c->page : c->show.head, *us;
    struct ovl_show show = ovl_column_show(t, c);
    snprintf(head, 96, "%s", own ? own : c->interval && t->writer->in != OVL_IN_MARKUP ? "95 % interval" : show.head);
    if (c->of == OVL_COLUMN_VALUE && !*show.head && (us = strstr(head, " us")))
        head[us - head] = '\0';
    if (show.sign && c->of == OVL_COLUMN_CHANGE && strchr(head, '/'))
        *strchr(head, '/') = '-';
}

void ovl_column_text(const struct ovl_table *t, const struct ovl_column *c, struct ovl_estimate x, char text[96])
{
    struct ovl_show show = ovl_column_show(t, c);
    char low[32], high[32];
    ovl_show_text(low, &show, c->interval ? x.ci_low : x.value);
    ovl_show_text(high, &show, x.ci_high);
    bool one = !c->interval || (isnan(x.ci_low) && isnan(x.ci_high));
    snprintf(text, 96, one ? "%s" : "%s .. %s", low, high);
}

/* A column like that one, of another field. */
static struct ovl_column like(const struct ovl_column *c, const struct ovl_field *f)
{
    return (struct ovl_column){
        .field = f->name, .in = c->in, .full = c->full, .interval = c->in == OVL_IN_MARKUP ? c->interval : 0};
}

static bool registers(const struct ovl_run *run)
{
    const char *path = json_string_value(json_object_get(json_object_get(run->head, "offload"), "path"));
    return path && strcmp(path, "verbs") == 0;
}

/* Columns of energy are of runs that were asked for it, that of registrations of those that have some. */
static bool left_out(const struct ovl_column *c, const struct ovl_run *runs, size_t count)
{
    bool energy = c->field && strncmp(c->field, "energy.", strlen("energy.")) == 0,
         hits = c->field && strcmp(c->field, "engine.registration_hits") == 0, any = !energy && !hits;
    for (size_t r = 0; r < count && !any; r++)
        any = energy ? json_object_get(runs[r].head, "energy") != NULL : registers(&runs[r]);
    return !any;
}

static bool streams(const struct ovl_run *runs, size_t count)
{
    bool any = false;
    for (size_t r = 0; r < count; r++) {
        const json_t *cadence = json_object_get(json_object_get(runs[r].head, "options"), "cadence");
        any = any || (json_is_string(cadence) && strcmp(json_string_value(cadence), "stream") == 0);
    }
    return any;
}

struct ovl_column *ovl_columns_asked(const struct ovl_column *columns, const struct ovl_run *runs, size_t count)
{
    struct ovl_numbers asked;
    size_t n = 0, k = 0;
    bool stream = streams(runs, count);
    ovl_percentiles_asked(runs, count, &asked);
    while (is_column(&columns[n]))
        n++;
    struct ovl_column *all = ovl_alloc(n * (2 + 2 * asked.n) + 1, sizeof *all);
    for (const struct ovl_column *c = columns; c < columns + n; c++) {
        const struct ovl_field *f = c->percentiles ? ovl_column_field(c) : NULL;
        if (left_out(c, runs, count))
            continue;
        all[k++] = *c;
        for (; f; f = stream && f->quantity == 1 + OVL_COMM ? ovl_field_of_quantity(OVL_STREAM) : NULL) {
            if (f->quantity == 1 + OVL_STREAM)
                all[k++] = like(c, f);
            for (size_t i = 0; i < asked.n; i++)
                all[k++] = like(c, ovl_percentile_field_of(f, asked.value[i]));
        }
    }
    return all;
}

struct ovl_table ovl_table_to(FILE *out, const struct ovl_table_writer *writer, const struct ovl_column *columns,
                              unsigned in, bool full)
{
    return (struct ovl_table){
        .out = out, .writer = writer, .columns = columns, .next = columns, .in = in, .full = full};
}

static void end_row(struct ovl_table *t, const char *text)
{
    fputs(text, t->out);
    t->next = t->columns;
    t->written = 0;
    t->at = t->due = 0;
}

void ovl_table_heads(struct ovl_table *t)
{
    char head[96];
    for (t->next = t->columns; is_column(t->next);) {
        ovl_column_head(t, t->next, head);
        ovl_table_text(t, "%s", head);
    }
    end_row(t, t->writer->row_end);
}

void ovl_table_begin(struct ovl_table *t)
{
    t->writer->begin(t);
    end_row(t, "");
}

void ovl_table_row_end(struct ovl_table *t)
{
    end_row(t, t->writer->row_end);
}

void ovl_table_end(struct ovl_table *t)
{
    end_row(t, t->writer->end);
}

void ovl_table_put(struct ovl_table *t, const struct ovl_value *v)
{
    if (!is_column(t->next))
        return;
    if (has(t, t->next)) {
        fputs(t->written == 0 ? t->writer->row : t->writer->gap, t->out);
        t->writer->put(t, t->next, v);
        t->written++;
    }
    t->next++;
    t->class = NULL;
}

void ovl_table_text(struct ovl_table *t, const char *format, ...)
{
    char *text = NULL;
    size_t length = 0;
    FILE *all = ovl_check_alloc(open_memstream(&text, &length));
    va_list args;
    va_start(args, format);
    vfprintf(all, format, args);
    va_end(args);
    fclose(all);
    ovl_table_put(t, &(struct ovl_value){.text = text});
    free(text);
}

void ovl_table_number(struct ovl_table *t, double x)
{
    ovl_table_estimate(t, (struct ovl_estimate){x, NAN, NAN});
}

void ovl_table_estimate(struct ovl_table *t, struct ovl_estimate x)
{
    ovl_table_put(t, &(struct ovl_value){.number = true, .x = x});
}

void ovl_table_verdict(struct ovl_table *t, const char *word, const char *reason, const char *note)
{
    ovl_table_put(t, &(struct ovl_value){.text = word, .reason = reason ? reason : "", .note = note});
}

void ovl_table_numbers(struct ovl_table *t, const void *row)
{
    while (t->next->at)
        ovl_table_number(t, *(const double *)((const char *)row + t->next->at - 1));
}

/* Of milliseconds, nobody reads all digits of microseconds. */
static void put_field(struct ovl_table *t, const struct ovl_run *run, const struct ovl_cell *cell)
{
    char text[OVL_FIELD_TEXT_ROOM];
    const struct ovl_column *c = t->next;
    const struct ovl_field *f = ovl_column_field(c);
    struct ovl_show show = ovl_column_show(t, c);
    if (f->kind == OVL_FIELD_TEXT || strncmp(f->path, "problem.", strlen("problem.")) == 0) {
        ovl_field_text(text, f, run, cell);
        ovl_table_text(t, "%.31s", *text || f->kind == OVL_FIELD_TEXT ? text : "-");
        return;
    }
    struct ovl_estimate e = f->percent > 0 ? ovl_percentile_of(f, cell) : ovl_field_estimate(f, cell);
    if (isnan(e.value) && f->again && f->size == 0)
        e.value = f->again(run, cell);
    bool made = f->derived > 0 || strstr(f->path, "_overlap_percent");
    bool lacks = ovl_cell_lacks(cell, f->derived > 0 ? (enum ovl_derived)(f->derived - 1) : OVL_HIDDEN);
    bool follows = made || (f->metric && f->quantity == 0 && f->unit && strcmp(f->unit, "s") != 0);
    if ((follows && strcmp(cell->status, "invalid") == 0) || (made && (ovl_cell_alone(cell) || lacks)))
        e = (struct ovl_estimate){NAN, NAN, NAN}; /* times may be looked at; what follows from them is none */
    show.decimals -= show.factor == 1e6 && e.value >= 1e-3;
    (c->interval ? ovl_show_interval(text, &show, &e) : ovl_show_text(text, &show, e.value));
    ovl_table_put(t, &(struct ovl_value){.text = text, .number = true, .x = e});
}

void ovl_table_cell(struct ovl_table *t, const struct ovl_run *run, const struct ovl_cell *cell)
{
    while (t->next->field || t->next->text) {
        char text[32] = "-";
        if (cell && t->next->text)
            t->next->text(cell, text);
        if (cell && !t->next->text && has(t, t->next))
            put_field(t, run, cell);
        else
            ovl_table_text(t, "%s", text);
    }
}

static void measure(struct ovl_table *t, const struct ovl_column *c, const struct ovl_value *v)
{
    int width = c == t->columns && v->text ? (int)strlen(v->text) : 0;
    t->widest = width > t->widest ? width : t->widest;
}

void ovl_table_print(struct ovl_table t, size_t count, void (*put)(struct ovl_table *t, const void *of, size_t i),
                     const void *of)
{
    const struct ovl_table_writer *writer = t.writer, measuring = {.in = writer->in,
                                                                   .row = "",
                                                                   .gap = "",
                                                                   .row_end = "",
                                                                   .end = "",
                                                                   .begin = ovl_table_heads,
                                                                   .put = measure};
    for (int pass = writer->in == OVL_IN_TEXT ? 0 : 1; pass < 2; pass++) {
        t.writer = pass == 0 ? &measuring : writer;
        ovl_table_begin(&t);
        for (size_t i = 0; i < count; i++)
            put(&t, of, i);
        ovl_table_end(&t);
    }
}
