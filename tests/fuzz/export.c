/* `ovl export` on any bytes, in each of its forms. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tool/util/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.jsonl", "b.jsonl", NULL};
    static const char *const calls[][8] = {
        {"--to=csv", "a.jsonl", "-o", "out", NULL},
        {"--to=junit", "a.jsonl", "b.jsonl", "-o", "out", NULL},
        {"--to=bmf", "a.jsonl", "b.jsonl", "-o", "out", NULL},
        {"--to=gha", "a.jsonl", "-m", "comm_seconds", "-o", "out", NULL},
        {"--to=markdown", "a.jsonl", "b.jsonl", "-o", "out", NULL},
        {"--to=latex", "a.jsonl", "b.jsonl", "-o", "out", NULL},
        {"--to=openmetrics", "a.jsonl", "b.jsonl", "--timestamps", "-o", "out", NULL},
        {"--to=extrap", "a.jsonl", "-o", "out", NULL},
    };
    fuzz_files_put(names, data, size);
    fuzz_command(&ovl_command_export, calls[fuzz_sum(data, size) % 8], 1 << OVL_OK,
                 1 << OVL_USAGE | 1 << OVL_WRONG_DATA | 1 << OVL_ENVIRONMENT);
    fuzz_files_remove(names);
    return 0;
}

FUZZ_JSON
