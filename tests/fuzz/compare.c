/* `ovl compare` on any bytes as old and new launches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tool/util/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"old.jsonl", "new.jsonl", NULL};
    static const char *const calls[][8] = {
        {"old.jsonl", "new.jsonl", "--across", "--any-work", NULL},
        {"old.jsonl", "new.jsonl", "--across", "--paired", NULL},
        {"old.jsonl", "new.jsonl", "--across", "-m", "hidden_fraction", NULL},
        {"old.jsonl", "new.jsonl", "--across", "--any-work", "--junit=junit.xml", "--chart=chart.svg", NULL},
    };
    fuzz_files_put(names, data, size);
    fuzz_command(&ovl_command_compare, calls[fuzz_sum(data, size) % 4],
                 1 << OVL_OK | 1 << OVL_MISSED | 1 << OVL_INCONCLUSIVE,
                 1 << OVL_INCONCLUSIVE | 1 << OVL_USAGE | 1 << OVL_WRONG_DATA | 1 << OVL_ENVIRONMENT);
    fuzz_files_remove(names);
    return 0;
}

FUZZ_JSON
