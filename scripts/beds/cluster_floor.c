/* How much of an exchange between emulated nodes can be hidden at all: plain TCP, a helper and a compute process a
 * node. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by `scripts/cluster floor` on the hub: cluster_floor BLOCKS BYTES...
 *
 * On each node a compute process posts the exchange to the node's helper, which moves BYTES to and from every other
 * node and sleeps in poll() meanwhile (cluster_floor_node.c): no MPI, no rendezvous, no polling. What is not hidden
 * then is the wire's own cost in CPU time on cores that wire and computation share. A block takes, in random order, one
 * sample of each of
 *
 *   C  post and wait     W  the work alone     T  post, the work, wait
 *
 * and gives the hidden fraction 1 - (T - W) / C. Samples begin at one time on all nodes, after the links were idle for
 * as long as their buckets need to fill; the slowest node counts.
 *
 * Then what a core needs to carry a byte: with work that goes on long after the exchange has ended, T - W is the time
 * that the exchange took from it. What a quarter of the bytes takes is subtracted, and with it what does not grow with
 * them.
 */
#include "scripts/beds/cluster_floor.h"
#include "base/clock.h"
#include "base/rng.h"
#include "cli/options.h"
#include "stats/stats.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WARMUP = 6 };

static double rate_bps, burst;
/* What the last sample's slowest node took. */
static double slowest(const double *seconds)
{
    double most = 0;
    for (int n = 0; n < floor_nodes; n++)
        most = fmax(most, seconds[n]);
    return most;
}

/* One sample on all nodes at once. */
static void measure(enum floor_kind kind)
{
    floor_sleep_until(ovl_clock_ns() + (int64_t)(8e9 * burst / rate_bps));
    floor_all->kind = kind;
    floor_all->start = ovl_clock_ns() + 500000;
    atomic_store(&floor_all->answered, 0);
    atomic_fetch_add(&floor_all->round, 1);
    floor_wake(&floor_all->round);
    floor_gather(&floor_all->answered);
}

/* One sample of each kind; *cpu is the CPU time of the work alone. */
static void block(struct ovl_rng *rng, double seconds[FLOOR_KINDS], double *cpu)
{
    enum floor_kind order[FLOOR_KINDS] = {FLOOR_COMM, FLOOR_WORK, FLOOR_TOTAL};
    for (uint32_t i = FLOOR_KINDS; i > 1; i--) {
        uint32_t k = ovl_rng_below(rng, i);
        enum floor_kind swap = order[k];
        order[k] = order[i - 1];
        order[i - 1] = swap;
    }
    for (int i = 0; i < FLOOR_KINDS; i++) {
        measure(order[i]);
        seconds[order[i]] = slowest(floor_all->seconds);
        if (order[i] == FLOOR_WORK)
            *cpu = slowest(floor_all->cpu);
    }
}

/* The value at share q of n sorted ones. */
static double quantile(const double *sorted, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t low = (size_t)at;
    return low + 1 < n ? sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]) : sorted[low];
}

/* Sets the work to as long as the exchange takes, twice: the first time beside a guess. By CPU time and the quickest
   exchange: what else runs on the machine lengthens samples to twice their time. */
static void match_work(struct ovl_rng *rng, double rate)
{
    double guess = 8 * (double)floor_all->bytes * (floor_nodes - 1) / rate_bps;
    floor_all->units = (uint64_t)(rate * fmax(guess, 1e-4));
    for (int turn = 0; turn < 2; turn++) {
        double comm = INFINITY, work_cpu = INFINITY;
        for (int i = 0; i < WARMUP; i++) {
            double s[FLOOR_KINDS], cpu;
            block(rng, s, &cpu);
            comm = fmin(comm, s[FLOOR_COMM]);
            work_cpu = fmin(work_cpu, cpu);
        }
        floor_all->units = (uint64_t)fmax(1, (double)floor_all->units * comm / work_cpu);
    }
}

/* The time that an exchange of `bytes` takes from the computation of all nodes; the median of the blocks. */
static double taken(struct ovl_rng *rng, size_t bytes, size_t blocks)
{
    double *lost = malloc(blocks * sizeof *lost);
    floor_all->bytes = bytes;
    for (size_t i = 0; i < blocks; i++) {
        lost[i] = 0;
        for (int k = 0, first = (int)ovl_rng_below(rng, 2); k < 2; k++) {
            bool total = k == first;
            measure(total ? FLOOR_TOTAL : FLOOR_WORK);
            for (int n = 0; n < floor_nodes; n++)
                lost[i] += total ? floor_all->seconds[n] : -floor_all->seconds[n];
        }
    }
    double median = ovl_stats_median(lost, blocks);
    free(lost);
    return median;
}

/* Seconds that a core needs for a byte that goes out of a node or comes in. */
static double carry(struct ovl_rng *rng, size_t bytes, size_t blocks)
{
    enum { LONGER = 3 }; /* than the exchange */
    uint64_t units = floor_all->units;
    floor_all->units *= LONGER;
    double whole = taken(rng, bytes, blocks), part = taken(rng, bytes / 4, blocks);
    floor_all->units = units;
    return (whole - part) / (2.0 * floor_nodes * (floor_nodes - 1) * (double)(bytes - bytes / 4));
}

static void measure_size(size_t bytes, size_t blocks, double rate)
{
    struct ovl_rng rng = ovl_rng_seeded(bytes);
    double *seconds[FLOOR_KINDS], *hidden = malloc(blocks * sizeof *hidden), median[FLOOR_KINDS];
    for (int k = 0; k < FLOOR_KINDS; k++)
        seconds[k] = malloc(blocks * sizeof *seconds[k]);
    size_t disturbed = 0;
    floor_all->bytes = bytes;
    match_work(&rng, rate);
    for (size_t i = 0; i < blocks; i++) {
        double s[FLOOR_KINDS], cpu;
        block(&rng, s, &cpu);
        disturbed += s[FLOOR_WORK] > 1.05 * cpu + 50e-6;
        for (int k = 0; k < FLOOR_KINDS; k++)
            seconds[k][i] = s[k];
        hidden[i] = 1 - (s[FLOOR_TOTAL] - s[FLOOR_WORK]) / s[FLOOR_COMM];
    }
    for (int k = 0; k < FLOOR_KINDS; k++) {
        median[k] = ovl_stats_median(seconds[k], blocks);
        free(seconds[k]);
    }
    ovl_stats_sort(hidden, blocks);
    double wire = 8 * (double)bytes * (floor_nodes - 1) / rate_bps;
    char per_byte[32] = "-"; /* the rest of the machine took more than the exchange */
    double carried = carry(&rng, bytes, blocks);
    if (carried > 0)
        snprintf(per_byte, sizeof per_byte, "%.3g", carried);
    printf("%9zu %11.1f %11.1f %11.1f %8.3f   %6.3f..%-6.3f %8.2f %11s  %s\n", bytes, 1e6 * median[FLOOR_COMM],
           1e6 * median[FLOOR_WORK], 1e6 * median[FLOOR_TOTAL], quantile(hidden, blocks, 0.5),
           quantile(hidden, blocks, 0.25), quantile(hidden, blocks, 0.75), median[FLOOR_COMM] / wire, per_byte,
           median[FLOOR_COMM] < 0.9 * wire ? "unshaped"
           : disturbed > blocks / 8        ? "busy"
                                           : "ok");
    fflush(stdout);
    free(hidden);
}

static double setting(const char *name)
{
    const char *text = getenv("OVL_CLUSTER"), *at = text ? strstr(text, name) : NULL;
    double value = at ? strtod(at + strlen(name), NULL) : 0;
    if (!(value > 0)) {
        fprintf(stderr, "cluster: floor: OVL_CLUSTER lacks %s; start this by scripts/cluster floor\n", name);
        exit(OVL_USAGE);
    }
    return value;
}

int main(int argc, char **argv)
{
    size_t blocks = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, most = 0;
    for (int i = 2; i < argc; i++)
        most = strtoul(argv[i], NULL, 10) > most ? strtoul(argv[i], NULL, 10) : most;
    floor_nodes = (int)setting("nodes=");
    rate_bps = setting("rate=");
    burst = setting("burst=");
    if (blocks == 0 || most == 0 || floor_nodes > FLOOR_MOST_NODES) {
        fprintf(stderr, "usage: cluster_floor BLOCKS BYTES...\n");
        return OVL_USAGE;
    }
    floor_all = mmap(NULL, sizeof *floor_all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (floor_all == MAP_FAILED)
        floor_die("no memory");
    floor_start(most);

    double rate = 0;
    for (int n = 0; n < floor_nodes; n++)
        rate += floor_all->seconds[n] / floor_nodes;
    printf("# floor: plain TCP between %d nodes, a helper and a compute process on each; %zu blocks\n"
           "# cluster %s\n#\n# %7s %11s %11s %11s %8s   %-14s %8s %11s  %s\n",
           floor_nodes, blocks, getenv("OVL_CLUSTER"), "size", "exchange us", "compute us", "total us", "hidden",
           "quartiles", "x wire", "carry s/B", "status");
    for (int i = 2; i < argc; i++)
        measure_size(strtoul(argv[i], NULL, 10), blocks, rate);
    printf("# hidden = 1 - (total - compute) / exchange, the median of the blocks; x wire = exchange / (bytes / rate)\n"
           "# carry = seconds that a core of the machine needs to carry a byte in or out of a node: scripts/cluster "
           "run --carry\n"
           "# unshaped: quicker than the rate; busy: other programs took the cores, and the figure is none\n");
    signal(SIGCHLD, SIG_DFL);
    return 0;
}
