/* What a proxy's cell solves. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/cell.h"

#include <math.h>
#include <string.h>

bool ovl_cell_solves(const struct ovl_cell *cell)
{
    return cell->problem != NULL;
}

const char *ovl_cell_problem_text(const struct ovl_cell *cell, const char *name)
{
    const char *text = json_string_value(json_object_get(cell->problem, name));
    return text ? text : "";
}

double ovl_cell_problem_number(const struct ovl_cell *cell, const char *name)
{
    const json_t *value = json_object_get(cell->problem, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

bool ovl_cell_tests(const struct ovl_cell *cell)
{
    return cell->test_calls > 0 || ovl_cell_problem_number(cell, "test_lines") > 0 ||
           ovl_cell_problem_number(cell, "tests") > 0;
}

bool ovl_cell_is_helped(const struct ovl_cell *cell)
{
    return strcmp(cell->mode, "dpu") == 0 || strcmp(cell->mode, "thread") == 0;
}

bool ovl_cell_beside(const struct ovl_cell *a, const struct ovl_cell *b)
{
    static const char *const solved[] = {"n",     "nb",    "grid",     "transform",   "variables", "steps",
                                         "model", "batch", "strategy", "scale_bytes", "requests"};
    bool same = strcmp(a->block_group, b->block_group) == 0 && ovl_cell_solves(a) == ovl_cell_solves(b) &&
                (a->size_bytes == b->size_bytes || (isnan(a->size_bytes) && isnan(b->size_bytes)));
    for (size_t i = 0; i < sizeof solved / sizeof *solved && same; i++) {
        const json_t *of_a = json_object_get(a->problem, solved[i]), *of_b = json_object_get(b->problem, solved[i]);
        same = of_a == of_b || json_equal(of_a, of_b);
    }
    return same;
}
