/* Nodes are looked at one by one; of a team of equal strides it is known without that. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/busiest.h"

struct ovl_busiest ovl_busiest_of(int ranks, int per_node, double most,
                                  double (*in)(const void *of, int first, int end), const void *of)
{
    struct ovl_busiest b = {.nodes = (ranks - 1) / per_node + 1, .in = -1};
    for (; b.looked_at < b.nodes && (b.looked_at == 0 || b.looked_at < most); b.looked_at++) {
        int first = b.looked_at * per_node, left = ranks - first;
        double here = in(of, first, first + (left < per_node ? left : per_node));
        if (here > b.in) {
            b.in = here;
            b.node = b.looked_at;
        }
    }
    return b;
}

/* Members with a rank below `bound`. */
static int below(int first, int ranks, int stride, long bound)
{
    long n = bound <= first ? 0 : (bound - first - 1) / stride + 1;
    return (int)(n < ranks ? n : ranks);
}

int ovl_nodes_of_team(int first, int ranks, int stride, int per_node, int rank, int *here)
{
    long begin = (long)(rank / per_node) * per_node, last = first + (long)(ranks - 1) * stride;
    *here = below(first, ranks, stride, begin + per_node) - below(first, ranks, stride, begin);
    return stride >= per_node ? ranks : (int)(last / per_node - first / per_node + 1);
}
