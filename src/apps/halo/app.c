/* ovl_halo: steps of a seven-point stencil on a cube, cut into planes for a ring of ranks; the outermost planes travel
   while the others are computed. All but the options is here: plan, hooks, and the row of the frame. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/app/dry_run.h"
#include "bench/app/layers.h"
#include "bench/app/message.h"
#include "cli/halo_options.h"
#include "machine/memory.h"
#include "record/derived/check_limit.h"

#include <math.h>
#include <stdio.h>

enum { WAVES = 2 };

/* An error must be seen that is this part of the largest number. */
#define VISIBLE 1e-3

struct halo {
    struct ovl_app_job job; /* the first */
    struct ovl_halo_options o;
    int side, first, planes; /* of the cube, and the rank's own, from the first */
    uint64_t fills;          /* each with data of its own */
    size_t wide, plane;      /* doubles of a row and of a plane, with the zeros around them */
    double sines[WAVES][OVL_HALO_SIDE_MOST + 1], waves[WAVES][OVL_HALO_SIDE_MOST]; /* the data: of x, and of z */
    struct ovl_app_layers layers;                                                  /* planes; a step is a sweep */
};

static int group(const void *of, int rank, enum ovl_app_lane lane, size_t t, struct ovl_app_step *steps)
{
    const struct halo *h = of;
    int lines = (int)h->o.common.test_lines, planes = (h->side + h->job.ranks - 1) / h->job.ranks;
    int inner = h->side * (planes - 2); /* not more at any rank */
    (void)lane;                         /* there is no bulk */
    return ovl_app_layers_sweep(&h->job, rank, t, h->plane, lines > 0 && lines < inner ? (inner - 1) / lines + 1 : 1,
                                steps);
}

static double *row_at(const struct halo *h, int t, int row)
{
    return h->layers.field[t % 2] + (size_t)(1 + row / h->side) * h->plane + (size_t)(1 + row % h->side) * h->wide;
}

static void relax(const struct halo *h, int t, int64_t row, int64_t end)
{
    for (; row < end; row++) {
        const double *u = row_at(h, t, (int)row), *below = u - h->plane, *above = u + h->plane;
        double *v = row_at(h, t + 1, (int)row);
        for (size_t x = 1; x + 1 < h->wide; x++)
            v[x] = (u[x - 1] + u[x + 1] + u[x - h->wide] + u[x + h->wide] + below[x] + above[x]) / 6;
    }
}

static void compute(struct ovl_app_job *job, const struct ovl_app_step *step, int from, int to)
{
    const struct halo *h = (struct halo *)job;
    int64_t inner = (int64_t)h->side * (h->planes - 2), highest = (int64_t)h->side * (h->planes - 1);
    if (step->what == OVL_APP_INSIDE)
        relax(h, step->index, h->side + inner * from / step->units, h->side + inner * to / step->units);
    else {
        relax(h, step->index, 0, h->side);
        relax(h, step->index, highest, highest + h->side);
    }
}

/* By what a step multiplies an eigenvector, of w + 1 half waves along x. */
static double factor_of(double side, int w)
{
    double wave = M_PI / (side + 1);
    return (2 * cos((w + 1) * wave) + 2 * cos(wave) + 2 * cos(2 * M_PI / side)) / 6;
}

/* The data are the mean of two eigenvectors, so that no plane is a multiple of its neighbour: a number of it does not
   tell the others. Fills a cube, or finds the largest error. */
static double each(const struct halo *h, int t, bool fills)
{
    double first = pow(factor_of(h->side, 0), t) / WAVES, second = pow(factor_of(h->side, 1), t) / WAVES, error = 0;
    for (int row = 0; row < h->side * h->planes; row++)
        for (int x = 1; x <= h->side; x++) {
            double *u = row_at(h, t, row) + x;
            int z = row / h->side;
            double right = h->sines[0][1 + row % h->side] *
                           (first * h->sines[0][x] * h->waves[0][z] + second * h->sines[1][x] * h->waves[1][z]);
            if (fills)
                *u = right;
            else if (!(fabs(*u - right) <= error) && !isnan(error))
                error = fabs(*u - right);
        }
    return error;
}

/* Each time the waves along z begin elsewhere, further on by the golden section of its length: planes that were kept
   from other data are wrong for these. */
static void fill(struct ovl_app_job *job)
{
    struct halo *h = (struct halo *)job;
    double begins = fmod(0.08 + 0.6180339887498949 * (double)h->fills++, 1);
    for (int w = 0; w < WAVES; w++)
        for (int z = 0; z < h->planes; z++)
            h->waves[w][z] = sin(2 * M_PI * fmod((double)(h->first + z) / h->side + begins + 0.25 * w, 1));
    each(h, 0, true);
}

static void poison(struct ovl_app_job *job)
{
    ovl_app_layers_poison(&((struct halo *)job)->layers, job);
}

/* The zeros around the neighbours' planes, which no step reads: those that the last one waited for came whole. */
static bool has_borders(const struct halo *h, int t)
{
    size_t last = h->wide - 1;
    bool zero = true;
    for (int side = 0; side < 2; side++) {
        const double *u = h->layers.field[(t + 1) % 2] + (size_t)(side * (h->planes + 1)) * h->plane;
        for (size_t i = 0; i < h->wide; i++)
            zero = zero && u[i] == 0 && u[last * h->wide + i] == 0 && u[i * h->wide] == 0 && u[i * h->wide + last] == 0;
    }
    return zero;
}

static double error_of(struct ovl_app_job *job)
{
    const struct halo *h = (struct halo *)job;
    int t = (int)h->o.steps;
    return job->ranks == 1 || has_borders(h, t) ? each(h, t, false) : NAN;
}

static int open_cube(struct ovl_app_job *job, size_t problem, struct ovl_error *err)
{
    struct halo *h = (struct halo *)job;
    h->side = (int)h->o.sides.value[problem];
    h->first = (int)((int64_t)h->side * job->rank / job->ranks);
    h->planes = (int)((int64_t)h->side * (job->rank + 1) / job->ranks) - h->first;
    h->wide = (size_t)h->side + 2;
    h->plane = h->wide * h->wide;
    for (int w = 0; w < WAVES; w++)
        for (int i = 0; i <= h->side; i++)
            h->sines[w][i] = sin(M_PI * (w + 1) * i / (h->side + 1));
    h->layers = (struct ovl_app_layers){.plan = {.groups = {h->o.steps}, .of = h, .group = group}, .compute = compute};
    snprintf(job->schemes.problem, sizeof job->schemes.problem, "grid %d", h->side);
    job->schemes.equal = (double)h->o.steps;
    job->schemes.limit = ovl_check_limit_of_steps(h->side, (double)h->o.steps);
    return ovl_app_layers_open(&h->layers, job, (size_t)h->planes, h->plane, err);
}

static void fill_cell(const struct ovl_app_job *job, int scheme, struct ovl_cell *c)
{
    const struct halo *h = (const struct halo *)job;
    json_int_t lines = job->schemes.scheme[scheme].run->polls ? (json_int_t)h->o.common.test_lines : 0;
    c->problem = json_pack("{s:o, s:I, s:I}", "grid", json_sprintf("%dx%dx%d", h->side, h->side, h->side), "steps",
                           (json_int_t)h->o.steps, "test_lines", lines);
}

static int parse(struct ovl_app_job *job, int argc, char **argv, struct ovl_error *err)
{
    return ovl_halo_options_parse(argc, argv, &((struct halo *)job)->o, err);
}

static size_t problems(const struct ovl_app_job *job)
{
    return ((const struct halo *)job)->o.sides.n;
}

static int need(struct ovl_app_job *job, size_t problem, struct ovl_app_need *need, struct ovl_error *err)
{
    double side = ((struct halo *)job)->o.sides.value[problem];
    if (side != floor(side) || side < job->ranks)
        return ovl_error_set(err, OVL_USAGE, "--grid %g: give a whole number, and a plane at least to each of %d ranks",
                             side, job->ranks);
    /* Errors of rounding fade more slowly than the data, and in the end hide any wrong number. */
    double steps = (double)((struct halo *)job)->o.steps;
    double factor = fmax(fabs(factor_of(side, 0)), fabs(factor_of(side, 1)));
    if (ovl_check_limit_of_steps(side, steps) > VISIBLE * pow(factor, steps))
        return ovl_error_set(
            err, OVL_USAGE,
            "--steps %.0f: too little is left of the data on %g points a side to tell wrong ones; give "
            "fewer steps or a larger grid",
            steps, side);
    need->bytes = 2 * sizeof(double) * (ceil(side / job->ranks) + 2) * (side + 2) * (side + 2);
    need->mend = "a smaller grid or more ranks";
    snprintf(need->what, sizeof need->what, "--grid %g: two cubes need", side);
    return 0;
}

/* Of --plan: a node has two ends of the ring, and a plane comes in at each. */
static double comes_in(const void *of, int first, int end)
{
    const struct ovl_app_job *job = of;
    double side = ((const struct halo *)of)->o.sides.value[job->problems];
    return end - first == job->ranks ? 0 : 2 * sizeof(double) * (side + 2) * (side + 2);
}

static int print_cube(struct halo *h, struct ovl_error *err)
{
    const struct ovl_halo_options *o = &h->o;
    int ranks = h->job.ranks, side = (int)o->sides.value[h->job.problems];
    char link[OVL_DRY_RUN_TEXT], carrier[OVL_DRY_RUN_TEXT], plane[32];
    double sent = sizeof(double) * (side + 2.0) * (side + 2.0);
    struct ovl_app_need bytes;
    if (need(&h->job, h->job.problems, &bytes, err) != 0 ||
        (h->job.options->mem_limit && ovl_app_fits(&h->job, &bytes, (double)h->job.options->mem_limit, err) != 0))
        return -1;
    struct ovl_busiest busiest = ovl_busiest_of(ranks, o->dry_run_per_node, ranks, comes_in, h);
    ovl_memory_text(sent, plane);
    ovl_dry_run_carrier(sent, sent, (double)h->job.options->offload.dpu_min, "the host", carrier);
    ovl_dry_run_link(&busiest, false, "step", link);
    printf("grid %dx%dx%d on %d ranks, %d a node\n", side, side, side, ranks,
           o->dry_run_per_node < ranks ? o->dry_run_per_node : ranks);
    ovl_dry_run_memory(bytes.bytes, ranks, o->dry_run_per_node);
    for (int s = 0; s < h->job.schemes.count; s++)
        printf("  %-8s  %d messages a rank in a step, each of %s; by %s\n", h->job.schemes.scheme[s].name,
               ranks > 1 ? 2 : 0, plane, h->job.schemes.scheme[s].mode->offloads ? carrier : "the host");
    printf("  link      %s\n", link);
    return 0;
}

static int print(struct ovl_app_job *job, struct ovl_error *err)
{
    struct halo *h = (struct halo *)job;
    if (!h->o.dry_run_ranks || h->o.common.help || h->o.common.version)
        return 0;
    job->ranks = h->o.dry_run_ranks;
    ovl_app_schemes_choose(job);
    for (job->problems = 0; job->problems < h->o.sides.n; job->problems++)
        if (print_cube(h, err) != 0)
            return -1;
    return 1;
}

static void describe(struct ovl_app_job *job, json_t *line)
{
    json_object_set_new(line, "solves",
                        json_sprintf("%d steps of a seven-point stencil on planes of a cube; times of one",
                                     (int)((struct halo *)job)->o.steps));
}

static const struct ovl_app_schemes_row schemes = {
    .check = "max_error", .open = open_cube, .fill = fill, .error = error_of, .poison = poison, .tell = fill_cell};

const struct ovl_app ovl_app = {
    .name = "halo",
    .about = "Measure how much of the exchange of outermost planes a stencil can hide behind the inner ones.\n",
    .size = sizeof(struct halo),
    .options_at = offsetof(struct halo, o),
    .rows = ovl_halo_option_rows,
    .parse = parse,
    .print = print,
    .need = need,
    .problems = problems,
    .kernel = "stencil",
    .describe = describe,
    .schemes = &schemes,
};
