/* ovl_noise: noise, clocks, starts and round trips of a set of nodes, and one verdict. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/state.h"
#include "offload/boot/agree_mpi.h"
#include "record/derived/noise.h"

#include <stdio.h>

/* Of the time: quanta, starts, round trips. The rest goes to what takes as long as it takes. */
static const double quanta_share = 0.55, starts_share = 0.2, trips_share = 0.2;

static void describe(struct ovl_app_job *job, json_t *line)
{
    json_object_set_new(line, "solves",
                        json_sprintf("noise of fixed work, clocks, common starts and round trips, in %g s",
                                     ((struct ovl_noise_job *)job)->options.time));
}

/* Collective. */
static int run_phases(struct ovl_noise_job *j, struct ovl_error *err)
{
    double time = j->options.time;
    ovl_steal_begin(&j->job.steal);
    ovl_clocks_check(&j->mine);
    j->mine.backward_between = ovl_noise_early_messages(j);
    j->clocks = ovl_clocks_both();
    ovl_noise_measure_clocks(j, OVL_NOISE_BEGIN);
    if (ovl_noise_quanta_run(j, quanta_share * time, err) != 0)
        return -1;
    if (!j->job.signal)
        ovl_noise_starts_run(j, starts_share * time);
    if (!j->job.signal && ovl_noise_trips_run(j, trips_share * time, err) != 0)
        return -1;
    ovl_noise_measure_clocks(j, OVL_NOISE_END);
    j->mine.steal = ovl_steal_end(&j->job.steal);
    ovl_noise_gather(j);
    return 0;
}

/* At rank 0: the lines of the nodes, and whether they are quiet. */
static int report(struct ovl_noise_job *j, struct ovl_error *err)
{
    struct ovl_noise_verdict v;
    struct ovl_run *run = &j->job.output.run, judged;
    int rc = 0;
    for (int i = 0; i < j->nodes && rc == 0; i++) {
        ovl_node_round(&j->found[i]);
        rc = ovl_output_line(&j->job.output, ovl_node_to_json(&j->found[i]), err);
    }
    run->nodes = j->found;
    run->node_count = (size_t)j->nodes;
    if (j->starts)
        j->job.output.ending = json_pack("{s:o}", "starts", j->starts);
    judged = *run;
    judged.end = j->job.output.ending;
    ovl_noise_judge(&judged, &v);
    j->job.invalid = ovl_noise_first(&v) != OVL_NOISE_KINDS;
    return rc;
}

static int begin(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_noise_job *j = (struct ovl_noise_job *)job;
    if (job->offload.engine.job_map.workers > 0)
        return ovl_error_set(err, OVL_USAGE, "there is no work for ovl_worker here: leave it out");
    ovl_noise_open(j);
    return ovl_agree(job->comm, ovl_work_open(&j->work, ovl_app.kernel, err), err);
}

static int measure(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_noise_job *j = (struct ovl_noise_job *)job;
    int rc = run_phases(j, err);
    return rc == 0 && job->rank == 0 ? report(j, err) : rc;
}

static int parse(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err)
{
    struct ovl_noise_job *j = (struct ovl_noise_job *)job;
    j->node = j->leaders = MPI_COMM_NULL;
    return ovl_noise_options_parse(argc, argv, &j->options, err);
}

static const struct ovl_format *format(const struct ovl_app_job *job)
{
    (void)job;
    return &ovl_format_noise;
}

static void end(struct ovl_app_job *job)
{
    ovl_noise_close((struct ovl_noise_job *)job);
}

const struct ovl_app ovl_app = {
    .name = "noise",
    .about =
        "Tell whether these nodes are fit to measure overlap on: noise of fixed work, clocks, stolen time, common\n"
        "starts, and messages to and fro between nodes.\n",
    .exit_status = "0 quiet, 2 not quiet, or ended by a signal, 3 usage, 5 environment",
    .kept = "what was measured is kept",
    .size = sizeof(struct ovl_noise_job),
    .options_at = offsetof(struct ovl_noise_job, options),
    .rows = ovl_noise_option_rows,
    .parse = parse,
    .begin = begin,
    .kernel = "fma",
    .describe = describe,
    .format = format,
    .measure = measure,
    .end = end,
};
