/* Fixed work quanta (FWQ): the same work timed again and again. Knows no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_NOISE_FWQ_H
#define OVL_APPS_NOISE_FWQ_H

#include "machine/work.h"

#include <stddef.h>
#include <stdint.h>

struct ovl_fwq {
    uint64_t units; /* of a quantum */
    size_t n, room;
    double *begin, *took; /* s; begin from the first quantum on */
    int64_t origin;       /* ns: that one's begin */
};

/* Units that take about so long when nothing disturbs: by the quickest of some runs. */
uint64_t ovl_fwq_units(const struct ovl_work *work, double seconds);

/* Room for so many quanta of so many units. -1 and OVL_ENVIRONMENT. */
int ovl_fwq_open(struct ovl_fwq *f, uint64_t units, size_t room, struct ovl_error *err);
void ovl_fwq_close(struct ovl_fwq *f);

/* Times quanta one behind the other, with one read of the clock between them, until so many seconds are over, there is
   no more room, or a signal came. */
void ovl_fwq_run(struct ovl_fwq *f, const struct ovl_work *work, double seconds);

#endif
