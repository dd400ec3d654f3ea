/* `ovl report` on any bytes as launches, old launches and limits; gnuplot draws nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tool/util/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.jsonl", "old.jsonl", "limits.json", NULL};
    static const char *const calls[][8] = {
        {"a.jsonl", "-o", "page.html", NULL},
        {"a.jsonl", "-o", "page.html", "--old=old.jsonl", NULL},
        {"a.jsonl", "-o", "page.html", "--limits=limits.json", NULL},
        {"a.jsonl", "-o", "page.html", "--old=old.jsonl", "--across", "--paired", "--limits=limits.json", NULL},
    };
    fuzz_files_put(names, data, size);
    fuzz_command(&ovl_command_report, calls[fuzz_sum(data, size) % 4],
                 1 << OVL_OK | 1 << OVL_MISSED | 1 << OVL_INCONCLUSIVE,
                 1 << OVL_USAGE | 1 << OVL_WRONG_DATA | 1 << OVL_ENVIRONMENT);
    fuzz_files_remove(names);
    return 0;
}

FUZZ_JSON
