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
