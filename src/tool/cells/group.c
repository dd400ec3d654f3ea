/* Sorting the cells of launches into groups. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/group.h"
#include "base/checksum.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "cli/options.h"
#include "record/derived/settle.h"
#include "tool/cells/apart.h"
#include "tool/cells/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int in_order(const void *a, const void *b)
{
    const struct ovl_member *x = a, *y = b;
    int by_key = strverscmp(x->key, y->key);
    if (by_key)
        return by_key;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    int by_time = strcmp(ovl_run_text(x->run, "started"), ovl_run_text(y->run, "started"));
    if (by_time)
        return by_time;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return x->cell < y->cell ? -1 : 1;
}

static void gather(struct ovl_groups *g, const struct ovl_record *const *records, size_t record_count)
{
    char job[OVL_MEMBER_JOB];
    size_t most = 0;
    for (size_t side = 0; side < record_count; side++)
        for (size_t r = 0; r < records[side]->run_count; r++)
            most += records[side]->runs[r].cell_count;
    g->members = ovl_alloc(most, sizeof *g->members);
    g->group = ovl_alloc(most, sizeof *g->group);
    for (size_t side = 0; side < record_count; side++)
        for (size_t r = 0; r < records[side]->run_count; r++)
            for (size_t c = 0; c < records[side]->runs[r].cell_count; c++) {
                const struct ovl_run *run = &records[side]->runs[r];
                if (c == 0)
                    ovl_apart_job(job, run->file);
                struct ovl_member *m = &g->members[g->member_count];
                *m = (struct ovl_member){
                    .side = side, .run = run, .cell = &run->cells[c], .key = ovl_point_key(run, &run->cells[c], NULL)};
                memcpy(m->job, job, sizeof job);
                g->member_count++;
            }
    qsort(g->members, g->member_count, sizeof *g->members, in_order);
}

/* Finds where each group begins, and drops what a run has twice, or keeps it with `all`. */
static void divide(struct ovl_groups *g, bool all)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->member_count; i++) {
        struct ovl_member *m = &g->members[i], *last = kept > 0 ? &g->members[kept - 1] : NULL;
        bool same = last && strcmp(last->key, m->key) == 0;
        if (same && last->run == m->run) {
            g->repeated++;
            if (!all) {
                bool wrong = m->cell->validated == 0 && last->cell->validated != 0;
                if (wrong || (ovl_member_claims(last) && !ovl_member_claims(m)))
                    last->cell = m->cell;
                else if (ovl_member_claims(last))
                    last->twice = true;
                free(m->key);
                continue;
            }
        }
        if (!same)
            g->group[g->count++].member = &g->members[kept];
        g->members[kept++] = *m;
        g->group[g->count - 1].count++;
    }
    g->member_count = kept;
}

/* What a cell without samples says of them, in short: of two launches it is never the same. */
static char *values_of(const struct ovl_cell *c)
{
    uint32_t sum =
        ovl_checksum_crc32(ovl_checksum_crc32(0, c->summary, sizeof c->summary), c->derived, sizeof c->derived);
    return ovl_text("%08x %.17g", sum, c->summary[OVL_TOTAL].median);
}

/* A record that is sent once more under another name and date is no other launch, with its CRC-32 or without. Members
   are by side, then by time: the first keeps its samples. */
static void find_again(struct ovl_groups *g)
{
    for (size_t k = 0, i = 0; k < g->count; k++) {
        json_t *seen = json_object();
        for (size_t end = i + g->group[k].count; i < end; i++) {
            struct ovl_member *m = &g->members[i];
            const char *sum = m->cell->samples_sum;
            if (m->cell->summary[OVL_TOTAL].n == 0)
                continue;
            char *values = *sum ? NULL : values_of(m->cell);
            const char *key = *sum ? sum : values;
            m->again = json_object_get(seen, key);
            if (m->again && g->again++ == 0)
                g->again_first = m;
            json_object_set_new(seen, key, json_true());
            free(values);
        }
        json_decref(seen);
    }
}

static void put_word(char *text, size_t room, const struct ovl_field *f, const char *value)
{
    char size[24];
    size_t n = strlen(text);
    const char *gap = n ? " " : "";
    if (strcmp(f->name, "size_bytes") == 0) {
        ovl_options_size_text((uint64_t)strtoull(value, NULL, 10), size);
        ovl_utf8_print(text + n, room - n, "%s%s", gap, size);
    } else if (strcmp(f->name, "benchmark") == 0 || strcmp(f->name, "mode") == 0) {
        ovl_utf8_print(text + n, room - n, "%s%s", gap, value);
    } else {
        ovl_utf8_print(text + n, room - n, "%s%s=%s", gap, f->name, value);
    }
}

static void text_of(char text[OVL_FIELD_TEXT_ROOM], const struct ovl_field *f, const struct ovl_group *g)
{
    const struct ovl_member *m = g->member;   /* the analyzer does not see that divide() sets it */
    ovl_field_text(text, f, m->run, m->cell); /* NOLINT(clang-analyzer-core.NullDereference) */
}

/* A label that has no room for one more character may have been cut. */
static void mark_cut(char label[OVL_GROUP_LABEL])
{
    static const char more[] = "…";
    if (strlen(label) + sizeof more > OVL_GROUP_LABEL)
        strcpy(label + ovl_utf8_cut(label, OVL_GROUP_LABEL - sizeof more), more);
}

/* Benchmark, mode and size stand in each label; of the others those in which groups differ. */
static void label(struct ovl_groups *g)
{
    static const char *const always[] = {"benchmark", "mode", "size_bytes"};
    char text[OVL_FIELD_TEXT_ROOM], other[OVL_FIELD_TEXT_ROOM];
    for (size_t a = 0; a < 3; a++)
        for (size_t k = 0; k < g->count; k++) {
            const struct ovl_field *f = ovl_point_find(always[a]);
            text_of(text, f, &g->group[k]);
            if (*text)
                put_word(g->group[k].label, sizeof g->group[k].label, f, text);
        }
    for (const struct ovl_field *f = ovl_fields_point; f->path && g->count > 0; f++) {
        bool differs = false;
        if (strcmp(f->name, always[0]) == 0 || strcmp(f->name, always[1]) == 0 || strcmp(f->name, always[2]) == 0)
            continue;
        text_of(text, f, &g->group[0]);
        for (size_t k = 1; k < g->count; k++) {
            text_of(other, f, &g->group[k]);
            differs |= strcmp(text, other) != 0;
        }
        if (!differs && *text)
            put_word(g->common, sizeof g->common, f, text);
        for (size_t k = 0; k < g->count && differs; k++) {
            text_of(text, f, &g->group[k]);
            if (*text && !(f->usual && strcmp(text, f->usual) == 0))
                put_word(g->group[k].label, sizeof g->group[k].label, f, text);
        }
    }
    for (size_t k = 0; k < g->count; k++) {
        size_t n = strlen(g->group[k].label);
        if (g->group[k].member->apart)
            ovl_utf8_print(g->group[k].label + n, sizeof g->group[k].label - n, " job=%s", g->group[k].member->job);
    }
    for (size_t k = 0; k < g->count; k++)
        ovl_point_unknown(g->group[k].label, sizeof g->group[k].label, g->group[k].member->cell);
    for (size_t k = 0; k < g->count; k++)
        mark_cut(g->group[k].label);
}

static void make(struct ovl_groups *g, const struct ovl_record *const *records, size_t record_count, bool all)
{
    *g = (struct ovl_groups){.record_count = record_count};
    for (size_t side = 0; side < record_count; side++)
        g->record[side] = records[side];
    gather(g, records, record_count);
    if (!all)
        ovl_apart_jobs(g->members, g->member_count, in_order);
    divide(g, all);
    if (!all)
        find_again(g);
    label(g);
}

void ovl_groups_make(struct ovl_groups *g, const struct ovl_record *const *records, size_t record_count)
{
    make(g, records, record_count, false);
}

void ovl_groups_make_all(struct ovl_groups *g, const struct ovl_record *record)
{
    make(g, &record, 1, true);
}

void ovl_groups_free(struct ovl_groups *g)
{
    for (size_t i = 0; i < g->member_count; i++)
        free(g->members[i].key);
    free(g->members);
    free(g->group);
    *g = (struct ovl_groups){0};
}

/* As stored: T is above 0 and holds the work, by half at least, and what is hidden is no more than C and a slower W
   explain. Records whose values follow from such samples have no claim by themselves. */
static bool possible(const struct ovl_cell *c)
{
    double total = c->summary[OVL_TOTAL].median, work = c->summary[OVL_COMPUTE].median,
           alone = c->summary[OVL_COMM].median, hidden = c->derived[OVL_HIDDEN].value;
    return !(total <= 0) && !(total < work / 2) && !(alone > 0 && hidden > 1 + work / alone);
}

const char *ovl_member_odd(const struct ovl_member *m)
{
    return m->again || m->twice ? "repeated" : !possible(m->cell) ? "impossible" : NULL;
}

const char *ovl_member_no_claim(const struct ovl_member *m)
{
    const char *why = ovl_run_no_claim(m->run, m->cell);
    return why ? why : ovl_member_odd(m);
}

bool ovl_member_claims(const struct ovl_member *m)
{
    return !ovl_member_no_claim(m);
}

bool ovl_member_claims_again(const struct ovl_member *m)
{
    const json_t *read = json_object_get(json_object_get(m->run->head, "clock"), "read_seconds");
    bool slower = json_is_number(read) && m->cell->clock_read_seconds > (1 + 1e-9) * json_number_value(read);
    return !ovl_run_unended(m->run) && !slower && ovl_cell_claims_again(m->cell);
}

size_t ovl_group_side(const struct ovl_group *g, size_t side, const struct ovl_member **first)
{
    size_t before = 0, n = 0;
    while (before < g->count && g->member[before].side < side)
        before++;
    while (before + n < g->count && g->member[before + n].side == side)
        n++;
    *first = g->member + before;
    return n;
}

void ovl_groups_note_again(FILE *out, const struct ovl_groups *g)
{
    if (g->again == 0)
        return;
    fprintf(out, "# note     %zu cell%s the very samples of another launch, and count%s for nothing: ", g->again,
            g->again == 1 ? " has" : "s have", g->again == 1 ? "s" : "");
    ovl_printable_put(out, g->again_first->run->file);
    fputs("\n", out);
}

void ovl_group_name(const struct ovl_group *g, char name[OVL_GROUP_LABEL])
{
    snprintf(name, OVL_GROUP_LABEL, "%s", g->label);
    for (char *c = name; *c; c++)
        if (*c == ' ')
            *c = '/';
}

json_t *ovl_group_json(const struct ovl_group *g)
{
    json_t *o = json_object();
    for (const struct ovl_field *f = ovl_fields_point; f->path; f++) {
        char text[OVL_FIELD_TEXT_ROOM];
        ovl_field_text(text, f, g->member->run, g->member->cell);
        if (!*text)
            continue;
        bool number = f->kind == OVL_FIELD_WHOLE || f->kind == OVL_FIELD_NUMBER;
        double x = strtod(text, NULL);
        bool whole = number && x == floor(x) && fabs(x) < 1e15;
        json_object_set_new(o, f->name,
                            whole    ? json_integer((json_int_t)x)
                            : number ? json_real(x)
                                     : json_string(text));
    }
    return o;
}
