/* Launches of different machines make no figure of `ovl published`. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_REPORT_PUBLISHED_MACHINE_H
#define OVL_TOOL_REPORT_PUBLISHED_MACHINE_H

#include "record/record.h"

/* Holds the machine, library and binding of a run against those of the first one, which is kept in `first` (NULL
   before; the caller frees it with json_decref): `apart`, a text of `room` bytes, becomes the first thing in which a
   run is unlike it, and stays "" where none is. `ranks`: ranks vary, and with them the binding. */
void ovl_published_same_machine(json_t **first, const struct ovl_run *run, bool ranks, char *apart, size_t room);

#endif
