/* What a network is like: rates, and times with their units. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/network_options.h"
#include "cli/link.h"

#include <math.h>
#include <strings.h>

#define AT(member) offsetof(struct ovl_network_options, member)

const struct ovl_option ovl_network_option_rows[] = {
    {0, "link-rate", "RATE", "of --plan: of a node's link, in each direction, such as 200gbit", OVL_OPTION_TEXT,
     AT(link_rate), 0, 0, NULL, NULL},
    {0, "latency", "TIME", "of --plan: from node to node, such as 2us", OVL_OPTION_TEXT, AT(latency), 0, 0, NULL, NULL},
    {0, "overhead", "US", "of --plan: of a core for each message, at each end (default 0)", OVL_OPTION_NUMBER,
     AT(overhead), 0, 1e6, NULL, NULL},
    {0, "carry", "S", "of --plan: of a core for each byte between nodes; 0: adapters do (default 0)", OVL_OPTION_NUMBER,
     AT(carry), 0, 1, NULL, NULL},
    {0, "copy", "S", "of --plan: of a core for each byte that it copies or combines in memory (default 0)",
     OVL_OPTION_NUMBER, AT(copy), 0, 1, NULL, NULL},
    {0, "library", "NAME", "of --plan: whose algorithms ranks and threads take: mpich or openmpi (default mpich)",
     OVL_OPTION_WORD, AT(library), 0, 0, "mpich|openmpi", NULL},
    {0, "shared-cores", NULL,
     "of --plan: threads and workers work on cores of ranks, whose computation waits for them (default: on their own)",
     OVL_OPTION_ON, AT(shared_cores), 0, 0, NULL, NULL},
    {0, "rates", "RECORD",
     "of --plan: take what is not given from this record of the site; several times for several records",
     OVL_OPTION_TEXTS, AT(rates), 0, 0, NULL, NULL},
    {.name = NULL},
};

const struct ovl_option ovl_network_work_option_rows[] = {
    {0, "flops", "N", "of --plan: floating-point operations of a rank in a second, such as 60e9", OVL_OPTION_NUMBER,
     AT(flops), 1, 1e18, NULL, NULL},
    {.name = NULL},
};

const struct ovl_network_options ovl_network_options_default = {
    .overhead = NAN, .carry = NAN, .copy = NAN, .flops = NAN};

const char *ovl_network_given(const struct ovl_network_options *o)
{
    return o->link_rate          ? "link-rate"
           : o->latency          ? "latency"
           : !isnan(o->overhead) ? "overhead"
           : !isnan(o->carry)    ? "carry"
           : !isnan(o->copy)     ? "copy"
           : !isnan(o->flops)    ? "flops"
           : o->library          ? "library"
           : o->shared_cores     ? "shared-cores"
           : o->rates.n > 0      ? "rates"
                                 : NULL;
}

int ovl_network_misplaced(const struct ovl_network_options *o, const char *plan, struct ovl_error *err)
{
    const char *given = plan ? NULL : ovl_network_given(o);
    return given ? ovl_error_set(err, OVL_USAGE,
                                 "--%s: a network is told for --plan RANKS alone, which measures nothing", given)
                 : 0;
}

/* Seconds of "2us"; NAN. */
static double duration(const char *text)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    const char *end;
    double x;
    if (ovl_options_number(text, &x, &end) != 0 || x < 0)
        return NAN;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcasecmp(end, units[i].unit) == 0)
            return x * units[i].seconds;
    return NAN;
}

int ovl_network_read(const struct ovl_network_options *o, struct ovl_network *n, struct ovl_error *err)
{
    double rate = o->link_rate ? ovl_link_bits(o->link_rate) / 8 : NAN,
           latency = o->latency ? duration(o->latency) : NAN;
    if (o->link_rate && (!(rate > 0) || !isfinite(rate)))
        return ovl_error_set(err, OVL_USAGE, "--link-rate %s: give bits a second, such as 200gbit", o->link_rate);
    if (o->latency && isnan(latency))
        return ovl_error_set(err, OVL_USAGE, "--latency %s: give a time, such as 2us", o->latency);
    *n = (struct ovl_network){.latency = latency,
                              .byte = 1 / rate,
                              .burst = o->link_rate ? 0 : NAN,
                              .overhead = 1e-6 * o->overhead,
                              .carry = o->carry,
                              .copy = o->copy,
                              .flops = o->flops};
    return 0;
}

int ovl_network_complete(const struct ovl_network_options *o, const char *plan, struct ovl_network *n,
                         struct ovl_error *err)
{
    bool link = !isnan(n->byte), latency = !isnan(n->latency);
    n->overhead = isnan(n->overhead) ? 0 : n->overhead;
    n->carry = isnan(n->carry) ? 0 : n->carry;
    n->copy = isnan(n->copy) ? 0 : n->copy;
    n->burst = isnan(n->burst) ? 0 : n->burst;
    if (link && latency)
        return 0;
    return ovl_error_set(err, OVL_USAGE, "--plan %s: %s; give %s%s%s", plan,
                         o->rates.n > 0 ? "the records of --rates do not say what the network is like"
                                        : "say what the network is like",
                         link ? "" : "--link-rate of a node, such as 200gbit", link || latency ? "" : ", and ",
                         latency ? "" : "--latency from node to node, such as 2us");
}
