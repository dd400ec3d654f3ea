/* Has a run all cells that its program's options ask for? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/options/run_of_options.h"
#include "version.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A cell of a driver. */
struct wanted_cell {
    const char *mode;
    int length;         /* of the mode's name */
    double size, ratio; /* NAN: without one */
};

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool has_cell(const struct ovl_run *run, const struct wanted_cell *w)
{
    for (size_t i = 0; i < run->cell_count; i++) {
        const struct ovl_cell *c = &run->cells[i];
        if (strncmp(c->mode, w->mode, (size_t)w->length) == 0 && c->mode[w->length] == '\0' &&
            same_number(c->size_bytes, w->size) && (isnan(w->ratio) || same_number(c->ratio, w->ratio)))
            return true;
    }
    return false;
}

/* Messages of that size in both buffers of the rank that has most of them, at the most. */
static double most_messages(const struct ovl_driver_options *o, const struct ovl_run *run)
{
    const char *benchmark = ovl_run_text(run, "benchmark");
    double ranks = o->group_ranks > 0 ? (double)o->group_ranks : json_number_value(json_object_get(run->head, "ranks"));
    const struct {
        const char *begin;
        double most;
    } of[] = {
        {"ibcast", 1},
        {"ireduce", 2}, /* and of ireduce_scatter, whose parts are one message */
        {"iallreduce", 2},
        {"allreduce", 2},
        {"p2p", o->pairs ? 4 : 2},
        {"iallgather", 1 + ranks},
        {"igather", 1 + ranks},
        {"iscatter", 1 + ranks},
        {"ineighbor_", 2 * fmax(ranks, 2 * (o->dims > 0 ? (double)o->dims : 2))}, /* on a grid, whoever they are */
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strncmp(benchmark, of[i].begin, strlen(of[i].begin)) == 0)
            return of[i].most;
    return 2 * ranks;
}

/* The largest sizes that nobody asked for are left out where ranks have no memory for them, with all buffers of a
   rotation and of a stream, or where MPI's int does not reach over them. */
static bool may_lack(const struct ovl_driver_options *o, const struct ovl_run *run, double size)
{
    const double streams = strcmp(o->cadence, "stream") == 0 ? 8 : 0;
    double most = most_messages(o, run), block = 1, stride = 1;
    if (o->vector && sscanf(o->vector, "%lf:%lf", &block, &stride) != 2)
        block = stride = 1;
    for (size_t i = 0; i < run->cell_count; i++)
        if (run->cells[i].size_bytes >= size)
            return false;
    return o->sizes.all_default &&
           (most * size * stride / block * ((double)o->rotate + streams) > (double)o->common.mem_limit ||
            most * size > INT_MAX);
}

static bool has_sizes(const struct ovl_driver_options *o, const struct ovl_run *run, const char *mode, char *lacks)
{
    size_t sizes = o->sizes.n, ratios = isnan(o->compute_us) ? o->ratios.n : 0;
    char ratio[48] = "";
    for (size_t i = 0; i < (sizes > 0 ? sizes : 1); i++)
        for (size_t r = 0; r < (ratios > 0 ? ratios : 1); r++) {
            struct wanted_cell w = {mode, (int)strcspn(mode, ","), sizes > 0 ? (double)o->sizes.size[i] : NAN,
                                    ratios > 0 ? o->ratios.value[r] : NAN};
            if (has_cell(run, &w) || may_lack(o, run, w.size))
                continue;
            if (ratios > 1)
                snprintf(ratio, sizeof ratio, " and ratio %g", w.ratio);
            snprintf(lacks, OVL_OF_OPTIONS_WHY, "the cell of %.0f bytes%s in mode %.*s", sizes > 0 ? w.size : 0, ratio,
                     w.length, mode);
            return false;
        }
    return true;
}

static bool has_schemes(const struct ovl_program_options *o, const struct ovl_run *run, char *lacks)
{
    static const char *const modes[] = {"blocking", "host", "thread", "dpu"};
    for (size_t i = 0; o->proxy->cells && i < sizeof modes / sizeof *modes; i++) {
        size_t wanted = o->proxy->cells(o->values, modes[i]), has = 0;
        for (size_t c = 0; c < run->cell_count; c++)
            has += strcmp(run->cells[c].mode, modes[i]) == 0;
        if (has < wanted) {
            snprintf(lacks, OVL_OF_OPTIONS_WHY, "%zu of the %zu cells of mode %s", wanted - has, wanted, modes[i]);
            return false;
        }
    }
    return true;
}

bool ovl_run_of_options(const struct ovl_program_options *o, const struct ovl_run *run, char lacks[OVL_OF_OPTIONS_WHY])
{
    if (!o->driver)
        return has_schemes(o, run, lacks);
    for (const char *mode = o->driver->common.offload.modes; *mode; mode += strcspn(mode, ","), mode += *mode == ',')
        if (!has_sizes(o->driver, run, mode, lacks))
            return false;
    return true;
}

void ovl_run_lacking(const struct ovl_run *run, char lacks[OVL_OF_OPTIONS_WHY])
{
    struct ovl_program_options asked;
    struct ovl_error err;
    const json_t *tested = json_object_get(json_object_get(run->head, "options"), "self_test");
    *lacks = '\0';
    if (strcmp(ovl_run_text(run, "ovl_version"), OVL_VERSION) != 0 || json_is_true(tested))
        return;
    if (!ovl_program_options_parse(&asked, ovl_run_text(run, "benchmark"), json_object_get(run->head, "command"), 1,
                                   &err) ||
        ovl_run_of_options(&asked, run, lacks))
        *lacks = '\0';
    ovl_program_options_free(&asked);
}
