/* Which pairs exchange messages in which round: all pairs of a round have no member in common. Knows no MPI. As
   LinkTest (Forschungszentrum Juelich) and netgauge's one_one_all do, but in O(log N) rounds instead of all pairs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_NOISE_PAIRING_H
#define OVL_APPS_NOISE_PAIRING_H

#include <stdbool.h>

/* Rounds for n members: the neighbours on a ring in up to 3 rounds; then partners whose numbers differ in one bit, from
   2 on, without a round that has but a pair of neighbours. 0 below 2 members. */
int ovl_pairing_rounds(int n);

/* The partner of a member in a round, or -1. */
int ovl_pairing_partner(int n, int round, int member);

/* Is this round one of the ring? */
bool ovl_pairing_ring(int n, int round);

#endif
