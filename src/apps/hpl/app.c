/* ovl_hpl: an LU solution as HPL does it, whose panel broadcasts overlap with the update. What the frame has to know of
   it, and one order after the other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/blas.h"
#include "apps/hpl/report.h"
#include "apps/hpl/state.h"
#include "offload/boot/agree_mpi.h"

#include <stdio.h>
#include <string.h>

static struct ovl_hpl *program_of(struct ovl_app_job *job)
{
    return (struct ovl_hpl *)job;
}

static int parse(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err)
{
    struct ovl_hpl *p = program_of(job);
    p->options = ovl_hpl_options_default();
    return ovl_hpl_options_parse(argc, argv, &p->options, err);
}

static int add_variant(struct ovl_hpl *p, const struct ovl_mode *mode, const char *name, int depth, const char *scheme,
                       struct ovl_error *err)
{
    struct ovl_app_schemes *a = &p->job.schemes;
    if (a->count == OVL_LOOP_MODES)
        return ovl_error_set(err, OVL_USAGE, "--bcast, --depth, --mode: more than %d ways; give some of them",
                             OVL_LOOP_MODES);
    p->variant[a->count].depth = depth;
    p->variant[a->count].scheme = ovl_hpl_scheme_find(scheme, strcspn(scheme, ","));
    a->scheme[a->count] = (struct ovl_app_scheme){.name = name, .mode = mode};
    p->job.stage.modes[a->count++] = mode;
    return 0;
}

/* The schemes of --bcast in host mode; waited for at once the first of them, with the first look-ahead; in dpu mode the
   one that the mode itself does, whatever that list has. */
static int choose_variants(struct ovl_hpl *p, struct ovl_error *err)
{
    const struct ovl_hpl_options *o = &p->options;
    struct ovl_app_schemes *a = &p->job.schemes;
    int rc = 0;
    a->count = 0;
    a->blocking = -1;
    for (const char *m = o->common.offload.modes; *m; m += strcspn(m, ","), m += *m == ',') {
        static const char blocking[] = "blocking";
        bool blocks = strncmp(m, blocking, strlen(blocking)) == 0;
        const struct ovl_mode *mode =
            blocks ? ovl_mode_find("host", 4, "mpi") : ovl_mode_find(m, strcspn(m, ","), o->common.offload.engine);
        bool host = strcmp(mode->name, "host") == 0;
        if (blocks)
            a->blocking = a->count;
        for (size_t d = 0; d < (blocks ? 1 : o->depths.n); d++)
            for (const char *at = host ? o->schemes : "ibcast"; *at && rc == 0; at += *at == ',') {
                rc = add_variant(p, mode, blocks ? blocking : mode->name, (int)o->depths.value[d], at, err);
                at += blocks ? strlen(at) : strcspn(at, ",");
            }
    }
    return rc;
}

static int begin(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_hpl *p = program_of(job);
    if (ovl_hpl_options_ranks(&p->options, job->ranks, err) != 0)
        return -1;
    return ovl_agree(job->comm, choose_variants(p, err), err);
}

static size_t problems(const struct ovl_app_job *job)
{
    return ((const struct ovl_hpl *)job)->options.orders.n;
}

static int need(struct ovl_app_job *job, size_t problem, struct ovl_app_need *need_of, struct ovl_error *err)
{
    const struct ovl_hpl *p = program_of(job);
    struct ovl_hpl_shape shape = ovl_hpl_options_shape(&p->options, p->options.orders.value[problem]);
    (void)err;
    need_of->bytes = ovl_hpl_memory(&shape);
    need_of->mend = "a smaller N, more ranks or a larger --mem-limit";
    snprintf(need_of->what, sizeof need_of->what, "--order: %d on %d x %d needs", shape.n, shape.rows, shape.columns);
    return 0;
}

static json_t *solves(struct ovl_app_job *job, json_t *line)
{
    const struct ovl_hpl_options *o = &program_of(job)->options;
    const char *blas = ovl_hpl_blas_name();
    int name = (int)strcspn(blas, " "); /* and version; what follows says how it was built */
    name += blas[name] ? 1 + (int)strcspn(blas + name + 1, " ") : 0;
    if (!ovl_hpl_blas_threads((int)o->threads))
        json_array_append_new(json_object_get(line, "warnings"),
                              json_string("the BLAS library could not be told its number of threads"));
    json_object_set_new(line, "blas", json_string(blas));
    char swap[64] = "", depths[128] = "";
    for (size_t i = 0, n = 0; i < o->depths.n && n + 8 < sizeof depths; i++)
        n += (size_t)snprintf(depths + n, sizeof depths - n, "%s%.0f", i ? ", " : "", o->depths.value[i]);
    if (o->swap_threshold > 0)
        snprintf(swap, sizeof swap, ", swap mix up to %d columns", (int)o->swap_threshold);
    return json_sprintf("an LU solution whose panels travel during the update, no rated HPL run; grid "
                        "%d x %d, NB %d, look-ahead %s%s; %d thread%s a rank, %.*s",
                        o->rows, o->columns, (int)o->nb, depths, swap, (int)o->threads, o->threads == 1 ? "" : "s",
                        name, blas);
}

static const struct ovl_format *format(const struct ovl_app_job *job)
{
    return strcmp(job->options->format, "hpl") == 0 ? &ovl_hpl_format_hpl : &ovl_format_proxy;
}

const struct ovl_app ovl_app = {
    .name = "hpl",
    .about =
        "Solve a random dense system by LU with partial pivoting, as HPL does, and measure how much of the broadcasts\n"
        "of its panels is hidden behind the update. This is hpl-panel: no rated HPL run.\n",
    .exit_status = "0 fine, 2 interrupted or an invalid cell, 3 usage, 4 wrong data, 5 environment",
    .size = sizeof(struct ovl_hpl),
    .options_at = offsetof(struct ovl_hpl, options),
    .rows = ovl_hpl_option_rows,
    .parse = parse,
    .begin = begin,
    .need = need,
    .problems = problems,
    .kernel = "none",
    .solves = solves,
    .format = format,
    .schemes = &ovl_hpl_schemes_row,
};
