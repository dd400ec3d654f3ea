/* Limits files of any bytes: refused by line and field, or sound, and then each of their rules can be judged. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/accept/limits.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static struct ovl_record record;
static struct ovl_groups groups;
static struct ovl_jobs jobs;

static void open_once(void)
{
    struct ovl_error err;
    const struct ovl_record *const one[] = {&record};
    const char *top = getenv("OVL_TOP");
    static char path[4096];
    if (record.run_count > 0)
        return;
    snprintf(path, sizeof path, "%s/tests/cli/data/ialltoall.jsonl", top ? top : ".");
    MUST(ovl_record_read(&record, path, &err) == 0 && ovl_jobs_make(&jobs, &record, &err) == 0);
    ovl_groups_make(&groups, one, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"limits.json", NULL};
    struct ovl_error err = {.code = OVL_OK};
    open_once();
    fuzz_files_put(names, data, size);
    json_t *limits = ovl_limits_load("limits.json", &err);
    if (limits) {
        json_t *verdicts = ovl_limits_judge(limits, &groups, &jobs);
        MUST(json_array_size(verdicts) >= json_array_size(json_object_get(limits, "rules")));
        json_decref(verdicts);
    } else {
        fuzz_check_refusal(&err, 1 << OVL_WRONG_DATA | 1 << OVL_ENVIRONMENT);
    }
    json_decref(limits);
    fuzz_files_remove(names);
    return 0;
}

FUZZ_JSON
