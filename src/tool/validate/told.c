/* `ovl validate`: what programs of each known version tell in each record. Who takes a field out says no less than who
 * changes it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/catalog.h"
#include "record/field.h"
#include "tool/validate/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of records that say that they are of a known version; `since`: the schema 2.N with which it, or what begins so,
   came. None of these is ever null. */
static const struct {
    const char *path;
    int since;
} of_run[] = {{"build.compiler", 1}, {"build.flags", 1},         {"rank_hosts", 1},
              {"disturbance", 3},    {"environment_differs", 2}, {"mpi.library_more", 2}},
  of_host[] = {{"physical_cores", 1}, {"caches", 1}, {"machine", 1}},
  of_cache[] = {{"level", 1}, {"type", 1}, {"bytes", 1}},
  later[] = {{"marks[]", 2},
             {"blocks_kept", 2},
             {"offload_efficiency_ci.", 3},
             {"disturbance.", 3},
             {"slowest_rank.", 4},
             {"cores.", 6},
             {"work_per_core", 6},
             {"cpu_seconds.workers", 6},
             {"energy.", 6},
             {"engine.registration_hits", 7}};

int ovl_checking_schema(const json_t *head)
{
    const char *schema = json_string_value(json_object_get(head, "schema"));
    return schema && strncmp(schema, "2.", 2) == 0 ? atoi(schema + 2) : 0;
}

bool ovl_checking_is_ours(const json_t *head)
{
    const char *version = json_string_value(json_object_get(head, "ovl_version"));
    return version && ovl_version_is_known(version);
}

static void missing(struct ovl_checking *c, const char *path)
{
    ovl_checking_problem(c, "/%s: is missing, and this version tells it", path);
}

/* Is it there, and not null? */
static bool tells(const json_t *line, const char *path)
{
    const json_t *value = ovl_field_at(line, path);
    return value && !json_is_null(value);
}

static void told_host(struct ovl_checking *c, const json_t *host)
{
    const json_t *caches = json_object_get(host, "caches"), *cache;
    size_t k;
    for (size_t i = 0; i < sizeof of_host / sizeof *of_host; i++)
        if (!tells(host, of_host[i].path))
            missing(c, of_host[i].path);
    if (!json_object_get(host, "load")) /* null where the machine does not tell it */
        missing(c, "load");
    json_array_foreach(caches, k, cache)
        for (size_t i = 0; i < sizeof of_cache / sizeof *of_cache; i++)
            if (!tells(cache, of_cache[i].path))
                ovl_checking_problem(c, "/caches/%s: is missing, and this version tells it", of_cache[i].path);
}

/* A driver calibrates its work, and says what it exchanges. */
static void told_driver(struct ovl_checking *c, const json_t *head, const struct ovl_benchmark *b)
{
    if (!tells(head, "calibration.units_per_second"))
        missing(c, "calibration.units_per_second");
    if (ovl_checking_schema(head) >= 3 && !tells(head, "sizes_bytes"))
        missing(c, "sizes_bytes");
    if (ovl_checking_schema(head) >= 3 && json_array_size(ovl_field_at(head, "calibration.rank_units_per_second")) == 0)
        missing(c, "calibration.rank_units_per_second");
    if (b->size_max > 0 && !tells(head, "datatype"))
        missing(c, "datatype");
}

void ovl_checking_told_head(struct ovl_checking *c, const json_t *head)
{
    const json_t *hosts = json_object_get(head, "hosts");
    const char *benchmark = json_string_value(json_object_get(head, "benchmark"));
    const struct ovl_benchmark *driver = benchmark ? ovl_benchmark_find(benchmark) : NULL;
    if (!ovl_checking_is_ours(head))
        return;
    for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
        if (ovl_checking_schema(head) >= of_run[i].since && !tells(head, of_run[i].path))
            missing(c, of_run[i].path);
    if (json_integer_value(json_object_get(head, "workers")) > 0 && !tells(head, "offload"))
        missing(c, "offload");
    if (ovl_checking_schema(head) >= 5 && tells(head, "offload") &&
        json_array_size(ovl_field_at(head, "offload.processors")) == 0)
        missing(c, "offload.processors");
    const char *modes = json_string_value(ovl_field_at(head, "options.mode"));
    if (ovl_checking_schema(head) >= 6 && modes && strstr(modes, "thread") && !tells(head, "thread"))
        missing(c, "thread");
    if (json_is_number(ovl_field_at(head, "options.energy")) && !tells(head, "energy"))
        missing(c, "energy");
    if (!ovl_field_at(head, "datatype"))
        missing(c, "datatype");
    else if (driver)
        told_driver(c, head, driver);
    const char *library = json_string_value(ovl_field_at(head, "mpi.library")),
               *first = json_string_value(json_object_get(json_array_get(hosts, 0), "mpi_library"));
    if (library && first && strcmp(library, first) != 0)
        ovl_checking_problem(c, "/mpi/library: \"%.60s\", and the first of /hosts has \"%.60s\"", library, first);
    for (size_t k = 0; k < json_array_size(hosts); k++)
        told_host(c, json_array_get(hosts, k));
}

static bool came_with(const char *path, int schema)
{
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strncmp(later[i].path, path, strlen(later[i].path)) == 0)
            return schema >= later[i].since;
    return true;
}

/* A driver's cell has its work, and where it exchanges something its type; an application's over several nodes the
   bytes on their links. */
static void told_kind(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *cell)
{
    bool solves = ovl_cell_solves(cell);
    if (!solves && *cell->compute_kind && !tells(line, "compute.units"))
        missing(c, "compute.units");
    if (!solves && !isnan(cell->size_bytes) && !tells(line, "datatype"))
        missing(c, "datatype");
    if (solves && json_number_value(json_object_get(head, "nodes")) > 1 && !tells(line, "wire_bytes"))
        missing(c, "wire_bytes");
    const char *strategy = json_string_value(json_object_get(cell->problem, "strategy"));
    if (ovl_checking_schema(head) >= 5 && strategy && strcmp(strategy, "moe") == 0 && !tells(line, "moe"))
        missing(c, "moe");
}

/* Is there something in it, too? */
static bool tells_some(const json_t *line, const char *path)
{
    const json_t *value = ovl_field_at(line, path);
    return tells(line, path) && !(json_is_object(value) && json_object_size(value) == 0) &&
           !(json_is_array(value) && json_array_size(value) == 0);
}

/* Of each phase the ranks' least, mean and most, in this order. */
static void told_phases(struct ovl_checking *c, const json_t *line)
{
    const char *name;
    json_t *phase;
    json_object_foreach(json_object_get(line, "phase_seconds"), name, phase) {
        const double more = 1 + 1e-9, min = json_number_value(json_object_get(phase, "min")),
                     mean = json_number_value(json_object_get(phase, "mean")),
                     max = json_number_value(json_object_get(phase, "max"));
        if (!(0 <= min && min <= mean * more && mean <= max * more))
            ovl_checking_problem(c, "/phase_seconds/%.40s: min %.6g, mean %.6g and max %.6g are in no order", name, min,
                                 mean, max);
    }
}

/* What an application tells of each problem that it solved. */
static void told_application(struct ovl_checking *c, const json_t *line, const struct ovl_cell *cell)
{
    static const struct {
        const char *benchmark, *path; /* NULL: of all */
    } of[] = {{NULL, "phase_seconds"}, {"fft3d", "exchange_bytes"}, {"hpl", "curve"},       {"hpl", "panel_bytes"},
              {"hpl", "hpl_line"},     {"train", "curve"},          {"train", "histogram"}, {"train", "memory_bytes"},
              {"serve", "curve"},      {"serve", "serving"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if ((!of[i].benchmark || strcmp(of[i].benchmark, cell->benchmark) == 0) && !tells_some(line, of[i].path))
            missing(c, of[i].path);
    told_phases(c, line);
}

/* Each sample of T has its parts: a value that follows from them can be made as good as one likes by leaving some out.
 */
static void told_parts(struct ovl_checking *c, const struct ovl_samples *s)
{
    for (int q = OVL_INIT; q <= OVL_OWN_EXPOSED; q++) {
        size_t lost = 0;
        for (size_t b = 0; b < s->blocks; b++)
            lost += isnan(s->max[q][b]) && !isnan(s->max[OVL_TOTAL][b]);
        if (lost > 0)
            ovl_checking_problem(c,
                                 "/samples/%s: %zu of %zu blocks are null or missing, and their total_seconds is not",
                                 ovl_field_of_quantity((enum ovl_quantity)q)->name, lost, s->blocks);
    }
}

/* What follows from blocks that were measured, and from starts that all ranks agreed on. */
static void told_measured(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *cell)
{
    static const char *const always[] = {"samples_crc32", "invalid_samples.comm_seconds",
                                         "invalid_samples.compute_seconds", "invalid_samples.blocking_seconds",
                                         "invalid_samples.total_seconds"},
                             *const measured[] = {"cpu_seconds.thread", "cpu_seconds.process"},
                             *const late[] = {"samples.comm_late_seconds", "samples.compute_late_seconds",
                                              "samples.total_late_seconds"},
                             *const agreed[] = {"start_spread_seconds", "lateness_seconds.rank",
                                                "lateness_seconds.host"};
    const double longest_read = 1e-3; /* hundreds of times what a system call takes, also under an emulator */
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (!tells(line, always[i]))
            missing(c, always[i]);
    if (ovl_checking_schema(head) >= 3 && json_array_size(ovl_field_at(line, "block_times.started_seconds")) == 0)
        missing(c, "block_times.started_seconds");
    for (size_t i = 0; i < sizeof measured / sizeof *measured && cell->summary[OVL_TOTAL].n > 0; i++)
        if (!tells(line, measured[i]))
            missing(c, measured[i]);
    told_parts(c, &cell->samples);
    if (!(cell->clock_read_seconds > 0) || cell->clock_read_seconds > longest_read)
        ovl_checking_problem(c, "/clock_read_seconds: %.6g, and whatever reads a clock takes time, if below %g s",
                             cell->clock_read_seconds, longest_read);
    const json_t *read = ovl_field_at(head, "clock.read_seconds");
    if (json_is_number(read) && fabs(cell->clock_read_seconds / json_number_value(read) - 1) > 1e-9)
        ovl_checking_problem(c, "/clock_read_seconds: %.12g, and the run's /clock/read_seconds is %.12g",
                             cell->clock_read_seconds, json_number_value(read));
    if (!json_is_true(ovl_field_at(head, "clock.synchronised")))
        return;
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (!ovl_field_at(line, late[i]))
            missing(c, late[i]);
    for (size_t i = 0; i < sizeof agreed / sizeof *agreed && !isnan(cell->late_median); i++)
        if (!tells(line, agreed[i]))
            missing(c, agreed[i]);
}

/* What nobody read has no value, and what runs takes something. */
static void told_energy(struct ovl_checking *c, const json_t *head, const json_t *line)
{
    static const char *const of[][2] = {{"energy.package", "energy.package_joules"},
                                        {"energy.dram", "energy.dram_joules"},
                                        {"energy.node", "energy.node_joules"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (tells(line, of[i][1]) && !tells(head, of[i][0]))
            ovl_checking_problem(c, "/%s: has a value, and the run says of nobody who read it", of[i][1]);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const json_t *joules = ovl_field_at(line, of[i][1]);
        if (json_is_number(joules) && json_number_value(joules) <= 0)
            ovl_checking_problem(c, "/%s: 0, and whatever runs takes energy", of[i][1]);
        if (json_is_number(joules) && !(json_number_value(ovl_field_at(line, "energy.repeats")) >= 1))
            ovl_checking_problem(c, "/%s: has a value, and T was not repeated to read it", of[i][1]);
    }
}

/* All that a cell of any program has a member for. */
void ovl_checking_told_cell(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *cell)
{
    if (!ovl_checking_is_ours(head))
        return;
    bool solves = ovl_cell_solves(cell);
    for (size_t i = 0; ovl_field_row(i); i++) {
        const struct ovl_field *f = ovl_field_row(i);
        if (f->line & OVL_LINE_CELL && f->size > 0 && (f->of == OVL_OF_ALL || (solves && f->of == OVL_OF_PROXY)) &&
            came_with(f->path, ovl_checking_schema(head)) && !strchr(f->path, '[') && !ovl_field_at(line, f->path))
            missing(c, f->path);
    }
    if (came_with("marks[]", ovl_checking_schema(head)) && !json_object_get(line, "marks"))
        missing(c, "marks");
    told_kind(c, head, line, cell);
    told_energy(c, head, line);
    if (cell->samples.blocks > 0)
        told_measured(c, head, line, cell);
    if (cell->samples.blocks > 0 && solves && ovl_checking_schema(head) >= 3)
        told_application(c, line, cell);
}
