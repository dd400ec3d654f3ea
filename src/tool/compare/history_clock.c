/* A clock that went back puts new launches before old ones: the numbers in the names of a job's launches tell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "tool/compare/history.h"
#include "tool/compare/launch_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 3, LATER = 2 }; /* a launch that was made again comes late; three of them are hardly the first three */

struct numbered {
    const struct ovl_run *run;
    size_t folder; /* characters of its name */
    long number;
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

static const char *started(const struct numbered *x)
{
    return ovl_run_text(x->run, "started");
}

/* In one folder: launches that began before each of the first ones; the last of them, or NULL. */
static const struct ovl_run *before_first(const struct numbered *x, size_t n)
{
    const char *first = n > 0 ? started(x) : "";
    const struct ovl_run *last = NULL;
    size_t early = 0;
    for (size_t i = 0; i < n; i++) {
        if (i < FIRST)
            first = strcmp(started(&x[i]), first) < 0 ? started(&x[i]) : first;
        else if (strcmp(started(&x[i]), first) < 0) {
            early++;
            last = x[i].run;
        }
    }
    return early >= LATER ? last : NULL;
}

bool ovl_history_dated(const struct ovl_run *run)
{
    return !isnan(ovl_clock_utc_seconds(ovl_run_text(run, "started")));
}

const struct ovl_run *ovl_history_clock_back(const struct ovl_groups *groups)
{
    const struct ovl_record *record = groups->record[0];
    struct numbered *x = ovl_alloc(record->run_count, sizeof *x);
    const struct ovl_run *back = NULL;
    size_t n = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        const char *path = record->runs[i].file, *slash = strrchr(path, '/');
        struct numbered one = {&record->runs[i], slash ? (size_t)(slash - path) : 0, ovl_launch_number(path)};
        if (one.number >= 0 && ovl_history_dated(one.run))
            x[n++] = one;
    }
    qsort(x, n, sizeof *x, by_number);
    for (size_t i = 0, end; i < n && !back; i = end) {
        for (end = i + 1; end < n && in_folder(&x[end], &x[i]) == 0;)
            end++;
        back = before_first(x + i, end - i);
    }
    free(x);
    return back;
}
