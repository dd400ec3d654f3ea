/* Which samples a rank's buffer has: slots in the order in which they were last used. Pure; order.c alone uses it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_DRAWN_SAMPLE_BUFFER_H
#define OVL_APPS_TRAIN_DRAWN_SAMPLE_BUFFER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { OVL_SAMPLE_BUFFER_NONE = UINT32_MAX };

struct ovl_sample_buffer {
    uint32_t room, count; /* slots, and those that are taken, the first ones */
    uint32_t oldest, newest;
    struct ovl_sample_buffer_slot {
        uint32_t sample, older, newer; /* the slots used just before and after it */
    } * slots;
};

int ovl_sample_buffer_open(struct ovl_sample_buffer *b, uint32_t room, struct ovl_error *err);
void ovl_sample_buffer_close(struct ovl_sample_buffer *b);

/* The slot of a sample that is not there: a free one or, with `evicts`, the one used longest ago, whose sample is
 *gone, else OVL_SAMPLE_BUFFER_NONE. OVL_SAMPLE_BUFFER_NONE: it does not come in. */
uint32_t ovl_sample_buffer_take(struct ovl_sample_buffer *b, uint32_t sample, bool evicts, uint32_t *gone);
/* It was used. */
void ovl_sample_buffer_touch(struct ovl_sample_buffer *b, uint32_t slot);

#endif
