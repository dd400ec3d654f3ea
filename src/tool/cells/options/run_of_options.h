/* The cells of a run, held against the options of its command. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_RUN_OF_OPTIONS_H
#define OVL_TOOL_CELLS_RUN_OF_OPTIONS_H

#include "cli/program.h"
#include "record/record.h"
#include "tool/cells/options/of_options.h"

/* The cells that the options ask for, and the run lacks: of a driver one of each mode, size and ratio of work to
   communication, of an application one of each scheme and problem. An array of texts; the caller gives it back. */
json_t *ovl_run_of_options(const struct ovl_program_options *o, const struct ovl_run *run);

/* The same of a run that came to its end, by its own command; none of a version that is not known, which may have
 * others. */
json_t *ovl_run_lacking(const struct ovl_run *run);

#endif
