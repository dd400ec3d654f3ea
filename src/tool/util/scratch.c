/* Folders for a while. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ovl_scratch_make(char folder[2048], const char *what, struct ovl_error *err)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, 2048, "%s/ovl-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", what);
    if (mkdtemp(folder))
        return 0;
    return ovl_error_set(err, OVL_ENVIRONMENT, "cannot make %s: %s; set TMPDIR to a folder that can be written", folder,
                         strerror(errno));
}
