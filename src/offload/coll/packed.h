/* Numbers that travel compressed, as streams in an operation's temporary memory. Pure functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_OFFLOAD_COLL_PACKED_H
#define OVL_OFFLOAD_COLL_PACKED_H

#include "offload/coll/schedule.h"

/* Before the first byte of a stream stands so much: its length, which goes to the peer as it is, and how much of it has
   been expanded. */
enum { OVL_STREAM_HEAD = 64, OVL_STREAM_LENGTH = 8 };

/* Bytes that so many numbers may need behind the head. */
size_t ovl_packed_most(size_t numbers);
/* Numbers of which every part but the last must have a multiple, so that the stream's bytes are those of the whole. */
size_t ovl_packed_part(void);

/* Does ovl_step_packed do it? */
static inline bool ovl_step_computes(const struct ovl_step *s)
{
    return s->kind >= OVL_STEP_PACK;
}

/* Runs such a step. Numbers of a stream that is damaged come out as NaN. */
void ovl_step_packed(const struct ovl_step *s, float bound, char *temporary);

/* The length of the stream that a sized step sends or receives, as its head says. One that cannot be, as where the
   message that should have brought it did not, becomes 0. */
size_t ovl_packed_bytes(const struct ovl_step *s, char *temporary);

/* A bound as a command has it, and back. */
uint64_t ovl_packed_bits(float bound);
float ovl_packed_bound(uint64_t bits);

#endif
