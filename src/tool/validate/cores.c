/* `ovl validate`: the processors of a cell, which follow from where its ranks may run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/crowd.h"
#include "tool/validate/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = OVL_CROWD_WORDS };

static double number(const json_t *line, const char *name)
{
    const json_t *value = json_object_get(line, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* "0-1,4", as a binding is told. */
static bool read_mask(const json_t *told, uint64_t mask[WORDS])
{
    const char *at = json_string_value(told);
    memset(mask, 0, WORDS * sizeof *mask);
    while (at && *at) {
        char *end;
        long first = strtol(at, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (end == at || first < 0 || last < first || last >= 64 * WORDS || (*end && *end != ','))
            return false;
        for (long i = first; i <= last; i++)
            mask[i / 64] |= (uint64_t)1 << i % 64;
        at = *end ? end + 1 : end;
    }
    return at != NULL;
}

/* The machine of a rank: several hosts may be containers of one. NULL: it is not told. */
static const char *machine_of(const json_t *head, size_t rank)
{
    const json_t *at = json_array_get(json_object_get(head, "rank_hosts"), rank);
    const json_t *host = json_array_get(json_object_get(head, "hosts"), (size_t)json_integer_value(at));
    return json_is_integer(at) ? json_string_value(json_object_get(host, "machine")) : NULL;
}

/* How many ranks, and with them their threads where `threads` has a list for each, run at once on processors of their
   own, as the launch counted them. NAN where the run line does not tell. */
static double running(const json_t *head, const json_t *threads)
{
    const json_t *const lists[] = {json_object_get(head, "binding"), threads};
    size_t ranks = json_array_size(lists[0]), count = 0;
    uint64_t(*masks)[WORDS] = ovl_alloc(2 * ranks + 1, sizeof *masks);
    bool known = ranks > 0 && (!threads || json_array_size(threads) == ranks);
    json_t *seen = json_object();
    for (size_t first = 0; first < ranks && known; first++) {
        const char *machine = machine_of(head, first), *other;
        size_t n = 0;
        known = machine != NULL;
        if (!known || json_object_get(seen, machine))
            continue;
        json_object_set_new_nocheck(seen, machine, json_true());
        for (size_t list = 0; list < (threads ? 2 : 1); list++)
            for (size_t r = first; r < ranks && known; r++)
                if ((other = machine_of(head, r)) && strcmp(other, machine) == 0)
                    known = read_mask(json_array_get(lists[list], r), masks[n++]);
        count += known ? n - ovl_crowd_waiting((const uint64_t(*)[WORDS])masks, n) : 0;
    }
    json_decref(seen);
    free(masks);
    return known ? (double)count : NAN;
}

/* All processors of the run's machines, and how many these are; NAN where one does not tell. */
static double processors(const json_t *head, double *machines)
{
    const json_t *hosts = json_object_get(head, "hosts"), *host;
    json_t *seen = json_object();
    double all = 0;
    size_t i;
    json_array_foreach(hosts, i, host) {
        const char *machine = json_string_value(json_object_get(host, "machine"));
        all += machine && json_object_get(seen, machine) ? 0 : machine ? number(host, "cores") : NAN;
        json_object_set_new_nocheck(seen, machine ? machine : "", json_true());
    }
    *machines = (double)json_object_size(seen);
    json_decref(seen);
    return all;
}

/* Busy threads that ranks have besides, which have processors, too, count in each mode: of how many that are told only
   those of one machine are. Where workers may run is not told; on other machines than the ranks' they have processors
   that no line counts. */
void ovl_checking_cores(struct ovl_checking *c, const json_t *head, const struct ovl_cell *cell)
{
    bool thread = strcmp(cell->mode, "thread") == 0, dpu = strcmp(cell->mode, "dpu") == 0;
    bool idle = cell->disturbance.busy_threads == 0;
    if (isnan(cell->cores))
        return;
    double machines, all = processors(head, &machines);
    const json_t *threads = json_object_get(json_object_get(head, "thread"), "processors");
    double workers = dpu ? number(head, "workers") : 0, takers = cell->ranks * (thread ? 2 : 1) + workers,
           least = running(head, thread ? threads : NULL),
           there = dpu && strcmp(cell->placement, "host-core") != 0 ? INFINITY : all,
           most = dpu || !idle ? fmin(idle ? least + workers : INFINITY, there) : least;
    if (thread && (threads || ovl_checking_is_ours(head)) && json_array_size(threads) != (size_t)cell->ranks)
        ovl_checking_problem(c, "/cores: the run has processors of %zu threads, of %.0f ranks",
                             json_array_size(threads), cell->ranks);
    double burnt = cell->cpu_process_seconds * cell->ranks + (dpu && there < INFINITY ? cell->cpu_workers_seconds : 0),
           busy = fmax(cell->disturbance.busy_threads, 0) * machines,
           had = (cell->cores + busy) * cell->summary[OVL_TOTAL].max;
    if (!ovl_cell_solves(cell) && burnt > 1.1 * had + 1e-3 * takers) /* an application may compute in threads */
        ovl_checking_problem(c, "/cores/count: %.0f, and %.6g s of processors went into T of %.6g s at most",
                             cell->cores, burnt, cell->summary[OVL_TOTAL].max);
    if (cell->cores < least || cell->cores > most)
        ovl_checking_problem(c, "/cores/count: %.0f, and by the run's bindings it is %.0f to %.0f", cell->cores, least,
                             most);
    if (cell->cores_shared >= 0 &&
        ((cell->cores < takers && !cell->cores_shared) || (idle && cell->cores >= takers && cell->cores_shared)))
        ovl_checking_problem(c, "/cores/shared: %s, of %.0f for %.0f ranks, workers and threads",
                             cell->cores_shared ? "true" : "false", cell->cores, takers);
}
