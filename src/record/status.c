/* Which cells carry a claim. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/status.h"
#include "cli/catalog.h"
#include "record/plausible.h"

#include <math.h>
#include <string.h>

bool ovl_cell_unchecked(const struct ovl_cell *cell)
{
    return cell->validated < 0 && ovl_benchmark_moves(cell->benchmark);
}

/* Is an application's answer, called right, further off than its limit allows, or no number? */
static bool is_off(const struct ovl_cell *cell)
{
    bool checks = *cell->check_name || !isnan(cell->check_limit);
    return cell->validated > 0 && checks && !(cell->check_value <= cell->check_limit && cell->check_value >= 0);
}

/* Requests without an answer, or whose blocks no tier has room for, may send nothing. */
static bool sends_nothing(const struct ovl_cell *cell)
{
    const json_t *operations = json_object_get(json_object_get(cell->extra, "serving"), "operations");
    return json_is_number(operations) && json_number_value(operations) == 0;
}

bool ovl_cell_lone(const struct ovl_cell *cell)
{
    return (cell->ranks == 1 && strcmp(cell->benchmark, "null") != 0) || sends_nothing(cell);
}

bool ovl_cell_lacks(const struct ovl_cell *cell, enum ovl_derived d)
{
    return ovl_cell_lone(cell) && ovl_cell_solves(cell) && (ovl_derived_rows[d].terms & 1U << OVL_COMM);
}

void ovl_cell_forget_overlap(struct ovl_cell *cell)
{
    for (int d = 0; d < OVL_DERIVED; d++)
        if (ovl_cell_lacks(cell, (enum ovl_derived)d))
            cell->derived[d] = (struct ovl_estimate){NAN, NAN, NAN};
    if (ovl_cell_lacks(cell, OVL_HIDDEN))
        cell->omb_percent = cell->imb_percent = NAN;
}

bool ovl_cell_alone(const struct ovl_cell *cell)
{
    return ovl_cell_lone(cell) && !ovl_cell_solves(cell);
}

bool ovl_cell_idle(const struct ovl_cell *cell)
{
    return ovl_cell_solves(cell) && strcmp(cell->mode, "dpu") == 0 && strcmp(cell->engine, "worker") == 0 &&
           cell->worker_ops == 0;
}

bool ovl_cell_claims(const struct ovl_cell *cell)
{
    char why[OVL_PLAUSIBLE_WHY];
    return strcmp(cell->status, "invalid") != 0 && cell->unshaped <= 0 && strcmp(cell->placement, OVL_EMULATED) != 0 &&
           cell->validated != 0 && !ovl_cell_alone(cell) && !ovl_cell_idle(cell) && !is_off(cell) &&
           ovl_cell_plausible(cell, why);
}
