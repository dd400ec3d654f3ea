/* Calibrated work: how many units of a kernel take how long on this core, when nothing communicates. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_MACHINE_WORK_H
#define OVL_MACHINE_WORK_H

#include "base/error.h"
#include "kernels/kernel.h"

struct ovl_work {
    const struct ovl_kernel *kernel;
    void *scratch;
    double rate; /* units per second */
};

/* A unit is at most 1 % of the work of a cell. */
enum { OVL_WORK_UNITS_AT_LEAST = 100 };

/* Finds the kernel and gives it its scratch memory, touched by the caller. */
int ovl_work_open(struct ovl_work *work, const char *kernel, struct ovl_error *err);
void ovl_work_close(struct ovl_work *work);

/* One calibration on the calling core: the median rate over short runs, and how far a run of 2 N units is from twice a
   run of N (0 is perfect). A kernel with a fixed rate is not run. The caller chooses among the ranks' answers. */
void ovl_work_calibrate(const struct ovl_work *work, double *rate, double *nonlinearity);

/* Units that take `seconds`, rounded. 0 when that is under the kernel's least or under 100 units: the cell is refused.
 */
uint64_t ovl_work_units(const struct ovl_work *work, double seconds);

#endif
