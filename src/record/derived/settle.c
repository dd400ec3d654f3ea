/* The status of a cell, and its marks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/settle.h"
#include "base/number.h"
#include "cli/link.h"
#include "record/derived/noisy.h"
#include "record/plausible.h"
#include "record/proxy.h"
#include "record/status.h"
#include "stats/stop.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double independent = 0.5, time_slice = 5e-4; /* s: no lead is so far off */

/* Of C. */
static const double late_most = 0.02, apart_most = 0.01, residual_most = 0.03;
const double ovl_settle_least_of_total = 0.05;

double ovl_settle_late_most(double comm, double clock_read)
{
    return fmax(late_most * comm, 3 * clock_read);
}

static const struct {
    enum ovl_quantity sample, late;
    const char *name; /* as the tables' heads have it */
} starts[] = {{OVL_COMM, OVL_COMM_LATE, "comm"},
              {OVL_BLOCKING, OVL_BLOCKING_LATE, "blocking"},
              {OVL_TOTAL, OVL_TOTAL_LATE, "total"}};
enum { STARTS = sizeof starts / sizeof *starts };

__attribute__((format(printf, 2, 3))) static bool invalid(struct ovl_cell *cell, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(cell->reason, sizeof cell->reason, format, args);
    va_end(args);
    strcpy(cell->status, "invalid");
    return true;
}

__attribute__((format(printf, 3, 4))) static void grade_as(struct ovl_cell *cell, const char *status,
                                                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(cell->reason, sizeof cell->reason, format, args);
    va_end(args);
    strcpy(cell->status, status);
}

/* Who loses a core to something else is late by far now and then, and in time between. */
static const char *kind_of_lateness(const struct ovl_cell *cell, double most)
{
    if (cell->disturbance.busy_threads > 0 && cell->disturbance.spare_cores < 0)
        return "busy threads of the ranks lack cores (mpiexec -bind-to core:2)";
    for (size_t i = 0; i < STARTS; i++)
        if (cell->summary[starts[i].late].min <= most)
            return "a rank loses its core now and then: it is shared with something else";
    return cell->late_median > time_slice ? "in every sample, by time slices: a rank shares its core"
                                          : "steadily, in every sample";
}

static bool apart(struct ovl_cell *cell, double late, double most)
{
    char p99[32] = "", host[96] = "";
    if (!isnan(cell->late_p99))
        snprintf(p99, sizeof p99, ", p99 %s us", OVL_US(cell->late_p99));
    if (*cell->late_host)
        snprintf(host, sizeof host, ", most on %.60s", cell->late_host);
    return invalid(cell, "ranks start apart: the latest by %s us (median%s%s), where %s us are allowed; %s",
                   OVL_US(late), p99, host, OVL_US(most), kind_of_lateness(cell, most));
}

/* What starts are held against: the communication that a late one could pass for. Of an application without a value of
   hidden_fraction, whose communication is next to nothing, as on a process grid without a broadcast, T is all that it
   says. */
static double held_against(const struct ovl_cell *cell)
{
    double c = cell->summary[OVL_COMM].median;
    bool total_alone = ovl_cell_solves(cell) && isnan(cell->derived[OVL_HIDDEN].value);
    return total_alone ? fmax(c, ovl_settle_least_of_total * cell->summary[OVL_TOTAL].median) : c;
}

static bool too_few_left(struct ovl_cell *cell, size_t left, size_t all, const char *name, double most)
{
    return invalid(cell, "ranks start apart: %zu of %zu samples of %s started in time, and a quarter is wanted; %s",
                   left, all, name, kind_of_lateness(cell, most));
}

/* Did the ranks start too far apart for what the cell says? For one rank alone nobody waits. */
static bool started_apart(struct ovl_cell *cell)
{
    const bool alone = cell->ranks == 1;
    double c = held_against(cell), read = cell->clock_read_seconds, earliest = INFINITY, latest = -INFINITY,
           most = ovl_settle_late_most(c, read), most_apart = fmax(apart_most * c, read);
    const char *first = "", *last = "";
    size_t work = cell->summary[OVL_COMPUTE].n, works = cell->summary[OVL_COMPUTE_LATE].n;
    if (4 * work < works)
        return too_few_left(cell, work, works, "compute", most);
    for (size_t i = 0; i < STARTS; i++) {
        double late = cell->summary[starts[i].late].median;
        size_t left = cell->summary[starts[i].sample].n, all = cell->summary[starts[i].late].n;
        if (all == 0 && left > 0 && !isnan(cell->late_median))
            return invalid(cell, "how late ranks began is not known for %s, though for others", starts[i].name);
        if (all == 0)
            continue;
        if (late > most && !alone)
            return apart(cell, late, most);
        if (4 * left < all)
            return too_few_left(cell, left, all, starts[i].name, most);
        if (late < earliest) {
            earliest = late;
            first = starts[i].name;
        }
        if (late > latest) {
            latest = late;
            last = starts[i].name;
        }
    }
    if (latest - earliest > most_apart && !alone)
        return invalid(cell, "ranks start apart: by %s us in %s and by %s us in %s, which may differ by %s us",
                       OVL_US(earliest), first, OVL_US(latest), last, OVL_US(most_apart));
    return false;
}

/* Were clocks of different machines followed well enough for the start to mean what it says? */
static bool lost_clocks(struct ovl_cell *cell)
{
    double most = fmax(residual_most * held_against(cell), cell->clock_read_seconds);
    if (cell->clock_residual == INFINITY)
        return invalid(cell,
                       "clocks of different machines could not be compared: the ranks that do so share their cores "
                       "with something else");
    if (cell->clock_residual > most)
        return invalid(
            cell,
            "clocks of different machines were followed within %s us only, and %s us are allowed (3 %% of C); "
            "see ovl(7)",
            OVL_US(cell->clock_residual), OVL_US(most));
    return false;
}

/* Did a clock go back? Such a cell contradicts itself. */
static bool lost_time(struct ovl_cell *cell)
{
    char why[OVL_PLAUSIBLE_WHY];
    return !ovl_cell_plausible(cell, why) && invalid(cell, "%s", why);
}

static const json_t *option_of(const struct ovl_run *run, const char *name)
{
    return run ? json_object_get(json_object_get(run->head, "options"), name) : NULL;
}

/* A digit that the record does not have must not tip the scales. */
static bool within(double width, double half_width)
{
    return width / 2 <= half_width * (1 + 1e-9);
}

bool ovl_cell_narrow(const struct ovl_cell *cell, double ci)
{
    const struct ovl_summary *t = &cell->summary[OVL_TOTAL];
    const struct ovl_estimate *hidden = &cell->derived[OVL_HIDDEN];
    if (!within(t->ci_high - t->ci_low, ci / 100 * t->median))
        return false;
    if (isnan(hidden->value)) /* of an application whose communication is lost in the noise it has no meaning */
        return ovl_cell_solves(cell) || cell->summary[OVL_COMM].median < 20 * cell->clock_read_seconds;
    return within(hidden->ci_high - hidden->ci_low, ci / 100);
}

/* Which option ended the cell. */
static const char *end_of(const struct ovl_cell *cell, const struct ovl_run *run)
{
    double most = json_number_value(json_array_get(option_of(run, "iterations"), 1));
    return (double)cell->samples.blocks >= most ? "--iterations" : "--max-time";
}

/* Requests wait longer for their first token where workers carry than where nothing is overlapped. */
static bool is_later_first(const struct ovl_cell *cell)
{
    const double later = 1.03;
    const json_t *serving = json_object_get(cell->extra, "serving");
    return strcmp(cell->mode, "dpu") == 0 && json_number_value(json_object_get(serving, "ttft_by_blocking")) > later;
}

/* What its values say of it, whatever the samples. */
static unsigned marks_of_values(const struct ovl_cell *cell)
{
    const double ranks_differ = 0.05, work_differs = 0.1;
    bool host = strcmp(cell->mode, "host") == 0, collective = !ovl_cell_solves(cell);
    double work = host ? cell->summary[OVL_COMPUTE].median / cell->summary[OVL_COMM].median / cell->ratio : NAN;
    double apart = fabs(cell->derived[OVL_HIDDEN].value - cell->derived[OVL_HIDDEN_RANK_MEAN].value);
    bool own = collective && cell->from_record == 0;
    unsigned marks = 0;
    marks |= ovl_cell_noisy(cell) ? 1U << OVL_MARK_NOISY : 0;
    marks |= collective && apart > ranks_differ ? 1U << OVL_MARK_UNEVEN : 0;
    marks |= cell->unshaped > 0 ? 1U << OVL_MARK_UNSHAPED : 0;
    marks |= own ? 1U << OVL_MARK_OWN_WORK : 0;
    marks |= collective && !own && fabs(work - 1) > work_differs ? 1U << OVL_MARK_RATIO : 0;
    marks |= cell->disturbance.spare_cores < 0 ? 1U << OVL_MARK_OVERSUBSCRIBED : 0;
    marks |= is_later_first(cell) ? 1U << OVL_MARK_LATER_FIRST : 0;
    return marks;
}

static unsigned marks_of_run(const struct ovl_cell *cell, const struct ovl_run *run)
{
    const json_t *warnings = json_object_get(run->head, "warnings"),
                 *environment = json_object_get(run->head, "environment");
    bool link = !isnan(ovl_link_emulated_rate(json_string_value(json_object_get(environment, "OVL_CLUSTER"))));
    bool dpu = strcmp(cell->mode, "dpu") == 0 && strcmp(cell->engine, "worker") == 0 &&
               strcmp(cell->placement, "bluefield") != 0;
    bool processor = strcmp(cell->placement, OVL_EMULATED) == 0;
    unsigned marks = link || dpu || processor ? 1U << OVL_MARK_EMULATED : 0;
    if (strcmp(cell->mode, "thread") == 0 &&
        json_is_true(json_object_get(json_object_get(run->head, "thread"), "cores_shared")))
        marks |= 1U << OVL_MARK_OVERSUBSCRIBED;
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (text && strncmp(text, "oversubscribed", strlen("oversubscribed")) == 0)
            marks |= 1U << OVL_MARK_OVERSUBSCRIBED;
    }
    return marks;
}

static unsigned mark_of_status(const struct ovl_cell *cell)
{
    static const char *const words[] = {[OVL_MARK_INVALID] = "invalid",
                                        [OVL_MARK_FEW] = "few",
                                        [OVL_MARK_DRIFTING] = "drifting",
                                        [OVL_MARK_WIDE] = "ci_not_reached"};
    for (unsigned i = 0; i <= OVL_MARK_WIDE; i++)
        if (strcmp(cell->status, words[i]) == 0)
            return 1U << i;
    return 0;
}

unsigned ovl_cell_marks(const struct ovl_cell *cell)
{
    return cell->marks != OVL_MARKS_UNKNOWN ? cell->marks : marks_of_values(cell) | mark_of_status(cell);
}

/* The gravest last. */
static void grade(struct ovl_cell *cell, const struct ovl_run *run)
{
    const char *end = end_of(cell, run);
    double ci = json_number_value(option_of(run, "ci")); /* 0: no width is asked for */
    bool valid = strcmp(cell->status, "invalid") != 0;
    if (ci > 0 && !ovl_cell_narrow(cell, ci)) {
        cell->marks |= 1U << OVL_MARK_WIDE;
        if (valid)
            grade_as(cell, "ci_not_reached", "interval wider than --ci %g after %zu blocks (%s)", ci,
                     cell->samples.blocks, end);
    }
    if (cell->autocorrelation > independent) {
        cell->marks |= 1U << OVL_MARK_DRIFTING;
        if (valid)
            grade_as(cell, "drifting",
                     "T drifts: its lag-1 rank autocorrelation is %.2f, and intervals want it at most %g",
                     cell->autocorrelation, independent);
    }
    if (!(cell->blocks_kept >= OVL_STOP_BLOCKS_WANTED)) {
        cell->marks |= 1U << OVL_MARK_FEW;
        if (valid)
            grade_as(cell, "few", "%.0f valid blocks (%s); intervals of fewer than %d rest on too little",
                     cell->blocks_kept, end, OVL_STOP_BLOCKS_WANTED);
    }
}

void ovl_cell_settle(struct ovl_cell *cell, const struct ovl_run *run)
{
    if (strcmp(cell->status, "invalid") != 0 && !lost_time(cell) && !started_apart(cell) && !lost_clocks(cell)) {
        strcpy(cell->status, "ok");
        *cell->reason = '\0';
    }
    cell->marks = marks_of_values(cell) | (run ? marks_of_run(cell, run) : 0) | mark_of_status(cell);
    grade(cell, run);
}

/* What the rules read, from the samples; one block that tells its lateness is enough for late_median. */
static void summarise_again(struct ovl_cell *cell)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        cell->summary[q] = ovl_stats_summarise_series(cell->samples.max[q], cell->samples.blocks);
    for (size_t i = 0; i < STARTS; i++) {
        if (cell->summary[starts[i].late].n > 0)
            cell->late_median = cell->summary[starts[i].late].median;
    }
    double least = 20 * cell->clock_read_seconds;
    if (ovl_cell_solves(cell))
        cell->derived[OVL_HIDDEN].value = ovl_proxy_lost_in_noise(cell)
                                              ? NAN
                                              : ovl_overlap_value(&cell->samples, &ovl_derived_rows[OVL_HIDDEN], least);
}

/* Starts that a clock cannot tell from C, or samples that most blocks lack, show nothing. */
static bool shows_starts(const struct ovl_cell *cell)
{
    if (cell->ranks > 1 && 3 * cell->clock_read_seconds > held_against(cell))
        return false;
    for (size_t i = 0; i < STARTS; i++) {
        size_t left = cell->summary[starts[i].sample].n;
        if (left > 0 && 4 * left < cell->samples.blocks)
            return false;
    }
    return true;
}

bool ovl_cell_claims_again(const struct ovl_cell *cell)
{
    struct ovl_cell again = *cell; /* whose samples are lent */
    if (!ovl_cell_claims(cell) || cell->samples.blocks == 0)
        return ovl_cell_claims(cell);
    summarise_again(&again);
    return shows_starts(&again) && ovl_cell_samples_plausible(&again) && !lost_time(&again) && !started_apart(&again) &&
           !lost_clocks(&again);
}
