/* The table of algorithms: how each operation is done, and at which sizes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_ALGORITHM_H
#define OVL_OFFLOAD_COLL_ALGORITHM_H

#include "offload/coll/schedule.h"

struct ovl_builder;

/* Of an operation's rows the first is chosen that fits; one always does. */
struct ovl_algorithm {
    enum ovl_operation operation;
    const char *name;
    void (*build)(struct ovl_builder *b);
    size_t most_bytes;            /* fits up to so many, as `measured` of the operation counts; 0: any number */
    int least_ranks, least_nodes; /* fits from so many on */
    bool shared_nodes;            /* fits where nodes have several ranks */
    bool power_of_two;            /* works for such numbers of ranks only */
    bool asked_for;               /* fits nothing: done where --algorithm says so */
    const char *about;            /* one line */
    const char *source;           /* authors, title, where, year */
};

/* All rows, those of an operation together; a row without a name ends them. */
extern const struct ovl_algorithm ovl_algorithms[];

/* Who does an operation of that shape: the algorithm asked for, or the table's choice. NULL: it has none. */
const struct ovl_algorithm *ovl_algorithm_of(const struct ovl_coll_shape *shape);

/* The bytes by which the table chooses, in the words of the operation's `measured`: the same at all ranks. 0: by none.
 */
size_t ovl_algorithm_measure(const struct ovl_coll_shape *shape);

/* The row of that operation and name, or NULL. */
const struct ovl_algorithm *ovl_algorithm_find(enum ovl_operation operation, const char *name);

/* Does it work for so many ranks? */
bool ovl_algorithm_works(const struct ovl_algorithm *algorithm, int ranks);

/* The names of an operation's rows, "bruck, pairwise". */
void ovl_algorithm_names(char *text, size_t room, enum ovl_operation operation);

/* When it is chosen, "up to 256 bytes to each rank, from 8 ranks on". */
void ovl_algorithm_chosen(char *text, size_t room, const struct ovl_algorithm *algorithm);

#endif
