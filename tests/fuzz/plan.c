/* Plans of any bytes: refused by line and field, or sound, and then each launch has its place and its words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep/plan/plan.h"
#include "tests/fuzz/fuzz.h"
#include "tool/sweep/launcher/launch.h"
#include "tool/sweep/log.h"

#include <string.h>

enum { LOOKED_AT = 200 };

static void check_launch(const struct ovl_plan *p, const struct ovl_launch *l)
{
    MUST(ovl_plan_place(p, ovl_launch_job(l), l->number) < p->count);
    MUST(l->seconds >= 1);
    json_t *words = ovl_launch_command(p, l, "s", "a/001.jsonl"), *environment = ovl_launch_environment(p, l);
    MUST(json_array_size(words) >= 5 && json_is_object(environment));
    for (size_t i = 0; i < json_array_size(words); i++)
        MUST(json_is_string(json_array_get(words, i)));
    MUST(strcmp(json_string_value(json_array_get(words, json_array_size(words) - 1)), "a/001.jsonl") == 0);
    json_decref(words);
    json_decref(environment);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"plan.json", "sweep.log", NULL};
    struct ovl_plan p;
    struct ovl_sweep_log log;
    struct ovl_error err = {.code = OVL_OK};
    fuzz_files_put(names, data, size);
    if (ovl_plan_load(&p, "plan.json", NULL, &err) == 0) {
        MUST(p.count > 0);
        for (size_t i = 0; i < p.count && i < LOOKED_AT; i++)
            check_launch(&p, &p.launch[i]);
        if (ovl_sweep_log_read(&log, &p, "sweep.log", &err) != 0)
            fuzz_check_refusal(&err, 1 << OVL_WRONG_DATA);
        for (size_t i = 0; i < p.count; i++)
            MUST(log.launch[i].failed + log.launch[i].unended <= log.launch[i].count);
        ovl_sweep_log_free(&log);
        ovl_plan_free(&p);
    } else {
        fuzz_check_refusal(&err, 1 << OVL_USAGE | 1 << OVL_WRONG_DATA | 1 << OVL_ENVIRONMENT);
    }
    fuzz_files_remove(names);
    return 0;
}

FUZZ_JSON
