/* Do the dates of launches agree with what else tells their order? Dates can be edited, and clocks go back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "tool/cells/turns.h"
#include "tool/compare/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A launch of a sweep, or a file of such a name. */
struct numbered {
    const struct ovl_run *run;
    size_t folder; /* characters of its name */
    double number;
    double start, began; /* seconds; when its attempt began by sweep.log, NaN: that does not tell */
};

static int in_folder(const struct numbered *a, const struct numbered *b)
{
    size_t least = a->folder < b->folder ? a->folder : b->folder;
    int by_name = strncmp(a->run->file, b->run->file, least);
    return by_name ? by_name : (a->folder > b->folder) - (a->folder < b->folder);
}

static int by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int by_folder = in_folder(x, y);
    return by_folder ? by_folder : (x->number > y->number) - (x->number < y->number);
}

static double seconds_of(const struct ovl_run *run)
{
    return ovl_clock_utc_seconds(ovl_run_text(run, "started"));
}

/* In one folder, where each launch's number is its place: a launch that was made again has the place of its attempt. */
static void place_by_log(struct numbered *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i].began))
            return;
    for (size_t i = 0; i < n; i++)
        x[i].number = x[i].began;
    qsort(x, n, sizeof *x, by_number);
}

/* In one folder: the last launch that began before one whose place is before its own; or NULL. */
static const struct ovl_run *out_of_order(const struct numbered *x, size_t n)
{
    const struct ovl_run *last = NULL;
    double latest = -INFINITY; /* of all places before */
    for (size_t i = 0, end; i < n; i = end) {
        double here = -INFINITY;
        for (end = i; end < n && !(x[end].number > x[i].number); end++) {
            last = x[end].start < latest ? x[end].run : last;
            here = fmax(here, x[end].start);
        }
        latest = fmax(latest, here);
    }
    return last;
}

bool ovl_history_dated(const struct ovl_run *run)
{
    return !isnan(seconds_of(run));
}

/* Launches that have a number and a start. */
static size_t gather(struct numbered *x, const struct ovl_record *record)
{
    size_t n = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        const struct ovl_run *run = &record->runs[i];
        const char *slash = strrchr(run->file, '/');
        long number = ovl_launch_number(run->file);
        if (number < 0 || !ovl_history_dated(run))
            continue;
        x[n++] = (struct numbered){.run = run,
                                   .folder = slash ? (size_t)(slash - run->file) : 0,
                                   .number = (double)number,
                                   .start = seconds_of(run),
                                   .began = run->began > 0 ? run->began : NAN};
    }
    qsort(x, n, sizeof *x, by_number);
    return n;
}

static void look_at_folders(struct ovl_history_order *o, struct numbered *x, size_t n)
{
    for (size_t i = 0, end; i < n && !o->odd; i = end) {
        for (end = i + 1; end < n && in_folder(&x[end], &x[i]) == 0;)
            end++;
        place_by_log(x + i, end - i);
        o->odd = out_of_order(x + i, end - i);
    }
    o->why = o->odd ? "a clock went back, and launches stand before those that they came after" : "";
    for (size_t i = 0; i < n && !o->odd; i++)
        if (fabs(x[i].start - x[i].began) > OVL_CLOCKS_APART) {
            o->odd = x[i].run;
            o->why = "a launch began on another day than its attempt in sweep.log";
        }
}

static const double before_ovl = 1577836800; /* 2020-01-01: a clock that was not set */

struct ovl_history_order ovl_history_order(const struct ovl_groups *groups)
{
    const struct ovl_record *record = groups->record[0];
    struct ovl_history_order o = {NULL, ""};
    for (size_t i = 0; i < record->run_count && !o.odd; i++)
        if (seconds_of(&record->runs[i]) > (double)time(NULL) + OVL_CLOCKS_APART)
            o = (struct ovl_history_order){&record->runs[i], "a launch began after now"};
        else if (seconds_of(&record->runs[i]) < before_ovl)
            o = (struct ovl_history_order){&record->runs[i], "a launch began before there was ovl"};
    struct numbered *x = ovl_alloc(record->run_count + 1, sizeof *x);
    if (!o.odd)
        look_at_folders(&o, x, gather(x, record));
    free(x);
    return o;
}
