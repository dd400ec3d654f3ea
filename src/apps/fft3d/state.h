/* What the files of ovl_fft3d share: everything a run has, from its options to its open files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_FFT3D_STATE_H
#define OVL_APPS_FFT3D_STATE_H

#include "apps/fft3d/options.h"
#include "apps/fft3d/scheme.h"
#include "bench/output.h"
#include "bench/provenance.h"
#include "bench/stage.h"
#include "bench/steal.h"

struct ovl_fft3d {
    struct ovl_stage stage; /* the first: bench's own hooks take the whole for a stage */
    struct ovl_fft3d_options options;
    MPI_Comm comm;
    int rank, ranks;
    struct ovl_provenance provenance;
    struct ovl_sync sync;
    double clock_read, stolen; /* as ovl_steal_largest: at rank 0, of the present grid */
    struct ovl_steal steal;
    struct ovl_offload offload;
    struct ovl_output output; /* at rank 0 */

    /* The schemes of --mode, as the loop counts its modes. */
    int schemes, blocking; /* `blocking` is the number of that scheme, or -1 */
    const char *names[OVL_LOOP_MODES];

    /* Of the present grid. */
    struct ovl_pencil pencil;
    struct ovl_transform transform;
    struct ovl_carrier carrier;
    struct ovl_scheme scheme[OVL_LOOP_MODES];
    enum {
        OVL_DATA_GOOD,
        OVL_DATA_ANSWERED,
        OVL_DATA_SPOILT
    } data;              /* in x pencils: as filled, after a pair, after W */
    double error;        /* this rank's largest so far */
    double pair_seconds; /* that a pair took when it was validated */
    double wire_bytes;   /* of ovl_carrier_wire_bytes */

    size_t grids; /* begun: the same at all ranks, for what they must do alike */
    size_t cells; /* lines written, at rank 0 */
    bool wrong_data, invalid, unproved;
    int signal; /* that ended the run early */
};

/* What a scheme's pair took, apart from the samples: seconds per variable. */
enum ovl_phase { OVL_PHASE_LINES, OVL_PHASE_PACK, OVL_PHASE_POST, OVL_PHASE_TEST, OVL_PHASE_WAIT, OVL_PHASES };
struct ovl_phase_times {
    double least[OVL_PHASES], mean[OVL_PHASES], most[OVL_PHASES]; /* over ranks, at rank 0 */
};

/* grid.c. Collective: does the memory suffice for all grids, is every decomposition possible? The same answer at all
   ranks. */
int ovl_fft3d_check(struct ovl_fft3d *d, struct ovl_error *err);
/* Collective: all grids. */
int ovl_fft3d_measure(struct ovl_fft3d *d, struct ovl_error *err);

/* stage.c. Collective: data of known answer through every scheme. Leaves the x pencils filled, and the largest error of
   all ranks at all ranks; NaN where there is a NaN. */
double ovl_fft3d_validate(struct ovl_fft3d *d);
/* Takes in what the last samples did to this rank's data, and renews them. */
void ovl_fft3d_settle(struct ovl_fft3d *d);
/* The loop's hooks: those of bench, but for what stands between and in the samples. */
struct ovl_stage_ops ovl_fft3d_stage_ops(void);

/* report.c. At rank 0: the record and the head of the table; takes `provenance`. */
int ovl_fft3d_open_output(struct ovl_fft3d *d, json_t *provenance, char **argv, struct ovl_error *err);
/* At rank 0: lines and rows of one grid's schemes; `error` is that of all ranks, `right` the verdict on it. */
int ovl_fft3d_report(struct ovl_fft3d *d, const struct ovl_loop *loop, struct ovl_loop_result *result,
                     const struct ovl_phase_times phases[OVL_LOOP_MODES], double error, bool right,
                     struct ovl_error *err);

#endif
