/* Fields of a cell line that do not identify its point: how it went, and what it gave. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/field.h"
#include "record/proxy.h"

#define MEMBER(m)                   .offset = offsetof(struct ovl_cell, m), .size = sizeof(((struct ovl_cell *)0)->m)
#define CELL(path_, kind_)          .line = OVL_LINE_CELL, .path = path_, .name = path_, .kind = OVL_FIELD_##kind_
#define DISTURBED(name_, kind_, m_) CELL("disturbance." name_, kind_), MEMBER(disturbance.m_), .null = true
#define NEEDED                      .need = OVL_NEED_ALL
#define NEEDED_OF_COLLECTIVES       .need = OVL_NEED_COLLECTIVE
#define SECONDS                     .unit = "s", .bounded = true
#define OF_COLLECTIVES              .of = OVL_OF_COLLECTIVE
#define ENERGY                      .null = true, .unit = "J", .bounded = true
#define OF_PROXIES                  .of = OVL_OF_PROXY

/* A quantity, and samples that only proxies have. */
#define TIMED(path_, q, needed)                                                                                        \
    CELL(path_, SUMMARY), .quantity = 1 + (q), MEMBER(summary[q]), .need = (needed), .unit = "s", .metric = true
#define LATE(path_, q)   CELL(path_, SUMMARY), .quantity = 1 + (q), MEMBER(summary[q]), .unit = "s"
#define PART_OF_T(path_) CELL(path_, SUMMARY), OF_PROXIES, .unit = "s", .metric = true, .scale = OVL_METRIC_RATIO

#define DERIVED(path_, d, needed)                                                                                      \
    CELL(path_, ESTIMATE), .own = true, .derived = 1 + (d), MEMBER(derived[d]), .need = (needed), .unit = "1",         \
                           .metric = true
#define RATIO(path_, d) DERIVED(path_, d, OVL_NEED_COLLECTIVE)
#define BY_DIFFERENCE   .scale = OVL_METRIC_DIFFERENCE, .more_is_better = true

/* How it is shown. */
#define US(head_, width_)      .show = {head_, 1e6, 2, width_, 0}
#define MS(head_, width_)      .show_of_proxy = {head_, 1e3, 3, width_, 0}
#define PERCENT(head_, width_) .show = {head_, 100, 1, width_, 0}
#define TIMES(head_, width_)   .show = {head_, 1, 3, width_, 0}
#define COUNT(head_, width_)   .show = {head_, 1, 0, width_, 0}

const struct ovl_field ovl_fields_cell[] = {
    {CELL("problem", OBJECT), OF_PROXIES, NEEDED,
     .about = "what a proxy solves and how, all of it part of the point; in place of size_bytes"},
    {CELL("compute.units", WHOLE), MEMBER(units), NEEDED_OF_COLLECTIVES, .null = true,
     .about = "the work of each W and T"},
    {CELL("compute.from_record", TRUTH), MEMBER(from_record), .null = true,
     .about = "with --work-from, whether the record that it names has the units of this point; null without"},
    {CELL("engine.worker_ops", WHOLE), MEMBER(worker_ops), NEEDED_OF_COLLECTIVES, .null = true,
     .about = "operations that the workers report; null in host mode"},
    {CELL("engine.worker_bytes", WHOLE), MEMBER(worker_bytes), NEEDED_OF_COLLECTIVES, .null = true, .unit = "B",
     .about = "bytes of payload that the workers report; null in host mode"},
    {CELL("engine.registration_hits", NUMBER), PERCENT("reg hits %", 11), MEMBER(registration_hits), .null = true,
     .bounded = true, .unit = "1", .about = "path verbs: of buffers that operations used, the part still registered"},
    {CELL("engine.algorithm", TEXT), MEMBER(algorithm), .null = true,
     .about = "how the workers did it: a name of `ovl list --algorithms`, asked for or chosen; null in host mode"},
    {CELL("engine.most_fragments", WHOLE), COUNT("fragments", 10), MEMBER(most_fragments), .null = true,
     .about = "the most fragments that a worker had under way at once in one direction, since the job began"},
    {CELL("engine.most_buffers", WHOLE), COUNT("buffers", 8), MEMBER(most_buffers), .null = true,
     .about = "the same of staging buffers (--worker-memory)"},
    {CELL("engine.most_tags", WHOLE), COUNT("tags", 6), MEMBER(most_tags), .null = true,
     .about = "the same of messages that it received in fragments"},
    {CELL("engine.most_early", WHOLE), COUNT("early", 6), MEMBER(most_early), .null = true,
     .about = "the same of control messages that came before what they were for was begun"},
    {CELL("block_group", TEXT), MEMBER(block_group), NEEDED_OF_COLLECTIVES,
     .about = "the same in cells that were measured in the same blocks"},
    {CELL("wire_bytes", WHOLE), MEMBER(wire_bytes), OF_PROXIES, .null = true, .unit = "B",
     .about = "bytes whose time on a node's link C takes at least, whoever carries them; null on one node"},

    {CELL("status", TEXT), MEMBER(status), NEEDED, .words = "ok|ci_not_reached|few|drifting|invalid",
     .about = "whether the cell can be relied on; see ovl(7)"},
    {CELL("marks[]", TEXT),
     .words =
         "invalid|few|drifting|wide|noisy|uneven|unshaped|own-work|ratio|oversubscribed|emulated|later-first-token",
     .about = "all that is to be known of it before it is used; see ovl(7)"},
    {CELL("reason", TEXT), MEMBER(reason), NEEDED_OF_COLLECTIVES, .null = true, .about = "why it is not ok, or null"},
    {CELL("validated", TRUTH), MEMBER(validated), NEEDED_OF_COLLECTIVES, .null = true,
     .about = "whether the data of the checks were right, see data in ovl_bench(1); null when not checked"},
    {CELL("check.name", TEXT), MEMBER(check_name), OF_PROXIES, NEEDED, .about = "what was checked of the result"},
    {CELL("check.value", NUMBER), MEMBER(check_value), OF_PROXIES, NEEDED, .null = true,
     .about = "what it came to; null: not a number"},
    {CELL("check.limit", NUMBER), MEMBER(check_limit), OF_PROXIES, NEEDED, .null = true,
     .about = "what it must stay below"},
    {CELL("unshaped", TRUTH), MEMBER(unshaped), .null = true,
     .about = "on an emulated cluster, true when C is under 0.9 of the time of its bytes at the link's rate, so that "
              "the cell carries no claim about it; null: no emulated link"},
    {CELL("blocks", WHOLE), NEEDED, MEMBER(blocks), .about = "blocks measured, warm-up not counted"},
    {CELL("blocks_kept", WHOLE), MEMBER(blocks_kept), .null = true, .own = true,
     .about = "of these, blocks in which the samples of C, W and T all count: on them rests hidden_fraction"},
    {CELL("invalid_samples.*", WHOLE), NEEDED_OF_COLLECTIVES,
     .about = "for comm_seconds, compute_seconds, blocking_seconds and total_seconds, and comm_stream_seconds where it "
              "was measured, how many blocks are null"},
    {CELL("clock_read_seconds", NUMBER), MEMBER(clock_read_seconds), NEEDED_OF_COLLECTIVES, .null = true, SECONDS,
     .about = "what one read of the clock takes; derived values are null where a divisor is under 20 of them"},
    {CELL("bootstrap_seed", WHOLE), MEMBER(bootstrap_seed), NEEDED_OF_COLLECTIVES, .null = true,
     .about = "a whole number below 2^52"},
    {CELL("start_spread_seconds", NUMBER), MEMBER(start_spread_seconds), NEEDED_OF_COLLECTIVES, .null = true, SECONDS,
     .about = "latest minus earliest start of a sample over the ranks, median over all samples; null where clocks are "
              "not synchronised"},
    {CELL("cpu_seconds.thread", NUMBER), MEMBER(cpu_thread_seconds), NEEDED_OF_COLLECTIVES, .null = true, SECONDS,
     .about = "CPU time of the measuring thread in T, mean over ranks, median over blocks"},
    {CELL("cpu_seconds.process", NUMBER), MEMBER(cpu_process_seconds), NEEDED_OF_COLLECTIVES, .null = true, SECONDS,
     .about = "the same of its process; the difference is what other threads burnt"},
    {CELL("cpu_seconds.workers", NUMBER), MEMBER(cpu_workers_seconds), .null = true, SECONDS,
     .about =
         "CPU time of all workers together in T, median over blocks; null in other modes, and where some of them are "
         "on machines without ranks or cannot be seen from there"},
    {CELL("cores.count", WHOLE), .show = {"cores", 1, 0, 8, 0}, MEMBER(cores), .null = true, .bounded = true,
     .least = 1,
     .about =
         "processing units that the ranks, busy threads of theirs, and in their modes workers or progress threads can "
         "have at once"},
    {CELL("cores.shared", TRUTH), MEMBER(cores_shared), .null = true,
     .about = "whether these are fewer than they are, so that some wait for others"},
    {CELL("energy.package_joules", NUMBER), .show = {"package J", 1, -6, 10, 0}, MEMBER(energy.joules[0]), ENERGY,
     .about = "with --energy, what the processors of all machines of ranks took for one T and its start: the mean over "
              "energy.repeats; null where it was not read"},
    {CELL("energy.dram_joules", NUMBER), .show = {"dram J", 1, -6, 10, 0}, MEMBER(energy.joules[1]), ENERGY,
     .about = "the same of their memory"},
    {CELL("energy.node_joules", NUMBER), .show = {"node J", 1, -6, 10, 0}, MEMBER(energy.joules[2]), ENERGY,
     .about = "the same of the whole machines"},
    {CELL("energy.seconds", NUMBER), MEMBER(energy.seconds), .null = true, SECONDS,
     .about = "how long one T and its start took then"},
    {CELL("energy.repeats", WHOLE), MEMBER(energy.repeats), .null = true, .about = "how often T was repeated"},
    {CELL("autocorrelation", NUMBER), .own = true, MEMBER(autocorrelation), .null = true, .unit = "1", .bounded = true,
     .least = -1,
     .about = "lag-1 rank autocorrelation of T, the slowest rank's; null with fewer than 6 values or 5 pairs of "
              "neighbours, or where all are equal"},
    {CELL("steal_fraction", NUMBER), MEMBER(steal_fraction), .null = true, .unit = "1", .bounded = true,
     .about = "share of the time of a rank's cores that other guests of the hypervisor took, the largest over the "
              "ranks; null where not known"},
    {DISTURBED("waited_fraction", NUMBER, waited), .unit = "1", .bounded = true,
     .about =
         "share of the cell's time in which the thread that measures, or a progress thread with a processor of its "
         "own, could run and had no core, the largest over the ranks; null where the kernel does not tell"},
    {DISTURBED("involuntary_switches", WHOLE, switches),
     .about = "how often the kernel took the core from that thread, at the rank with most"},
    {DISTURBED("busy_threads", WHOLE, busy_threads),
     .about = "other threads of the ranks that wanted a core for half of the time, on the machine with most"},
    {DISTURBED("spare_cores", NUMBER, spare_cores),
     .about = "cores that ranks, workers and busy threads of a machine leave of those that they may run on, on the "
              "machine with fewest; below 0: so many lack one"},
    {DISTURBED("other_processes", WHOLE, others),
     .about = "processes of others that had 5 % of the time on the processors of ranks and of such threads, on the "
              "machine with most; null where the cell is too short to tell, or they cannot be seen"},
    {DISTURBED("throttled_periods", WHOLE, throttled),
     .about = "periods in which the kernel stopped a rank's control groups, whose CPU quota was used up, at the rank "
              "with most; null: there is no such group"},
    {DISTURBED("throttled_seconds", NUMBER, throttled_seconds), SECONDS,
     .about = "how long the processors of these groups stood then, together"},
    {CELL("clock_residual_seconds", NUMBER), MEMBER(clock_residual), .null = true, SECONDS,
     .about = "the largest error of the model of the clocks between machines; null where all ranks read one clock"},
    {CELL("lateness_seconds.median", NUMBER), .own = true, MEMBER(late_median), .null = true, .unit = "s",
     .about = "how late the latest rank began, over all samples of C, B and T; null where no start was agreed on"},
    {CELL("lateness_seconds.p99", NUMBER), .own = true, MEMBER(late_p99), .null = true, .unit = "s",
     .about = "the same, 99th percentile; null below 100 samples"},
    {CELL("lateness_seconds.rank", WHOLE), MEMBER(late_rank), .null = true,
     .about = "the rank that was late most, by its mean"},
    {CELL("lateness_seconds.host", TEXT), MEMBER(late_host), .null = true, .about = "the node of that rank"},

    {TIMED("comm_seconds", OVL_COMM, OVL_NEED_COLLECTIVE), US("comm us", 11), MS("comm ms", 10),
     .about = "C: post and wait, nothing computed meanwhile"},
    {TIMED("compute_seconds", OVL_COMPUTE, OVL_NEED_COLLECTIVE), US("compute us", 11), MS("compute ms", 11),
     .of_work = true, .about = "W: the fixed work, no request outstanding"},
    {TIMED("blocking_seconds", OVL_BLOCKING, OVL_NEED_COLLECTIVE), US("blocking us", 12),
     .about = "B: the blocking twin"},
    {TIMED("total_seconds", OVL_TOTAL, OVL_NEED_ALL), US("total us", 11), .show_of_proxy = {"total ms", 1e3, 3, 11, 0},
     .of_work = true, .about = "T: post, the same work, wait"},
    {TIMED("init_seconds", OVL_INIT, OVL_NEED_COLLECTIVE), US("init us", 10), .about = "part of T: the post"},
    {TIMED("test_seconds", OVL_TEST, OVL_NEED_COLLECTIVE), US("test us", 10), .of_work = true,
     .about = "part of T: test calls"},
    {TIMED("wait_seconds", OVL_WAIT, OVL_NEED_COLLECTIVE), US("wait us", 11), .of_work = true,
     .about = "part of T: the wait"},
    {TIMED("inner_compute_seconds", OVL_INNER, OVL_NEED_COLLECTIVE), US("inner us", 11), .of_work = true,
     .about = "part of T: the work as it ran"},
    {TIMED("own_exposed_seconds", OVL_OWN_EXPOSED, OVL_NEED_NOT), .negative = true, .of_work = true,
     .about = "of each rank T less the median of its own last W: the largest over the ranks, and the mean"},
    {TIMED("comm_stream_seconds", OVL_STREAM, OVL_NEED_NOT), .of = OVL_OF_COLLECTIVE, US("stream us", 11),
     .about = "with --cadence stream: of 8 operations, each with buffers of its own and posted when the one before has "
              "completed, the whole time / 8; no part of hidden_fraction"},
    {LATE("comm_late_seconds", OVL_COMM_LATE), .about = "how late the latest rank began its sample of C"},
    {LATE("compute_late_seconds", OVL_COMPUTE_LATE), .about = "the same of W"},
    {LATE("blocking_late_seconds", OVL_BLOCKING_LATE), .about = "the same of B"},
    {LATE("total_late_seconds", OVL_TOTAL_LATE), .about = "the same of T"},
    {LATE("comm_stream_late_seconds", OVL_STREAM_LATE), .of = OVL_OF_COLLECTIVE, .about = "the same of such a stream"},
    {PART_OF_T("factor_seconds"), MS("factor ms", 10), .about = "part of T: factorisation of panels"},
    {PART_OF_T("swap_seconds"), MS("swap ms", 9), .about = "part of T: exchange of rows"},
    {PART_OF_T("update_seconds"), MS("update ms", 10), .about = "part of T: triangular solves and matrix products"},
    {PART_OF_T("solve_seconds"), MS("solve ms", 9), .about = "part of T: back substitution"},
    {PART_OF_T("update_apart_seconds"), .about = "as update_seconds, no broadcast pending"},

    {RATIO("hidden_fraction", OVL_HIDDEN), .show = {"hidden %", 100, 1, 10, 0}, BY_DIFFERENCE,
     .about = "1 - (T - W) / C, unclamped: below 0 is harm"},
    {RATIO("hideable_fraction", OVL_HIDEABLE), PERCENT("hideable %", 11), BY_DIFFERENCE,
     .about = "min(1, W / C): what hidden_fraction cannot exceed"},
    {RATIO("overlap_ratio", OVL_OVERLAP), TIMES("overlap", 9), BY_DIFFERENCE, .about = "(W + C - T) / min(W, C)"},
    {RATIO("efficiency_vs_blocking", OVL_EFFICIENCY), PERCENT("vs blocking %", 14), BY_DIFFERENCE,
     .about = "1 - (T - W) / B"},
    {RATIO("speedup_vs_blocking", OVL_SPEEDUP), TIMES("speedup", 8), .more_is_better = true, .of_work = true,
     .about = "(W + B) / T; null in cells of proxies, whose schemes do unlike work"},
    {RATIO("compute_slowdown_ratio", OVL_SLOWDOWN), TIMES("slowdown", 9), .about = "inner compute / W"},
    {RATIO("nbc_penalty_ratio", OVL_PENALTY), TIMES("C / B", 7), .about = "C / B"},
    {RATIO("hidden_fraction_rank_mean", OVL_HIDDEN_RANK_MEAN), PERCENT("rank mean %", 12), BY_DIFFERENCE,
     .about = "hidden_fraction of the means over ranks"},
    {DERIVED("hidden_fraction_own", OVL_HIDDEN_OWN, OVL_NEED_NOT), PERCENT("own %", 8), BY_DIFFERENCE,
     .about = "1 - E / C with E the largest own_exposed_seconds over the ranks"},
    {DERIVED("hidden_fraction_own_mean", OVL_HIDDEN_OWN_MEAN, OVL_NEED_NOT), BY_DIFFERENCE,
     .about = "the same of the means over ranks"},
    {CELL("omb_overlap_percent", NUMBER), .show = {"OMB %", 1, 1, 7, 0}, .own = true, MEMBER(omb_percent),
     NEEDED_OF_COLLECTIVES, .null = true, .unit = "%",
     .about = "max(0, 100 - 100 (T - inner) / C), means over ranks and blocks: what OMB prints"},
    {CELL("slowest_rank.rank", WHOLE), MEMBER(slowest.rank), .null = true,
     .about = "the rank whose mean T is the largest; null where no block has all of T, the work in it and C"},
    {CELL("slowest_rank.total_seconds", NUMBER), MEMBER(slowest.total), .null = true, SECONDS,
     .about = "its mean T, over the blocks that have all three"},
    {CELL("slowest_rank.inner_seconds", NUMBER), MEMBER(slowest.inner), .null = true, SECONDS,
     .about = "the same of the work in T"},
    {CELL("slowest_rank.comm_seconds", NUMBER), MEMBER(slowest.comm), .null = true, SECONDS, .about = "the same of C"},
    {CELL("imb_overlap_percent", NUMBER), .show = {"IMB %", 1, 1, 7, 0}, .own = true, MEMBER(imb_percent),
     NEEDED_OF_COLLECTIVES, .null = true, .unit = "%",
     .about = "100 (C + inner - T) / max(C, inner), kept within 0..100: IMB-NBC's formula, of slowest_rank"},
    {CELL("offload_efficiency", NUMBER), MEMBER(offload_efficiency.value), NEEDED_OF_COLLECTIVES, .null = true,
     .unit = "1", .metric = true, .more_is_better = true, .of_work = true, .again = ovl_run_offload_efficiency,
     .about = "in cells of dpu and thread, T of the host cell of the same blocks, of several the quickest, / T"},
    {CELL("offload_efficiency_ci.low", NUMBER), MEMBER(offload_efficiency.ci_low), .null = true, .unit = "1",
     .of_work = true, .about = "its interval, over the blocks in which both T count"},
    {CELL("offload_efficiency_ci.high", NUMBER), MEMBER(offload_efficiency.ci_high), .null = true, .unit = "1",
     .of_work = true, .about = "its upper end"},
    {CELL("work_per_core", ESTIMATE), .show = {"M/s/core", 1e-6, 1, 9, 0}, .show_of_proxy = {"1/s/core", 1, 3, 9, 0},
     .own = true, MEMBER(work_per_core), .unit = "1/s", .metric = true, .more_is_better = true, .of_work = true,
     .again = ovl_cell_work_of,
     .about = "units of all ranks, or an application's one problem, / (T x cores): what each core gets done"},
    {CELL("gflops", ESTIMATE), .show = {"GFLOP/s", 1, 2, 9, 0}, .own = true, MEMBER(gflops), OF_PROXIES,
     .unit = "Gflop/s", .metric = true, .more_is_better = true, .again = ovl_proxy_gflops_of,
     .about = "floating-point operations / T, in 10^9 a second"},
    {CELL("step_samples", WHOLE), MEMBER(step_samples), OF_PROXIES, .null = true,
     .about = "of a training step: samples that all ranks take in it; null of others"},
    {CELL("samples_per_second", ESTIMATE), .show = {"samples/s", 1, 2, 10, 0}, .own = true, MEMBER(samples_rate),
     OF_PROXIES, .unit = "1/s", .metric = true, .more_is_better = true, .again = ovl_proxy_samples_rate_of,
     .about = "step_samples / T"},
    {CELL("exposed_comm_seconds", ESTIMATE), MS("exposed ms", 11), .own = true, MEMBER(exposed), OF_PROXIES,
     .unit = "s", .metric = true, .again = ovl_proxy_exposed_of,
     .about = "communication that nothing hid: measured apart, else T - W"},
    {CELL("update_slowdown_ratio", NUMBER), TIMES("slowdown", 9), .own = true, OF_PROXIES, .null = true, .unit = "1",
     .metric = true, .again = ovl_proxy_slowdown_of,
     .about = "median of update_seconds / that of update_apart_seconds"},
    {CELL("gain_vs_blocking", ESTIMATE), PERCENT("gain %", 8), MEMBER(gain), OF_PROXIES, .unit = "1",
     .about =
         "1 - T / T of the blocking scheme in the same blocks; below 0 where it is slower, null where one of the two "
         "carries no claim"},
    {CELL("bound_ratio", ESTIMATE), TIMES("T/bound", 9), .own = true, MEMBER(bound_ratio), OF_PROXIES, .unit = "1",
     .metric = true, .again = ovl_proxy_bound_ratio_of,
     .about = "T / bound_seconds; the bound is exceeded where the interval lies below 1"},
    {CELL("bound_here_ratio", ESTIMATE), TIMES("T/here", 8), .own = true, MEMBER(here_ratio), OF_PROXIES, .unit = "1",
     .metric = true, .again = ovl_proxy_here_ratio_of, .about = "T / bound_here_seconds"},
    {CELL("bound_seconds", SUMMARY), MS("bound ms", 10), OF_PROXIES, .unit = "s",
     .about = "the least that T could be, from the block's own steps; null where a plan is too long for it"},
    {CELL("bound_here_seconds", SUMMARY), OF_PROXIES, .unit = "s",
     .about = "the same where the machine's own cores carry the link's bytes"},
    {CELL("any_bound_seconds", SUMMARY), OF_PROXIES, .unit = "s",
     .about = "what no plan goes below: the least work and bytes of any scheme in the block"},

    {CELL("exchange_bytes.*", WHOLE), OF_PROXIES, .null = true, .unit = "B",
     .about = "row, column: the most that a rank sends or receives in the exchange of one slab"},
    {CELL("phase_seconds.*", ANY), OF_PROXIES, .unit = "s",
     .about = "lines, pack, post, test, wait: parts of T; min, mean and max over the ranks of their medians"},
    {CELL("panel_bytes", NUMBER), OF_PROXIES, .unit = "B", .about = "size of the largest panel"},
    {CELL("histogram", ANY), OF_PROXIES,
     .about = "of a training step: its operations by size class, with calls, bytes, seconds one by one at the slowest "
              "rank, and busbw, the bytes a second that a ring would send meanwhile; the last entry has the totals"},
    {CELL("memory_bytes", NUMBER), OF_PROXIES, .unit = "B",
     .about = "of a training step: what a rank needs to train the model in mixed precision, by ZeRO's formula"},
    {CELL("kept_bytes_per_parameter", NUMBER), OF_PROXIES, .unit = "B",
     .about = "of that, what it keeps between steps, without gradients and activations, by all the model's parameters; "
              "only where ranks are replicas, or split the states as ZeRO does"},
    {CELL("moe", ANY), OF_PROXIES,
     .about =
         "of a mixture of experts: experts of a block, top_k, experts_of_a_rank, choices by the tokens of all ranks "
         "forwards and those dropped; imbalance, tokens of the rank with most by the mean, on average over blocks, "
         "and largest_imbalance; dispatch and combine: type of numbers, and bytes that rank 0 sends in a step"},
    {CELL("serving", ANY), OF_PROXIES,
     .about =
         "of inference: requests, their prompt_tokens and output_tokens, iterations of the rank with most, operations "
         "of rank 0, kv_token_bytes, what a rank keeps of a token, and kv_most_bytes, the most that one keeps at a "
         "time; p50, p90 and p99 over requests, null where there are too few, their mean, and steps, from the least "
         "to the largest at equal steps of rank, all medians over blocks: ttft_seconds from the arrival to the first "
         "token, ttft_unqueued_seconds from when the prompt was begun, ttft_bound_seconds, what that takes at least by "
         "the work alone and the bytes that come first, null where ranks share cores, tpot_seconds for each further "
         "token; "
         "decode_slowed, by what the work beside keys and values that come takes longer than alone, at the rank with "
         "most, null without such; ttft_by_blocking, the p50 of ttft_seconds by that of the blocking scheme in the "
         "same blocks; with --flops or --compute-us output_tokens_per_second; with --slo slo_ttft_seconds, "
         "slo_tpot_seconds, and goodput, the share of requests that met both; of strategy tier an object tier, of all "
         "ranks: block_tokens, blocks found of those looked for, kept, and those that gave_way; most_bytes of a rank; "
         "with --preempt an object "
         "preempted, of all ranks: requests that were pushed out, how many times any was, tokens_read_again, and "
         "moved_bytes to a tier and back; of strategy ep an object experts, as ovl_serve(1) has it; with --tiny "
         "tokens, a "
         "number that stands for all that were written; with --compress an object compression: the numbers that keys "
         "and values "
         "travel as, the ratio of what is kept to what is sent, and error_by_bound, the largest error by what it may "
         "be, of half a step of a scale of i8, and of 2^-4 of a number or half the least subnormal of f8"},
    {CELL("compression", ANY), OF_PROXIES,
     .about =
         "of compressed gradients at rank 0, all schemes together: lossy (true), ratio of the bytes sent, max_error "
         "of a sum, its bound (absolute, and bound_relative of the sum of the sizes), compress_ and "
         "decompress_bytes_per_second, "
         "and break_even_bytes_per_second, the rate of a link below which compression takes less time than it saves, "
         "and plain_total_seconds, T of the same scheme and work without it, or null where that is not known"},
    {CELL("epochs", ANY), OF_PROXIES,
     .about =
         "of training with checkpoints, by kind: steps of an epoch, seconds of each epoch and their median, count and "
         "bytes of its checkpoints, stall_seconds in them, copy_seconds of the copy that is written behind, "
         "persist_seconds till they are on disk, all of the slowest rank in an epoch, excess, T / T of none - 1, and "
         "of_root, how much of root's excess that is, with their intervals over epochs, the file_system, and "
         "timeline: of the epoch of middle length, lanes of rank 0 and its thread or helper, as those of a step"},
    {CELL("phases", ANY), OF_PROXIES,
     .about =
         "of training with --offload: steps of an epoch, samples of a batch and sample_bytes, helpers and their "
         "slowdown, bare_seconds, a step with neither input nor validation, augment_share and validate_share of an "
         "epoch where the rank does both, and what was asked for, DLIO's records; and designs: for each, by the name "
         "in offload, seconds of each epoch, of a step its median step_seconds, bound_seconds and over_bound, and at "
         "the slowest rank augment_seconds and validate_seconds, whoever did it, stall_seconds without a batch, "
         "check_seconds for looking at it, copy_seconds of weights, and wait_seconds for answers and gradients; "
         "improvement, 1 - T / T of none, with its interval over epochs; au, bare_seconds by step_seconds; au_ci, "
         "augment_share_ci and validate_share_ci, intervals of those; of o-n the rate of a helper by its rank's, "
         "and its share of the batch"},
    {CELL("faults", ANY), OF_PROXIES, .about = "of training with --mtbf, as in ovl_train(1) under FAILURES"},
    {CELL("dataset", ANY), OF_PROXIES, .about = "of training with --dataset, as in ovl_train(1) under DATA SETS"},
    {CELL("timeline", ANY), OF_PROXIES,
     .about = "of a step, or of requests or the iteration in their middle, one sample, a lane for each of the first 8 "
              "ranks: its name in lane, and begins and ends in turn, in seconds since a barrier, of its passes "
              "(forward, backward, update), of bulk work, of each operation from its post until it was seen to have "
              "ended, and of each wait; absent where a rank has over 1024 events"},
    {CELL("hpl_line", TEXT), OF_PROXIES, .about = "the result as HPL prints it"},
    {CELL("percentiles.*.*", ESTIMATE), .unit = "s",
     .about =
         "with --percentiles, by quantity and then by p90 and so on: of the slowest rank by nearest rank, null with "
         "fewer than 10 values (P90; P99: 100), with the exact interval, whose upper end needs 36 (368)"},
    {CELL("curve.*[]", NUMBER), OF_PROXIES, .null = true,
     .about = "medians, a value per panel or, of a training step at rank 0, operation: exposed_comm_seconds, "
              "comm_seconds; of tokens exposed_dispatch_seconds, exposed_combine_seconds, imbalance; loss of steps"},
    {CELL("samples_crc32", TEXT), .about = "CRC-32 of the samples in 8 hexadecimal digits"},
    {CELL("samples.*", SAMPLES), NEEDED, .unit = "s", .about = "every value that was timed, of each block"},
    {CELL("block_times", OBJECT), .about = "started_seconds: of each block when it began, since `started` of the run"},
    {CELL("rank_samples", OBJECT),
     .about = "with --per-rank, the values of comm_seconds, compute_seconds, blocking_seconds, total_seconds, "
              "comm_stream_seconds and of their lateness of each rank: an array per rank with a value per block"},
    {.path = NULL},
};
