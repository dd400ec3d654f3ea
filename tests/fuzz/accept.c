/* `ovl accept` on any bytes as limits, a sweep with its plan and log, and a report that it verifies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tool/util/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"limits.json",   "s/plan.json", "s/sweep.log", "s/a/001.jsonl",
                                        "s/a/002.jsonl", "report.json", NULL};
    static const char *const calls[][8] = {
        {"limits.json", "s", NULL},
        {"limits.json", "s/a/001.jsonl", NULL},
        {"limits.json", "s", "-o", "again.json", NULL},
        {"--verify", "report.json", NULL},
    };
    fuzz_files_put(names, data, size);
    fuzz_command(&ovl_command_accept, calls[fuzz_sum(data, size) % 4],
                 1 << OVL_OK | 1 << OVL_MISSED | 1 << OVL_INCONCLUSIVE | 1 << OVL_WRONG_DATA,
                 1 << OVL_WRONG_DATA | 1 << OVL_ENVIRONMENT);
    fuzz_files_remove(names);
    return 0;
}

FUZZ_JSON
