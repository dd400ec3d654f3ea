/* What a run line says, and what is known of a cell from the others of its run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record.h"
#include "record/status.h"
#include "version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ovl_run_text(const struct ovl_run *run, const char *field)
{
    const char *text = json_string_value(json_object_get(run->head, field));
    return text ? text : "";
}

const char *ovl_run_unended(const struct ovl_run *run)
{
    const char *status = json_string_value(json_object_get(run->end, "status"));
    return !status ? "no end line" : strcmp(status, "complete") == 0 ? NULL : status;
}

const char *ovl_run_no_claim(const struct ovl_run *run, const struct ovl_cell *cell)
{
    if (!ovl_cell_claims(cell))
        return cell->validated == 0                                                                 ? "wrong"
               : cell->unshaped > 0 && strcmp(cell->status, "invalid") != 0                         ? "unshaped"
               : strcmp(cell->status, "invalid") != 0 && strcmp(cell->placement, OVL_EMULATED) == 0 ? "emulated"
               : strcmp(cell->status, "invalid") != 0 && ovl_cell_alone(cell)                       ? "one rank"
               : strcmp(cell->status, "invalid") != 0 && ovl_cell_idle(cell)                        ? "idle workers"
                                                                                                    : "invalid";
    return ovl_run_unended(run) ? "cut short" : NULL;
}

/* As one number, by which versions are in order; -1 of what is no "1.2.3". */
static long long number_of(const char *version)
{
    int major, minor, patch, end = 0;
    bool whole = sscanf(version, "%5d.%5d.%5d%n", &major, &minor, &patch, &end) == 3 && end > 0 && !version[end];
    return whole && major >= 0 && minor >= 0 && patch >= 0 ? (major * 100000LL + minor) * 100000LL + patch : -1;
}

bool ovl_version_is_known(const char *version)
{
    long long number = number_of(version);
    return number >= number_of("0.2.0") && number <= number_of(OVL_VERSION);
}

bool ovl_run_is_noise(const struct ovl_run *run)
{
    return strcmp(ovl_run_text(run, "benchmark"), "noise") == 0;
}

const char *ovl_record_foreign(const json_t *line)
{
    const char *schema = json_string_value(json_object_get(line, "schema")),
               *kind = json_string_value(json_object_get(line, "record"));
    int major, minor, patch, end = 0;
    if (kind && strcmp(kind, "simulated") == 0)
        return "simulated, not measured, by --plan: nothing here is a record of a run; ovl plot --chart ranks draws it";
    if (!kind || strcmp(kind, "run") != 0)
        return NULL;
    if (!schema)
        return "schema: is missing; this ovl reads records of schema 2";
    if (sscanf(schema, "%9d.%9d.%9d%n", &major, &minor, &patch, &end) != 3 || schema[end] != '\0' || major < 1)
        return "schema: a version such as 2.0.0 is wanted here";
    return major == 1  ? "a record of schema 1, and this ovl reads schema 2: read it with ovl 0.1, or measure again"
           : major > 2 ? "a record of a later schema, and this ovl reads schema 2: read it with a newer ovl"
                       : NULL;
}

static double median_of(const struct ovl_samples *samples)
{
    return ovl_stats_summarise(samples->max[OVL_TOTAL], samples->blocks).median;
}

/* From the samples where they were read. */
static double total_of(const struct ovl_cell *cell)
{
    return cell->samples.blocks > 0 ? median_of(&cell->samples) : cell->summary[OVL_TOTAL].median;
}

const struct ovl_cell *ovl_run_host_beside(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_cell *quickest = NULL;
    for (size_t c = 0; c < run->cell_count; c++) {
        const struct ovl_cell *host = &run->cells[c];
        if (strcmp(host->mode, "host") == 0 && ovl_cell_claims(host) && ovl_cell_beside(host, cell) &&
            (!quickest || total_of(host) < total_of(quickest)))
            quickest = host;
    }
    return quickest;
}

double ovl_run_offload_efficiency(const struct ovl_run *run, const struct ovl_cell *cell)
{
    const struct ovl_cell *host =
        ovl_cell_is_helped(cell) && ovl_cell_claims(cell) ? ovl_run_host_beside(run, cell) : NULL;
    return host ? median_of(&host->samples) / median_of(&cell->samples) : NAN;
}

double ovl_run_operation_ranks(const struct ovl_run *run, const struct ovl_cell *cell)
{
    /* Text that begins with the number of ranks. */
    const char *group = json_string_value(json_object_get(json_object_get(run->head, "options"), "group"));
    return group ? strtod(group, NULL) : cell->ranks;
}
