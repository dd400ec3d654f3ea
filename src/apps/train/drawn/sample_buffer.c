/* Slots stand in a list, by when they were last used. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/drawn/sample_buffer.h"

#include <stdlib.h>

int ovl_sample_buffer_open(struct ovl_sample_buffer *b, uint32_t room, struct ovl_error *err)
{
    *b = (struct ovl_sample_buffer){.room = room, .oldest = OVL_SAMPLE_BUFFER_NONE, .newest = OVL_SAMPLE_BUFFER_NONE};
    b->slots = calloc((size_t)room + 1, sizeof *b->slots);
    return b->slots ? 0 : ovl_error_set(err, OVL_ENVIRONMENT, "no memory for a buffer of %.0f samples", (double)room);
}

void ovl_sample_buffer_close(struct ovl_sample_buffer *b)
{
    free(b->slots);
    *b = (struct ovl_sample_buffer){.room = 0};
}

static void leave(struct ovl_sample_buffer *b, uint32_t slot)
{
    uint32_t older = b->slots[slot].older, newer = b->slots[slot].newer;
    *(older == OVL_SAMPLE_BUFFER_NONE ? &b->oldest : &b->slots[older].newer) = newer;
    *(newer == OVL_SAMPLE_BUFFER_NONE ? &b->newest : &b->slots[newer].older) = older;
}

static void become_newest(struct ovl_sample_buffer *b, uint32_t slot)
{
    b->slots[slot].older = b->newest;
    b->slots[slot].newer = OVL_SAMPLE_BUFFER_NONE;
    *(b->newest == OVL_SAMPLE_BUFFER_NONE ? &b->oldest : &b->slots[b->newest].newer) = slot;
    b->newest = slot;
}

uint32_t ovl_sample_buffer_take(struct ovl_sample_buffer *b, uint32_t sample, bool evicts, uint32_t *gone)
{
    uint32_t slot = b->count;
    *gone = OVL_SAMPLE_BUFFER_NONE;
    if (b->count < b->room)
        b->count++;
    else if (evicts && b->room > 0) {
        slot = b->oldest;
        *gone = b->slots[slot].sample;
        leave(b, slot);
    } else
        return OVL_SAMPLE_BUFFER_NONE;
    b->slots[slot].sample = sample;
    become_newest(b, slot);
    return slot;
}

void ovl_sample_buffer_touch(struct ovl_sample_buffer *b, uint32_t slot)
{
    leave(b, slot);
    become_newest(b, slot);
}
