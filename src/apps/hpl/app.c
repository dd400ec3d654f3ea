/* ovl_hpl: an LU solution as HPL does it, whose panel broadcasts overlap with the update. What the frame has to know of
   it, and one order after the other. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/report.h"
#include "apps/hpl/state.h"
#include "base/input_file.h"
#include "machine/blas.h"
#include "offload/boot/agree_mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_hpl *program_of(struct ovl_app_job *job)
{
    return (struct ovl_hpl *)job;
}

/* The options that the file argv[1] stands for, in its place; others behind it override them. */
static int read_dat(struct ovl_hpl *p, int argc, char **argv, struct ovl_error *err)
{
    char *text = ovl_input_text(argv[1], argv[1], err);
    int rc = text ? ovl_hpl_dat_read(text, argv[1], &p->dat, err) : -1;
    free(text);
    if (rc != 0)
        return -1;
    char **words = ovl_alloc((size_t)argc + p->dat.words, sizeof *words); /* with NULL behind the last */
    words[0] = argv[0];
    memcpy(words + 1, p->dat.word, p->dat.words * sizeof *words);
    memcpy(words + 1 + p->dat.words, argv + 2, (size_t)(argc - 1) * sizeof *words);
    p->job.words = words;
    return 0;
}

static int parse(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err)
{
    struct ovl_hpl *p = program_of(job);
    if (argc < 2 || *argv[1] == '-' || !*argv[1])
        return ovl_hpl_options_parse(argc, argv, &p->options, err);
    int rc = read_dat(p, argc, argv, err);
    struct ovl_error unread = *err;
    if (rc == 0)
        return ovl_hpl_options_parse(argc - 1 + (int)p->dat.words, job->words, &p->options, err);
    ovl_hpl_options_parse(1, argv, &p->options, err); /* the frame wants defaults */
    *err = unread;
    return -1;
}

/* Nodes may have a HPL.dat of their own under one name. */
static int check_same(struct ovl_app_job *job, struct ovl_error *err)
{
    const struct ovl_hpl_dat *d = &program_of(job)->dat;
    char mine[512] = "", first[512];
    size_t n = 0;
    for (size_t i = 0; i < d->words && n < sizeof mine; i++)
        n += (size_t)snprintf(mine + n, sizeof mine - n, " %s", d->word[i]);
    memcpy(first, mine, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, job->comm);
    return strcmp(first, mine) == 0
               ? 0
               : ovl_error_set(err, OVL_ENVIRONMENT,
                               "this rank's HPL.dat is not that of rank 0; give all nodes one file");
}

static int begin(struct ovl_app_job *job, struct ovl_error *err)
{
    struct ovl_hpl *p = program_of(job);
    if (ovl_agree(job->comm, check_same(job, err), err) != 0 ||
        ovl_hpl_options_ranks(&p->options, job->ranks, err) != 0)
        return -1;
    return ovl_agree(job->comm, ovl_hpl_choose(p, err), err);
}

static size_t problems(const struct ovl_app_job *job)
{
    return ((const struct ovl_hpl *)job)->options.orders.n;
}

static int need(struct ovl_app_job *job, size_t problem, struct ovl_app_need *need_of, struct ovl_error *err)
{
    const struct ovl_hpl *p = program_of(job);
    struct ovl_hpl_shape shape = ovl_hpl_options_shape(&p->options, p->options.orders.value[problem]);
    int rows = ovl_hpl_below(shape.n, shape.nb, 0, shape.rows);
    size_t doubles = ovl_hpl_panel_doubles(shape.nb, rows);
    if (doubles > INT_MAX)
        return ovl_error_set(err, OVL_USAGE,
                             "--order %d on %d x %d: a panel of %zu numbers is more than MPI counts; give more process "
                             "rows, or a smaller NB",
                             shape.n, shape.rows, shape.columns, doubles);
    need_of->bytes = ovl_hpl_memory(&shape);
    need_of->mend = "a smaller N, more ranks or a larger --mem-limit";
    snprintf(need_of->what, sizeof need_of->what, "--order: %d on %d x %d needs", shape.n, shape.rows, shape.columns);
    return 0;
}

static void tell_dat(const struct ovl_hpl *p, json_t *warnings)
{
    char *words = ovl_text("%s", "");
    for (size_t i = 0; i < p->dat.words; i++) {
        char *longer = ovl_text("%s %s", words, p->dat.word[i]);
        free(words);
        words = longer;
    }
    if (p->dat.words > 0)
        json_array_append_new(warnings, json_sprintf("HPL.dat stands for%s; not used of it: %s", words, p->dat.unused));
    free(words);
}

static void describe(struct ovl_app_job *job, json_t *line)
{
    const struct ovl_hpl_options *o = &program_of(job)->options;
    const char *blas = ovl_blas_text();
    static const char open[] = "OpenBLAS "; /* after its version it says how it was built */
    bool long_text = strncmp(blas, open, strlen(open)) == 0;
    int name = (int)(long_text ? strlen(open) + strcspn(blas + strlen(open), " ") : strlen(blas));
    if (!ovl_blas_threads((int)o->threads))
        json_array_append_new(json_object_get(line, "warnings"),
                              json_string("the BLAS library could not be told its number of threads"));
    ovl_output_run_blas(line);
    if (o->columns == 1 && job->ranks > 1) /* of one rank the frame warns */
        json_array_append_new(
            json_object_get(line, "warnings"),
            json_string("no broadcast on this grid: a row has one process, and no panel travels; give "
                        "--procs PxQ with Q of 2 or more"));
    bool one = false;
    for (size_t i = 0; i < o->orders.n; i++)
        one = one || o->orders.value[i] <= (double)o->nb;
    if (one && o->columns > 1)
        json_array_append_new(
            json_object_get(line, "warnings"),
            json_string("one panel: nothing is updated by what travels, and no residual tells whether it "
                        "came; give -n above NB"));
    tell_dat(program_of(job), json_object_get(line, "warnings"));
    char swap[64] = "", depths[128] = "";
    for (size_t i = 0, n = 0; i < o->depths.n && n + 8 < sizeof depths; i++)
        n += (size_t)snprintf(depths + n, sizeof depths - n, "%s%.0f", i ? ", " : "", o->depths.value[i]);
    if (o->swap_threshold > 0)
        snprintf(swap, sizeof swap, ", swap mix up to %d columns", (int)o->swap_threshold);
    json_object_set_new(line, "solves",
                        json_sprintf("an LU solution whose panels travel during the update, no rated HPL run; grid "
                                     "%d x %d, NB %d, look-ahead %s%s; %d thread%s a rank, %.*s",
                                     o->rows, o->columns, (int)o->nb, depths, swap, (int)o->threads,
                                     o->threads == 1 ? "" : "s", name, blas));
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
    .print = ovl_hpl_print,
    .begin = begin,
    .need = need,
    .problems = problems,
    .kernel = "none",
    .describe = describe,
    .format = format,
    .schemes = &ovl_hpl_schemes_row,
};
