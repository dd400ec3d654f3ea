/* The members of `problem`, each beside the option that it follows from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/cells/options/of_problem.h"
#include "cli/moe/options.h"
#include "cli/presets/train_presets.h"
#include "cli/serve_options.h"
#include "record/derived/serve_words.h"
#include "record/record.h"
#include "tool/cells/options/held_option.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A member of the problem and what is asked for; `asked` is NULL, or null, where the option is not told. */
struct held {
    const json_t *options, *asked;
    const struct ovl_cell *cell;
};

static const char *text_of(const struct held *h, const char *option)
{
    const char *text = json_string_value(json_object_get(h->options, option));
    return text ? text : "";
}

static double number_of(const struct held *h, const char *option)
{
    return json_number_value(json_object_get(h->options, option));
}

static bool is_mode(const struct held *h, const char *mode)
{
    return strcmp(h->cell->mode, mode) == 0;
}

static bool is_asked(const struct held *h, const char *text)
{
    return !h->asked || json_is_null(h->asked) || ovl_option_has(h->asked, text);
}

/* All three sides, also where one is given for them. */
static bool is_grid(const struct held *h, const char *text)
{
    unsigned long side[3];
    char wanted[96];
    if (sscanf(text, "%lux%lux%lu", &side[0], &side[1], &side[2]) != 3)
        return false;
    snprintf(wanted, sizeof wanted, "%lux%lux%lu", side[0], side[1], side[2]);
    if (strcmp(text, wanted) != 0 || is_asked(h, text))
        return strcmp(text, wanted) == 0;
    snprintf(wanted, sizeof wanted, "%lu", side[0]);
    return side[0] == side[1] && side[1] == side[2] && is_asked(h, wanted);
}

/* The sides of the process grid, where none are given: the first is no larger than the second. */
static bool is_sides(const struct held *h, const char *text)
{
    unsigned long rows, columns;
    char wanted[96];
    if (sscanf(text, "%lux%lu", &rows, &columns) != 2)
        return false;
    snprintf(wanted, sizeof wanted, "%lux%lu", rows, columns);
    return strcmp(text, wanted) == 0 && (double)rows * (double)columns == h->cell->ranks &&
           (json_is_string(h->asked) ? is_asked(h, text) : rows <= columns);
}

/* Its second choice has a long name, too, which no cell has. */
static bool is_order(const struct held *h, const char *text)
{
    return strcmp(text, "col") == 0 ? ovl_option_has(h->asked, "col") || ovl_option_has(h->asked, "column")
                                    : strcmp(text, "row") == 0 && is_asked(h, text);
}

/* A model may be a file, whose own name the cell has, or the small network that is learnt. */
static bool is_model(const struct held *h, const char *text)
{
    return json_is_true(json_object_get(h->options, "tiny")) || strpbrk(text_of(h, "model"), "/.") || is_asked(h, text);
}

/* The blocking transform exchanges a variable in one piece, and nothing is in flight. */
static bool is_chunks(const struct held *h, const char *text)
{
    const char *asked = json_string_value(h->asked);
    return is_mode(h, "blocking") ? strcmp(text, "1") == 0
                                  : !asked || strcmp(asked, "auto") == 0 || atoi(asked) == atoi(text);
}

static bool is_window(const struct held *h, const char *text)
{
    return is_mode(h, "blocking") ? strcmp(text, "0") == 0 : is_asked(h, text);
}

/* Where there is host-t, that scheme alone tests. */
static bool is_tests(const struct held *h, const char *text)
{
    const char *modes = text_of(h, "mode");
    bool apart = ovl_option_lists(modes, "host-t"), none = strcmp(text, "0") == 0;
    if (is_mode(h, "blocking") || (apart && (is_mode(h, "dpu") || is_mode(h, "thread"))))
        return none;
    return (none && apart && ovl_option_lists(modes, "host")) || is_asked(h, text);
}

/* The blocking scheme has the first way of each list, and workers and threads one of their own. */
static bool is_bcast(const struct held *h, const char *text)
{
    const char *asked = json_string_value(h->asked);
    size_t length = asked ? strcspn(asked, ",") : 0;
    if (is_mode(h, "dpu") || is_mode(h, "thread"))
        return strcmp(text, "ibcast") == 0;
    return is_mode(h, "blocking") && asked ? strlen(text) == length && strncmp(text, asked, length) == 0
                                           : is_asked(h, text);
}

static bool is_depth(const struct held *h, const char *text)
{
    const json_t *first = json_array_get(h->asked, 0);
    return is_mode(h, "blocking") && first ? ovl_option_has(first, text) : is_asked(h, text);
}

/* The i-th of names between colons: of parameters, gradients and activations. What is left out is as the first. */
static size_t nth_type(const char **text, int i)
{
    const char *first = *text;
    for (; i > 0 && *text; i--)
        *text = strchr(*text, ':') ? strchr(*text, ':') + 1 : NULL;
    *text = *text ? *text : first;
    return strcspn(*text, ":");
}

/* Bytes of a gradient: a type's name ends with its bits. */
static double gradient_bytes(const struct held *h)
{
    const char *types = ovl_cell_problem_text(h->cell, "dtype");
    nth_type(&types, 1);
    return *types && !json_is_true(json_object_get(h->options, "tiny")) ? atof(types + strcspn(types, "0123456789")) / 8
                                                                        : sizeof(float);
}

/* How gradients are put together: by lists of a file, by horovod's buffer and cycle, or by buckets. */
static bool is_buckets(const struct held *h, const char *text)
{
    const char *cycle = text_of(h, "cycle"), *strategy = text_of(h, "strategy"), *comma = strchr(text, ',');
    char wanted[96], older[96];
    if (strncmp(strategy, "horovod", 7) == 0) {
        bool named = strcmp(cycle, "full") == 0 || strcmp(cycle, "all") == 0;
        snprintf(older, sizeof older, ", cycle %.60s%s", cycle, named ? "" : " ms"); /* which told no rate */
        snprintf(wanted, sizeof wanted, ", cycle %g ms at %g Tflop/s", strtod(cycle, NULL),
                 number_of(h, "device_rate"));
        return comma && (strcmp(comma, older) == 0 || (!named && strcmp(comma, wanted) == 0)) &&
               (number_of(h, "fusion") == 0 || strtod(text, NULL) == number_of(h, "fusion"));
    }
    if (*text_of(h, "buckets"))
        return strstr(text, " of a file, ") != NULL;
    snprintf(wanted, sizeof wanted, "%.0f, %.0f", number_of(h, "first_bucket"),
             ovl_strategy_bucket_bytes(strategy, number_of(h, "bucket"), gradient_bytes(h)));
    return !json_object_get(h->options, "bucket") || strcmp(text, wanted) == 0;
}

/* Of the strategies that have one: ranks that share a block, stages and chunks, and microbatches. */
static bool is_pipeline(const struct held *h, const char *text)
{
    double tensor = fmax(number_of(h, "tp"), 1), stages = number_of(h, "pp"),
           microbatches = number_of(h, "microbatches");
    const char *strategy = text_of(h, "strategy");
    char wanted[96];
    if (strcmp(strategy, "pp") != 0 && strcmp(strategy, "3d") != 0 && strcmp(strategy, "3d:sequence") != 0)
        return !*text;
    stages = stages > 0 ? stages : fmax(floor(h->cell->ranks / tensor), 1);
    snprintf(wanted, sizeof wanted, "%.0fx%.0fx%.0f, %.0f microbatches", tensor, stages,
             fmax(number_of(h, "interleave"), 1), microbatches > 0 ? microbatches : 2 * stages);
    return strcmp(text, wanted) == 0;
}

static const char *given(const struct held *h, const char *option)
{
    return json_string_value(json_object_get(h->options, option));
}

static bool is_moe(const struct held *h, const char *text)
{
    struct ovl_moe moe = ovl_moe_default();
    struct ovl_error misfit;
    char wanted[OVL_MOE_TEXT];
    if (strcmp(text_of(h, "strategy"), "moe") != 0)
        return !*text;
    moe.experts = (int)number_of(h, "experts");
    moe.top = (int)number_of(h, "top_k");
    moe.capacity = number_of(h, "capacity");
    moe.skew = number_of(h, "gate_skew");
    ovl_moe_words(&moe, given(h, "dispatch"), given(h, "combine"), given(h, "overlap"), given(h, "dispatch_per"));
    if (!(h->cell->ranks >= 1) ||
        ovl_moe_settle(&moe, (int)h->cell->ranks, fmax(number_of(h, "batch"), 1), &misfit) != 0)
        return false;
    ovl_moe_text(&moe, wanted);
    return strcmp(text, wanted) == 0;
}

/* Work is that of the model, as many times less, where that is asked for. */
static bool is_flops(const struct held *h, const char *text)
{
    return json_is_true(json_object_get(h->options, "compute_real")) ? is_asked(h, text) : !*text;
}

/* Only what was given is told. */
static bool is_given(const struct held *h, const char *text)
{
    return json_is_number(h->asked) ? is_asked(h, text) : !*text;
}

/* The same types, however they are written. Without the option they are those of the model. */
static bool is_dtype(const struct held *h, const char *text)
{
    const char *asked = json_string_value(h->asked);
    bool same = true;
    for (int i = 0; i < 3 && asked; i++) {
        const char *one = text, *other = asked;
        size_t length = nth_type(&one, i);
        same &= length == nth_type(&other, i) && strncmp(one, other, length) == 0;
    }
    return same;
}

/* Requests that are drawn, or those of a file. */
static bool is_requests(const struct held *h, const char *text)
{
    const char *arrival = text_of(h, "arrival"), *prompt = text_of(h, "prompt"), *output = text_of(h, "output");
    double n = number_of(h, "requests");
    char wanted[OVL_SERVE_TEXT];
    if (*text_of(h, "trace"))
        return strstr(text, " of a file, ") != NULL;
    ovl_serve_drawn_text(n > 0 ? n : OVL_SERVE_REQUESTS, *arrival ? arrival : OVL_SERVE_ARRIVAL,
                         *prompt ? prompt : OVL_SERVE_PROMPT, *output ? output : OVL_SERVE_OUTPUT, text_of(h, "shared"),
                         number_of(h, "seed"), wanted);
    return strcmp(text, wanted) == 0;
}

static bool is_batching(const struct held *h, const char *text)
{
    char wanted[OVL_SERVE_TEXT];
    ovl_serve_batching_text(text_of(h, "batching"), number_of(h, "max_batch"), number_of(h, "chunk"),
                            number_of(h, "kv_memory"), wanted);
    return strcmp(text, wanted) == 0;
}

static const char *or_usual(const char *text, const char *usual)
{
    return *text ? text : usual;
}

static bool is_layout(const struct held *h, const char *text)
{
    bool tiny = json_is_true(json_object_get(h->options, "tiny"));
    const char *const tokens[] = {tiny ? text_of(h, "act") : "f8", tiny ? text_of(h, "act") : "bf16"};
    const struct ovl_serve_layout layout = {.strategy = text_of(h, "strategy"),
                                            .ranks = h->cell->ranks,
                                            .readers = number_of(h, "prefill"),
                                            .messages = number_of(h, "kv_messages"),
                                            .tiers = number_of(h, "tier_ranks"),
                                            .block = number_of(h, "kv_block"),
                                            .tier_memory = number_of(h, "tier_memory"),
                                            .balance = number_of(h, "balance"),
                                            .overlap = text_of(h, "overlap"),
                                            .skew = number_of(h, "gate_skew"),
                                            .dispatch = or_usual(text_of(h, "dispatch"), tokens[0]),
                                            .combine = or_usual(text_of(h, "combine"), tokens[1]),
                                            .per = or_usual(text_of(h, "dispatch_per"), "rank"),
                                            .act = text_of(h, "act"),
                                            .kv = text_of(h, "kv"),
                                            .sent = text_of(h, "compress")};
    char wanted[OVL_SERVE_TEXT];
    ovl_serve_layout_text(&layout, wanted);
    return strcmp(text, wanted) == 0;
}

static bool is_preempt(const struct held *h, const char *text)
{
    return strcmp(text, or_usual(text_of(h, "preempt"), "never")) == 0;
}

static const struct row {
    const char *benchmark, *member, *option;
    bool (*is)(const struct held *h, const char *text);
    const char *usual; /* what a problem without such a member has, and none tells; NULL: it always has one */
} rows[] = {
    {"fft3d", "grid", "grid", is_grid, NULL},
    {"fft3d", "procs", "procs", is_sides, NULL},
    {"fft3d", "pmap", "pmap", is_order, "row"},
    {"fft3d", "transform", "transform", is_asked, NULL},
    {"fft3d", "variables", "vars", is_asked, NULL},
    {"fft3d", "chunks", "chunks", is_chunks, NULL},
    {"fft3d", "window", "window", is_window, NULL},
    {"fft3d", "test_lines", "test_lines", is_tests, NULL},
    {"halo", "grid", "grid", is_grid, NULL},
    {"halo", "steps", "steps", is_asked, NULL},
    {"halo", "test_lines", "test_lines", is_tests, NULL},
    {"hpl", "n", "order", is_asked, NULL},
    {"hpl", "nb", "nb", is_asked, NULL},
    {"hpl", "procs", "procs", is_sides, NULL},
    {"hpl", "pmap", "pmap", is_order, "row"},
    {"hpl", "bcast", "bcast", is_bcast, NULL},
    {"hpl", "depth", "depth", is_depth, NULL},
    {"hpl", "threads", "threads", is_asked, NULL},
    {"hpl", "swap", "swap", is_asked, "long"},
    {"hpl", "swap_threshold", "swap_threshold", is_asked, "0"},
    {"serve", "model", "model", is_model, NULL},
    {"serve", "strategy", "strategy", is_asked, NULL},
    {"serve", "requests", "requests", is_requests, NULL},
    {"serve", "batching", "batching", is_batching, NULL},
    {"serve", "layout", "strategy", is_layout, NULL},
    {"serve", "preempt", "preempt", is_preempt, "never"},
    {"serve", "tests", "tests", is_tests, NULL},
    {"serve", "scale_bytes", "scale_bytes", is_asked, "1"},
    {"serve", "flops", "flops", is_given, ""},
    {"train", "model", "model", is_model, NULL},
    {"train", "strategy", "strategy", is_asked, NULL},
    {"train", "buckets", "buckets", is_buckets, NULL},
    {"train", "batch", "batch", is_asked, NULL},
    {"train", "tests", "tests", is_tests, NULL},
    {"train", "pipeline", "strategy", is_pipeline, ""},
    {"train", "moe", "strategy", is_moe, ""},
    {"train", "scale_bytes", "scale_bytes", is_asked, "1"},
    {"train", "scale_flops", "scale_flops", is_flops, ""},
    {"train", "dtype", "dtype", is_dtype, "f32"},
    {"train", "compress", "compress", is_asked, "none"},
};

static bool is_row(const struct row *row, const json_t *options, const struct ovl_cell *cell, char *why)
{
    const json_t *has = json_object_get(cell->problem, row->member);
    const struct held h = {options, json_object_get(options, row->option), cell};
    char text[96];
    if (json_is_string(has))
        snprintf(text, sizeof text, "%s", json_string_value(has));
    else if (json_is_number(has))
        snprintf(text, sizeof text, "%.12g", json_number_value(has));
    else
        snprintf(text, sizeof text, "%s", row->usual ? row->usual : "null");
    if (has && row->usual && strcmp(text, row->usual) == 0) {
        snprintf(why, OVL_OF_OPTIONS_WHY, "/problem/%s: %.60s, which no program writes", row->member, text);
        return false;
    }
    if ((json_is_string(has) || json_is_number(has) || (row->usual && !has)) && row->is(&h, text))
        return true;
    snprintf(why, OVL_OF_OPTIONS_WHY, "/problem/%s: %.60s, which the option %s does not have", row->member, text,
             row->option);
    return false;
}

/* Is the record of a schema after this version's? */
static bool is_later(const json_t *head)
{
    const char *schema = json_string_value(json_object_get(head, "schema"));
    return schema && strverscmp(schema, OVL_RECORD_SCHEMA) > 0;
}

static bool is_known(const char *benchmark, const char *member)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].benchmark, benchmark) == 0 && (!member || strcmp(rows[i].member, member) == 0))
            return true;
    return false;
}

bool ovl_problem_of_options(const json_t *head, const json_t *options, const struct ovl_cell *cell,
                            char why[OVL_OF_OPTIONS_WHY])
{
    const char *member;
    json_t *value;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].benchmark, cell->benchmark) == 0 && !is_row(&rows[i], options, cell, why))
            return false;
    json_object_foreach(cell->problem, member, value) {
        if (!is_known(cell->benchmark, NULL) || is_known(cell->benchmark, member) || is_later(head))
            continue;
        snprintf(why, OVL_OF_OPTIONS_WHY, "/problem/%.60s: the program writes none", member);
        return false;
    }
    return true;
}
