/* The MPI library that a program calls, as a record has it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_LIBRARY_H
#define OVL_BENCH_LIBRARY_H

#include <jansson.h>
#include <stdbool.h>

/* Does `ovl offload` stand before it? Then its workers do what is told of mode host, and the library has another name.
 */
bool ovl_library_offloads(void);

/* {"library", "library_more", "standard", "thread_level"}; to be given back by json_decref. */
json_t *ovl_library_json(void);

#endif
