/* `ovl validate`: cells of a run beside each other that cannot both be measurements. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/proxy.h"
#include "record/status.h"
#include "tool/validate/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many different values of T are the same by no chance: those of microseconds by a clock that may be coarse, and
   those that are long. And fewer blocks say nothing of a problem's work. */
enum { SHORT_VALUES = 8, LONG_VALUES = 3, BLOCKS = 3, MANY_BLOCKS = 6 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Those of T or C in an order of their values; a dropped one, NaN, is -1. The caller frees them. */
static double *sorted(const struct ovl_cell *cell, enum ovl_quantity q)
{
    size_t n = cell->samples.blocks;
    double *x = ovl_alloc(n + 1, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = isnan(cell->samples.max[q][i]) ? -1 : cell->samples.max[q][i];
    qsort(x, n, sizeof *x, by_value);
    return x;
}

/* By a coarse clock samples are of a few values each: such tell nothing. */
static bool tells(const double *x, size_t n)
{
    size_t values = 0;
    for (size_t i = 0; i < n; i++)
        values += x[i] >= 0 && (i == 0 || x[i] != x[i - 1]);
    return values >= (n > 0 && x[n / 2] >= 1e-3 ? LONG_VALUES : SHORT_VALUES);
}

static bool same_samples(const struct ovl_cell *a, const struct ovl_cell *b)
{
    size_t n = a->samples.blocks;
    if (n != b->samples.blocks || n < LONG_VALUES || a->summary[OVL_TOTAL].median != b->summary[OVL_TOTAL].median)
        return false;
    bool same = true;
    for (int q = OVL_COMM; q <= OVL_TOTAL && same; q += OVL_TOTAL - OVL_COMM) {
        double *x = sorted(a, (enum ovl_quantity)q), *y = sorted(b, (enum ovl_quantity)q);
        same = (q != OVL_TOTAL || tells(x, n)) && memcmp(x, y, n * sizeof *x) == 0;
        free(x);
        free(y);
    }
    return same;
}

/* How much work: operations of a problem, or units of a driver's kernel. */
static double work_of(const struct ovl_cell *cell)
{
    return ovl_cell_solves(cell) ? ovl_proxy_operations(cell) : cell->units;
}

/* Has the larger one all its work done sooner than the smaller one had any of its, or `far` times as much work in
   hardly more time in the median? That is no disturbance: the work of one scheme, in blocks that take longer than a
   clock or a scheduler errs by, or in many. */
static bool is_sooner(const struct ovl_cell *larger, const struct ovl_cell *smaller)
{
    bool solve = ovl_cell_solves(larger);
    const double more = 1.5, far = solve ? 3 : 1.5, hardly = 1.05, least_seconds = 1e-3;
    double a = work_of(larger), b = work_of(smaller);
    const struct ovl_summary *x = &larger->summary[OVL_COMPUTE], *y = &smaller->summary[OVL_COMPUTE];
    bool all = solve && a > more * b && x->n >= BLOCKS && y->n >= BLOCKS && y->min > least_seconds && x->max < y->min;
    bool most = b > 0 && a >= far * b && x->n >= MANY_BLOCKS && y->n >= MANY_BLOCKS &&
                y->median > 100 * smaller->clock_read_seconds && x->median < hardly * y->median;
    return strcmp(larger->mode, smaller->mode) == 0 && ovl_cell_claims(larger) && ovl_cell_claims(smaller) &&
           (all || most);
}

static void check_pair(struct ovl_checking *c, const struct ovl_seen_cell *before, const struct ovl_seen_cell *cell)
{
    const struct ovl_cell *a = &before->cell, *b = &cell->cell;
    bool alike = ovl_cell_solves(a) ? ovl_cell_solves(b) : strcmp(a->compute_kind, b->compute_kind) == 0;
    if (same_samples(a, b))
        ovl_checking_problem(c, "/samples/total_seconds: they are those of the cell in line %zu", before->line);
    else if (alike && (is_sooner(a, b) || is_sooner(b, a)))
        ovl_checking_problem(c, "/%s: %.3g s of work for %.3g %s, and the cell in line %zu has %.3g s for %.3g of them",
                             ovl_cell_solves(a) ? "problem" : "compute/units", b->summary[OVL_COMPUTE].median,
                             work_of(b), ovl_cell_solves(a) ? "operations" : "units", before->line,
                             a->summary[OVL_COMPUTE].median, work_of(a));
}

/* Members of a problem that an option gives a list of, or each scheme has its own of; all others are the run's. */
static bool is_of_cell(const char *member)
{
    static const char *const names[] = {"grid",  "procs",  "pmap",   "n",          "nb",    "bcast",
                                        "depth", "chunks", "window", "test_lines", "tests", "compress"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], member) == 0)
            return true;
    return false;
}

static void check_problem(struct ovl_checking *c, const struct ovl_seen_cell *first, const struct ovl_seen_cell *cell)
{
    const json_t *const problem[] = {first->cell.problem, cell->cell.problem};
    for (int side = 0; side < 2; side++) {
        const char *member;
        json_t *value;
        json_object_foreach((json_t *)problem[side], member, value) {
            const json_t *other = json_object_get(problem[1 - side], member);
            if (is_of_cell(member) || (other && json_equal(value, other)))
                continue;
            ovl_checking_problem(c, "/problem/%.40s: the cell in line %zu has %s, and all of a run have one", member,
                                 first->line, side == 0 || other ? "another" : "none");
            return;
        }
    }
}

void ovl_checking_alike(struct ovl_checking *c, const struct ovl_seen_run *run)
{
    for (size_t i = 1; i < run->sound; i++) {
        size_t problems = c->problems;
        c->line = run->cell[i].line;
        check_problem(c, &run->cell[0], &run->cell[i]);
        for (size_t k = 0; k < i && c->problems == problems; k++)
            check_pair(c, &run->cell[k], &run->cell[i]);
    }
}
