/* Percentages are of times: 1 - new / old is what is saved, old / new - 1 what more is done meanwhile. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/report/published_formula.h"

#include <stddef.h>
#include <string.h>

static double new_by_old(const struct ovl_published_values *v)
{
    return v->new / v->old;
}

static double old_by_new(const struct ovl_published_values *v)
{
    return v->old / v->new;
}

static double less(const struct ovl_published_values *v)
{
    return 100 * (1 - v->new / v->old);
}

static double more(const struct ovl_published_values *v)
{
    return 100 * (v->new / v->old - 1);
}

static double faster(const struct ovl_published_values *v)
{
    return 100 * (v->old / v->new - 1);
}

static double efficiency(const struct ovl_published_values *v)
{
    return 100 * v->new / (v->times * v->old);
}

static double of_bound(const struct ovl_published_values *v)
{
    return v->old / v->new / (1 + v->r);
}

static const struct ovl_published_formula formulas[] = {
    {"times", "new / old", 2, "", new_by_old},
    {"faster_times", "old / new", 2, "", old_by_new},
    {"less", "1 - new / old", 1, " %", less},
    {"more", "new / old - 1", 1, " %", more},
    {"faster", "old / new - 1", 1, " %", faster},
    {"efficiency", "new / (n old)", 1, " %", efficiency},
    {"of_bound", "old / new / (1 + r)", 3, "", of_bound},
    {"each", "bytes / parameters", 2, "", new_by_old},
    {"share", "part / whole", 0, " %", NULL},
    {"unsaid", "not said", 1, " %", NULL},
};

const struct ovl_published_formula *ovl_published_formula_find(const char *name)
{
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        if (strcmp(formulas[i].name, name) == 0)
            return &formulas[i];
    return NULL;
}
