/* Grids, one after the other: memory, FFTW's plans and its wisdom, and a transform and messages for each scheme. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/fft3d/check.h"
#include "apps/fft3d/state.h"
#include "base/input_file.h"
#include "base/output_file.h"
#include "offload/boot/agree_mpi.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool real(const struct ovl_fft3d *d)
{
    return strcmp(d->options.transform, "r2c") == 0;
}

/* How many slots the schemes use, and the numbers in the message of each: the blocking scheme has one, of a whole
   variable, and the others have smaller ones where they have slabs. With --chunks auto up to eight are tried. */
static int find_slots(const struct ovl_fft3d *d, const struct ovl_pencil *p, size_t largest[OVL_APP_SLOTS_MOST])
{
    int count = 0, window = (int)d->options.window;
    memset(largest, 0, OVL_APP_SLOTS_MOST * sizeof *largest);
    for (int s = 0; s < d->job.schemes.count; s++)
        for (int chunks = 1; chunks <= OVL_FFT3D_SLABS; chunks++) {
            bool tried = chunks <= OVL_FFT3D_TRIED && (chunks & (chunks - 1)) == 0;
            bool used = ovl_fft3d_blocks(d, s) ? chunks == 1 : d->options.chunks ? chunks == d->options.chunks : tried;
            int slots = used ? ovl_transform_plan_slots(p, chunks, ovl_fft3d_blocks(d, s) ? 0 : window) : 0;
            size_t numbers = used ? ovl_messages_largest(p, chunks) : 0;
            for (int i = 0; i < slots; i++)
                largest[i] = numbers > largest[i] ? numbers : largest[i];
            count = slots > count ? slots : count;
        }
    return count;
}

int ovl_fft3d_bytes(const struct ovl_fft3d *d, const struct ovl_pencil *p, double *bytes, struct ovl_error *err)
{
    size_t largest[OVL_APP_SLOTS_MOST];
    char name[64];
    *bytes = ovl_transform_bytes(p, (int)d->options.variables);
    ovl_grid_text(&p->grid, name);
    for (int i = find_slots(d, p, largest); i-- > 0;) {
        if (largest[i] > INT_MAX / 2) /* counts and displacements are of doubles, two a number */
            return ovl_error_set(
                err, OVL_USAGE,
                "--grid %s: a message of %.3g numbers does not fit MPI's int; give a smaller grid, more "
                "ranks, or more --chunks (the blocking scheme has one)",
                name, 2.0 * (double)largest[i]);
        *bytes += 2 * sizeof(double complex) * (double)largest[i];
    }
    return 0;
}

/* At rank 0, before anything is measured: can it be written, and read? It is written again as a whole, in place of the
   old one, so that what is there must be a file of wisdom, or nothing. */
static int load_wisdom(const char *name, struct ovl_error *err)
{
    if (ovl_output_file_in_place(name))
        return ovl_error_set(err, OVL_USAGE,
                             "--wisdom %s: no regular file, and it is written again as a whole; name one", name);
    char option[OVL_ERROR_TEXT];
    FILE *f = fopen(name, "a+");
    if (f)
        ovl_input_file_note(fileno(f));
    if (!f)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--wisdom %s: cannot write it", name);
    fclose(f);
    snprintf(option, sizeof option, "--wisdom %s", name);
    char *text = ovl_input_text(name, option, err);
    if (!text)
        return -1;
    if (*text)
        ovl_input_keep("wisdom", text);
    bool known = !*text || fftw_import_wisdom_from_string(text);
    free(text);
    return known
               ? 0
               : ovl_error_set(err, OVL_USAGE, "--wisdom %s: it holds no wisdom of this FFTW; name another file", name);
}

/* A full disk leaves what was there before. */
static int keep_wisdom(const char *name, struct ovl_error *err)
{
    struct ovl_path new;
    int fd = ovl_output_file_hidden(name, &new);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (f)
        fftw_export_wisdom_to_file(f);
    bool good = f && !ferror(f);
    if (f && fclose(f) != 0)
        good = false;
    if (good && rename(new.text, name) == 0)
        return 0;
    int why = errno;
    if (fd >= 0 && !f)
        close(fd);
    if (fd >= 0)
        remove(new.text);
    return ovl_error_set(err, OVL_ENVIRONMENT, "--wisdom %s: cannot write it: %s: %s", name, new.text, strerror(why));
}

int ovl_fft3d_need_of(const struct ovl_fft3d *d, const struct ovl_grid *grid, struct ovl_pencil *p,
                      struct ovl_app_need *need, struct ovl_error *err)
{
    char name[64];
    if (ovl_pencil_make(p, grid, real(d), &d->options.space, 0, err) != 0 || /* rank 0 has no less than others */
        ovl_fft3d_bytes(d, p, &need->bytes, err) != 0)
        return -1;
    need->mend = "a smaller grid, fewer --vars or more ranks";
    ovl_grid_text(grid, name);
    snprintf(need->what, sizeof need->what, "--grid %s: %d variables need", name, (int)d->options.variables);
    return 0;
}

int ovl_fft3d_need(struct ovl_app_job *job, size_t problem, struct ovl_app_need *need, struct ovl_error *err)
{
    struct ovl_fft3d *d = (struct ovl_fft3d *)job;
    struct ovl_pencil p;
    bool reads = problem == 0 && job->rank == 0 && d->options.wisdom;
    if (problem == 0 && ovl_agree(job->stage.comm, reads ? load_wisdom(d->options.wisdom, err) : 0, err) != 0)
        return -1;
    return ovl_fft3d_need_of(d, &d->options.grids[problem], &p, need, err);
}

/* Collective: rank 0 plans, and the others take over what it found, so that all ranks compute alike. */
static int make_transform(struct ovl_fft3d *d, struct ovl_error *err)
{
    unsigned effort = strcmp(d->options.effort, "estimate") == 0  ? FFTW_ESTIMATE
                      : strcmp(d->options.effort, "patient") == 0 ? FFTW_PATIENT
                                                                  : FFTW_MEASURE;
    struct ovl_lines found;
    int rc = 0, length = 0;
    char *wisdom = NULL;
    memset(&found, 0, sizeof found);
    if (d->job.rank == 0) {
        rc = ovl_lines_make(&found, &d->pencil, effort, err);
        wisdom = rc == 0 ? fftw_export_wisdom_to_string() : NULL;
        length = wisdom ? (int)strlen(wisdom) + 1 : 0;
        if (rc == 0 && d->options.wisdom)
            rc = keep_wisdom(d->options.wisdom, err);
    }
    ovl_lines_free(&found);
    if (ovl_agree(d->job.stage.comm, rc, err) == 0) {
        MPI_Bcast(&length, 1, MPI_INT, 0, d->job.stage.comm);
        char *all = d->job.rank == 0 ? wisdom : malloc((size_t)length + 1);
        rc = all || !length ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for FFTW's wisdom");
        if (ovl_agree(d->job.stage.comm, rc, err) == 0 && length > 0) {
            MPI_Bcast(all, length, MPI_CHAR, 0, d->job.stage.comm);
            if (d->job.rank != 0)
                fftw_import_wisdom_from_string(all);
        }
        if (d->job.rank != 0)
            free(all);
        if (rc == 0)
            rc = ovl_transform_make(&d->transform, &d->pencil, (int)d->options.variables, effort, err);
        rc = ovl_agree(d->job.stage.comm, rc, err);
    } else
        rc = -1;
    free(wisdom);
    return rc;
}

static int make_scheme(struct ovl_fft3d *d, int s, int chunks, struct ovl_error *err)
{
    bool blocks = ovl_fft3d_blocks(d, s);
    d->scheme[s] = (struct ovl_scheme){
        .transform = &d->transform, .messages = &d->messages, .mode = blocks ? NULL : d->job.stage.modes[s]};
    int rc = ovl_scheme_make(&d->scheme[s], blocks ? 1 : chunks, (int)d->options.window, d->job.schemes.node, err);
    d->scheme[s].poll_lines = d->job.schemes.scheme[s].polls ? d->options.common.test_lines : 0;
    d->job.schemes.scheme[s].run = &d->scheme[s].run;
    d->job.schemes.scheme[s].plan = d->scheme[s].plan.window > 0 ? d->scheme[s].plan.chunks : 0;
    return ovl_agree(d->job.stage.comm, rc, err);
}

/* Collective: the quickest of the slowest ranks' pairs, each begun as a sample is: workers awake or at rest, and the
   wire as it was before; the first pair of each number warms up. */
static int choose_chunks(struct ovl_fft3d *d, int s, struct ovl_error *err)
{
    enum { TRIES = 4 };
    double best = INFINITY;
    int chosen = 1, rc = 0;
    for (int chunks = 1; chunks <= OVL_FFT3D_TRIED && rc == 0; chunks *= 2) {
        double least = INFINITY;
        rc = make_scheme(d, s, chunks, err);
        for (int t = 0; t < TRIES && rc == 0; t++) {
            ovl_stage_ops.start(&d->job.stage, OVL_TOTAL, s);
            ovl_scheme_pair(&d->scheme[s], OVL_MASK_TOTAL);
            double took = ovl_app_run_seconds(&d->scheme[s].run), slowest;
            MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, d->job.stage.comm);
            if (t > 0)
                least = fmin(least, slowest);
        }
        if (least < best) {
            best = least;
            chosen = chunks;
        }
        ovl_scheme_free(&d->scheme[s]);
    }
    return rc == 0 ? chosen : -1;
}

static int make_schemes(struct ovl_fft3d *d, struct ovl_error *err)
{
    int rc = 0;
    for (int s = 0; s < d->job.schemes.count && rc == 0; s++) {
        int chunks = d->options.chunks || ovl_fft3d_blocks(d, s) ? d->options.chunks : choose_chunks(d, s, err);
        rc = chunks < 0 ? -1 : make_scheme(d, s, chunks, err);
    }
    return rc;
}

/* Which exchanges --offload gives to workers. On one node all of them: there is nothing else to offload. */
void ovl_fft3d_choose_workers(const struct ovl_fft3d *d, int rank, bool workers[OVL_TRANSPOSES])
{
    const char *which = d->options.offload;
    for (int t = 0; t < OVL_TRANSPOSES; t++)
        workers[t] =
            strcmp(which, "internode") == 0
                ? d->job.schemes.machine.nodes == 1 || ovl_space_crosses(&d->pencil.space, rank, t, d->job.schemes.node)
                : strcmp(which, "all") == 0 || strcmp(which, t == OVL_ROW ? "rows" : "columns") == 0;
}

static void announce_grid(struct ovl_fft3d *d)
{
    struct ovl_app_schemes *a = &d->job.schemes;
    char name[64];
    ovl_grid_text(&d->pencil.grid, name);
    snprintf(a->problem, sizeof a->problem, "grid %s", name);
    a->equal = d->transform.variables;
    a->limit = ovl_check_limit(&d->pencil.grid, 1);
    for (int s = 0; s < a->count; s++)
        d->scheme[s].run.plan = &d->scheme[s].plan.pair;
}

int ovl_fft3d_open(struct ovl_app_job *job, size_t problem, struct ovl_error *err)
{
    struct ovl_fft3d *d = (struct ovl_fft3d *)job;
    size_t largest[OVL_APP_SLOTS_MOST];
    bool workers[OVL_TRANSPOSES];
    if (ovl_pencil_make(&d->pencil, &d->options.grids[problem], real(d), &d->options.space, job->rank, err) != 0)
        return -1;
    int slots = find_slots(d, &d->pencil, largest);
    ovl_offload_wake(&job->offload, false); /* plans are measured */
    int rc = make_transform(d, err);
    ovl_offload_wake(&job->offload, true);
    if (rc != 0)
        return -1;
    ovl_fft3d_choose_workers(d, d->job.rank, workers);
    d->carried = true; /* at all ranks, so that closing can be collective */
    d->messages = (struct ovl_messages){.pencil = &d->pencil, .offload = job->stage.offload};
    rc = ovl_messages_open(&d->messages, job->comm, workers, slots, largest, err);
    if (ovl_agree(job->stage.comm, rc, err) != 0 || make_schemes(d, err) != 0)
        return -1;
    announce_grid(d);
    return 0;
}

void ovl_fft3d_close(struct ovl_app_job *job)
{
    struct ovl_fft3d *d = (struct ovl_fft3d *)job;
    for (int s = 0; s < job->schemes.count && d->carried; s++)
        ovl_scheme_free(&d->scheme[s]);
    if (d->carried)
        ovl_messages_close(&d->messages);
    d->carried = false;
    ovl_transform_free(&d->transform);
}
