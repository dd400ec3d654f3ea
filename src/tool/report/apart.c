/* Two sides that have no cell in common, on the page of `ovl report`: in which fields their cells differ. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"
#include "table/escape.h"
#include "tool/report/page.h"

enum { SHOWN = 6 }; /* values of a field */

bool ovl_page_sides_meet(const struct ovl_groups *both)
{
    const struct ovl_member *first;
    for (size_t i = 0; i < both->count; i++)
        if (ovl_group_side(&both->group[i], 0, &first) > 0 && ovl_group_side(&both->group[i], 1, &first) > 0)
            return true;
    return false;
}

/* The different texts that a field has on a side, in order. */
static json_t *values_of(const struct ovl_groups *both, size_t side, const struct ovl_field *f)
{
    json_t *values = json_object();
    for (size_t i = 0; i < both->member_count; i++) {
        const struct ovl_member *m = &both->members[i];
        char text[OVL_FIELD_TEXT_ROOM];
        if (m->side != side)
            continue;
        ovl_field_text(text, f, m->run, m->cell);
        json_object_set_new_nocheck(values, *text ? text : "not set", json_true());
    }
    return values;
}

static void put_values(FILE *out, json_t *values)
{
    const char *text;
    json_t *value;
    size_t told = 0;
    json_object_foreach(values, text, value) {
        if (told < SHOWN) {
            fputs(told ? ", " : "", out);
            ovl_escape_xml(out, text);
        }
        told++;
    }
    if (told > SHOWN)
        fprintf(out, " and %zu more", told - SHOWN);
}

void ovl_page_apart(FILE *out, const struct ovl_groups *both)
{
    size_t differ = 0;
    fputs("<p><strong class=\"INCONCLUSIVE\">No cell is on both sides: nothing is compared.</strong></p>\n<ul>\n", out);
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        json_t *old = values_of(both, 0, f), *new = values_of(both, 1, f);
        if (!json_equal(old, new)) {
            fprintf(out, "<li>%s: ", f->name);
            put_values(out, old);
            fputs(" (old) &rarr; ", out);
            put_values(out, new);
            fputs(" (new)</li>\n", out);
            differ++;
        }
        json_decref(old);
        json_decref(new);
    }
    fputs(differ ? "</ul>\n" : "<li>Each field has the same values on both sides, in other combinations.</li></ul>\n",
          out);
}
