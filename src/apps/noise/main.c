/* ovl_noise from MPI_Init to its exit code: noise, clocks, starts and round trips of a set of nodes, and one verdict.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/state.h"
#include "base/standard_streams.h"
#include "bench/interrupt.h"
#include "bench/overdue.h"
#include "offload/boot/agree_mpi.h"
#include "offload/boot/engine_mpi.h"
#include "record/derived/noise.h"
#include "record/field.h"
#include "version.h"

#include <stdio.h>

/* Of the time: quanta, starts, round trips. The rest goes to what takes as long as it takes. */
static const double quanta_share = 0.55, starts_share = 0.2, trips_share = 0.2;

static void usage(void)
{
    puts("Usage: mpirun -n RANKS ovl_noise [OPTION]...\n"
         "Tell whether these nodes are fit to measure overlap on: noise of fixed work, clocks, stolen time, common\n"
         "starts, and messages to and fro between nodes.\n");
    ovl_options_help(ovl_noise_option_rows, stdout);
    puts("\nExit status: 0 quiet, 2 not quiet, or ended by a signal, 3 usage, 5 environment. See ovl_noise(1).");
}

/* At rank 0. Takes `provenance`. */
static int open_output(struct ovl_noise_job *j, json_t *provenance, char **argv, struct ovl_error *err)
{
    const struct ovl_noise_options *o = &j->options;
    json_t *line = ovl_output_run_line("noise", argv, provenance);
    json_object_set_new(line, "datatype", json_null());
    json_object_set_new(line, "workers", json_integer(0));
    json_object_set_new(line, "seed", json_integer(0)); /* nothing is drawn */
    json_object_set_new(line, "options", ovl_options_json(ovl_noise_option_rows, o));
    json_object_set_new(
        line, "clock",
        json_pack("{s:f, s:b}", "read_seconds", ovl_field_round(j->clock_read), "synchronised", j->synchronised));
    json_object_set_new(
        line, "calibration",
        json_pack("{s:s, s:n, s:n}", "kernel", j->work.kernel->name, "units_per_second", "nonlinearity"));
    json_object_set_new(line, "solves",
                        json_sprintf("noise of fixed work, clocks, common starts and round trips, in %g s", o->time));
    j->output.quiet = o->quiet;
    j->output.full = o->full;
    j->output.format = &ovl_format_noise;
    return ovl_output_open(&j->output, line, o->json, err);
}

/* Collective. */
static int run_phases(struct ovl_noise_job *j, struct ovl_error *err)
{
    double time = j->options.time;
    ovl_steal_begin(&j->steal);
    ovl_clocks_check(&j->mine);
    j->mine.backward_between = ovl_noise_early_messages(j);
    j->clocks = ovl_clocks_both();
    ovl_noise_measure_clocks(j, OVL_NOISE_BEGIN);
    if (ovl_noise_quanta_run(j, quanta_share * time, err) != 0)
        return -1;
    if (!j->signal)
        ovl_noise_starts_run(j, starts_share * time);
    if (!j->signal && ovl_noise_trips_run(j, trips_share * time, err) != 0)
        return -1;
    ovl_noise_measure_clocks(j, OVL_NOISE_END);
    j->mine.steal = ovl_steal_end(&j->steal);
    ovl_noise_gather(j);
    return 0;
}

/* At rank 0: the lines of the nodes, and whether it is quiet. */
static int report(struct ovl_noise_job *j, bool *quiet, struct ovl_error *err)
{
    struct ovl_noise_verdict v;
    struct ovl_run *run = &j->output.run, judged;
    int rc = 0;
    for (int i = 0; i < j->nodes && rc == 0; i++) {
        ovl_node_round(&j->found[i]);
        rc = ovl_output_line(&j->output, ovl_node_to_json(&j->found[i]), err);
    }
    run->nodes = j->found;
    run->node_count = (size_t)j->nodes;
    if (j->starts)
        j->output.ending = json_pack("{s:o}", "starts", j->starts);
    judged = *run;
    judged.end = j->output.ending;
    ovl_noise_judge(&judged, &v);
    *quiet = rc == 0 && ovl_noise_first(&v) == OVL_NOISE_KINDS;
    return rc;
}

/* Collective: everything after the options. */
static int measure(struct ovl_noise_job *j, char **argv, bool *quiet, struct ovl_error *err)
{
    if (ovl_agree(j->comm, ovl_provenance_load(&j->provenance, j->comm, NULL, err), err) != 0)
        return -1;
    ovl_noise_open(j);
    j->synchronised = ovl_noise_starts_common(j);
    json_t *provenance = ovl_provenance_json(&j->provenance, j->comm);
    int rc = ovl_agree(j->comm, ovl_work_open(&j->work, "fma", err), err);
    if (rc == 0)
        rc = ovl_agree(j->comm, j->rank == 0 ? open_output(j, provenance, argv, err) : 0, err);
    if (rc == 0) {
        rc = run_phases(j, err);
        if (j->rank == 0 && rc == 0)
            rc = report(j, quiet, err);
        if (j->rank == 0)
            rc = ovl_output_close(&j->output, rc, j->signal, err);
        rc = ovl_agree(j->comm, rc, err);
    }
    json_decref(j->output.run.head);
    ovl_noise_close(j);
    return rc;
}

/* Collective over the ranks. */
static int run_ranks(struct ovl_noise_job *j, MPI_Comm comm, char **argv, bool *quiet, struct ovl_error *err)
{
    MPI_Comm_dup(comm, &j->comm);
    MPI_Comm_rank(j->comm, &j->rank);
    MPI_Comm_size(j->comm, &j->ranks);
    int rc = measure(j, argv, quiet, err);
    if (rc == 0 && j->signal && j->rank == 0)
        fprintf(stderr, "ovl_noise: interrupted by %s; what was measured is kept\n", ovl_interrupt_name(j->signal));
    ovl_provenance_free(&j->provenance);
    MPI_Comm_free(&j->comm);
    return rc;
}

static int run(struct ovl_noise_job *j, struct ovl_engine *e, int rc, char **argv, struct ovl_error *err)
{
    struct ovl_engine_options none = ovl_engine_options_default;
    struct ovl_error ignored;
    bool leave = rc == 0 && (j->options.help || j->options.version), quiet = false;
    none.workers = 0;
    rc = ovl_engine_bootstrap(e, false, &none, leave, err);
    if (rc == 0)
        rc = ovl_engine_connect(e, err);
    if (rc == 0 && !e->worker && e->job_map.workers > 0)
        rc = ovl_error_set(err, OVL_USAGE, "there is no work for ovl_worker here: leave it out");
    else if (rc == 0 && !e->worker)
        rc = run_ranks(j, e->comm, argv, &quiet, err);
    else if (leave && e->first && j->options.help)
        usage();
    else if (leave && e->first)
        printf("ovl_noise %s (%s)\n", OVL_VERSION, OVL_GIT);
    if (rc != 0 && e->first && *err->text)
        fprintf(stderr, "ovl_noise: %s\n", err->text);
    ovl_engine_release(e, &ignored);
    return ovl_engine_agree_exit_code(e, rc != 0 ? (int)err->code : quiet && !j->signal ? OVL_OK : OVL_INCONCLUSIVE);
}

int main(int argc, char **argv)
{
    struct ovl_noise_job j = {.output = {.writer = {.fd = -1}}, .leaders = MPI_COMM_NULL};
    struct ovl_engine engine = {.connected = false};
    struct ovl_error err = {.code = OVL_OK};
    if (ovl_standard_streams_open() != 0)
        return OVL_ENVIRONMENT;
    int rc = ovl_noise_options_parse(argc, argv, &j.options, &err);
    MPI_Init(&argc, &argv);
    ovl_overdue_watch("ovl_noise", &j.output);
    return ovl_engine_finalize(run(&j, &engine, rc, argv, &err));
}
