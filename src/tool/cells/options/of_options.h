/* A cell, held against the options of its run line. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_OF_OPTIONS_H
#define OVL_TOOL_CELLS_OF_OPTIONS_H

#include "record/cell.h"

enum { OVL_OF_OPTIONS_WHY = 200 };

/* Does the cell tell the work, compute kernel, test calls, skew, persistence, rotation, cadence, datatype, a size, and
   the engine, that the options ask for, or of an application the problem and its units; has it so many blocks, and had
   it its data checked and its operations done by the workers where they ask for that, in the way that the run line
   tells? false with *why, which names the field by its path. Options that are not there are passed over; of an
   invalid cell only what it says of itself is held, and not what was measured; a null fits no option. */
bool ovl_cell_of_options(const json_t *head, const json_t *options, const struct ovl_cell *cell,
                         char why[OVL_OF_OPTIONS_WHY]);

/* Has it blocks of a number at which only the end of --max-time can have ended it (stats/stop.h)? Its run took as long,
   then. */
bool ovl_cell_out_of_time(const json_t *options, const struct ovl_cell *cell);

/* Is it what records before schema 2.6.0 tell of an option that the words do not name: 0 for Horovod's fusion buffer?
 */
bool ovl_option_unsaid(const char *name, const json_t *told, const json_t *words);

#endif
