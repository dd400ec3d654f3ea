/* The ways that a panel takes along a process row: a row per scheme says who passes which part to whom. No MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_HPL_BCAST_SCHEME_H
#define OVL_APPS_HPL_BCAST_SCHEME_H

#include "offload/coll/route.h"

#include <stddef.h>

struct ovl_hpl_scheme {
    const char *name; /* for --bcast */
    const char *summary;
    int (*parts)(
        int size); /* of a message among that many processes; NULL: the mode's own broadcast, without a route */
    struct ovl_route (*route)(int process, int size, int part);
};

enum { OVL_HPL_SCHEMES_OF_HPL = 6 };

/* All schemes, first those of HPL as it numbers them; the row with name NULL ends them. */
extern const struct ovl_hpl_scheme ovl_hpl_schemes[];

/* The scheme whose name is the first `length` characters of `name`, or NULL. */
const struct ovl_hpl_scheme *ovl_hpl_scheme_find(const char *name, size_t length);

#endif
