/* Records that `ovl validate` finds something wrong in. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/valid.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "tool/accept/evidence.h"
#include "tool/validate/validate.h"

#include <stdio.h>
#include <stdlib.h>

int ovl_valid_judge(const struct ovl_inputs *sources, json_t *verdicts, struct ovl_error *err)
{
    struct ovl_schema *schema = ovl_validate_schema(err);
    char reason[500];
    size_t wrong = 0;
    int rc = schema ? 0 : -1;
    for (size_t i = 0; i < sources->count && rc == 0; i++) {
        struct ovl_validity v;
        rc = ovl_validate_file(sources->path[i], schema, NULL, &v, err);
        if (rc != 0 || v.problems == 0 || wrong++ > 0)
            continue;
        char *shown = ovl_printable_copy(sources->path[i]);
        ovl_utf8_print(reason, sizeof reason, "ovl validate finds %zu in %.120s: %s", v.problems,
                       ovl_evidence_end(shown), v.first);
        free(shown);
    }
    ovl_schema_free(schema);
    if (rc == 0 && wrong > 0)
        ovl_evidence_add(verdicts, "all", "validate", wrong, sources->count, "FAIL", reason);
    return rc;
}
