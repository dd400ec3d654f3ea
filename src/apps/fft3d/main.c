/* ovl_fft3d from MPI_Init to its exit code. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/state.h"
#include "bench/interrupt.h"
#include "bench/offload.h"
#include "offload/boot/agree_mpi.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static void usage(void)
{
    puts("Usage: mpirun -n RANKS ovl_fft3d [OPTION]...\n"
         "Measure how much of the communication of a 3D Fourier transform can be hidden behind its computation.\n"
         "Real pencil-decomposed transforms, forwards and backwards, with their answers checked.\n");
    ovl_options_help(ovl_fft3d_option_rows, stdout);
    puts(
        "\nExit status: 0 fine, 2 an invalid cell, 3 usage, 4 wrong data, 5 environment. See ovl_fft3d(1) and ovl(7).");
}

/* The rows of --mode: the same answer at all ranks. The blocking scheme has no mode's hooks: for the stage it is the
   host that carries. */
static void choose_schemes(struct ovl_fft3d *d)
{
    d->blocking = -1;
    for (const char *at = d->options.offload.modes; *at; at += strcspn(at, ","), at += *at == ',') {
        static const char *const words[] = {"blocking", "host", "dpu"};
        size_t length = strcspn(at, ",");
        bool blocking = length == strlen(words[0]) && strncmp(at, words[0], length) == 0;
        const struct ovl_mode *mode =
            blocking ? ovl_mode_find("host", 4, "mpi") : ovl_mode_find(at, length, d->options.offload.engine);
        if (blocking)
            d->blocking = d->schemes;
        d->names[d->schemes] = blocking ? words[0] : mode->name;
        d->stage.modes[d->schemes++] = mode;
    }
}

/* Collective: everything after the options. */
static int measure(struct ovl_fft3d *d, char **argv, struct ovl_error *err)
{
    if (ovl_agree(d->stage.comm, ovl_provenance_load(&d->provenance, d->comm, &d->offload.engine.job_map, err), err) !=
            0 ||
        ovl_fft3d_check(d, err) != 0)
        return -1;
    ovl_steal_open(&d->steal);
    d->clock_read = ovl_stage_meet(&d->stage, &d->sync, d->comm, &d->provenance);
    json_t *provenance = ovl_provenance_json(&d->provenance, d->comm);
    int rc = ovl_agree(d->stage.comm, d->rank == 0 ? ovl_fft3d_open_output(d, provenance, argv, err) : 0, err);
    if (rc == 0) {
        rc = ovl_fft3d_measure(d, err);
        if (d->rank == 0)
            rc = ovl_output_close(&d->output, rc, d->signal, d->cells, err);
        rc = ovl_agree(d->stage.comm, rc, err);
    }
    json_decref(d->output.run.head);
    ovl_sync_close(&d->sync);
    return rc;
}

/* Collective over the ranks: everything between the meeting of all and their parting. */
static int run_ranks(struct ovl_fft3d *d, char **argv, struct ovl_error *err)
{
    struct ovl_exchange none = {0}; /* bench's stage takes one of these in turn */
    MPI_Comm_dup(d->offload.engine.comm, &d->comm);
    MPI_Comm_rank(d->comm, &d->rank);
    MPI_Comm_size(d->comm, &d->ranks);
    ovl_stage_open(&d->stage, d->comm);
    d->stage.exchanges = &none;
    d->stage.offload = d->offload.engine.connected ? &d->offload : NULL;
    choose_schemes(d);
    int rc = ovl_fft3d_options_ranks(&d->options, d->ranks, err) == 0 ? measure(d, argv, err) : -1;
    if (rc == 0 && d->signal && d->rank == 0)
        fprintf(stderr, "ovl_fft3d: interrupted by %s; %zu finished cells are kept\n", ovl_interrupt_name(d->signal),
                d->cells);
    ovl_stage_close(&d->stage);
    ovl_provenance_free(&d->provenance);
    MPI_Comm_free(&d->comm);
    fftw_cleanup();
    return rc;
}

static int run(struct ovl_fft3d *d, int rc, char **argv, struct ovl_error *err)
{
    const struct ovl_engine *e = &d->offload.engine;
    bool leave = rc == 0 && (d->options.help || d->options.version);
    d->offload.program = "ovl_fft3d";
    rc = ovl_offload_join(&d->offload, &d->options.offload, leave, err);
    if (rc == 0 && !e->worker)
        rc = run_ranks(d, argv, err);
    else if (leave && e->first && d->options.help)
        usage();
    else if (leave && e->first)
        printf("ovl_fft3d %s (%s)\n", OVL_VERSION, OVL_GIT);
    if (rc != 0 && e->first && *err->text)
        fprintf(stderr, "ovl_fft3d: %s\n", err->text);
    ovl_offload_release(&d->offload);
    int code = rc != 0                   ? (int)err->code
               : d->unproved             ? OVL_ENVIRONMENT
               : d->wrong_data           ? OVL_WRONG_DATA
               : d->invalid || d->signal ? OVL_INCONCLUSIVE
                                         : OVL_OK;
    return ovl_engine_agree_exit_code(&d->offload.engine, code);
}

int main(int argc, char **argv)
{
    struct ovl_fft3d d = {.output.writer.fd = -1, .options = ovl_fft3d_options_default()};
    struct ovl_error err = {.code = OVL_OK};
    int rc = ovl_fft3d_options_parse(argc, argv, &d.options, &err);
    if (rc == 0 && ovl_offload_wanted(&d.options.offload))
        ovl_engine_prepare((int)d.options.offload.workers);
    MPI_Init(&argc, &argv);
    ovl_interrupt_catch();
    return ovl_engine_finalize(run(&d, rc, argv, &err));
}
