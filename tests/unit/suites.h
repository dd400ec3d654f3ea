/* The suites, one per test_*.c: a new one is one name here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_UNIT_SUITES_H
#define OVL_TESTS_UNIT_SUITES_H

#include <check.h>

#define OVL_SUITES(X)                                                                                                  \
    X(stats)                                                                                                           \
    X(overlap)                                                                                                         \
    X(loop)                                                                                                            \
    X(many_ranks)                                                                                                      \
    X(clock_model)                                                                                                     \
    X(coverage)                                                                                                        \
    X(options)                                                                                                         \
    X(tables)                                                                                                          \
    X(cell)                                                                                                            \
    X(finding)                                                                                                         \
    X(status)                                                                                                          \
    X(detours)                                                                                                         \
    X(noise)                                                                                                           \
    X(steal)                                                                                                           \
    X(blas)                                                                                                            \
    X(compress)                                                                                                        \
    X(record)                                                                                                          \
    X(printable)                                                                                                       \
    X(standard_streams)                                                                                                \
    X(pattern)                                                                                                         \
    X(placement)                                                                                                       \
    X(rank_times)                                                                                                      \
    X(schema)                                                                                                          \
    X(link)                                                                                                            \
    X(transport_tcp)                                                                                                   \
    X(schedule)                                                                                                        \
    X(job_map)                                                                                                         \
    X(carrier)                                                                                                         \
    X(carrier_placement)                                                                                               \
    X(decide)                                                                                                          \
    X(operations)                                                                                                      \
    X(backoff)                                                                                                         \
    X(pipeline)                                                                                                        \
    X(limits)                                                                                                          \
    X(worker)                                                                                                          \
    X(cgroup)                                                                                                          \
    X(unequal)                                                                                                         \
    X(ends)                                                                                                            \
    X(plan_run)                                                                                                        \
    X(space)                                                                                                           \
    X(chart_launches)                                                                                                  \
    X(plan)                                                                                                            \
    X(rank_test)                                                                                                       \
    X(fft3d)                                                                                                           \
    X(hpl)                                                                                                             \
    X(train)                                                                                                           \
    X(train_plans)                                                                                                     \
    X(train_data)                                                                                                      \
    X(train_checkpoint)                                                                                                \
    X(train_input)                                                                                                     \
    X(proxy)                                                                                                           \
    X(sha256)                                                                                                          \
    X(fields)                                                                                                          \
    X(family)                                                                                                          \
    X(change_points)                                                                                                   \
    X(verdict)                                                                                                         \
    X(offload_pairs)                                                                                                   \
    X(tool_text)                                                                                                       \
    X(tool_files)                                                                                                      \
    X(tool_sweep)                                                                                                      \
    X(doctor)
#define DECLARE(name) Suite *suite_##name(void);
OVL_SUITES(DECLARE)
#undef DECLARE

#endif
