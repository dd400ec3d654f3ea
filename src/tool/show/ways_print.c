/* The table of rivals, and what it says. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sizes.h"
#include "record/status.h"
#include "table/columns.h"
#include "table/table.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/cells/point.h"
#include "tool/cells/setting.h"
#include "tool/cells/unlike.h"
#include "tool/show/ways.h"

#include <math.h>
#include <string.h>

const struct ovl_column ovl_ways_columns[] = {
    {.show = {"what", 1, 0, 0, false}, .left = 2},
    {.show = {"size", 1, 0, 12, false}},
    {.show = {"ranks", 1, 0, 6, false}},
    {.show = {"who", 1, 0, 9, false}},
    {.show = {"total ms", 1e3, 3, 10, false}},
    {.show = {"95 % interval", 1e3, 3, 0, false}, .interval = 19},
    {.show = {"/host", 1, 3, 7, false}},
    {.show = {"slowdown", 1, 3, 9, false}},
    {.show = {"OMB %", 1, 1, 6, false}},
    {.show = {"hidden %", 100, 1, 9, false}},
    {.show = {"cores", 1, 0, 7, false}},
    {.show = {"x cores ms", 1e3, 3, 11, false}},
    {.show = {"cpu ms", 1e3, 3, 9, false}},
    {.show = {"work/core", 1, 3, 10, false}},
    {.show = {"95 % interval", 1, 3, 22, false}},
    {.show = {"launches", 1, 0, 9, false}},
    {.show = {"status", 1, 0, 0, false}, .left = 2},
    {.field = NULL},
};

/* "512K", or what an application solves. */
static void put_place(const struct ovl_way *r, char text[OVL_FIELD_TEXT_ROOM])
{
    static const char *const problems[] = {"grid", "model", "n"};
    const struct ovl_member *m = r->group->member;
    strcpy(text, "-");
    if (m->cell->size_bytes > 0)
        ovl_options_size_text((uint64_t)m->cell->size_bytes, text);
    for (size_t i = 0; i < sizeof problems / sizeof *problems && *text == '-'; i++) {
        ovl_field_text(text, ovl_point_find(problems[i]), m->run, m->cell);
        if (!*text)
            strcpy(text, "-");
    }
}

static void put_row(struct ovl_table *t, const void *of, size_t i)
{
    const struct ovl_way *r = &((const struct ovl_ways *)of)->way[i];
    const struct ovl_member *last = &r->group->member[r->group->count - 1];
    const struct ovl_cell *cell = r->group->member->cell;
    char launches[48], status[OVL_STATUS_TEXT] = "ok", place[OVL_FIELD_TEXT_ROOM];
    snprintf(launches, sizeof launches, r->launches < r->group->count ? "%zu of %zu" : "%zu", r->launches,
             r->group->count);
    if (r->launches < r->group->count) {
        for (size_t k = 0; k < r->group->count && ovl_member_claims(last); k++)
            last = &r->group->member[k];
        ovl_status_text(last->cell, status);
    }
    const char *unlike = ovl_members_unlike(r->group->member, r->group->count);
    if (unlike)
        snprintf(status, sizeof status, "unlike %s", unlike);
    put_place(r, place);
    ovl_table_text(t, "%s", cell->benchmark);
    ovl_table_text(t, "%s", place);
    ovl_table_text(t, cell->workers > 0 ? "%.0f+%.0f" : "%.0f", cell->ranks, cell->workers);
    ovl_table_text(t, "%s", r->name);
    ovl_table_number(t, r->total.value);
    ovl_table_estimate(t, (struct ovl_estimate){NAN, r->total.ci_low, r->total.ci_high});
    ovl_table_number(t, r->to_host.value);
    ovl_table_number(t, r->slowdown);
    ovl_table_number(t, r->omb);
    ovl_table_number(t, r->hidden);
    if (r->cores == 0)
        ovl_table_text(t, "shared");
    else
        ovl_table_number(t, r->cores);
    ovl_table_number(t, r->core_seconds);
    ovl_table_number(t, r->cpu_seconds);
    ovl_table_text(t, isnan(r->per_core.value) ? "-" : "%.3g", r->per_core.value);
    ovl_table_text(t, isnan(r->per_core.ci_low) ? "-" : "%.3g .. %.3g", r->per_core.ci_low, r->per_core.ci_high);
    ovl_table_text(t, "%s", launches);
    ovl_table_text(t, "%s%s%s", status, r->twin ? ": " : "", r->twin ? r->group->label : "");
    ovl_table_row_end(t);
}

static void say(FILE *out, const char *head, const struct ovl_way *r, const char *text)
{
    char place[OVL_FIELD_TEXT_ROOM];
    const char *job = r->twin ? r->group->member->job : "";
    put_place(r, place);
    fprintf(out, "# %s %s %s%s%s%s: %s\n", head, r->group->member->cell->benchmark, place, *job ? " (job " : "", job,
            *job ? ")" : "", text);
}

/* OMB's overlap is large, and the program takes longer than with the host alone. */
static void say_hidden_losses(FILE *out, const struct ovl_ways *t)
{
    const double large = 25, longer = 1.01;
    for (size_t i = 0; i < t->count; i++) {
        const struct ovl_way *r = &t->way[i];
        char text[128];
        if (r->wrong > 0 || r->lost || !(r->omb >= large) || !(r->to_host.value > longer) || r->to_host.ci_low <= 1)
            continue;
        snprintf(text, sizeof text, "%s overlaps %.0f %% by OMB, and takes %.2f times the host's total%s", r->name,
                 r->omb, r->to_host.value, r->launches > 0 ? "" : " (no claim)");
        say(out, "OMB hides ", r, text);
    }
}

static void say_apart(FILE *out, const struct ovl_ways *t)
{
    for (size_t i = 0; i < t->count; i++)
        for (size_t k = 0; k < i; k++) {
            const char *differs = ovl_ways_same_work(t, i, k) ? ovl_way_apart(&t->way[i], &t->way[k]) : NULL;
            char text[2 * OVL_WAY_WHO + 96], one[OVL_WAY_WHO];
            if (!differs)
                continue;
            bool machines = strcmp(differs, "hosts[].machine") == 0;
            snprintf(text, sizeof text, "%s and %s %s%.40s, and are not compared", ovl_way_who(&t->way[k], one),
                     t->way[i].name, machines ? "ran on other machines" : "differ in ", machines ? "" : differs);
            say(out, "apart     ", &t->way[i], text);
        }
}

/* Returns how many ways have some. */
static size_t say_wrong(FILE *out, const struct ovl_ways *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct ovl_way *r = &t->way[i];
        char head[OVL_WAY_NAME + 8], text[128];
        if (r->wrong == 0)
            continue;
        snprintf(head, sizeof head, "%s wrong", r->name);
        snprintf(text, sizeof text, "wrong data in %zu of %zu launch%s, so it is compared with nothing", r->wrong,
                 r->group->count, r->group->count == 1 ? "" : "es");
        say(out, head, r, text);
        n++;
    }
    return n;
}

static void say_ends(FILE *out, const struct ovl_ways *t)
{
    static const char *const heads[OVL_WAY_NO_END] = {"dpu wins  ", "dpu draws ", "dpu loses ", "dpu open  "};
    for (enum ovl_way_end end = OVL_WAY_WINS; end < OVL_WAY_NO_END; end++)
        for (size_t i = 0; i < t->count; i++) {
            char text[OVL_WAY_END_TEXT];
            if (ovl_way_end(t, i, text) == end)
                say(out, heads[end], &t->way[i], text);
        }
}

static void say_what_is_meant(FILE *out, const struct ovl_ways *t)
{
    size_t shared = 0;
    for (size_t i = 0; i < t->count; i++)
        shared += t->way[i].cores == 0;
    fputs(
        "# /host: total / that of the host without test calls on the same work, by launch. OMB %: the overlap by OMB's "
        "formula.\n# cpu: of all ranks, threads and workers in one total.\n",
        out);
    if (shared)
        fputs(
            "# shared: ranks, workers or threads wait for each other's cores, so time x cores and equal cores are not "
            "shown.\n",
            out);
}

int ovl_ways_print(FILE *out, const struct ovl_record *record)
{
    struct ovl_ways t;
    ovl_ways_make(&t, record);
    if (*t.groups.common)
        fprintf(out, "# all have %s\n", t.groups.common);
    ovl_table_print(ovl_table_to(out, &ovl_table_plain, ovl_ways_columns, 0, true), t.count, put_row, &t);
    say_what_is_meant(out, &t);
    if (t.left_out > 0)
        fprintf(out, "# left out: %zu row%s of jobs that measure in fewer launches what another job has, too\n",
                t.left_out, t.left_out == 1 ? "" : "s");
    ovl_setting_note_mixed(out, "# note:", &t.groups);
    size_t lost = ovl_inputs_lost(record);
    if (lost > 0)
        fprintf(out, "# note: %zu launch%s of a sweep left no record, or none with a cell\n", lost,
                lost == 1 ? "" : "es");
    say_apart(out, &t);
    size_t wrong = say_wrong(out, &t);
    say_hidden_losses(out, &t);
    say_ends(out, &t);
    ovl_ways_free(&t);
    return wrong > 0 ? OVL_WRONG_DATA : OVL_OK;
}
