/* The work of launches, held against the record that it comes from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/planned/work.h"
#include "record/derived/units.h"
#include "tool/sweep/launcher/launch.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static bool wrong(char why[OVL_WORK_WHY], const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(why, OVL_WORK_WHY, format, values);
    va_end(values);
    return false;
}

static const char *word(const struct ovl_run *run, size_t i)
{
    const char *text = json_string_value(json_array_get(json_object_get(run->head, "command"), i));
    return text ? text : "nothing";
}

const char *ovl_work_tail(const char *path)
{
    const char *end = path + strlen(path);
    for (int slashes = 0; end > path; end--)
        if (end[-1] == '/' && ++slashes == 2)
            break;
    return end;
}

const json_t *ovl_work_source(const struct ovl_plan *p, const struct ovl_launch *l)
{
    const json_t *source = ovl_plan_option(l->job, "--work-from") ? NULL : ovl_plan_work_of(p, l->job);
    return source == l->job && l->number == 1 ? NULL : source;
}

bool ovl_work_outside(const struct ovl_plan *p, const struct ovl_launch *l, struct ovl_path *said)
{
    const char *own = ovl_plan_option(l->job, "--work-from");
    if (own)
        *said = ovl_path("%s", own);
    return own || (!ovl_work_source(p, l) && ovl_launch_work_from(p, l, "", said));
}

bool ovl_work_find(struct ovl_path *path, const char *said, const char *folder)
{
    bool here = *said == '/' || access(said, R_OK) == 0;
    *path = here ? ovl_path("%s", said) : ovl_path("%s/../%s", folder, said);
    return access(path->text, R_OK) == 0;
}

/* Behind the job's own words stands where the work comes from. A folder of the sweep may lie elsewhere now. */
static bool by_words(const struct ovl_sweep *s, const struct ovl_run *run, const struct ovl_launch *l, size_t *at,
                     char why[OVL_WORK_WHY])
{
    struct ovl_path wanted, here;
    bool of_sweep = ovl_work_source(&s->plan, l), any = ovl_launch_work_from(&s->plan, l, s->folder, &wanted);
    bool known = !any || of_sweep || ovl_work_find(&here, wanted.text, s->folder);
    if (strcmp(word(run, *at), "--work-from") != 0)
        return !any || !known || wrong(why, "it did not take its work from %.100s", ovl_work_tail(wanted.text));
    const char *given = word(run, *at + 1);
    *at += 2;
    bool same = any && (of_sweep ? strcmp(ovl_work_tail(wanted.text), ovl_work_tail(given)) == 0
                                 : strcmp(wanted.text, given) == 0);
    return same || !known || wrong(why, "it took its work from %.100s, which is not the plan's", ovl_work_tail(given));
}

/* The units of a cell in runs that may set them: of a record outside, or of the first launch of a job. */
struct source {
    const struct ovl_run *run;
    size_t count;
    const struct ovl_jobs *jobs; /* of whose record they are, else NULL */
    int sweep;
    const json_t *job;
};

static bool is_source(const struct source *from, size_t r)
{
    const struct ovl_jobs *j = from->jobs;
    if (!j)
        return true;
    const struct ovl_job *job = &j->job[j->run[r].job];
    return job->sweep == from->sweep && j->run[r].launch == 0 &&
           json_array_get(json_object_get(j->sweep[job->sweep].plan.json, "jobs"), job->of_plan) == from->job;
}

/* Does the record that is the source have a driver's cell of that size which does not tell how much work it did? Then
   nobody knows what was to be done. */
static bool hides_units(const struct ovl_run *source, const struct ovl_cell *like)
{
    for (size_t c = 0; c < source->cell_count; c++) {
        const struct ovl_cell *cell = &source->cells[c];
        if (!ovl_cell_solves(cell) && *cell->compute_kind && !(cell->units > 0) &&
            strcmp(cell->benchmark, like->benchmark) == 0 && cell->size_bytes == like->size_bytes)
            return true;
    }
    return false;
}

static bool by_units(const struct source *from, const struct ovl_run *run, const char *name, char why[OVL_WORK_WHY])
{
    size_t sources = 0;
    for (size_t r = 0; r < from->count; r++)
        sources += is_source(from, r);
    if (sources == 0)
        return wrong(why, "no record is given of %.100s, whose work it takes", name);
    for (size_t c = 0; c < run->cell_count; c++) {
        const struct ovl_cell *cell = &run->cells[c];
        double units = 0;
        bool hidden = false, two = false;
        for (size_t r = 0; r < from->count; r++) {
            double found = is_source(from, r) ? ovl_units_in(&from->run[r], run, cell) : 0;
            two = two || (found > 0 && units > 0 && found != units);
            units = found > 0 ? found : units;
            hidden = hidden || (is_source(from, r) && hides_units(&from->run[r], cell));
        }
        if (two)
            return wrong(why, "%.80s, whose work it takes, has several units at %.0f bytes", name, cell->size_bytes);
        if (units == 0 && hidden)
            return wrong(why, "%.80s, whose work it takes, does not tell its units at %.0f bytes", name,
                         cell->size_bytes);
        if (units > 0 ? cell->units != units : cell->from_record == 1)
            return wrong(why, "it did %.0f units of work at %.0f bytes, and %.80s has %.0f", cell->units,
                         cell->size_bytes, name, units);
    }
    return true;
}

bool ovl_work_held(const struct ovl_jobs *j, size_t run, const struct ovl_launch *l, size_t *at, char why[OVL_WORK_WHY])
{
    struct ovl_path said, path;
    int sweep = j->job[j->run[run].job].sweep;
    const struct ovl_sweep *s = &j->sweep[sweep];
    const struct ovl_run *of = &j->record->runs[run];
    struct source from = {j->record->runs, j->record->run_count, j, sweep, ovl_work_source(&s->plan, l)};
    struct ovl_record outside = {.runs = NULL};
    struct ovl_error err;
    if (!by_words(s, of, l, at, why))
        return false;
    if (from.job && ovl_launch_work_from(&s->plan, l, s->folder, &said))
        return by_units(&from, of, ovl_work_tail(said.text), why);
    if (!ovl_work_outside(&s->plan, l, &said) || !ovl_work_find(&path, said.text, s->folder))
        return true;
    bool good = ovl_record_read_brief(&outside, path.text, &err) == 0 || wrong(why, "%.190s", err.text);
    from = (struct source){.run = outside.runs, .count = outside.run_count};
    good = good && by_units(&from, of, ovl_work_tail(said.text), why);
    ovl_record_free(&outside);
    return good;
}
