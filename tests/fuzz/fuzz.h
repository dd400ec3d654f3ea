/* What a harness gives to libFuzzer, and to replay.c, which feeds it the kept inputs where there is no libFuzzer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FUZZ_FUZZ_H
#define OVL_TESTS_FUZZ_FUZZ_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Takes one input to pieces; a fault ends the process. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of libFuzzer: where a harness defines it, its changes take the place of libFuzzer's own. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Changes a value of one line and keeps it JSON; else, and half of the time, bytes as libFuzzer does. */
size_t fuzz_change_json(uint8_t *data, size_t size, size_t most, unsigned seed);

/* For a harness whose inputs are JSON. */
#define FUZZ_JSON                                                                                                      \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)                             \
    {                                                                                                                  \
        return fuzz_change_json(data, size, most, seed);                                                               \
    }

/* One line for a person: some words, no control characters, and an exit code whose bit is set in `codes`. */
void fuzz_check_refusal(const struct ovl_error *err, unsigned codes);

/* A number that follows from the input alone: for what is tried with some inputs only. */
unsigned fuzz_sum(const uint8_t *data, size_t size);

/* Lays an input out as files in a folder in memory, and makes that the current folder. A line "=== NAME" begins the
   file of that name, if `names` (NULL at its end) has it; what stands before the first such line is the first of them.
   fuzz_files_remove takes the files away again. */
void fuzz_files_put(const char *const *names, const uint8_t *data, size_t size);
void fuzz_files_remove(const char *const *names);

/* Runs a command of the tool, its words after the command's own name and NULL at their end. It must end with one of its
   exit codes (bits in `codes`), or with an error that has one of `refusals`. */
struct ovl_tool_command;
void fuzz_command(const struct ovl_tool_command *command, const char *const *words, unsigned codes, unsigned refusals);

/* A property that must hold of every input. */
#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
