/* Fields of run and end lines that do not identify a point: what was run, where, and how it ended. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/name.h"
#include "record/field.h"

#define ROW(line_, path_, kind_) .line = line_, .path = path_, .name = path_, .kind = OVL_FIELD_##kind_
#define RUN(path_, kind_)        ROW(OVL_LINE_RUN, path_, kind_)
#define END(path_, kind_)        ROW(OVL_LINE_END, path_, kind_)
#define EVERY(path_, kind_)      ROW(OVL_LINE_RUN | OVL_LINE_CELL | OVL_LINE_NODE | OVL_LINE_END, path_, kind_)
#define NEEDED                   .need = OVL_NEED_ALL
#define SETTING                  .part = OVL_PART_SETTING
#define NOTE                     .part = OVL_PART_NOTE
#define BUILD                    .part = OVL_PART_BUILD
#define LATE                     NEEDED, .null = true, .unit = "s", .bounded = true

static void say_short(char *said, size_t room, const char *text)
{
    ovl_name_shorten(said, room, text);
}

const struct ovl_field ovl_fields_run[] = {
    {ROW(OVL_LINE_RUN | OVL_LINE_CELL | OVL_LINE_NODE | OVL_LINE_END | OVL_LINE_OFFLOAD | OVL_LINE_LAUNCH, "record",
         TEXT),
     NEEDED, .words = "run|cell|node|end|offload|launch", .about = "which line it is"},
    {EVERY("run_id", TEXT), NEEDED, .about = "time of the start and a random number; the same in all lines of the run"},
    {RUN("schema", TEXT), NEEDED, .about = "version of this description"},
    {RUN("benchmark", TEXT), NEEDED, .about = "name of the benchmark, such as ialltoall"},
    {RUN("started", TEXT), NEEDED, .about = "UTC, such as 2026-01-31T23:59:59Z"},
    {RUN("command[]", TEXT), NEEDED, .about = "the command line of rank 0"},
    {RUN("ovl_version", TEXT), NEEDED, BUILD, .about = "version of ovl"},
    {RUN("git", TEXT), NEEDED, BUILD, .about = "commit of the build, or unknown"},
    {RUN("build.compiler", TEXT), BUILD, .about = "compiler of the kernels and its version"},
    {RUN("build.flags", TEXT), BUILD, .about = "CFLAGS of the build"},
    {RUN("mpi.library", TEXT), NEEDED, SETTING, .phrase = "%s", .say = say_short, .axis = OVL_AXIS_VARIANT,
     .about = "first line of MPI_Get_library_version"},
    {RUN("mpi.library_more", TEXT), SETTING, .later = true,
     .about = "its other lines: MPICH's device and configure line"},
    {RUN("mpi.standard", TEXT), NEEDED, .about = "version of MPI, such as 4.0"},
    {RUN("mpi.thread_level", TEXT), NEEDED, SETTING, .about = "single, funneled, serialized or multiple"},
    {RUN("ranks", WHOLE), NEEDED, .bounded = true, .least = 1, .about = "processes that measure"},
    {RUN("datatype", TEXT), .null = true, .about = "MPI datatype of all cells; null where there is no message"},
    {RUN("solves", TEXT), .about = "what a proxy does, in words"},
    {RUN("fftw", TEXT), NOTE, .about = "version of FFTW (ovl_fft3d)"},
    {RUN("blas", TEXT), SETTING,
     .about = "BLAS library that computes, as it says of itself (ovl_hpl, --compute dgemm)"},
    {RUN("workers", WHOLE), NEEDED, .about = "processes that only progress communication"},
    {RUN("offload", OBJECT), .about = "who works in dpu mode; absent without workers"},
    {RUN("offload.engine", TEXT), NEEDED, .about = "worker, or mpi: the library offloads"},
    {RUN("offload.path", TEXT), NEEDED, .about = "memory path at the start; each cell has the one it took"},
    {RUN("offload.placement", TEXT), NEEDED, .about = "where the workers are, as in a cell's engine.placement"},
    {RUN("offload.processors[].architecture", TEXT), SETTING, .later = true, .about = "of some workers, by uname -m"},
    {RUN("offload.processors[].host", TEXT), NOTE, .about = "their machine's name"},
    {RUN("offload.processors[].emulated", TRUTH), .about = "whether an emulator runs them, on other processors"},
    {RUN("offload.processors[].workers[]", WHOLE), .about = "their numbers"},
    {RUN("offload.adapter", TEXT), .null = true, .about = "path verbs: rank 0's adapter and port"},
    {RUN("offload.cold", TRUTH), .about = "whether buffers were registered anew for each operation"},
    {RUN("offload.workers", WHOLE), NEEDED, .about = "workers in all"},
    {RUN("offload.most_on_a_node", WHOLE), .about = "workers on the node that has most"},
    {RUN("offload.cores_shared", TRUTH), NEEDED, SETTING, .about = "more ranks and workers than processors somewhere"},
    {RUN("offload.idle", TEXT), NEEDED, .about = "what workers do while there is nothing to do"},
    {RUN("offload.priority", TEXT), .words = "usual|high",
     .about = "high: each worker has a session of its own with autogroup -20, which only some users may ask for"},
    {RUN("offload.transport", TEXT), .words = "mpi|tcp", .about = "how workers reach each other"},
    {RUN("offload.map", TEXT), NEEDED, .about = "which ranks a worker serves"},
    {RUN("offload.slowdown", NUMBER), NEEDED, .bounded = true, .least = 1,
     .about = "each step takes so many times as long"},
    {RUN("offload.timeout_seconds", NUMBER), .unit = "s", .bounded = true, .about = "without a sign of life"},
    {RUN("offload.retry_seconds", NUMBER), .null = true, .unit = "s", .bounded = true,
     .about =
         "path verbs: after so long without an answer a line between rank and worker is lost; adapters may take up "
         "to four times as long"},
    {RUN("offload.worker_environment", OBJECT), .about = "variables of the workers' own"},
    {RUN("offload.worker_environment.UCX_RNDV_THRESH", TEXT), .null = true, .about = "UCX's rendezvous threshold"},
    {RUN("offload.worker_environment.set_by", TEXT), .about = "ovl, user or nobody"},
    {RUN("seed", WHOLE), NEEDED, .about = "the value of --seed"},
    {RUN("options.*", ANY), NEEDED,
     .about = "every option as it took effect, by its long name with _ for -; ranges are arrays of two, lists are "
              "arrays, an unset option is null; --no-validation is check_data false"},
    {RUN("options.iterations", ANY), NOTE, .about = "least and most blocks"},
    {RUN("options.warmup", ANY), NOTE, .about = "blocks thrown away first"},
    {RUN("options.ci", ANY), NOTE, .about = "wanted half-width in %"},
    {RUN("options.max_time", ANY), NOTE, .about = "seconds of a cell at most"},
    {RUN("options.fftw", ANY), NOTE, .about = "effort of FFTW's planner (ovl_fft3d)"},
    {RUN("options.device_rate", ANY), NOTE, .about = "Tflop/s at which the ms of --cycle are counted (ovl_train)"},
    {RUN("input_files", OBJECT), .about = "what was in the files that options name and that shape the work"},
    {RUN("input_files.model", TEXT), SETTING,
     .about = "SHA-256 of the file of --model, or of the model of that name that is installed (ovl_train)"},
    {RUN("input_files.buckets", TEXT), SETTING, .about = "SHA-256 of the file of --buckets (ovl_train)"},
    {RUN("input_files.dpu_map", TEXT), SETTING, .about = "SHA-256 of the file of --dpu-map"},
    {RUN("input_files.wisdom", TEXT), NOTE,
     .about = "SHA-256 of the file of --wisdom as it was read, if anything was in it (ovl_fft3d)"},
    {RUN("hosts[].name", TEXT), NEEDED, NOTE, .about = "a node's host name"},
    {RUN("hosts[].cpu", TEXT), NEEDED, SETTING, .phrase = "%s", .say = say_short, .axis = OVL_AXIS_VARIANT,
     .about = "processor model"},
    {RUN("hosts[].cores", WHOLE), NEEDED, SETTING, .bounded = true, .least = 1, .phrase = "%s core(s)",
     .axis = OVL_AXIS_VARIANT, .about = "processing units (hardware threads) of the whole machine"},
    {RUN("hosts[].physical_cores", WHOLE), SETTING, .later = true, .bounded = true, .least = 1,
     .about = "cores that these are of; fewer where cores have several hardware threads"},
    {RUN("hosts[].numa", WHOLE), NEEDED, .null = true, SETTING, .about = "NUMA nodes of it"},
    {RUN("hosts[].kernel", TEXT), NEEDED, SETTING, .about = "operating system's kernel and its release"},
    {RUN("hosts[].machine", TEXT), NEEDED, .null = true, NOTE,
     .about = "the same text on nodes that share one kernel; another after a restart"},
    {RUN("hosts[].mpi_library", TEXT), .about = "as mpi.library, of that node"},
    {RUN("hosts[].governor", TEXT), NEEDED, SETTING, .null = true, .about = "frequency governor of processor 0"},
    {RUN("hosts[].caches[].level", WHOLE), .bounded = true, .least = 1, .about = "a cache of processor 0"},
    {RUN("hosts[].caches[].type", TEXT), .about = "data or unified"},
    {RUN("hosts[].caches[].bytes", WHOLE), SETTING, .later = true, .unit = "B", .about = "its size"},
    {RUN("hosts[].load", NUMBER), .null = true, .bounded = true,
     .about = "load average of the last minute when the run began, whoever made it"},
    {RUN("hosts[].adapters[].name", TEXT), NEEDED, SETTING, .about = "an RDMA adapter"},
    {RUN("hosts[].adapters[].port", WHOLE), .bounded = true, .least = 1, .about = "its port"},
    {RUN("hosts[].adapters[].rate_gbps", NUMBER), .null = true, SETTING, .unit = "Gbit/s", .about = "rate of the port"},
    {RUN("hosts[].adapters[].state", TEXT), .null = true, .about = "such as active"},
    {RUN("hosts[].adapters[].link_layer", TEXT), .null = true, SETTING, .about = "InfiniBand or Ethernet"},
    {RUN("hosts[].adapters[].firmware", TEXT), .null = true, SETTING, .about = "its firmware"},
    {RUN("hosts[].adapters[].numa_node", NUMBER), .null = true, .about = "NUMA node, -1 when unknown"},
    {RUN("hosts[].adapters[].bluefield", WHOLE), SETTING,
     .about = "generation of the BlueField that it is part of; 0: none"},
    {RUN("rank_hosts[]", WHOLE), NOTE, .about = "of each rank its node: an index into hosts, from 0"},
    {RUN("sizes_bytes[]", WHOLE), .unit = "bytes",
     .about = "of a driver: sizes of messages that it measures; of those by default the ones that have room"},
    {RUN("binding[]", TEXT), NEEDED, SETTING, .about = "processing units that a rank may run on, such as 0-1"},
    {RUN("environment.*", TEXT), NEEDED, SETTING,
     .about = "variables of MPI libraries, transports and launchers that were set at rank 0, see ovl_bench(1); and "
              "OVL_NONCE, "
              "the nonce of a sweep's plan"},
    {RUN("environment_differs[]", TEXT),
     .about =
         "those of these variables that other ranks have otherwise than rank 0, or lack; none where all are alike"},
    {RUN("warnings[]", TEXT), NEEDED, .about = "the warnings of the table's head"},
    {RUN("disturbance.*", NUMBER), .null = true,
     .about = "as in the cell line, from the begin of the run to its first cell; and quota_processes, of which there "
              "are more than the quota_processors whose time their control group may have: null where no CPU quota is "
              "below them"},
    {RUN("clock.read_seconds", NUMBER), NEEDED, .unit = "s", .bounded = true,
     .about = "what one read of the clock takes at rank 0"},
    {RUN("clock.synchronised", TRUTH), NEEDED, NOTE, .about = "whether ranks start at a common time"},
    {RUN("calibration.kernel", TEXT), NEEDED, .about = "the kernel"},
    {RUN("calibration.units_per_second", NUMBER), NEEDED, .null = true, .about = "its rate when nothing communicates"},
    {RUN("calibration.rank_units_per_second[]", NUMBER),
     .about = "the rate of each rank, all at once; none of proxies"},
    {RUN("calibration.nonlinearity", NUMBER), NEEDED, .null = true,
     .about = "how far 2 N units were from twice the time of N units"},

    {END("status", TEXT), NEEDED, .words = "complete|interrupted|failed",
     .about = "interrupted by a signal, failed by an error"},
    {END("reason", TEXT), .about = "the signal or the error; absent after a complete run"},
    {END("cells", WHOLE), NEEDED, .about = "cells measured"},
    {END("starts", OBJECT), .about = "common starts of all ranks, as ovl_noise tried them"},
    {END("starts.count", WHOLE), NEEDED, .about = "starts tried"},
    {END("starts.late_median_seconds", NUMBER), LATE, .about = "how late the latest rank was, median"},
    {END("starts.late_p90_seconds", NUMBER), LATE, .about = "the same, p90, from 10 starts on"},
    {END("starts.late_p99_seconds", NUMBER), LATE, .about = "the same, p99, from 100 starts on"},
    {END("starts.announce_median_seconds", NUMBER), LATE,
     .about = "a broadcast of 8 bytes until the last rank has it, median"},
    {END("starts.announce_p99_seconds", NUMBER), LATE, .about = "the same, p99, from 100 starts on"},
    {END("finished", TEXT), NEEDED, .about = "UTC, as started"},
    {.path = NULL},
};
