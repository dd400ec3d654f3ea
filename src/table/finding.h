/* What a run found, in sentences, and what to try next: the last lines of its table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TABLE_FINDING_H
#define OVL_TABLE_FINDING_H

#include "record/record.h"

enum { OVL_FINDINGS = 4, OVL_FINDING_TEXT = 280 };

/* What is found is a sentence per mode, about its largest sizes: those up to the largest one of which the same can be
   said. With v the hidden part of a cell, and h the part that its work could hide (hideable_fraction):

       harm      v < -0.05, and its interval is below 0
       little    v < 0.2 h
       part      v < 0.8 h
       most      else

   Cells that carry no claim, whose communication is too short to have a hidden part, or whose interval of v is wider
   than 15 points to each side, are passed over; of several amounts of work that nearest to the communication's own time
   is looked at.

   What to try next is by the first rule that holds; next.c has them in a table. `next` is "" where nothing could be
   measured that a next step follows from. */
struct ovl_finding {
    char found[OVL_FINDINGS][OVL_FINDING_TEXT]; /* `count` of them */
    size_t count;
    char next[OVL_FINDING_TEXT];
};

/* Of a run of a collective, from its head and its cells; of others there is nothing to say. Samples are not looked at.
 */
void ovl_finding_make(struct ovl_finding *f, const struct ovl_run *run);

#endif
