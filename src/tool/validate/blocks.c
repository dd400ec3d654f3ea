/* `ovl validate`: cells of the same blocks have all in common that a block takes once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"
#include "tool/validate/state.h"

#include <math.h>
#include <string.h>

/* As many blocks, begun in the same way. */
static bool check_starts(struct ovl_checking *c, const struct ovl_seen_cell *a, const struct ovl_seen_cell *b)
{
    bool late_a = !isnan(a->cell.late_median), late_b = !isnan(b->cell.late_median);
    if (a->blocks != b->blocks)
        ovl_checking_problem(c, "/blocks: %zu, and the cell in line %zu has %zu of the same blocks", b->blocks, a->line,
                             a->blocks);
    else if (late_a != late_b)
        ovl_checking_problem(c, "/lateness_seconds: %s, and the cell in line %zu of the same blocks %s it",
                             late_b ? "is told" : "is not told", a->line, late_a ? "tells" : "does not tell");
    return a->blocks == b->blocks;
}

/* Is no value another? Of one mode a sample may be dropped that is early enough for a longer C. */
static bool alike(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] < b[i] || a[i] > b[i])
            return false;
    return true;
}

/* A block has one W and one B for all modes; but the scheme with blocking calls of an application has a W of its own,
   and so has each of ovl_hpl, whose ways are several. */
static bool has_own(const struct ovl_cell *a, const struct ovl_cell *b, enum ovl_quantity q)
{
    bool work = q == OVL_COMPUTE || q == OVL_COMPUTE_LATE;
    return ovl_cell_solves(a) && ((q != OVL_COMPUTE && q != OVL_BLOCKING) ||
                                  (work && (strcmp(a->benchmark, "hpl") == 0 || strcmp(a->mode, "blocking") == 0 ||
                                            strcmp(b->mode, "blocking") == 0)));
}

static void check_once(struct ovl_checking *c, const struct ovl_seen_cell *a, const struct ovl_seen_cell *b)
{
    static const enum ovl_quantity once[] = {OVL_COMPUTE, OVL_BLOCKING, OVL_COMPUTE_LATE, OVL_BLOCKING_LATE};
    const struct ovl_samples *x = &a->cell.samples, *y = &b->cell.samples;
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        enum ovl_quantity q = once[i];
        if (has_own(&a->cell, &b->cell, q))
            continue;
        if (!alike(x->max[q], y->max[q], a->blocks) || !alike(x->mean[q], y->mean[q], a->blocks))
            ovl_checking_problem(c, "/samples/%s: not those of the cell in line %zu, of the same blocks",
                                 ovl_field_of_quantity(q)->name, a->line);
    }
}

/* All do the same work. */
static void check_work(struct ovl_checking *c, const struct ovl_seen_cell *a, const struct ovl_seen_cell *b)
{
    if (!isnan(a->cell.units) && !isnan(b->cell.units) && a->cell.units != b->cell.units)
        ovl_checking_problem(c, "/compute/units: %.12g, and the cell in line %zu of the same blocks has %.12g",
                             b->cell.units, a->line, a->cell.units);
}

bool ovl_checking_blocks(struct ovl_checking *c, const struct ovl_seen_cell *a, const struct ovl_seen_cell *b)
{
    if (!*a->group || strcmp(a->group, b->group) != 0)
        return false;
    if (!ovl_cell_beside(&a->cell, &b->cell))
        ovl_checking_problem(c, "/block_group: that of the cell in line %zu, of another size or problem", a->line);
    else if (check_starts(c, a, b)) {
        check_work(c, a, b);
        check_once(c, a, b);
    }
    return true;
}

void ovl_checking_group(struct ovl_checking *c, const struct ovl_seen_run *run, const struct ovl_cell *cell)
{
    const json_t *options = json_object_get(run->head, "options");
    for (size_t i = 0; i < run->sound; i++) {
        const struct ovl_cell *other = &run->cell[i].cell;
        bool same = !ovl_cell_solves(cell) && *cell->block_group && cell->size_bytes == other->size_bytes &&
                    cell->ratio == other->ratio && strcmp(cell->skew, other->skew) == 0 &&
                    cell->test_calls == other->test_calls;
        if (same && strcmp(cell->mode, other->mode) != 0 && strcmp(cell->block_group, other->block_group) != 0 &&
            json_is_string(json_object_get(options, "mode"))) {
            ovl_checking_problem(c, "/block_group: \"%.60s\", and line %zu has another mode of this size in \"%.60s\"",
                                 cell->block_group, run->cell[i].line, other->block_group);
            return;
        }
    }
}
