/* Who did a cell's operations, held against its options and its run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_OF_ENGINE_H
#define OVL_TOOL_CELLS_OF_ENGINE_H

#include "tool/cells/options/of_options.h"

/* Is what a run line says of its workers (offload) as the options ask for? What it lacks is as if it had the usual
   value. false with *why. */
bool ovl_offload_of_options(const json_t *head, const json_t *options, char why[OVL_OF_OPTIONS_WHY]);

/* Did the engine that the options ask for do the cell's operations, and are its path, algorithm and workers, and what
   the run says of its workers, as they ask for? false with *why. */
bool ovl_engine_of_options(const json_t *head, const json_t *options, const struct ovl_cell *cell,
                           char why[OVL_OF_OPTIONS_WHY]);

#endif
