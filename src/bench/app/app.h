/* The frame of every program that measures: one row says what it is, and one function runs it, from the options to the
   exit code. A driver of a collective is an application, too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_APP_H
#define OVL_BENCH_APP_APP_H

#include "bench/app/schemes.h"
#include "bench/disturb.h"
#include "bench/energy.h"
#include "bench/output.h"
#include "bench/provenance.h"
#include "bench/rank_thread.h"
#include "bench/stage.h"
#include "bench/start/steal.h"
#include "cli/app_options.h"

struct ovl_app;

enum { OVL_APP_BLOCKS_MOST = 8 };

/* One run. An application's own struct begins with it. */
struct ovl_app_job {
    struct ovl_stage stage; /* the first: bench's own hooks take the whole for a stage */
    const struct ovl_app *app;
    struct ovl_app_options *options; /* within the application's own */
    char **words;                    /* by `parse`: the command as the record has it; NULL: as the program was called */
    MPI_Comm comm;                   /* of the ranks, for what the application measures */
    int rank, ranks;
    struct ovl_provenance provenance;
    struct ovl_sync sync;
    double clock_read, stolen; /* as ovl_steal_largest: at rank 0, of the present problem */
    struct ovl_steal steal;
    struct ovl_worker_cpu worker_cpu;
    struct ovl_disturb disturb;
    struct ovl_disturbance disturbance; /* as stolen */
    struct ovl_offload offload;
    struct ovl_rank_thread thread;
    struct ovl_rank_energy energy;                /* with --energy */
    struct ovl_cell_energy taken[OVL_LOOP_MODES]; /* at rank 0: of the present cells, by their modes */
    struct ovl_output output;                     /* at rank 0 */
    void *memory[OVL_APP_BLOCKS_MOST];            /* message.h */
    int memory_count;
    struct ovl_app_schemes schemes; /* of an application that stands on them */

    size_t problems;                            /* begun: the same at all ranks, for what they must do alike */
    bool wrong_data, invalid, missed, unproved; /* data; a cell; a bound of the program's own; who did the work */
    char unproved_why[256];                     /* of the present problem; "": nothing speaks against its workers */
    bool unrecorded;                            /* by `begin`: there is no record, and no table of cells */
    int signal;                                 /* that ended the run early, the same at all ranks */
};

/* What a problem needs at the rank that needs most. */
struct ovl_app_need {
    double bytes;
    char what[128];   /* "--grid 64x64x64: 3 variables need" */
    const char *mend; /* "a smaller grid or more ranks" */
};

struct ovl_app {
    const char *name;              /* of the record */
    const char *program;           /* NULL: ovl_NAME */
    const char *about;             /* what the help begins with, behind the call */
    const char *exit_status;       /* what it ends with, or NULL: 2 is an invalid cell, 4 wrong data */
    const char *kept;              /* after a signal: what is kept; NULL: so many finished cells */
    size_t size;                   /* of the application's struct, which is zeroed */
    size_t options_at;             /* place of its options there, which begin with struct ovl_app_options */
    const struct ovl_option *rows; /* of these options */

    /* Before MPI: defaults, and the command line. -1 with *err filled, one line. */
    int (*parse)(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err);
    /* NULL, or, before MPI: prints what the options ask for in place of a run. 1 when it has, 0 when they do not, -1
     *with err filled. */
    int (*print)(struct ovl_app_job *job, struct ovl_error *err);
    /* NULL, or, before MPI: what must be there when that begins, such as processes of the application's own. -1 with
     *err filled. */
    int (*prepare)(struct ovl_app_job *job, struct ovl_error *err);
    /* NULL, or, collective, the same answer at all ranks: what depends on how many ranks there are. */
    int (*begin)(struct ovl_app_job *job, struct ovl_error *err);
    /* NULL, or, collective: the memory of a problem, while there is one of that number. -1 where it cannot be solved
       here, the same at all ranks. */
    int (*need)(struct ovl_app_job *job, size_t problem, struct ovl_app_need *need, struct ovl_error *err);
    size_t (*problems)(const struct ovl_app_job *job); /* NULL: one, of which no progress is told */
    const char *kernel;                                /* what it computes, in one word */
    /* NULL, or, at rank 0: what only this program has in the run line, which has the rest: `solves`, libraries. */
    void (*describe)(struct ovl_app_job *job, json_t *line);
    const struct ovl_format *(*format)(const struct ovl_app_job *job); /* NULL: the table of applications */
    /* Collective: all problems. Its cells are told by ovl_app_cell. NULL where the application stands on `schemes`. */
    int (*measure)(struct ovl_app_job *job, struct ovl_error *err);
    const struct ovl_app_schemes_row *schemes;
    /* Whatever was begun, which may be nothing; NULL: there is nothing to end. */
    void (*end)(struct ovl_app_job *job);
};

/* Runs it, in a program's main: returns the exit code, the same at all ranks; rank 0 has printed why when it is not 0.
 */
int ovl_app_main(const struct ovl_app *app, int argc, char **argv);

/* The application of this program: each folder of apps/ defines it in app.c. */
extern const struct ovl_app ovl_app;

/* Collective: from here to ovl_app_prove all posts are done by workers? If not, that is told and the run is unproved.
 */
void ovl_app_prove_begin(struct ovl_app_job *job);
void ovl_app_prove(struct ovl_app_job *job);
/* A part of it: what took time of the ranks' cores since then. */
void ovl_app_watch_end(struct ovl_app_job *job);

/* When a cell ends, by the options; -1 and OVL_USAGE where its blocks can give a percentile that is asked for no value.
 */
struct ovl_stop ovl_app_stop(const struct ovl_app_options *options);
int ovl_app_stop_check(const struct ovl_app_options *options, struct ovl_error *err);

/* At rank 0: what the cells of all applications have in common, in a cell that is cleared first. `mode` carries the
   scheme, `name` is its word in the record, and `group` counts what was measured together. */
void ovl_app_cell(const struct ovl_app_job *job, struct ovl_cell *cell, const struct ovl_mode *mode, const char *name,
                  size_t group);

/* Collective, behind the cells of one loop: repeats T of each mode from `first` on where --energy asks for it and the
   cells can be used, and keeps what one takes. */
void ovl_app_read_energy(struct ovl_app_job *job, const struct ovl_loop *loop, const struct ovl_loop_result *result,
                         int first);

/* At rank 0: adds what the loop measured of that mode or scheme; the samples are lent. */
void ovl_app_cell_measured(const struct ovl_app_job *job, struct ovl_cell *cell, const struct ovl_loop *loop, int mode,
                           const struct ovl_loop_result *result);
/* At rank 0: derives its values and settles its status, which makes the run invalid or not. */
void ovl_app_cell_derive(struct ovl_app_job *job, struct ovl_cell *cell);
/* At rank 0: its line and its row, and on stderr why `what`, such as "64 bytes", is invalid; NULL, or wrong
   data: that was told. */
int ovl_app_cell_tell(struct ovl_app_job *job, const struct ovl_cell *cell, const char *what, struct ovl_error *err);

/* Says at rank 0 what is wrong, and that the run has wrong data. */
void ovl_app_wrong(struct ovl_app_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
