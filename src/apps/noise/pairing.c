/* Rounds of neighbours first, which make a ring; then partners whose numbers differ in one bit. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/noise/pairing.h"

static int ring_rounds(int n)
{
    return n < 2 ? 0 : n == 2 ? 1 : n % 2 == 0 ? 2 : 3;
}

int ovl_pairing_rounds(int n)
{
    int rounds = ring_rounds(n);
    for (int bit = 2; bit < n - 1; bit *= 2)
        rounds++;
    return rounds;
}

bool ovl_pairing_ring(int n, int round)
{
    return round < ring_rounds(n);
}

int ovl_pairing_partner(int n, int round, int member)
{
    if (!ovl_pairing_ring(n, round)) {
        int partner = member ^ 2 << (round - ring_rounds(n));
        return partner < n ? partner : -1;
    }
    if (round == 2) /* of an odd number, what closes the ring */
        return member == 0 ? n - 1 : member == n - 1 ? 0 : -1;
    int partner = (member + round) % 2 == 0 ? member + 1 : member - 1;
    if (n % 2 == 0)
        return (partner + n) % n;
    return partner < 0 || partner >= n ? -1 : partner;
}
