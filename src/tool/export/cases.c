/* Runs as test suites, for CI servers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "record/status.h"
#include "tool/cells/owed.h"
#include "tool/export/export.h"
#include "tool/export/junit.h"

#include <stdlib.h>
#include <string.h>

/* That a run was cut short is a failure of the run's own case. */
static enum ovl_junit_result result_of(const struct ovl_member *m)
{
    const char *why = ovl_member_no_claim(m);
    bool bad = why && (strcmp(why, "invalid") == 0 || strcmp(why, "wrong") == 0 || strcmp(why, "impossible") == 0);
    return !why ? OVL_JUNIT_PASSED : bad ? OVL_JUNIT_FAILED : OVL_JUNIT_SKIPPED;
}

/* Why a cell claims nothing. */
static const char *why_not(const struct ovl_member *m, const char *unended)
{
    const struct ovl_cell *cell = m->cell;
    if (!ovl_run_no_claim(m->run, cell))
        return m->twice   ? "its run has it twice"
               : m->again ? "another run of these files has every sample of it"
                          : "its stored values cannot be";
    if (strcmp(cell->placement, OVL_EMULATED) == 0)
        return "an emulator ran the workers, whose times are those of no processor";
    if (ovl_cell_alone(cell) && strcmp(cell->status, "invalid") != 0)
        return "one rank: nothing is communicated";
    if (ovl_cell_idle(cell) && strcmp(cell->status, "invalid") != 0)
        return "the workers had nothing to do";
    return ovl_cell_claims(cell) ? unended : *cell->reason ? cell->reason : "no reason given";
}

/* Of each group the launches that owe it a cell (ovl_groups_lost), but for those without an end, which fail by that. */
static bool **find_owed(const struct ovl_exporting *e)
{
    bool **owed = ovl_alloc(e->groups->count + 1, sizeof *owed);
    for (size_t g = 0; g < e->groups->count; g++) {
        owed[g] = ovl_groups_lost(e->groups, &e->groups->group[g], 0);
        for (size_t r = 0; r < e->record->run_count; r++)
            owed[g][r] = owed[g][r] && !ovl_run_unended(&e->record->runs[r]);
    }
    return owed;
}

/* How many cases of the run, NULL for all, have each result: a cell that it has twice is one, and so is one that it
   owes. Their number. */
static size_t count_results(const struct ovl_exporting *e, bool *const *owed, const struct ovl_run *run,
                            size_t count[3])
{
    size_t n = 0;
    for (size_t g = 0; g < e->groups->count; g++)
        for (size_t r = 0; r < e->record->run_count; r++)
            if (owed[g][r] && (!run || run == &e->record->runs[r])) {
                count[OVL_JUNIT_SKIPPED]++;
                n++;
            }
    for (const struct ovl_member *m = e->groups->members; m < e->groups->members + e->groups->member_count; m++)
        if (!run || m->run == run) {
            count[result_of(m)]++;
            n++;
        }
    return n;
}

/* A suite per run: its cells, those that it owes, and a case that fails where the run has no end. */
static void write_suite(FILE *out, const struct ovl_exporting *e, bool *const *owed, const struct ovl_run *run)
{
    size_t count[3] = {0}, *failed = &count[OVL_JUNIT_FAILED];
    char name[256], message[512];
    size_t n;
    const char *unended = ovl_run_unended(run), *reason = json_string_value(json_object_get(run->end, "reason"));
    char ended[256];
    ovl_utf8_print(ended, sizeof ended, "%s%s%s", unended ? unended : "", reason ? ": " : "", reason ? reason : "");
    size_t cases = count_results(e, owed, run, count);
    *failed += unended != NULL;
    ovl_utf8_print(name, 100, "%s", ovl_run_text(run, "benchmark"));
    n = strlen(name);
    ovl_utf8_print(name + n, sizeof name - n, " %s", ovl_run_text(run, "run_id"));
    ovl_junit_suite(out, name, cases + 1, *failed, count[OVL_JUNIT_SKIPPED]);
    ovl_junit_case(out, name, "the run ended in good order", 0, unended ? OVL_JUNIT_FAILED : OVL_JUNIT_PASSED,
                   !unended   ? "complete"
                   : run->end ? ended
                              : "no end line: the job was killed or still runs");
    for (size_t g = 0; g < e->groups->count; g++) {
        if (owed[g][run - e->record->runs])
            ovl_junit_case(out, name, e->groups->group[g].label, 0, OVL_JUNIT_SKIPPED,
                           "not known: other launches have this cell, and this one does not");
        for (size_t i = 0; i < e->groups->group[g].count; i++) {
            const struct ovl_member *member = &e->groups->group[g].member[i];
            const struct ovl_cell *cell = member->cell;
            if (member->run != run)
                continue;
            double total = cell->summary[OVL_TOTAL].median;
            if (result_of(member) == OVL_JUNIT_PASSED)
                snprintf(message, sizeof message, "total %s us, hidden %s %%%s",
                         ovl_number_text((char[32]){""}, 1e6, 2, false, total),
                         OVL_PERCENT(1, cell->derived[OVL_HIDDEN].value),
                         ovl_cell_unchecked(cell) ? ", data not checked" : "");
            else
                ovl_utf8_print(message, sizeof message, "%s: %s", ovl_member_no_claim(member),
                               why_not(member, unended));
            ovl_junit_case(out, name, e->groups->group[g].label, total, result_of(member), message);
        }
    }
    ovl_junit_suite_end(out);
}

/* Launches of a sweep that crashed before they wrote anything are nobody's cases. */
static void write_unwritten(FILE *out, const struct ovl_record *record)
{
    static const char suite[] = "launches without a record";
    if (record->unwritten_count == 0)
        return;
    ovl_junit_suite(out, suite, record->unwritten_count, record->unwritten_count, 0);
    for (size_t i = 0; i < record->unwritten_count; i++) {
        char *file = ovl_printable_copy(record->unwritten[i].file);
        ovl_junit_case(out, suite, file, 0, OVL_JUNIT_FAILED, "a launch of a sweep left no record");
        free(file);
    }
    ovl_junit_suite_end(out);
}

/* Nor are records whose sweep.log does not tell how they came about: no run alone fails by that. */
static void write_untold(FILE *out, const char *untold)
{
    static const char suite[] = "what the log of a sweep tells";
    if (!untold)
        return;
    char *text = ovl_printable_copy(untold);
    ovl_junit_suite(out, suite, 1, 0, 1);
    ovl_junit_case(out, suite, "how the records came about", 0, OVL_JUNIT_SKIPPED, text);
    ovl_junit_suite_end(out);
    free(text);
}

static int write_cases(FILE *out, const struct ovl_exporting *e, struct ovl_error *err)
{
    (void)err;
    bool **owed = find_owed(e);
    size_t count[3] = {0}, failed = e->record->unwritten_count, tests = failed + e->record->run_count;
    for (size_t r = 0; r < e->record->run_count; r++)
        failed += ovl_run_unended(&e->record->runs[r]) != NULL;
    tests += count_results(e, owed, NULL, count) + (e->sources->owed.untold != NULL);
    failed += count[OVL_JUNIT_FAILED];
    count[OVL_JUNIT_SKIPPED] += e->sources->owed.untold != NULL;
    ovl_junit_begin(out, tests, failed, count[OVL_JUNIT_SKIPPED]);
    for (size_t r = 0; r < e->record->run_count; r++)
        write_suite(out, e, owed, &e->record->runs[r]);
    write_unwritten(out, e->record);
    write_untold(out, e->sources->owed.untold);
    ovl_junit_end(out);
    for (size_t g = 0; g < e->groups->count; g++)
        free(owed[g]);
    free(owed);
    return 0;
}

const struct ovl_export_form ovl_export_junit = {.name = "junit", .keeps_all = true, .write = write_cases};
