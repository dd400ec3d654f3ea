/* Rates of a site, from what was measured there: its records. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BENCH_APP_RATES_H
#define OVL_BENCH_APP_RATES_H

#include "cli/network_options.h"

enum ovl_rate {
    OVL_RATE_LINK,
    OVL_RATE_LATENCY,
    OVL_RATE_BURST,
    OVL_RATE_CARRY,
    OVL_RATE_COPY,
    OVL_RATE_FLOPS,
    OVL_RATES
};

/* Where each comes from, for the head: "" where it was given, or is not known. */
struct ovl_rates_from {
    char text[OVL_RATES][160];
};

/* Fills what of the network is NaN from these records, each the median of all values that they have of it:

   - byte: ovl_p2p between nodes, how C grows over its two largest messages, of 64 KiB or more; else the word rate= of
     the emulated cluster, less headers
   - burst: the word burst= of the emulated cluster
   - latency: ovl_p2p between nodes, C of its smallest message, of 1 KiB or less, without the overheads that are known
   - carry: the word carry= of the emulated cluster
   - copy: ovl_p2p between two ranks of one node, how C grows; else the kernel triad as it was calibrated: a byte that
   is copied is read once and written once
   - flops: of ovl_train the kernel fma as it was calibrated; of ovl_fft3d and ovl_hpl their own work alone

   `benchmark` is the name of the program that asks. Cells that carry no claim are passed over. What no record has stays
   NaN. -1 where one cannot be read. */
int ovl_rates_fill(const struct ovl_texts *records, const char *benchmark, struct ovl_network *network,
                   struct ovl_rates_from *from, struct ovl_error *err);

#endif
