/* Does a JSON file keep a schema that is installed with ovl? Programs of tests ask it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/util/schema.h"
#include "tests/sim/sim.h"

#include <stdio.h>

static void print(void *to, const char *path, const char *wanted)
{
    printf("%s: %s: %s\n", (const char *)to, *path ? path : "/", wanted);
}

int sim_schema(int argc, char **argv)
{
    struct ovl_error err;
    struct ovl_schema *schema = argc > 2 ? ovl_schema_load(argv[1], &err) : NULL;
    size_t problems = !schema;
    for (int i = 2; i < argc && schema; i++) {
        json_t *json = json_load_file(argv[i], 0, NULL);
        problems += json ? ovl_schema_check(schema, json, print, argv[i]) : 1;
        json_decref(json);
    }
    ovl_schema_free(schema);
    return problems > 0;
}
