/* In which order the samples of a data set are read over all epochs, by which rank, and what each rank's buffer keeps
   of them: fixed before the first epoch, so that a reader only plays it, and what is read is known. Pure.

   Each epoch is a permutation of all samples, drawn from seed and epoch, and cut into steps of `ranks` x `batch`; those
   that fill no step are left out. `random`: rank r has the r-th part of a step, and keeps nothing, as PyTorch's loader;
   `lru`: its buffer keeps what was used last. `solar` (Sun et al., SOLAR, VLDB 2023): the same samples in the same
   steps, but a rank has those of a step that are in its buffer, as long as its batch has room. As each use is followed
   by the next one behind the end of its epoch, no buffer has more hits in an epoch than it has room; so it keeps what
   it has once, whose hits are spread over all steps (as Mohan et al., VLDB 2021). Of SOLAR this is who reads what, and
   what is kept; epochs are not reordered, and all ranks have equally many samples. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_DRAWN_ORDER_H
#define OVL_APPS_TRAIN_DRAWN_ORDER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ovl_order_kind { OVL_ORDER_RANDOM, OVL_ORDER_LRU, OVL_ORDER_SOLAR, OVL_ORDERS };
extern const char *const ovl_order_words[OVL_ORDERS];

struct ovl_order_ask {
    enum ovl_order_kind kind;
    uint32_t samples, ranks, batch, epochs; /* samples >= ranks x batch, each at least 1 */
    uint32_t room;                          /* samples in the buffer of a rank; may be 0 */
    uint64_t seed;
};

enum { OVL_ORDER_NO_SLOT = UINT32_MAX };

/* A sample of a batch: out of its slot (`hit`), or read, and put into its slot, if it has one. */
struct ovl_order_use {
    uint32_t sample, slot;
    bool hit;
};

struct ovl_order {
    size_t steps, batch; /* of an epoch, and samples of a step */
    uint32_t epochs;
    struct ovl_order_use *uses; /* [epochs][steps][batch], in the order in which they are played */
    uint64_t *hits;             /* [epochs] */
};

/* What a rank does; ovl_order_free it. -1 with OVL_ENVIRONMENT where there is no memory. */
int ovl_order_make(struct ovl_order *o, const struct ovl_order_ask *ask, uint32_t rank, struct ovl_error *err);
void ovl_order_free(struct ovl_order *o);
/* Bytes that ovl_order_make takes at most, and that it keeps. */
double ovl_order_bytes(const struct ovl_order_ask *ask);

static inline struct ovl_order_use *ovl_order_batch(const struct ovl_order *o, uint64_t epoch, uint64_t step)
{
    return o->uses + (epoch * o->steps + step) * o->batch;
}

#endif
