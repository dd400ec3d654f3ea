/* What must hold of samples, whatever was measured. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/plausible.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double shorter = 0.95; /* T of W: the same work is at times quicker beside a communication than alone */

static const double beside = 0.9; /* the same of the work itself, in T */
static const double gain = 0.1;   /* and of C, by which work that was disturbed alone makes more of it look hidden */

static bool may_be_negative(int q)
{
    return q == OVL_OWN_EXPOSED; /* a difference */
}

/* By how much the parts of T may exceed it: the inner compute counts a clock read for each test call. */
static double slack(const struct ovl_cell *cell)
{
    double reads = 2 * cell->test_calls * cell->clock_read_seconds;
    return isnan(reads) ? 0 : reads;
}

const char *ovl_sample_fault(const struct ovl_cell *cell, int q, size_t block)
{
    const struct ovl_samples *s = &cell->samples;
    const double more = 1 + 1e-9;
    double max = s->max[q][block], mean = s->mean[q][block], total = s->max[OVL_TOTAL][block];
    if (isnan(max) != isnan(mean))
        return "is null in one of max and mean";
    if ((max < 0 || mean < 0) && !may_be_negative(q))
        return "is below 0";
    if (q == OVL_OWN_EXPOSED && !isnan(max) && isnan(total))
        return "is there where total_seconds is null";
    if (q > OVL_INNER && q != OVL_STREAM)
        return mean > max + 1e-9 * fabs(max) ? "has a mean over ranks above its largest" : NULL;
    if (mean > max * more)
        return "has a mean over ranks above its slowest rank";
    if (max > cell->ranks * mean * more)
        return "has a slowest rank above the sum of all ranks";
    bool part = q >= OVL_INIT && q <= OVL_INNER;
    if (part && isnan(total) && !isnan(max))
        return "has a part of a total that is null";
    if (part && max > total * more + slack(cell))
        return "has a part that is longer than its total";
    return NULL;
}

bool ovl_sample_parts_exceed(const struct ovl_cell *cell, size_t block)
{
    const struct ovl_samples *s = &cell->samples;
    double sum = 0;
    for (int q = OVL_INIT; q <= OVL_INNER; q++)
        sum += s->mean[q][block];
    return sum > s->mean[OVL_TOTAL][block] * (1 + 1e-9) + slack(cell);
}

/* Of the thread that measures, which needs no more time of a core than goes by: but for the start, before which the
   clock of the core is read, and delays that are asked for. */
static bool worked_longer(const struct ovl_cell *cell)
{
    double before = strcmp(cell->mode, "dpu") == 0 ? 20e-6 : 10e-6; /* workers' clocks are read as well */
    return (!*cell->skew || strcmp(cell->skew, "none") == 0) &&
           cell->cpu_thread_seconds > 1.1 * cell->summary[OVL_TOTAL].ci_high + before;
}

bool ovl_cell_plausible(const struct ovl_cell *cell, char why[OVL_PLAUSIBLE_WHY])
{
    const struct ovl_summary *total = &cell->summary[OVL_TOTAL], *work = &cell->summary[OVL_COMPUTE],
                             *comm = &cell->summary[OVL_COMM], *inner = &cell->summary[OVL_INNER];
    for (int q = 0; q < OVL_QUANTITIES; q++) {
        const struct ovl_summary *s = &cell->summary[q];
        if (!may_be_negative(q) && (s->median < 0 || s->min < 0)) {
            snprintf(why, OVL_PLAUSIBLE_WHY, "a time is below 0: a clock went back");
            return false;
        }
    }
    if (worked_longer(cell)) {
        snprintf(why, OVL_PLAUSIBLE_WHY,
                 "T (up to %s us) is shorter than its core worked in it (%s us): a clock is wrong",
                 OVL_US(total->ci_high), OVL_US(cell->cpu_thread_seconds));
        return false;
    }
    if (total->ci_high < shorter * work->ci_low) {
        snprintf(why, OVL_PLAUSIBLE_WHY,
                 "T (up to %s us) is shorter than the work in it (from %s us): a clock went back, or "
                 "the work alone was disturbed",
                 OVL_US(total->ci_high), OVL_US(work->ci_low));
        return false;
    }
    if ((!ovl_cell_solves(cell) || strcmp(cell->mode, "blocking") == 0) && total->ci_high < shorter * comm->ci_low) {
        snprintf(why, OVL_PLAUSIBLE_WHY,
                 "T (up to %s us) is shorter than the communication in it (from %s us): the communication alone was "
                 "disturbed",
                 OVL_US(total->ci_high), OVL_US(comm->ci_low));
        return false;
    }
    if (strcmp(cell->mode, "blocking") != 0 &&
        (inner->ci_high < beside * work->ci_low ||
         (cell->ranks > 1 && !isnan(cell->derived[OVL_HIDDEN].value) &&
          work->ci_low - inner->ci_high > gain * cell->summary[OVL_COMM].ci_high))) {
        snprintf(why, OVL_PLAUSIBLE_WHY,
                 "the work took up to %s us beside the communication and from %s us alone: the work alone was "
                 "disturbed, and what is hidden behind it is not known",
                 OVL_US(inner->ci_high), OVL_US(work->ci_low));
        return false;
    }
    return true;
}

bool ovl_cell_samples_plausible(const struct ovl_cell *cell)
{
    for (size_t b = 0; b < cell->samples.blocks; b++) {
        for (int q = 0; q < OVL_QUANTITIES; q++)
            if (ovl_sample_fault(cell, q, b))
                return false;
        if (ovl_sample_parts_exceed(cell, b))
            return false;
    }
    return true;
}
