/* Which workers serve which ranks: the last part of ovl_job_map_make. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_BOOT_JOB_SERVE_H
#define OVL_OFFLOAD_BOOT_JOB_SERVE_H

#include "offload/boot/job_map.h"

/* With nodes, workers and ranks numbered: gives each rank its worker. As ovl_job_map_make. */
int ovl_job_serve(struct ovl_job_map *r, const struct ovl_proc_info *processes_info, enum ovl_map map,
                  const struct ovl_dpu_map *dpus, struct ovl_error *err);

#endif
