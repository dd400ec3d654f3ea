/* A cell's engine, and the run's workers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/options/of_engine.h"
#include "record/field.h"
#include "record/status.h"
#include "tool/cells/options/held_option.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_worker(const struct ovl_cell *cell)
{
    return strcmp(cell->engine, "worker") == 0;
}

static bool is_told(const char *path, const char *has, const char *wanted, const char *by, char *why)
{
    if (strcmp(has, wanted) == 0)
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "%s: \"%.40s\", and %s has \"%.40s\"", path, has, by, wanted);
    return false;
}

/* Nobody is there to send to for an application's rank that is alone, in a grid of ovl_hpl with one column, and in the
   exchanges of ovl_fft3d that alone are offloaded, where that side of the grid is 1; and requests may send nothing. */
static bool sends(const json_t *options, const struct ovl_cell *cell)
{
    const char *procs = ovl_cell_problem_text(cell, "procs"), *columns = strchr(procs, 'x'),
               *which = json_string_value(json_object_get(options, "offload"));
    bool one_row = strncmp(procs, "1x", 2) == 0, one_column = columns && strcmp(columns, "x1") == 0;
    bool none = strcmp(cell->benchmark, "hpl") == 0   ? one_column
                : which && strcmp(which, "rows") == 0 ? one_row
                                                      : which && strcmp(which, "columns") == 0 && one_column;
    return !ovl_cell_solves(cell) || (!ovl_cell_lone(cell) && !none);
}

/* Are there messages below --dpu-min, which stay with the host? Those of applications are of several sizes. */
static bool is_small(const json_t *options, const struct ovl_cell *cell)
{
    double least = json_number_value(json_object_get(options, "dpu_min"));
    return ovl_cell_solves(cell) ? least > 0 : cell->size_bytes < least;
}

/* The last entry of a training's histogram has the totals of a step; 0 where the cell has none. */
static double calls_of_step(const struct ovl_cell *cell)
{
    const json_t *all = json_object_get(cell->extra, "histogram");
    return json_number_value(json_object_get(json_array_get(all, json_array_size(all) - 1), "calls"));
}

/* The operations of all ranks that are in C at least, and in T again. A driver's ranks each have one, but for the last
   of an odd number that exchange in pairs. Of an application whose cell has how many rank 0 has, others have as many:
   each is an operation of two ranks. */
static double least_of(const json_t *options, const struct ovl_cell *cell)
{
    const char *group = json_string_value(json_object_get(options, "group"));
    double panels = ceil(ovl_cell_problem_number(cell, "n") / ovl_cell_problem_number(cell, "nb"));
    const struct {
        const char *benchmark;
        double least;
    } of[] = {
        {"p2p", 2 * floor(cell->ranks / 2)},
        {"hpl", cell->ranks * panels},
        {"halo", cell->ranks * ovl_cell_problem_number(cell, "steps")},
        {"fft3d",
         cell->ranks * 2 * ovl_cell_problem_number(cell, "variables") * ovl_cell_problem_number(cell, "chunks")},
        {"train", 2 * calls_of_step(cell)},
        {"serve", 2 * json_number_value(json_object_get(json_object_get(cell->extra, "serving"), "operations"))},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strcmp(cell->benchmark, of[i].benchmark) == 0)
            return fmax(of[i].least, 1);
    return group ? fmin(atof(group), cell->ranks) : cell->ranks;
}

/* Did the workers do what they were there for, C and T of each block, and carry what an application has on its links?
   Of an invalid cell that may be what is wrong. */
static bool is_offloaded(const json_t *options, const struct ovl_cell *cell, char *why)
{
    const char *asked = json_string_value(json_object_get(options, "engine"));
    bool small = is_small(options, cell), invalid = strcmp(cell->status, "invalid") == 0;
    double parts = sends(options, cell) && !small ? 2 * (double)cell->samples.blocks : 0,
           least = parts * least_of(options, cell);
    if (small && strcmp(cell->engine, "mpi") == 0)
        return true;
    if (!invalid && (is_worker(cell) || (asked && strcmp(asked, "worker") == 0)) && !(cell->worker_ops >= least)) {
        snprintf(why, OVL_OF_OPTIONS_WHY, "/engine/worker_ops: %.12g, and C and T of %zu blocks have %.12g at least",
                 cell->worker_ops, cell->samples.blocks, least);
        return false;
    }
    double wire = isnan(cell->wire_bytes) ? 0 : cell->wire_bytes;
    if (!invalid && is_worker(cell) && parts > 0 && !(cell->worker_bytes >= parts * wire)) {
        snprintf(why, OVL_OF_OPTIONS_WHY,
                 "/engine/worker_bytes: %.12g, and the links have %.12g in C and T of %zu blocks", cell->worker_bytes,
                 parts * cell->wire_bytes, cell->samples.blocks);
        return false;
    }
    double size = json_is_string(json_object_get(options, "edges")) ? 1 : cell->size_bytes; /* not all send */
    if (!invalid && is_worker(cell) && parts > 0 && cell->size_bytes > 0 && cell->ranks > 1 &&
        !(cell->worker_bytes >= parts * size)) {
        snprintf(why, OVL_OF_OPTIONS_WHY, "/engine/worker_bytes: %.12g, of messages of %.12g in C and T of %zu blocks",
                 cell->worker_bytes, cell->size_bytes, cell->samples.blocks);
        return false;
    }
    return ovl_option_is_text(options, "engine", "/engine/name", cell->engine, why);
}

/* Where no worker took part: ovl_hpl sends a panel itself, but for its way ibcast, which is the MPI library's. */
static bool is_without(const struct ovl_cell *cell, char *why)
{
    bool hpl = strcmp(cell->benchmark, "hpl") == 0 && strcmp(ovl_cell_problem_text(cell, "bcast"), "ibcast") != 0;
    const char *by = "a cell that no worker took part in";
    if (!is_told("/engine/name", cell->engine, hpl ? "host" : "mpi", by, why) ||
        !is_told("/engine/path", cell->path, "", by, why) ||
        !is_told("/engine/algorithm", cell->algorithm, "", by, why))
        return false;
    if (cell->workers == 0)
        return strcmp(cell->mode, "dpu") == 0 || strcmp(cell->placement, OVL_EMULATED) == 0 ||
               is_told("/engine/placement", cell->placement, "host", by, why);
    snprintf(why, OVL_OF_OPTIONS_WHY, "/engine/workers: %.12g, and no worker took part", cell->workers);
    return false;
}

/* `open` is the choice that leaves it to the program. */
bool ovl_offload_of_options(const json_t *head, const json_t *options, char why[OVL_OF_OPTIONS_WHY])
{
    static const struct {
        const char *member, *option, *path, *usual, *open;
    } rows[] = {
        {"engine", "engine", "/offload/engine", "worker", ""},
        {"path", "path", "/offload/path", "", "auto"},
        {"idle", "worker_idle", "/offload/idle", "", "auto"},
        {"priority", "worker_priority", "/offload/priority", "usual", "high"}, /* the system may refuse it */
        {"map", "worker_map", "/offload/map", "cyclic", ""},
    };
    const json_t *offload = json_object_get(head, "offload");
    const json_t *cold = json_object_get(offload, "cold"), *slowdown = json_object_get(offload, "slowdown");
    const json_t *timeout = json_object_get(offload, "timeout_seconds");
    const char *by = json_string_value(json_object_get(options, "worker_transport"));
    const char *transport = json_string_value(json_object_get(offload, "transport"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *has = json_string_value(json_object_get(offload, rows[i].member));
        const char *asked = json_string_value(json_object_get(options, rows[i].option));
        if (asked && strcmp(asked, rows[i].open) != 0 &&
            !ovl_option_is_text(options, rows[i].option, rows[i].path, has ? has : rows[i].usual, why))
            return false;
    }
    if (by && !is_told("/offload/transport", transport ? transport : "mpi", strncmp(by, "tcp", 3) == 0 ? "tcp" : "mpi",
                       "the option worker_transport", why))
        return false;
    return ovl_option_is_number(options, "cold", "/offload/cold", json_is_true(cold), why) &&
           ovl_option_is_number(options, "worker_slowdown", "/offload/slowdown",
                                json_is_number(slowdown) ? json_number_value(slowdown) : 1, why) &&
           ovl_option_is_number(options, "worker_timeout", "/offload/timeout_seconds",
                                json_is_number(timeout) ? json_number_value(timeout) : 30, why);
}

/* The threads of a run with mode thread, by its options and by what MPI must allow. */
static bool is_by_thread(const json_t *head, const json_t *options, char *why)
{
    const json_t *thread = json_object_get(head, "thread");
    const char *idle = json_string_value(json_object_get(thread, "idle")),
               *asked = json_string_value(json_object_get(options, "thread_idle")),
               *level = json_string_value(ovl_field_at(head, "mpi.thread_level"));
    if (level && !is_told("/mpi/thread_level", level, "multiple", "mode thread", why))
        return false;
    return !asked || strcmp(asked, "auto") == 0 ||
           is_told("/thread/idle", idle ? idle : "", asked, "the option thread_idle", why);
}

/* The cell has its run's path and workers, and the algorithm that was asked for. */
static bool is_by_workers(const json_t *head, const json_t *options, const struct ovl_cell *cell, char *why)
{
    const char *path = json_string_value(json_object_get(json_object_get(head, "offload"), "path"));
    const json_t *workers = json_object_get(head, "workers");
    if (path && !is_told("/engine/path", cell->path, path, "the run", why))
        return false;
    if (json_is_number(workers) && cell->workers != json_number_value(workers)) {
        snprintf(why, OVL_OF_OPTIONS_WHY, "/engine/workers: %.12g, in a run of %.12g workers", cell->workers,
                 json_number_value(workers));
        return false;
    }
    return ovl_offload_of_options(head, options, why) &&
           ovl_option_is_text(options, "algorithm", "/engine/algorithm", cell->algorithm, why);
}

bool ovl_engine_of_options(const json_t *head, const json_t *options, const struct ovl_cell *cell,
                           char why[OVL_OF_OPTIONS_WHY])
{
    if (strcmp(cell->mode, "dpu") == 0 && !is_offloaded(options, cell, why))
        return false;
    if (strcmp(cell->mode, "thread") == 0 && !is_by_thread(head, options, why))
        return false;
    return is_worker(cell) ? is_by_workers(head, options, cell, why) : is_without(cell, why);
}
