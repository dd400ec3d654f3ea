/* The memory of an application: is there enough, and that of its messages, where workers reach it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_MESSAGE_H
#define OVL_BENCH_APP_MESSAGE_H

#include "bench/app/app.h"

/* -1 and OVL_USAGE where the need is more than a rank has, with both figures. */
int ovl_app_fits(const struct ovl_app_job *job, const struct ovl_app_need *need, double has, struct ovl_error *err);

/* Memory for messages, of `offload` where that is not NULL. -1 with *err filled. */
int ovl_app_memory(struct ovl_offload *offload, void **memory, size_t bytes, struct ovl_error *err);
void ovl_app_memory_free(struct ovl_offload *offload, void *memory); /* NULL: none */

/* Collective: the same, of zeros, until the problem is closed: OVL_APP_BLOCKS_MOST in a problem. NULL at all ranks
   where one has no memory. */
void *ovl_app_memory_of_problem(struct ovl_app_job *job, size_t bytes, struct ovl_error *err);
void ovl_app_memory_end(struct ovl_app_job *job); /* the frame's: the problem is closed */

#endif
