/* Notes on the records that were read. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "record/derived/noisy.h"
#include "record/status.h"
#include "tool/cells/inputs/inputs.h"

enum { MOST_WARNINGS = 4 };

void ovl_inputs_note_unended(FILE *out, const struct ovl_record *record, const char *side)
{
    const struct ovl_run *first = NULL;
    size_t n = 0;
    if (record->unwritten_count > 0) {
        fprintf(out,
                "# note     %zu %slaunch%s of a sweep left no record, and count%s as lost: ", record->unwritten_count,
                side, record->unwritten_count == 1 ? "" : "es", record->unwritten_count == 1 ? "s" : "");
        ovl_printable_put(out, record->unwritten[0].file);
        fputs("\n", out);
    }
    for (size_t r = 0; r < record->run_count; r++)
        if (ovl_run_unended(&record->runs[r]) && n++ == 0)
            first = &record->runs[r];
    if (!first)
        return;
    const char *reason = json_string_value(json_object_get(first->end, "reason"));
    fprintf(out, "# note     %zu of %zu %slaunches did not come to their end, and count for nothing: ", n,
            record->run_count, side);
    ovl_printable_put(out, first->file);
    fprintf(out, ": %s%s%.150s\n", ovl_run_unended(first), reason ? ": " : "", reason ? reason : "");
}

void ovl_inputs_note_unchecked(FILE *out, const struct ovl_record *record)
{
    size_t n = 0;
    for (size_t r = 0; r < record->run_count; r++)
        for (size_t c = 0; c < record->runs[r].cell_count; c++)
            n += ovl_cell_unchecked(&record->runs[r].cells[c]);
    if (n > 0)
        fprintf(out, "# note     data not checked in %zu cell%s: wrong data can be quick\n", n, n == 1 ? "" : "s");
}

/* More ran beside it than the cores and the launch before explain, or other guests took of its time. */
static bool is_disturbed(const struct ovl_run *run)
{
    const double much = 1.5;
    const json_t *hosts = json_object_get(run->head, "hosts");
    double processes = json_number_value(json_object_get(run->head, "ranks")) +
                       json_number_value(json_object_get(run->head, "workers"));
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        double load = json_number_value(json_object_get(json_array_get(hosts, i), "load"));
        double cores = json_number_value(json_object_get(json_array_get(hosts, i), "cores"));
        if (load > much * (cores > processes ? cores : processes))
            return true;
    }
    for (size_t c = 0; c < run->cell_count; c++)
        if (ovl_cell_noisy(&run->cells[c]))
            return true;
    return false;
}

void ovl_inputs_note_disturbed(FILE *out, const struct ovl_record *record, const char *side)
{
    const struct ovl_run *first = NULL;
    size_t n = 0;
    for (size_t r = 0; r < record->run_count; r++)
        if (is_disturbed(&record->runs[r]) && n++ == 0)
            first = &record->runs[r];
    if (!first)
        return;
    fprintf(out,
            "# note     others used the cores in %zu of %zu %slaunches, by hosts[].load or steal_fraction (noisy): ", n,
            record->run_count, side);
    ovl_printable_put(out, first->file);
    fputs("\n", out);
}

json_t *ovl_inputs_count_warnings(const struct ovl_record *record)
{
    json_t *count = json_object();
    for (size_t r = 0; r < record->run_count; r++) {
        const json_t *warnings = json_object_get(record->runs[r].head, "warnings");
        for (size_t i = 0; i < json_array_size(warnings); i++) {
            const char *text = json_string_value(json_array_get(warnings, i));
            if (text)
                json_object_set_new(count, text, json_integer(json_integer_value(json_object_get(count, text)) + 1));
        }
    }
    return count;
}

void ovl_inputs_note_warnings(FILE *out, const struct ovl_record *record, bool all)
{
    json_t *count = ovl_inputs_count_warnings(record), *n;
    const char *text;
    size_t more = 0;
    json_object_foreach(count, text, n) {
        if (!all && json_integer_value(n) >= (json_int_t)record->run_count)
            continue;
        if (more++ < MOST_WARNINGS)
            fprintf(out, "# note     %lld of %zu launches warn: %s\n", (long long)json_integer_value(n),
                    record->run_count, text);
    }
    if (more > MOST_WARNINGS)
        fprintf(out, "# note     and %zu more warnings\n", more - MOST_WARNINGS);
    json_decref(count);
}

size_t ovl_inputs_lost(const struct ovl_record *record)
{
    size_t n = record->unwritten_count;
    for (size_t r = 0; r < record->run_count; r++)
        n += record->runs[r].cell_count == 0 && ovl_run_unended(&record->runs[r]) != NULL;
    return n;
}
