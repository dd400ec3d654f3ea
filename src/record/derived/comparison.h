/* Lines of `ovl offload --compare` against each other: what contradicts itself shows nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_RECORD_DERIVED_COMPARISON_H
#define OVL_RECORD_DERIVED_COMPARISON_H

#include <jansson.h>

/* Why a launch is none of the comparison that `first` began, such as one of another command; NULL: it is one. */
const char *ovl_comparison_unlike(const json_t *first, const json_t *launch);

/* Why the library's report is none of that launch with it, or proves no offload; NULL: it is one, and does. */
const char *ovl_comparison_unproven(const json_t *launch, const json_t *report);

/* The same of any report: do its numbers agree, and did the workers do all that was posted? */
const char *ovl_offload_unproven(const json_t *report);

#endif
