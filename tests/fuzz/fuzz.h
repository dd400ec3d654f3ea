/* What a harness gives to libFuzzer, and to replay.c, which feeds it the kept inputs where there is no libFuzzer. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FUZZ_FUZZ_H
#define OVL_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Takes one input to pieces; a fault ends the process. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold of every input. */
#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
