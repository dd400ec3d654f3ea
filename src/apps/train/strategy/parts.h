/* How the numbers of an operation are parted among the members of its team, and the lists of that which some calls of
   MPI take: counts and places of all parts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_STRATEGY_PARTS_H
#define OVL_APPS_TRAIN_STRATEGY_PARTS_H

#include "apps/train/strategy/steps.h"

struct ovl_train_part {
    size_t first, count;
};

/* Parts differ by one number where these do not divide by the ranks. */
static inline struct ovl_train_part ovl_train_part(size_t numbers, int ranks, int rank)
{
    size_t each = numbers / (size_t)ranks, more = numbers % (size_t)ranks, r = (size_t)rank;
    return (struct ovl_train_part){r * each + (r < more ? r : more), each + (r < more)};
}

/* Parts of a gather that are not all alike: its call is another one. */
bool ovl_train_is_uneven_gather(const struct ovl_train_plan *p, const struct ovl_event *post);
/* How many lists its call takes: counts and places of what is received, of tokens of what is sent, too; 0: none. */
int ovl_train_takes_lists(const struct ovl_train_plan *p, const struct ovl_event *post);

/* Writes where the lists of each operation of the plan's lane `own` begin, of those that take them, in values of one
   memory: one in each list for each member of its team, and the same for operations of one size, but of tokens, that
   are near each other.
   begin[ids]. Returns how many values there are. */
size_t ovl_train_place_lists(const struct ovl_train_plan *p, size_t *begin);

/* Bytes of them. */
double ovl_train_lists_bytes(const struct ovl_train_plan *p);

#endif
