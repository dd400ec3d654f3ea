/* The option parser on any words: the drivers' table with each benchmark's defaults, and the tables of the tool. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/skew.h"
#include "cli/driver_options.h"
#include "tests/fuzz/fuzz.h"
#include "tool/util/command.h"

#include <math.h>
#include <string.h>

/* An input is a line per word: first a benchmark's or a command's name, then what is given to it. */
enum { WORDS = 64 };

struct words {
    int argc;
    char *argv[WORDS + 1];
};

/* Each word in an allocation of its own, so that no parser may look beyond its end. */
static struct words split(const uint8_t *data, size_t size)
{
    struct words w = {.argc = 0};
    while (size > 0 && w.argc < WORDS) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t n = end ? (size_t)(end - data) : size;
        w.argv[w.argc++] = strndup((const char *)data, n);
        data += n + (end != NULL);
        size -= n + (end != NULL);
    }
    w.argv[w.argc] = NULL;
    return w;
}

/* One line for a person: some words, no control characters. */
static void check_refusal(const struct ovl_error *err)
{
    MUST(err->code == OVL_USAGE);
    MUST(strlen(err->text) > 10 && strlen(err->text) < sizeof err->text);
    for (const char *c = err->text; *c; c++)
        MUST((unsigned char)*c >= ' ' && *c != 127);
}

static void check_options(const struct ovl_benchmark *b, const struct ovl_driver_options *o)
{
    MUST(o->sizes.n <= OVL_SIZES_MOST && (b->size_max > 0) == (o->sizes.n > 0));
    for (size_t i = 0; i < o->sizes.n; i++)
        MUST(o->sizes.size[i] > (i > 0 ? o->sizes.size[i - 1] : 0) && o->sizes.size[i] <= (uint64_t)1 << 40);
    MUST(o->common.blocks[0] >= 6 && o->common.blocks[0] <= o->common.blocks[1] && o->common.blocks[1] <= 1000000);
    MUST(o->common.warmup <= 1000000 && o->tests <= 1000000 && o->rotate >= 1 && o->rotate <= 1000 &&
         o->root <= 1000000);
    MUST(o->common.mem_limit > 0 && o->common.seed <= (uint64_t)1e15);
    MUST(o->ratios.n >= 1 && o->ratios.n <= 16);
    for (size_t i = 0; i < o->ratios.n; i++)
        MUST(o->ratios.value[i] >= 0.01 && o->ratios.value[i] <= 100);
    MUST(isnan(o->compute_us) || (o->compute_us >= 0.01 && o->compute_us <= 1e8));
    MUST(o->common.ci >= 0.01 && o->common.ci <= 100 && o->common.max_time >= 0.01 && o->common.max_time <= 1e6);
    MUST(strspn(o->common.offload.modes, "hostdpu,") == strlen(o->common.offload.modes) && *o->common.offload.modes);
    json_t *json = ovl_options_json(ovl_driver_option_rows, o);
    MUST(json_object_size(json) > 20);
    json_decref(json);
}

static void parse_driver(const struct ovl_benchmark *b, struct words *w)
{
    struct ovl_driver_options o = ovl_driver_options_default(b);
    struct ovl_error err = {0};
    struct ovl_skew skew;
    if (ovl_driver_options_parse(b, w->argc, w->argv, &o, &err) != 0) {
        check_refusal(&err);
        return;
    }
    if (o.common.help || o.common.version)
        return;
    check_options(b, &o);
    if (ovl_skew_parse(o.common.skew, &skew, &err) != 0)
        check_refusal(&err);
    else
        MUST(skew.us >= 0 && skew.us <= 1e6);
}

static void parse_command(const struct ovl_tool_command *command, struct words *w)
{
    /* More than the options of any command take. */
    union {
        char bytes[512];
        void *align;
    } target = {{0}};
    struct ovl_error err = {0};
    int first = 0;
    if (ovl_command_parse(command, w->argc, w->argv, &target, &first, &err) != 0)
        check_refusal(&err);
    else
        MUST(first >= 1 && first < w->argc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ovl_tool_command *const commands[] = {&ovl_command_plot, &ovl_command_show,
                                                              &ovl_command_validate, &ovl_command_list};
    struct words w = split(data, size);
    int all = w.argc; /* getopt changes the order of the words, not their number */
    const struct ovl_tool_command *command = NULL;
    if (all == 0)
        return 0;
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
        if (strcmp(w.argv[0], commands[c]->name) == 0)
            command = commands[c];
    const struct ovl_benchmark *benchmark = ovl_benchmark_find(w.argv[0]);
    if (command)
        parse_command(command, &w);
    else
        parse_driver(benchmark ? benchmark : ovl_benchmarks, &w);
    for (int i = 0; i < all; i++)
        free(w.argv[i]);
    return 0;
}
