/* Digests and signatures of a sweep. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/seal.h"
#include "tool/util/sign.h"

#include <stdio.h>

void ovl_sweep_seal_line(const struct ovl_sweeping *s)
{
    if (s->options->digests || s->options->sign)
        printf("# digest %s\n", s->log.last);
}

int ovl_sweep_seal(const struct ovl_sweeping *s, const char *path, struct ovl_error *err)
{
    return s->options->sign ? ovl_sign(s->options->sign, path, err) : 0;
}
