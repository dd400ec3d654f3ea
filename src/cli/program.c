/* Each program's own table and parser, behind one call. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct ovl_proxy *proxy_of(const char *program)
{
    const struct ovl_proxy *p = ovl_proxies;
    while (p->name && strcmp(program, p->program) != 0 && strcmp(program, p->name) != 0)
        p++;
    bool noise = strcmp(program, ovl_noise_program.program) == 0 || strcmp(program, ovl_noise_program.name) == 0;
    return p->name ? p : noise ? &ovl_noise_program : NULL;
}

static const struct ovl_benchmark *benchmark_of(const char *program)
{
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++)
        if (strcmp(program, b->program) == 0 || strcmp(program, b->name) == 0)
            return b;
    return NULL;
}

bool ovl_program_is_ours(const char *program)
{
    return benchmark_of(program) || proxy_of(program);
}

const struct ovl_option *ovl_program_rows(const char *program)
{
    const struct ovl_proxy *proxy = proxy_of(program);
    return benchmark_of(program) ? ovl_driver_option_rows : proxy ? proxy->rows : NULL;
}

bool ovl_program_same(const char *one, const char *other)
{
    return benchmark_of(one) == benchmark_of(other) && proxy_of(one) == proxy_of(other);
}

static bool parse_driver(struct ovl_program_options *o, struct ovl_error *err)
{
    struct ovl_driver_options *driver = ovl_alloc(1, sizeof *driver);
    *driver = ovl_driver_options_default(o->benchmark);
    o->rows = ovl_driver_option_rows;
    o->values = driver;
    o->driver = driver;
    return ovl_driver_options_parse(o->benchmark, o->argc, o->argv, driver, err) == 0;
}

bool ovl_program_options_parse(struct ovl_program_options *o, const char *program, const json_t *words, size_t first,
                               struct ovl_error *err)
{
    size_t n = json_array_size(words);
    *o = (struct ovl_program_options){.benchmark = benchmark_of(program), .proxy = proxy_of(program)};
    if (!o->benchmark && !o->proxy)
        return false;
    o->argc = 1 + (int)(n > first ? n - first : 0);
    o->argv = ovl_alloc((size_t)o->argc + 1, sizeof *o->argv); /* the parser moves its words */
    o->argv[0] = ovl_check_alloc(strdup(program));
    for (int i = 1; i < o->argc; i++) {
        const char *word = json_string_value(json_array_get(words, first + (size_t)i - 1));
        o->argv[i] = ovl_check_alloc(strdup(word ? word : ""));
    }
    if (o->benchmark)
        return parse_driver(o, err);
    o->rows = o->proxy->rows;
    o->values = ovl_alloc(1, o->proxy->size);
    return o->proxy->parse(o->argc, o->argv, o->values, err) == 0;
}

void ovl_program_options_free(struct ovl_program_options *o)
{
    for (int i = 0; i < o->argc; i++)
        free(o->argv[i]);
    free(o->argv);
    free(o->values);
    *o = (struct ovl_program_options){.rows = NULL};
}

double ovl_program_seconds(const struct ovl_program_options *o)
{
    if (!o->driver)
        return o->proxy ? o->proxy->seconds(o->values) : NAN;
    return (double)ovl_driver_options_cells(o->driver) * o->driver->common.max_time;
}
