/* Inputs of HPL of any bytes: refused by line, or sound, and then options with a value each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/hpl/dat.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ovl_hpl_dat dat;
    struct ovl_error err = {.code = OVL_OK};
    char *text = malloc(size + 1);
    MUST(text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (ovl_hpl_dat_read(text, "HPL.dat", &dat, &err) == 0) {
        MUST(dat.words >= 14 && dat.words <= 16 && dat.words % 2 == 0);
        for (size_t i = 0; i < dat.words; i++)
            MUST(i % 2 == 0 ? strncmp(dat.word[i], "--", 2) == 0 : *dat.word[i] && *dat.word[i] != '-');
    } else {
        fuzz_check_refusal(&err, 1 << OVL_USAGE);
    }
    ovl_hpl_dat_free(&dat);
    free(text);
    return 0;
}
