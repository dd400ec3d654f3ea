/* Work out of a record. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/units.h"
#include "record/field.h"

#include <math.h>
#include <string.h>

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

/* Is it the same operation, by the options that are parts of a point? Those of workers do not touch the host's work. */
static bool operates_alike(const struct ovl_run *a, const struct ovl_run *b)
{
    static const struct ovl_cell none;
    const struct ovl_run *runs[] = {a, b};
    char text[2][OVL_FIELD_TEXT_ROOM];
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        if (strncmp(f->path, "options.", strlen("options.")) != 0 || ovl_field_is_partial(f))
            continue;
        for (int r = 0; r < 2; r++) {
            ovl_field_text(text[r], f, runs[r], &none);
            if (f->usual && strcmp(text[r], f->usual) == 0)
                *text[r] = '\0';
        }
        if (strcmp(text[0], text[1]) != 0)
            return false;
    }
    return true;
}

static bool matches(const struct ovl_cell *c, const struct ovl_cell *like)
{
    return strcmp(c->mode, "host") == 0 && strcmp(c->benchmark, like->benchmark) == 0 &&
           strcmp(c->compute_kind, like->compute_kind) == 0 && strcmp(c->datatype, like->datatype) == 0 &&
           same(c->size_bytes, like->size_bytes) && same(c->ranks, like->ranks) && same(c->ratio, like->ratio) &&
           same(c->compute_us, like->compute_us) && c->units > 0;
}

double ovl_units_in(const struct ovl_run *run, const struct ovl_run *own, const struct ovl_cell *like)
{
    double units = 0;
    for (size_t c = 0; c < run->cell_count && operates_alike(run, own); c++)
        if (matches(&run->cells[c], like))
            units = run->cells[c].units;
    return units;
}
