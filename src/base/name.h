/* Names: of processors, kernels and MPI libraries as people say them; of variables that nobody may be told, or that set
 * nothing.
 */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_NAME_H
#define OVL_BASE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the first part of a name, up to a comma or the end of its line, without "(R)", "(TM)", "Version", colons, and
   spaces that then stand twice: "MPICH Version:\t4.0.2" becomes "MPICH 4.0.2". */
void ovl_name_shorten(char *text, size_t room, const char *name);

/* Of "Linux 5.4.1; Linux 6.1.0-28 x 2; Linux 6.1.0-29", sorted, leaves "Linux 5.4; Linux 6.1", in place: what stands
   behind says which patches a kernel has, and each update of a distribution is called another. */
void ovl_name_kernel_series(char *text);

/* May what is set under this name be a secret: is one of JWT, TOKEN, SECRET, KEY, PASSWORD, PASSWD and CREDENTIAL part
   of it, in letters of either case? Such a variable is never recorded nor shown. */
bool ovl_name_secret(const char *name);

/* Is it a variable by which a job manager or a launcher tells a process of its job, its node or its rank, as
   SLURM_JOB_ID and OMPI_COMM_WORLD_RANK, and not one that sets anything? Manual pages of srun (OUTPUT ENVIRONMENT
   VARIABLES) and mpirun; what Open MPI 4.1 and 5.0, MPICH 4 and MVAPICH2 were seen to set. */
bool ovl_name_of_launcher(const char *name);

/* "a-zA-Z0-9_-." spelled out, of a plan's jobs, values and words, which become folders. */
extern const char ovl_name_letters[];

/* Has it no others? */
bool ovl_name_is_plain(const char *name);

#endif
