/* The cells of a run, held against the options of its command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_RUN_OF_OPTIONS_H
#define OVL_TOOL_CELLS_RUN_OF_OPTIONS_H

#include "cli/program.h"
#include "record/record.h"
#include "tool/cells/options/of_options.h"

/* Has the run all cells that the options ask for: of a driver one of each mode, size and ratio of work to
   communication, of an application one of each scheme and problem? false with what it lacks in *lacks. */
bool ovl_run_of_options(const struct ovl_program_options *o, const struct ovl_run *run, char lacks[OVL_OF_OPTIONS_WHY]);

/* What a run that came to its end lacks of these; "": nothing, or it is of another version, which may have had others.
 */
void ovl_run_lacking(const struct ovl_run *run, char lacks[OVL_OF_OPTIONS_WHY]);

#endif
