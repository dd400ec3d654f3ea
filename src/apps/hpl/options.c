/* The shape that the options of ovl_hpl ask for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/options.h"
#include "plan/space.h"

struct ovl_hpl_shape ovl_hpl_options_shape(const struct ovl_hpl_options *o, double order)
{
    double depth = 0;
    for (size_t i = 0; i < o->depths.n; i++)
        depth = o->depths.value[i] > depth ? o->depths.value[i] : depth;
    return (struct ovl_hpl_shape){.n = (int)order,
                                  .nb = (int)o->nb,
                                  .depth = (int)depth,
                                  .rows = o->rows,
                                  .columns = o->columns,
                                  .by_columns = ovl_space_by_columns(o->pmap),
                                  .mix_columns = (int)o->swap_threshold};
}
