/* A cell: one measured point, with its samples and everything derived from them. The in-memory form of a `cell` line.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_CELL_H
#define OVL_RECORD_CELL_H

#include "base/error.h"
#include "stats/overlap.h"

#include <jansson.h>

/* What is said of a cell, whichever of it becomes its status; in the order of the words of the field `marks`. */
enum ovl_mark {
    OVL_MARK_INVALID,
    OVL_MARK_FEW,
    OVL_MARK_DRIFTING,
    OVL_MARK_WIDE,
    OVL_MARK_NOISY,
    OVL_MARK_UNEVEN,
    OVL_MARK_UNSHAPED,
    OVL_MARK_OWN_WORK,
    OVL_MARK_RATIO,
    OVL_MARK_OVERSUBSCRIBED,
    OVL_MARK_EMULATED,
    OVL_MARK_LATER_FIRST,
    OVL_MARKS
};
#define OVL_MARKS_UNKNOWN (1U << OVL_MARKS)
#define OVL_EMULATED                                                                                                   \
    "emulated-processor" /* placement: an emulator runs some worker or rank, whose times mean nothing */

/* What took the ranks' cores from them, while the cell was measured or before the first one: of the rank, or of the
   machine, of which it is most. NaN where it is not known. */
struct ovl_disturbance {
    double waited;       /* share of the time in which a rank could run and had no core */
    double switches;     /* how often the kernel took a rank's core */
    double busy_threads; /* of the ranks of a machine, besides those that measure */
    double spare_cores;  /* that ranks, workers and busy threads of a machine leave; below 0: that they lack */
    double others;       /* processes of others on the ranks' processors */
    double throttled, throttled_seconds; /* periods in which a CPU quota stopped a rank, and how long */
};

/* What one T took, on all machines of ranks, its start included; NaN where it was not read. */
struct ovl_cell_energy {
    double joules[3]; /* of packages, dram, nodes: enum ovl_energy_kind */
    double seconds, repeats;
};

struct ovl_cell {
    char run_id[64], benchmark[32], mode[16], datatype[24];
    double size_bytes; /* NaN where there is no message */
    double ranks;

    json_t *problem;     /* what a proxy of an application solves and how, in order; NULL in cells of collectives */
    char check_name[24]; /* its check: the value must be below the limit */
    double check_value, check_limit;
    struct ovl_estimate gain; /* 1 - T / T of the blocking scheme: negative where it is slower */
    double wire_bytes;        /* whose time on a node's link C takes at least: of exchanges that go one after the other
                                 in C, each by its busiest link; NaN on one node */

    char compute_kind[16];
    double units, ratio, compute_us; /* ratio is NaN when the work is fixed by compute_us, and the other way round */
    int from_record; /* 1: units of --work-from; 0: its record has no such cell, and they were calibrated; -1 (null) */

    char engine[16], path[16], placement[24], algorithm[24];
    double workers, worker_ops, worker_bytes, registration_hits; /* all but the first NaN in host mode */
    double most_fragments, most_buffers, most_tags, most_early;  /* marks of the workers; NaN in host mode */

    double test_calls, rotate;
    int persistent;
    char skew[32], block_group[80];

    char status[24];     /* ok, ci_not_reached, few, drifting, invalid; see record/status.h */
    unsigned marks;      /* 1 << each mark that holds; OVL_MARKS_UNKNOWN before it is settled, or in an older record */
    char samples_sum[9]; /* samples_crc32 as read, or, in an older record, of its samples; "" without any */
    char reason[256];    /* why it is not ok; "" (null) when it is */
    int unshaped;  /* was an emulated wire quicker than its rate, so that the cell carries no claim? -1: no such wire */
    int validated; /* 1 checked, 0 wrong data, -1 (null) not checked */

    double clock_read_seconds, bootstrap_seed;
    double start_spread_seconds; /* median over samples of latest minus earliest start; NaN when clocks are not
                                    synchronised */
    double clock_residual;       /* seconds; NaN where all ranks read one clock */
    struct ovl_slowest slowest;  /* of collectives */
    double late_rank;            /* the rank that was late most; NaN where no start was agreed on */
    char late_host[64];          /* its node */
    double cpu_thread_seconds, cpu_process_seconds; /* in T, mean over ranks, median over blocks */
    double cpu_workers_seconds;                     /* the same of all workers together; NaN: not known, or none */
    double steal_fraction; /* of the time of a rank's cores, that other guests of the hypervisor took: the largest over
                              ranks; NaN where not known */
    struct ovl_disturbance disturbance;
    struct ovl_cell_energy energy;
    double cores;     /* processing units that ranks and who helps them in this mode can have at once; NaN: not known */
    int cores_shared; /* are these fewer than they are? -1: not known */
    struct ovl_estimate offload_efficiency;
    double step_samples; /* of training: samples of a step of all ranks; NaN */

    struct ovl_samples samples;
    json_t *others; /* of a proxy, samples of what only its kind times, in the record's form: {"factor_seconds": {"max":
                       [...], "mean": [...]}, ...}; NULL where there are none */
    json_t *curve;  /* of a proxy: arrays with a value per panel; NULL where there are none */
    json_t *extra;  /* further fields of the line that have no member here; NULL where there are none */

    /* Follow from the samples, bootstrap_seed and clock_read_seconds: ovl_cell_derive. */
    struct ovl_summary summary[OVL_QUANTITIES];
    struct ovl_estimate derived[OVL_DERIVED];
    double omb_percent, imb_percent;
    double late_median, late_p99;        /* seconds, of the samples of C, B and T: how late the latest rank began */
    double blocks, blocks_kept;          /* measured, and in which C, W and T all count */
    double autocorrelation;              /* of T, lag 1, by ranks: ovl_stats_autocorrelation */
    struct ovl_estimate gflops, exposed; /* of a proxy; exposed: seconds of communication that were not hidden */
    struct ovl_estimate bound_ratio;     /* the same: T / the bound of its plan */
    struct ovl_estimate here_ratio;      /* the same, of the bound with what the machine's cores carry */
    struct ovl_estimate samples_rate;    /* of training: samples a second */
    struct ovl_estimate work_per_core;   /* units of all ranks / (T x cores); of a proxy its problem / (T x cores) */
};

/* An empty cell: no value anywhere, no samples. */
void ovl_cell_clear(struct ovl_cell *cell);
void ovl_cell_free(struct ovl_cell *cell);

/* Rounds the samples to what the record holds (12 digits), so that a reader derives the very same values from them. */
void ovl_cell_round(struct ovl_cell *cell);

/* bootstrap_seed as the generator takes it. */
static inline uint64_t ovl_cell_seed(const struct ovl_cell *cell)
{
    double seed = cell->bootstrap_seed; /* a damaged record may say anything */
    return seed >= 0 && seed < 0x1p64 ? (uint64_t)seed : 0;
}

/* Fills summary, derived, autocorrelation, omb_percent, imb_percent, and of a proxy gflops, exposed and bound_ratio. */
void ovl_cell_derive(struct ovl_cell *cell);

/* A part of it: work_per_core; summaries must be there. And from the samples of T alone. */
struct ovl_run;
void ovl_cell_derive_work(struct ovl_cell *cell);
double ovl_cell_work_of(const struct ovl_run *run, const struct ovl_cell *cell);

/* Has the value a meaning in this cell? Of a proxy not speedup_vs_blocking, since T of one scheme beside W and B of
   another says nothing (gain_vs_blocking does), nor a hidden part of communication that is lost in the noise. */
bool ovl_cell_has(const struct ovl_cell *cell, enum ovl_derived which);

/* Adds samples to `others`, rounded as the rest. */
void ovl_cell_add_samples(struct ovl_cell *cell, const char *name, const double *max, const double *mean, size_t n);

/* CRC-32 of the samples in 8 hexadecimal digits. Its text is, for each quantity that is in the record, in its order,
   and then for each of `others`, all of max and then all of mean, each value as "%.12g" or "null" with a comma behind
   it. */
void ovl_cell_checksum(const struct ovl_cell *cell, char text[9]);
void ovl_cell_checksum_json(json_t *samples, char text[9]); /* of a line's */

/* Is it a proxy's cell? Such a line has `problem` in place of size_bytes. */
bool ovl_cell_solves(const struct ovl_cell *cell);

/* A part of a proxy's problem: "" or NaN where it has none of that name. Lent. */
const char *ovl_cell_problem_text(const struct ovl_cell *cell, const char *name);
double ovl_cell_problem_number(const struct ovl_cell *cell, const char *name);

/* Did somebody progress the communication for the rank: is its mode dpu or thread? Beside host mode in the same blocks
   such a cell has an offload_efficiency. */
bool ovl_cell_is_helped(const struct ovl_cell *cell);

/* Did the host test what was in flight while it computed, as a driver, a transform or a training step counts tests? */
bool ovl_cell_tests(const struct ovl_cell *cell);

/* Were both measured in the same blocks, of the same size or problem? */
bool ovl_cell_beside(const struct ovl_cell *a, const struct ovl_cell *b);

/* A further field of the line; takes the reference to `value`. */
void ovl_cell_set(struct ovl_cell *cell, const char *name, json_t *value);

/* The cell as a JSON object (new reference), or NULL where a text is not UTF-8. */
json_t *ovl_cell_to_json(const struct ovl_cell *cell);

/* Reads a `cell` line. The caller frees the cell, which is empty after -1. -1 and OVL_WRONG_DATA with the field's name
   when one is missing or of a wrong kind; unknown fields are passed over. Not `whole`: samples need not be there,
   samples.blocks is 0, and summaries are as stored. */
int ovl_cell_from_json(const json_t *json, bool whole, struct ovl_cell *cell, struct ovl_error *err);

#endif
