/* Fields that identify a point: cells that differ in one of them are never taken for the same measurement. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/link.h"
#include "record/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER(m)                    .offset = offsetof(struct ovl_cell, m), .size = sizeof(((struct ovl_cell *)0)->m)
#define POINT                        .part = OVL_PART_POINT
#define OF_CELL(path_, name_, kind_) .line = OVL_LINE_CELL, .path = path_, .name = name_, .kind = kind_, POINT
#define OF_RUN(path_, name_, kind_)  .line = OVL_LINE_RUN, .path = path_, .name = name_, .kind = kind_, POINT
#define PROBLEM(name_, kind_)        OF_CELL("problem." name_, name_, kind_), .of = OVL_OF_PROXY
#define OPTION(name_, kind_)         OF_RUN("options." name_, name_, kind_), .null = true
#define TEXT                         OVL_FIELD_TEXT
#define WHOLE                        OVL_FIELD_WHOLE
#define PANEL                        .axis = OVL_AXIS_PANEL, .phrase
#define VARIANT                      .axis = OVL_AXIS_VARIANT, .phrase
#define OFFLOAD                      .axis = OVL_AXIS_OFFLOAD, .phrase
#define NEEDED                       .need = OVL_NEED_ALL
#define NEEDED_OF_COLLECTIVES        .need = OVL_NEED_COLLECTIVE

/* "1 Gbit/s", or the variable as it is. */
static void say_rate(char *said, size_t room, const char *cluster)
{
    double rate = 8e-9 * ovl_link_emulated_rate(cluster);
    if (isnan(rate))
        snprintf(said, room, "%s", cluster);
    else
        snprintf(said, room, "%g Gbit/s", rate);
}

/* What is emulated is said to be. */
static void say_placement(char *said, size_t room, const char *placement)
{
    snprintf(said, room, "%s",
             strcmp(placement, "host-core") == 0       ? "workers on host cores (emulated)"
             : strcmp(placement, "other-machine") == 0 ? "workers on another machine (emulated)"
             : strcmp(placement, "bluefield") == 0     ? "workers on BlueField"
             : strcmp(placement, "library") == 0       ? "offloaded by the MPI library"
                                                       : placement);
}

/* A number with the prefix that suits it: 865000 of 1e-6 s is "865 ms". All of it: who has other numbers has another
   text (ovl_facet_text). */
static void say_number(char *said, size_t room, const char *text, double step, const char *const units[3])
{
    double number = atof(text);
    int u = 0;
    for (; u < 2 && number >= step; u++)
        number /= step;
    snprintf(said, room, "%.12g %s", number, units[u]);
}

static void say_time(char *said, size_t room, const char *us)
{
    static const char *const units[] = {"us", "ms", "s"};
    say_number(said, room, us, 1e3, units);
}

static void say_flops(char *said, size_t room, const char *flops)
{
    static const char *const units[] = {"Gflop/s", "Tflop/s", "Pflop/s"};
    char giga[32];
    snprintf(giga, sizeof giga, "%.15g", 1e-9 * atof(flops));
    say_number(said, room, giga, 1e3, units);
}

/* Whole KiB among other words are said as such: "1 MiB, 25 MiB". */
static void say_sizes(char *said, size_t room, const char *text)
{
    static const char *const units[] = {"KiB", "MiB", "GiB"};
    size_t n = 0;
    said[0] = '\0';
    while (*text && n + 1 < room) {
        char number[OVL_FIELD_TEXT_ROOM];
        size_t digits = strspn(text, "0123456789"), word = digits + strcspn(text + digits, " ");
        snprintf(number, sizeof number, "%.*s", (int)(digits ? digits : word + strspn(text + word, " ")), text);
        text += strlen(number);
        double kib = atof(number) / 1024;
        if (digits && (*text == ',' || !*text) && kib >= 1 && kib == floor(kib)) {
            snprintf(number, sizeof number, "%.0f", kib);
            say_number(said + n, room - n, number, 1024, units);
        } else
            snprintf(said + n, room - n, "%s", number);
        n += strlen(said + n);
    }
}

const struct ovl_field ovl_fields_point[] = {
    {OF_CELL("benchmark", "benchmark", TEXT), MEMBER(benchmark), NEEDED, .about = "a name of `ovl list`"},
    {OF_CELL("ranks", "ranks", WHOLE), MEMBER(ranks), NEEDED, .bounded = true, .least = 1, PANEL = "%s rank(s)",
     .about = "processes that measure"},
    {OF_RUN("nodes", "nodes", WHOLE), NEEDED, .bounded = true, .least = 1, PANEL = "%s node(s)",
     .about = "MPI nodes: processes that can share memory"},
    {OF_RUN("environment.OVL_CLUSTER", "cluster", TEXT), PANEL = "emulated network of %s", .say = say_rate,
     .about = "the emulated cluster, with its rate; absent on real machines"},

    {PROBLEM("grid", TEXT), .show = {"grid", 1, 0, 16, 0}, PANEL = "grid %s",
     .about = "points of a grid, such as 128x128x128"},
    {PROBLEM("transform", TEXT), .words = "r2c|c2c", .usual = "r2c", PANEL = "%s",
     .about = "kind of the Fourier transform"},
    {PROBLEM("variables", WHOLE), PANEL = "%s variable(s)",
     .about = "transformed in a sample; times are those of one variable"},
    {PROBLEM("steps", WHOLE), PANEL = "%s step(s)", .about = "of a stencil in a sample; times are those of one"},
    {PROBLEM("model", TEXT), .show = {"model", 1, 0, 16, 0}, PANEL = "%s", .about = "the network of a training step"},
    {PROBLEM("batch", WHOLE), PANEL = "batch %s", .about = "samples of a rank in a training step"},
    {PROBLEM("scale_bytes", OVL_FIELD_NUMBER), .usual = "1", PANEL = "messages %s times smaller",
     .about = "how many times smaller than the network's the messages are"},
    {PROBLEM("scale_flops", OVL_FIELD_NUMBER), PANEL = "work of the model / %s",
     .about = "how many times less than the network's the work is, where that was asked for"},
    {PROBLEM("flops", OVL_FIELD_NUMBER), PANEL = "at %s", .say = say_flops,
     .about = "of inference: floating-point operations of a rank in a second, where the work follows from them"},
    {PROBLEM("strategy", TEXT), .show = {"strategy", 1, 0, 13, 0}, .way = true, VARIANT = "%s",
     .about = "how training is shared out among the ranks"},
    {PROBLEM("buckets", TEXT), .way = true, VARIANT = "buckets %s", .say = say_sizes,
     .about = "bytes that close the first bucket of gradients and the others, or the fusion buffer and its cycle"},
    {PROBLEM("pipeline", TEXT), .way = true, VARIANT = "pipeline %s",
     .about = "of pipelines: ranks that share a block x stages x chunks of a stage, and the microbatches of a step"},
    {PROBLEM("moe", TEXT), .way = true, VARIANT = "experts %s",
     .about =
         "of a mixture of experts: those of a token of all, what one takes of a rank, the gate's skew, numbers out "
         "and back, once a rank or an expert, and what overlaps"},
    {PROBLEM("requests", TEXT), PANEL = "requests %s",
     .about =
         "of inference: how many requests, how they arrive, the lengths of prompts and outputs, and their seed, or a "
         "number that stands for those of a file"},
    {PROBLEM("batching", TEXT), .way = true, VARIANT = "batches %s",
     .about = "of inference: static or continuous, requests at once, prompt tokens of an iteration, and the memory for "
              "keys and values"},
    {PROBLEM("preempt", TEXT), .way = true, .words = "recompute|swap", .usual = "never", VARIANT = "preempt %s",
     .about =
         "of inference: what becomes of the youngest request where memory for keys and values is short; absent: it "
         "never is, as each request waits for all that it will need"},
    {PROBLEM("layout", TEXT), .way = true, VARIANT = "ranks %s",
     .about =
         "of inference: ranks that read prompts + ranks that write and the messages of a request, or ranks that "
         "share all blocks and what overlaps; numbers of keys and values and of sums, and the tokens from which on "
         "an iteration takes longer"},
    {PROBLEM("tests", WHOLE), .way = true, .usual = "0", VARIANT = "%s test(s) a layer",
     .about = "test calls in each layer of a network; 0: none"},
    {PROBLEM("dtype", TEXT), .way = true, .usual = "f32", VARIANT = "numbers %s",
     .about = "what parameters, gradients and activations are, where they are not all f32"},
    {PROBLEM("compress", TEXT), .way = true, .usual = "none", VARIANT = "gradients by %s",
     .about = "how gradients are compressed: szx and the largest error of one, fp16 or bf16; absent: not at all"},
    {PROBLEM("n", WHOLE), .show = {"N", 1, 0, 7, 0}, PANEL = "N %s", .about = "order of a matrix"},
    {PROBLEM("nb", WHOLE), PANEL = "NB %s", .about = "size of its blocks"},
    {PROBLEM("procs", TEXT), PANEL = "on %s ranks",
     .about = "sides of the process grid, such as 2x2: of the pencils, or rows and columns of a matrix's ranks"},
    {PROBLEM("pmap", TEXT), .words = "row|col", .usual = "row", PANEL = "ranks by %s",
     .about = "order in which ranks fill the process grid of `procs`; absent: row"},
    {PROBLEM("swap", TEXT), .way = true, .words = "long|mix", .usual = "long", VARIANT = "swap %s",
     .about = "the exchange of rows in a matrix's process columns; absent: long"},
    {PROBLEM("swap_threshold", WHOLE), .way = true, VARIANT = "by halves up to %s column(s)",
     .about = "local columns of an update up to which `mix` exchanges rows by halves; absent with long"},
    {PROBLEM("bcast", TEXT), .show = {"bcast", 1, 0, 8, 0}, .way = true, VARIANT = "%s",
     .about = "the way of a panel along a process row"},
    {PROBLEM("depth", WHOLE), .show = {"depth", 1, 0, 6, 0}, .way = true, PANEL = "look-ahead %s",
     .about = "panels of look-ahead"},
    {PROBLEM("threads", WHOLE), .usual = "1", PANEL = "%s BLAS thread(s)",
     .about = "threads of the BLAS library on a rank"},
    {PROBLEM("chunks", WHOLE), .way = true, VARIANT = "%s slab(s)",
     .about = "slabs of a variable that are exchanged apart"},
    {PROBLEM("window", WHOLE), .way = true, VARIANT = "window %s", .about = "exchanges in flight"},
    {PROBLEM("test_lines", WHOLE), .way = true, .usual = "0", VARIANT = "a test every %s line(s)",
     .about = "lines between test calls; 0: none"},

    {OF_CELL("compute.kind", "kernel", TEXT), MEMBER(compute_kind), NEEDED_OF_COLLECTIVES, .usual = "fma",
     PANEL = "kernel %s", .about = "the kernel that runs meanwhile"},
    {OF_CELL("compute.ratio", "ratio", OVL_FIELD_NUMBER), .show = {"ratio", 1, -6, 6, 0}, MEMBER(ratio),
     NEEDED_OF_COLLECTIVES, .null = true, .usual = "1", PANEL = "work %s x host communication",
     .about = "work asked for, in multiples of the host's communication time; null when it was given in time"},
    {OF_CELL("compute.us", "compute_us", OVL_FIELD_NUMBER), MEMBER(compute_us), NEEDED_OF_COLLECTIVES, .null = true,
     PANEL = "work %s", .say = say_time, .unit = "us", .about = "work asked for as a time, or null"},
    {OF_CELL("test_calls", "test_calls", WHOLE), .way = true, MEMBER(test_calls), NEEDED_OF_COLLECTIVES, .usual = "0",
     VARIANT = "%s MPI_Test call(s)", .about = "test calls spread over the work"},
    {OF_CELL("skew", "skew", TEXT), MEMBER(skew), NEEDED_OF_COLLECTIVES, .usual = "none", PANEL = "skew %s",
     .about = "pattern and microseconds of arrival, such as random:20, or none"},
    {OF_CELL("persistent", "persistent", OVL_FIELD_TRUTH), MEMBER(persistent), NEEDED_OF_COLLECTIVES, .null = true,
     VARIANT = "persistent", .about = "whether the operation was the persistent form of MPI-4"},
    {OF_CELL("rotate", "rotate", WHOLE), MEMBER(rotate), NEEDED_OF_COLLECTIVES, .bounded = true, .least = 1,
     .usual = "1", VARIANT = "%s buffers in turn", .about = "buffer sets used in turn"},
    {OPTION("root", WHOLE), .usual = "0", VARIANT = "root %s", .about = "the root of the operation"},
    {OPTION("op", TEXT), VARIANT = "%s", .about = "how a reduction combines numbers: min, max or prod; null: sum"},
    {OPTION("vector", TEXT), VARIANT = "blocks %s",
     .about =
         "messages of a derived datatype: elements of a block, and from one block to the next; null: in one piece"},
    {OPTION("in_place", OVL_FIELD_TRUTH), VARIANT = "in place", .about = "whether buffers were MPI_IN_PLACE"},
    {OPTION("pairs", TEXT), PANEL = "%s",
     .about = "who sends to whom in ovl_p2p: one-way, two-way, ring or neighbours"},
    {OPTION("dims", WHOLE), .usual = "0", VARIANT = "grid of %s dimensions",
     .about = "dimensions of the grid of a neighbourhood; 0: two, or it is none"},
    {OPTION("edges", TEXT), PANEL = "graph %s", .about = "the file with the edges of a neighbourhood's graph"},
    {OPTION("group", TEXT), PANEL = "in communicators of %s",
     .about = "ranks of a communicator, with :cyclic where they are every n-th; null: all"},
    {OPTION("multi", OVL_FIELD_TRUTH), PANEL = "all at once", .about = "whether all communicators worked at once"},
    {OF_CELL("size_bytes", "size_bytes", WHOLE), .show = {"size", 1, 0, 10, 0}, MEMBER(size_bytes),
     .of = OVL_OF_COLLECTIVE, NEEDED_OF_COLLECTIVES, .null = true, .unit = "B",
     .about = "see ovl_bench(1) for what it counts; null where there is no message"},
    {OF_CELL("mode", "mode", TEXT), .show = {"mode", 1, 0, 5, 0}, .show_of_proxy = {"mode", 1, 0, 9, 0}, .way = true,
     MEMBER(mode), NEEDED, .about = "who progresses the communication: host, thread, dpu, or blocking (of proxies)"},
    {OF_CELL("engine.name", "engine", TEXT), .way = true, MEMBER(engine), NEEDED_OF_COLLECTIVES, .usual = "mpi",
     .about = "mpi, worker, or host: point-to-point messages of the program's own"},
    {OF_CELL("engine.path", "path", TEXT), .way = true, MEMBER(path), NEEDED_OF_COLLECTIVES, .null = true,
     OFFLOAD = "path %s", .about = "how workers reach the memory of ranks: shm, cma or verbs"},
    {OF_CELL("engine.placement", "placement", TEXT), .way = true, MEMBER(placement), NEEDED_OF_COLLECTIVES,
     .words = "host|host-core|other-machine|emulated-processor|bluefield|library", .usual = "host", OFFLOAD = "%s",
     .say = say_placement,
     .about =
         "where workers ran: host-core and other-machine stand in for a DPU; bluefield is real; host: none took part; "
         "library: MPI offloads; emulated-processor: an emulator ran some worker, or, in each mode, some rank, and "
         "the cell claims nothing"},
    {OF_CELL("engine.workers", "workers", WHOLE), .way = true, MEMBER(workers), NEEDED_OF_COLLECTIVES, .null = true,
     .usual = "0", OFFLOAD = "%s worker(s)", .about = "workers that took part"},
    {OPTION("algorithm", TEXT), .way = true, .worker_only = true, OFFLOAD = "by %s",
     .about = "the algorithm that was asked for"},
    {OPTION("device", TEXT), .way = true, .worker_only = true, OFFLOAD = "device %s",
     .about = "the adapter that was asked for"},
    {OPTION("cold", OVL_FIELD_TRUTH), .way = true, .worker_only = true, OFFLOAD = "cold",
     .about = "whether buffers were registered anew for each operation"},
    {OPTION("registrations", WHOLE), .way = true, .worker_only = true, .usual = "0", OFFLOAD = "%s registrations",
     .about = "the most buffers of a rank that stay registered; 0: all"},
    {OPTION("dpu_min", WHOLE), .way = true, .worker_only = true, .usual = "0", OFFLOAD = "from %s bytes on",
     .unit = "B", .about = "the size from which on workers take over"},
    {OPTION("offload", TEXT), .way = true, .worker_only = true, .usual = "internode", OFFLOAD = "%s offloaded",
     .about = "which exchanges of a transform were for the workers: internode, rows, columns or all"},
    {OPTION("worker_idle", TEXT), .way = true, .worker_only = true, .usual = "auto", OFFLOAD = "idle %s",
     .about = "what workers do while there is nothing to do"},
    {OPTION("worker_priority", TEXT), .way = true, .worker_only = true, .usual = "usual", OFFLOAD = "priority %s",
     .about = "the priority that workers on shared cores were to have"},
    {OPTION("worker_transport", TEXT), .way = true, .worker_only = true, .usual = "mpi", OFFLOAD = "workers by %s",
     .about = "how workers reach each other: mpi, or tcp with its interface"},
    {OPTION("worker_map", TEXT), .way = true, .worker_only = true, .usual = "cyclic", OFFLOAD = "map %s",
     .about = "which ranks a worker serves"},
    {OPTION("worker_slowdown", OVL_FIELD_NUMBER), .way = true, .worker_only = true, .usual = "1",
     OFFLOAD = "slowed down %s times", .about = "each step of a worker takes so many times as long"},
    {OPTION("worker_memory", WHOLE), .way = true, .worker_only = true, .usual = "16777216",
     OFFLOAD = "%s bytes for data on its way", .unit = "B", .about = "memory of each worker for data on its way"},
    {OPTION("thread_idle", TEXT), .way = true, .thread_only = true, .usual = "auto", VARIANT = "thread idle %s",
     .about = "what a progress thread does between tests"},
    {OPTION("thread_cpu", TEXT), .way = true, .thread_only = true, .usual = "rank", VARIANT = "thread on %s",
     .about = "where it was to run: rank, next, or processors in turn"},
    {OF_CELL("datatype", "datatype", TEXT), MEMBER(datatype), NEEDED_OF_COLLECTIVES, .null = true, .usual = "MPI_CHAR",
     VARIANT = "%s", .about = "the MPI datatype; null where there is no message"},
    {.path = NULL},
};
