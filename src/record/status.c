/* The status of a cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/status.h"
#include "base/number.h"
#include "cli/catalog.h"
#include "record/plausible.h"
#include "record/proxy.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS_WANTED = 15 };
static const double independent = 0.5, quiet = 0.01, time_slice = 5e-4; /* s: no lead is so far off */

/* Of C. */
static const double late_most = 0.02, apart_most = 0.01, residual_most = 0.03;
static const double least_of_total = 0.05; /* what C is taken for, of T, where no hidden part of it is claimed */

static const struct {
    enum ovl_quantity sample, late;
    char name;
} starts[] = {{OVL_COMM, OVL_COMM_LATE, 'C'}, {OVL_BLOCKING, OVL_BLOCKING_LATE, 'B'}, {OVL_TOTAL, OVL_TOTAL_LATE, 'T'}};
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

/* Who loses a core to something else is late by far now and then, and in time between. */
static const char *kind_of_lateness(const struct ovl_cell *cell, double most)
{
    for (size_t i = 0; i < STARTS; i++)
        if (cell->summary[starts[i].late].min <= most)
            return "a rank loses its core now and then: it is shared with something else";
    return cell->late_median > time_slice ? "in every sample, by time slices: ranks share a core"
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
    return total_alone ? fmax(c, least_of_total * cell->summary[OVL_TOTAL].median) : c;
}

/* Did the ranks start too far apart for what the cell says? For one rank alone nobody waits. */
static bool started_apart(struct ovl_cell *cell)
{
    const bool alone = cell->ranks == 1;
    double c = held_against(cell), read = cell->clock_read_seconds, earliest = INFINITY, latest = -INFINITY,
           most = fmax(late_most * c, 3 * read), most_apart = fmax(apart_most * c, read);
    const char *first = "", *last = "";
    for (size_t i = 0; i < STARTS; i++) {
        double late = cell->summary[starts[i].late].median;
        size_t left = cell->summary[starts[i].sample].n, all = cell->summary[starts[i].late].n;
        if (all == 0 && left > 0 && !isnan(cell->late_median))
            return invalid(cell, "how late ranks began is not known for %c, though for others", starts[i].name);
        if (all == 0)
            continue;
        if (late > most && !alone)
            return apart(cell, late, most);
        if (4 * left < all)
            return invalid(cell,
                           "ranks start apart: %zu of %zu samples of %c started in time, and a quarter is wanted; %s",
                           left, all, starts[i].name, kind_of_lateness(cell, most));
        if (late < earliest) {
            earliest = late;
            first = &starts[i].name;
        }
        if (late > latest) {
            latest = late;
            last = &starts[i].name;
        }
    }
    if (latest - earliest > most_apart && !alone)
        return invalid(cell, "ranks start apart: by %s us in %c and by %s us in %c, which may differ by %s us",
                       OVL_US(earliest), *first, OVL_US(latest), *last, OVL_US(most_apart));
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

void ovl_cell_settle(struct ovl_cell *cell)
{
    size_t n = cell->summary[OVL_TOTAL].n;
    if (strcmp(cell->status, "invalid") == 0 || lost_time(cell) || started_apart(cell) || lost_clocks(cell))
        return;
    if (strcmp(cell->status, "ok") != 0)
        return;
    if (n < BLOCKS_WANTED) {
        strcpy(cell->status, "few");
        snprintf(cell->reason, sizeof cell->reason, "%zu valid blocks; intervals of fewer than %d rest on too little",
                 n, BLOCKS_WANTED);
    } else if (cell->autocorrelation > independent) {
        strcpy(cell->status, "drifting");
        snprintf(cell->reason, sizeof cell->reason,
                 "T drifts: its lag-1 rank autocorrelation is %.2f, and intervals want it at most %g",
                 cell->autocorrelation, independent);
    }
}

bool ovl_cell_unchecked(const struct ovl_cell *cell)
{
    return cell->validated < 0 && ovl_benchmark_moves(cell->benchmark);
}

bool ovl_cell_noisy(const struct ovl_cell *cell)
{
    return cell->steal_fraction > quiet;
}

/* Is an application's answer, called right, further off than its limit allows, or no number? */
static bool is_off(const struct ovl_cell *cell)
{
    bool checks = *cell->check_name || !isnan(cell->check_limit);
    return cell->validated > 0 && checks && !(cell->check_value <= cell->check_limit && cell->check_value >= 0);
}

bool ovl_cell_claims(const struct ovl_cell *cell)
{
    char why[OVL_PLAUSIBLE_WHY];
    return strcmp(cell->status, "invalid") != 0 && cell->unshaped <= 0 && cell->validated != 0 && !is_off(cell) &&
           ovl_cell_plausible(cell, why);
}

/* What the rules read, from the samples; one block that tells its lateness is enough for late_median. */
static void summarise_again(struct ovl_cell *cell)
{
    for (int q = 0; q < OVL_QUANTITIES; q++)
        cell->summary[q] = ovl_stats_summarise(cell->samples.max[q], cell->samples.blocks);
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
