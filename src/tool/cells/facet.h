/* What cells can differ in besides their size: what all cells of a chart share goes into its subtitle, the rest tells
   panels and series apart. A facet is a row of the table of fields with an axis; the last two are the variables in
   which runs differ, and what a proxy's problem holds that the table does not know. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TOOL_CELLS_FACET_H
#define OVL_TOOL_CELLS_FACET_H

#include "record/field.h"

enum { OVL_FACETS = 80, OVL_FACET_TEXT = 192 };

/* The rows, of machine and library first; NULL behind the last. */
const struct ovl_field *ovl_facet(size_t i);

/* What is not the same in all runs of a benchmark (NULL: in all runs): an object with the names of those members of an
   object of the run line, "environment" or "options". */
json_t *ovl_facet_differing(const struct ovl_record *all, const char *benchmark, const char *object);

/* As it stands in a subtitle or legend; "" where it does not apply or needs no word. Facets of axis OFFLOAD apply to
   cells of dpu mode. `differing` are the variables to be told. */
void ovl_facet_text(char text[OVL_FACET_TEXT], const struct ovl_field *facet, const json_t *differing,
                    const struct ovl_run *run, const struct ovl_cell *cell);

/* Is it a variable of a run that a job manager or launcher sets anew for each job, or the emulated cluster, which
   stands with the ranks? MPICH's launcher sets *_INTERFACE_HOSTNAME to the name of each rank's host, and elsewhere that
   variable chooses a network: it is one of the job where it names a host of the run, or an emulated one. */
bool ovl_environment_per_job(const struct ovl_run *run, const char *name, const json_t *value);

/* Does the variable tune MPI or UCX, and is it neither one of a job nor one that the suite's own scripts set
   (scripts/cluster, scripts/beds/mpi-env) or that only says how much is logged? */
bool ovl_environment_tunes(const struct ovl_run *run, const char *name, const json_t *value);

/* What runs are compared in: the text of a variable, but of a *_INTERFACE_HOSTNAME only the network, "10.1.2.*" or
   "fe80:0:0:1:*" of an address and "*.site" of a name with a domain, since each host has one of its own. The caller
   frees it. NULL: no text. */
char *ovl_environment_text(const char *name, const json_t *value);

#endif
