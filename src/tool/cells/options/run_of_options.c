/* Has a run all cells that its program's options ask for? */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/options/run_of_options.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
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
    double sides = o->in_place ? 1 : 2, pair = strcmp(o->pairs ? o->pairs : "one-way", "one-way") == 0 ? 1
                                               : strcmp(o->pairs, "neighbours") == 0 ? 4
                                                                                     : 2;
    const struct {
        const char *begin;
        double most;
    } of[] = {
        {"ibcast", 1},
        {"ireduce_scatter", 2}, /* whose parts are one message */
        {"ireduce", 2},         /* at the root, which in place has one at the others */
        {"iallreduce", sides},
        {"allreduce", sides},
        {"p2p", pair},
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

/* The largest sizes that nobody asked for, and the run does not name, are left out where ranks have no memory for them,
   with all buffers of a rotation and of a stream, or where MPI's int does not reach over them. */
static bool may_lack(const struct ovl_driver_options *o, const struct ovl_run *run, double size)
{
    const double streams = strcmp(o->cadence, "stream") == 0 ? 8 : 0;
    double most = most_messages(o, run), block = 1, stride = 1;
    if (o->vector && sscanf(o->vector, "%lf:%lf", &block, &stride) != 2)
        block = stride = 1;
    const json_t *sizes = json_object_get(run->head, "sizes_bytes");
    for (size_t i = 0; i < json_array_size(sizes); i++)
        if (json_number_value(json_array_get(sizes, i)) == size)
            return false;
    for (size_t i = 0; i < run->cell_count; i++)
        if (run->cells[i].size_bytes >= size)
            return false;
    return o->sizes.all_default &&
           (most * size * stride / block * ((double)o->rotate + streams) > (double)o->common.mem_limit ||
            most * size > INT_MAX);
}

__attribute__((format(printf, 2, 3))) static void add_lacking(json_t *lacking, const char *format, ...)
{
    char text[OVL_OF_OPTIONS_WHY];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    json_array_append_new(lacking, json_string_nocheck(text));
}

/* Adds a text for each cell that is lacking. */
static void look_for_sizes(const struct ovl_driver_options *o, const struct ovl_run *run, const char *mode,
                           json_t *lacking)
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
            add_lacking(lacking, "the cell of %.0f bytes%s in mode %.*s", sizes > 0 ? w.size : 0, ratio, w.length,
                        mode);
        }
}

static void look_for_schemes(const struct ovl_program_options *o, const struct ovl_run *run, json_t *lacking)
{
    static const char *const modes[] = {"blocking", "host", "thread", "dpu"};
    for (size_t i = 0; o->proxy->cells && i < sizeof modes / sizeof *modes; i++) {
        size_t wanted = o->proxy->cells(o->values, modes[i]), has = 0;
        for (size_t c = 0; c < run->cell_count; c++)
            has += strcmp(run->cells[c].mode, modes[i]) == 0;
        if (has < wanted)
            add_lacking(lacking, "%zu of the %zu cells of mode %s", wanted - has, wanted, modes[i]);
    }
}

json_t *ovl_run_of_options(const struct ovl_program_options *o, const struct ovl_run *run)
{
    json_t *lacking = json_array();
    if (!o->driver)
        look_for_schemes(o, run, lacking);
    const char *mode = o->driver ? o->driver->common.offload.modes : "";
    for (; *mode; mode += strcspn(mode, ","), mode += *mode == ',')
        look_for_sizes(o->driver, run, mode, lacking);
    return lacking;
}

json_t *ovl_run_lacking(const struct ovl_run *run)
{
    struct ovl_program_options asked;
    struct ovl_error err;
    const json_t *tested = json_object_get(json_object_get(run->head, "options"), "self_test");
    json_t *lacking = NULL;
    if (!ovl_version_is_known(ovl_run_text(run, "ovl_version")) || json_is_true(tested))
        return json_array();
    if (ovl_program_options_parse(&asked, ovl_run_text(run, "benchmark"), json_object_get(run->head, "command"), 1,
                                  &err))
        lacking = ovl_run_of_options(&asked, run);
    ovl_program_options_free(&asked);
    return lacking ? lacking : json_array();
}
