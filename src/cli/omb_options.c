/* Options of the OSU micro-benchmarks 7.4 that ovl does not have, or under another name: whoever comes from there is
   told what to give instead. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options.h"

const struct ovl_foreign_options ovl_omb_options = {
    "the OSU benchmarks",
    {
        {'a', "array-size", "--compute, --compute-ratio and --compute-us say what is computed"},
        {'b', "buffer-num", "give --rotate N for so many buffer sets"},
        {'d', "accelerator", "buffers are in the host's memory; leave it out"},
        {0, "ddt", "give -D BLOCK:STRIDE"},
        {'G', "graph", "give --json FILE, and then ovl plot FILE draws it"},
        {'I', "session", "ovl begins by MPI_Init; leave it out"},
        {0, "root-rank", "give -k fixed:RANK, or --root RANK"},
        {'N', "nhbr", "give --dims DIM, without corners or wrap-around, or for graph:FILE --edges FILE"},
        {'p', "num-pairs", "ovl_p2p --pairs KIND says who is a pair, --group N who communicates"},
        {'P', "papi", "ovl reads no counters of PAPI; leave it out"},
        {'r', "cuda-target", "the work is done by the host, see --compute; leave it out"},
        {'R', "print-rate", "ovl measures no message rate; leave it out"},
        {'s', "sync-option", "ovl measures no one-sided operations; leave it out"},
        {0, "tail-lat", "give -z, or --percentiles LIST"},
        {'u', "validation-warmup", "data are checked before and after the samples, which -x N warms up"},
        {'v', NULL, "give --version"},
        {'V', "vary-window", "one operation is under way at a time; leave it out"},
        {'w', "win-options", "ovl measures no one-sided operations; leave it out"},
        {'W', "window-size", "one operation is under way at a time; --cadence stream posts them in a row"},
        {0, NULL, NULL},
    },
};
