/* Bytes through the link of the busiest node. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

double ovl_link_bytes_alltoall(double size, double ranks, double nodes)
{
    double here = ranks / nodes;
    return here * (ranks - here) * size;
}

double ovl_link_bytes_gather(double size, double ranks, double nodes)
{
    return (ranks - ranks / nodes) * size;
}

double ovl_link_bytes_vector(double size, double ranks, double nodes)
{
    (void)ranks, (void)nodes;
    return size;
}

/* P. Patarasuk and X. Yuan, J. Parallel Distrib. Comput. 69 (2009): the bound, which a ring reaches. */
double ovl_link_bytes_allreduce(double size, double ranks, double nodes)
{
    return 2 * ovl_link_bytes_reduce_scatter(size, ranks, nodes);
}

double ovl_link_bytes_reduce_scatter(double size, double ranks, double nodes)
{
    (void)ranks;
    return (nodes - 1) / nodes * size;
}

/* The positive number of the word `key`, which ends with "=". */
static double number_of(const char *text, const char *key)
{
    while (text && *text) {
        if (strncmp(text, key, strlen(key)) == 0) {
            char *end;
            double x = strtod(text + strlen(key), &end);
            return x > 0 && isfinite(x) && (*end == ' ' || *end == '\0') ? x : NAN;
        }
        text = strchr(text, ' ');
        text += text != NULL;
    }
    return NAN;
}

double ovl_link_emulated_rate(const char *cluster)
{
    return number_of(cluster, "rate=") / 8;
}

double ovl_link_settle_seconds(const char *cluster)
{
    return number_of(cluster, "burst=") / ovl_link_emulated_rate(cluster);
}

double ovl_link_carry_seconds(const char *cluster)
{
    return number_of(cluster, "carry=");
}

double ovl_link_payload_share(const char *cluster)
{
    double share = number_of(cluster, "payload=");
    return share <= 1 ? share : 1;
}

double ovl_link_bits(const char *rate)
{
    static const struct {
        const char *unit;
        double bits;
    } units[] = {{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}, {"bit", 1}, {"", 1}};
    char *end;
    double x = strtod(rate, &end);
    for (size_t i = 0; end > rate && i < sizeof units / sizeof *units; i++)
        if (strcasecmp(end, units[i].unit) == 0)
            return x * units[i].bits;
    return NAN;
}
