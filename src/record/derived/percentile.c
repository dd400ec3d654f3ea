/* Percentiles as values of the record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/percentile.h"
#include "stats/percentile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row that was made for a name, with its texts. */
struct made {
    struct made *next;
    struct ovl_field field;
    char name[64], head[48], head_of_proxy[48];
};

static struct made *all;

/* "total us" becomes "total p99 us". */
static void put_head(char head[48], struct ovl_show *show, double percent)
{
    if (!show->head)
        return;
    size_t n = strcspn(show->head, " ");
    snprintf(head, 48, "%.*s p%.6g%s", (int)n, show->head, percent, show->head + n);
    int width = (int)strlen(head) + 1;
    show->width = width > show->width ? width : show->width;
    show->head = head;
}

static struct made *make(const struct ovl_field *quantity, double percent, const char *name)
{
    struct made *m = ovl_alloc(1, sizeof *m);
    m->field = *quantity;
    snprintf(m->name, sizeof m->name, "%s", name);
    m->field.path = m->field.name = m->name;
    m->field.kind = OVL_FIELD_ESTIMATE;
    m->field.size = 0;
    m->field.percent = percent;
    put_head(m->head, &m->field.show, percent);
    put_head(m->head_of_proxy, &m->field.show_of_proxy, percent);
    m->next = all;
    return all = m;
}

const struct ovl_field *ovl_percentile_field_of(const struct ovl_field *quantity, double percent)
{
    char name[64];
    snprintf(name, sizeof name, "%.40s.p%.6g", quantity->name, percent);
    for (struct made *m = all; m; m = m->next)
        if (strcmp(m->name, name) == 0)
            return &m->field;
    return &make(quantity, percent, name)->field;
}

const struct ovl_field *ovl_percentile_field(const char *name)
{
    char quantity[64];
    const char *number = strstr(name, ".p"), *end;
    double percent;
    if (!number || number - name >= (ptrdiff_t)sizeof quantity)
        return NULL;
    snprintf(quantity, sizeof quantity, "%.*s", (int)(number - name), name);
    const struct ovl_field *f = ovl_field_named(ovl_fields_cell, quantity);
    if (!f || f->quantity == 0 || !f->metric || ovl_options_number(number + 2, &percent, &end) != 0 || *end ||
        !(percent > 0 && percent < 100))
        return NULL;
    return ovl_percentile_field_of(f, percent);
}

static double number_in(const json_t *o, const char *name)
{
    const json_t *x = json_object_get(o, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

struct ovl_estimate ovl_percentile_of(const struct ovl_field *f, const struct ovl_cell *cell)
{
    struct ovl_estimate e;
    if (cell->samples.blocks > 0) {
        e = ovl_stats_percentile(cell->samples.max[f->quantity - 1], cell->samples.blocks, f->percent);
        return (struct ovl_estimate){ovl_field_round(e.value), ovl_field_round(e.ci_low), ovl_field_round(e.ci_high)};
    }
    const char *quantity = ovl_field_of_quantity((enum ovl_quantity)(f->quantity - 1))->name;
    const json_t *said = json_object_get(json_object_get(cell->extra, "percentiles"), quantity);
    said = json_object_get(said, f->name + strlen(quantity) + 1);
    return (struct ovl_estimate){number_in(said, "value"), number_in(said, "ci_low"), number_in(said, "ci_high")};
}

static void add(struct ovl_numbers *to, double percent)
{
    for (size_t i = 0; i < to->n; i++)
        if (to->value[i] == percent)
            return;
    if (to->n < sizeof to->value / sizeof *to->value && percent > 0 && percent < 100)
        to->value[to->n++] = percent;
}

void ovl_percentiles_add(struct ovl_numbers *asked, const json_t *options)
{
    const json_t *list = json_object_get(options, "percentiles");
    for (size_t i = 0; i < json_array_size(list); i++)
        add(asked, json_number_value(json_array_get(list, i)));
}

void ovl_percentiles_asked(const struct ovl_run *runs, size_t count, struct ovl_numbers *asked)
{
    *asked = (struct ovl_numbers){0};
    for (size_t r = 0; r < count; r++)
        ovl_percentiles_add(asked, json_object_get(runs[r].head, "options"));
}

void ovl_percentiles_ask(struct ovl_run *run, const struct ovl_numbers *asked)
{
    json_t *list = json_array();
    for (size_t i = 0; i < asked->n; i++)
        json_array_append_new(list, json_real(asked->value[i]));
    if (!json_object_get(run->head, "options"))
        json_object_set_new(run->head, "options", json_object());
    json_object_set_new(json_object_get(run->head, "options"), "percentiles", list);
}

size_t ovl_percentiles_blocks(const struct ovl_numbers *asked)
{
    size_t most = 0;
    for (size_t i = 0; i < asked->n; i++) {
        size_t n = ovl_stats_percentile_claims(asked->value[i]);
        most = n > most ? n : most;
    }
    return most;
}

bool ovl_percentile_shown(const struct ovl_field *quantity)
{
    int q = quantity->quantity - 1;
    return quantity->percent == 0 && ovl_quantity_late(q) >= 0 && q != OVL_COMPUTE;
}

void ovl_percentiles_fill(struct ovl_cell *cell, const struct ovl_run *run)
{
    struct ovl_numbers asked;
    json_t *object = json_object();
    ovl_percentiles_asked(run, 1, &asked);
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        const struct ovl_field *quantity = ovl_field_of_quantity((enum ovl_quantity)q);
        json_t *values = json_object();
        for (size_t i = 0; i < asked.n && cell->summary[q].n > 0 && ovl_percentile_shown(quantity); i++) {
            const struct ovl_field *f = ovl_percentile_field_of(quantity, asked.value[i]);
            const struct ovl_estimate e = ovl_percentile_of(f, cell);
            json_object_set_new(values, f->name + strlen(quantity->name) + 1,
                                ovl_field_json(&(struct ovl_field){.kind = OVL_FIELD_ESTIMATE}, &e));
        }
        if (json_object_size(values) > 0)
            json_object_set(object, quantity->name, values);
        json_decref(values);
    }
    if (asked.n > 0)
        ovl_cell_set(cell, "percentiles", json_incref(object));
    json_decref(object);
}
