/* The numbers of a model: what its parameters, gradients and activations are, a row for each kind. Pure: no MPI. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_VALUES_NUMBERS_H
#define OVL_APPS_TRAIN_VALUES_NUMBERS_H

#include "base/error.h"
#include "offload/coll/operation.h"

#include <stdbool.h>
#include <stddef.h>

struct ovl_number {
    const char *name; /* "bf16" */
    size_t bytes;
    enum ovl_dtype dtype; /* as workers add them */
    bool own_op;          /* MPI has no such type: the host adds them by an MPI_Op of our own */
    int exact;            /* whole numbers up to it are exact, and so are sums that do not go beyond it */
    /* What is rounded to one of them is off by that part of it at most, or by half a `least`, if that is more. */
    double rounding, least;
    double most; /* the largest */
    /* To the nearest one, ties to even, and of i8 and i64 towards 0; and back, exactly. */
    void (*convert)(const float *values, size_t n, void *to);
    void (*values)(const void *from, size_t n, float *to);
    void (*sum)(void *to, const void *more, size_t n); /* to[i] += more[i] */
};

enum { OVL_F32, OVL_BF16, OVL_F16, OVL_F8, OVL_I8, OVL_I64, OVL_NUMBERS };
/* Those that can be chosen stand before OVL_I64, which is that of --tiny. */
extern const struct ovl_number ovl_numbers[OVL_NUMBERS];

/* The row of the first `length` letters of `name` that can be chosen, or NULL. */
const struct ovl_number *ovl_number_find(const char *name, size_t length);

/* What a message has. */
enum ovl_numbers_of { OVL_OF_GRADIENTS, OVL_OF_PARAMETERS, OVL_OF_ACTIVATIONS, OVL_NUMBERS_OF };

struct ovl_number_types {
    const struct ovl_number *of[OVL_NUMBERS_OF];
};

static inline struct ovl_number_types ovl_number_types_all(const struct ovl_number *row)
{
    return (struct ovl_number_types){{row, row, row}};
}

/* "P", "P:G" or "P:G:A": parameters, gradients and activations, each a name; what is left out is as the parameters. -1
   and OVL_USAGE. */
int ovl_number_types_parse(const char *text, struct ovl_number_types *types, struct ovl_error *err);

enum { OVL_NUMBER_TYPES_TEXT = 32 };
/* The shortest such text. */
void ovl_number_types_text(const struct ovl_number_types *types, char text[OVL_NUMBER_TYPES_TEXT]);

#endif
