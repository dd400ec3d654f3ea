/* `ovl validate`: what a training tells of its samples and failures, and a serving of its requests, against what
   follows from the seed: they are drawn beforehand, so that they can be drawn again. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/trace/trace.h"
#include "apps/train/drawn/faults.h"
#include "apps/train/drawn/order.h"
#include "cli/serve_options.h"
#include "tool/validate/state.h"

#include <math.h>
#include <string.h>

enum { PART = 64 };
static const double most_drawn =
    2e7; /* steps, and samples of all ranks and epochs: of longer runs only sums are looked at */
static const double small = 1e-9;

static double number(const json_t *of, const char *name)
{
    const json_t *value = json_object_get(of, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *word(const json_t *of, const char *name)
{
    const char *text = json_string_value(json_object_get(of, name));
    return text ? text : "";
}

static void compare(struct ovl_checking *c, const char *list, size_t i, const char *name, double stored, double again)
{
    char part[PART];
    snprintf(part, sizeof part, "/%zu/%s", i, name);
    ovl_checking_compare(c, list, part, stored, again, small);
}

/* What it takes to draw again; false where it is not told. */
static bool seed_of(const json_t *head, uint64_t *seed, uint32_t *ranks)
{
    const json_t *drawn = json_object_get(json_object_get(head, "options"), "seed");
    double all = number(head, "ranks");
    *seed = (uint64_t)json_integer_value(drawn);
    *ranks = all >= 1 && all <= 1e7 ? (uint32_t)all : 0;
    return json_is_integer(drawn) && *ranks > 0;
}

/* Hits of all ranks, by epoch. */
static bool draw_hits(struct ovl_order_ask ask, double *hits)
{
    struct ovl_error err;
    struct ovl_order o;
    for (uint32_t e = 0; e < ask.epochs; e++)
        hits[e] = 0;
    for (uint32_t rank = 0; rank < ask.ranks; rank++) {
        if (ovl_order_make(&o, &ask, rank, &err) != 0)
            return false;
        for (uint32_t e = 0; e < ask.epochs; e++)
            hits[e] += (double)o.hits[e];
        ovl_order_free(&o);
    }
    return true;
}

/* A sample is read or is in a buffer, so that hits tell the bytes of each epoch. */
static void check_reads(struct ovl_checking *c, const json_t *dataset, const json_t *order, size_t i,
                        const struct ovl_order_ask *ask)
{
    const json_t *bytes = json_object_get(order, "read_bytes");
    double stored = number(dataset, "stored_bytes"), uses = number(order, "steps") * ask->ranks * ask->batch, sum = 0;
    double *hits = ovl_alloc(ask->epochs, sizeof *hits);
    if (draw_hits(*ask, hits)) {
        compare(c, "dataset/orders", i, "first_read_bytes", number(order, "first_read_bytes"),
                (uses - hits[0]) * stored);
        for (uint32_t e = 1; e < ask->epochs; e++) {
            char name[PART / 2];
            snprintf(name, sizeof name, "read_bytes/%u", e - 1);
            compare(c, "dataset/orders", i, name, json_number_value(json_array_get(bytes, e - 1)),
                    (uses - hits[e]) * stored);
            sum += hits[e];
        }
        compare(c, "dataset/orders", i, "hit_rate", number(order, "hit_rate"), sum / (uses * (ask->epochs - 1)));
    }
    free(hits);
}

static void check_order(struct ovl_checking *c, const json_t *head, const json_t *dataset, const json_t *order,
                        size_t i, uint64_t seed, uint32_t ranks)
{
    struct ovl_order_ask ask = {.kind = OVL_ORDER_RANDOM, .ranks = ranks, .seed = seed};
    double samples = number(dataset, "samples"), batch = number(dataset, "batch"),
           epochs = (double)json_array_size(json_object_get(order, "read_bytes")) + 1;
    while (ask.kind < OVL_ORDERS && strcmp(ovl_order_words[ask.kind], word(order, "order")) != 0)
        ask.kind++;
    const json_t *options = json_object_get(head, "options");
    if (json_array_size(json_object_get(order, "read_bytes")) != json_array_size(json_object_get(order, "seconds")))
        ovl_checking_problem(c, "/dataset/orders/%zu/read_bytes: of %zu epochs, and seconds of %zu", i,
                             json_array_size(json_object_get(order, "read_bytes")),
                             json_array_size(json_object_get(order, "seconds")));
    if ((number(options, "samples") > 0 && samples != number(options, "samples")) || batch != number(options, "batch"))
        ovl_checking_problem(c, "/dataset: %.12g samples, %.12g a step, and the options have %.12g and %.12g", samples,
                             batch, number(options, "samples"), number(options, "batch"));
    if (ask.kind == OVL_ORDERS || !(batch >= 1 && samples >= ranks * batch) || !(epochs >= 2) ||
        !(samples * epochs * ranks <= most_drawn))
        return;
    ask.samples = (uint32_t)samples;
    ask.batch = (uint32_t)batch;
    ask.epochs = (uint32_t)epochs;
    ask.room =
        ask.kind == OVL_ORDER_RANDOM ? 0 : (uint32_t)fmin(number(dataset, "local_buffer") * samples / ranks, samples);
    compare(c, "dataset/orders", i, "room", number(order, "room"), ask.room);
    compare(c, "dataset/orders", i, "steps", number(order, "steps"), floor(samples / (ranks * batch)));
    check_reads(c, dataset, order, i, &ask);
}

/* How many steps, failures and checkpoints the seed has for all epochs, if each checkpoint is on disk at once. */
static bool draw_faults(const json_t *faults, double interval, size_t epochs, uint64_t seed, uint32_t ranks,
                        struct ovl_faults_count *sum)
{
    double mtbf = number(faults, "mtbf_steps"), steps = number(faults, "steps");
    *sum = (struct ovl_faults_count){.played = 0};
    if (!(mtbf > 1 && interval >= 1 && steps >= 1) ||
        !(ovl_faults_played(mtbf, fmin(interval, steps)) / fmin(interval, steps) * steps * (double)epochs <=
          most_drawn))
        return false;
    for (size_t e = 0; e < epochs; e++) {
        struct ovl_faults_count n =
            ovl_faults_replay(mtbf, ovl_faults_seed(seed, e), ranks, (uint64_t)steps, (uint64_t)interval);
        sum->played += n.played;
        sum->failures += n.failures;
        sum->checkpoints += n.checkpoints;
    }
    return true;
}

/* Counts of an epoch in the mean. What a helper has not written when it is killed is lost, and then there are more of
   all. */
static void check_counts(struct ovl_checking *c, const json_t *kind, size_t i, const struct ovl_faults_count *drawn,
                         double epochs, double steps)
{
    const struct {
        const char *name;
        double again;
    } counts[] = {{"failures", (double)drawn->failures / epochs},
                  {"lost_steps", (double)drawn->played / epochs - steps},
                  {"checkpoints", (double)drawn->checkpoints / epochs}};
    bool at_once = strcmp(word(kind, "checkpoint"), "root") == 0 || strcmp(word(kind, "checkpoint"), "sharded") == 0;
    for (size_t k = 0; k < 3; k++) {
        double stored = number(kind, counts[k].name);
        if (at_once || !(stored > counts[k].again))
            compare(c, "faults/kinds", i, counts[k].name, stored, counts[k].again);
    }
}

/* Steps from one checkpoint to the next, as its words say; by Daly's formula from the epochs without failures, whose
   last digit may have turned it round. */
static double interval_of(const json_t *line, const json_t *kind, double steps, double mtbf, double step)
{
    const json_t *e;
    size_t i;
    double cost = NAN;
    if (strcmp(word(kind, "by"), "daly") != 0)
        return fmax(floor(steps / (strcmp(word(kind, "by"), "4 an epoch") == 0 ? 4 : 10)), 1);
    json_array_foreach(json_object_get(line, "epochs"), i, e) {
        if (strcmp(word(e, "checkpoint"), word(kind, "checkpoint")) == 0)
            cost = number(e, "stall_seconds") / number(e, "count") / step;
    }
    return cost > 0 && mtbf > 1 ? fmin((double)ovl_faults_daly(mtbf, cost), steps) : NAN;
}

/* A checkpoint that a helper still writes when a failure strikes is lost, as if the restart took as much longer. */
static double lost_of(const json_t *kind, double step)
{
    bool behind = strstr(word(kind, "checkpoint"), "helper") && json_object_get(kind, "persist_seconds");
    return (number(kind, "restart_seconds") + (behind ? number(kind, "persist_seconds") : 0)) / step;
}

static void check_failing(struct ovl_checking *c, const json_t *line, const json_t *kind, size_t i, uint64_t seed,
                          uint32_t ranks)
{
    const json_t *faults = json_object_get(line, "faults"), *list = json_object_get(kind, "seconds"), *value;
    double step = number(faults, "step_seconds"), steps = number(faults, "steps"), mtbf = number(faults, "mtbf_steps"),
           epochs = (double)json_array_size(list), interval = number(kind, "interval_steps"),
           cost = number(kind, "checkpoint_seconds") / step, restart = lost_of(kind, step), all = 0,
           asked = interval_of(line, kind, steps, mtbf, step);
    struct ovl_faults_count drawn;
    size_t k;
    json_array_foreach(list, k, value) {
        all += json_number_value(value);
    }
    if (!(fabs(interval - asked) <= 1))
        compare(c, "faults/kinds", i, "interval_steps", interval, asked);
    compare(c, "faults/kinds", i, "goodput", number(kind, "goodput"), epochs * steps * step / all);
    compare(c, "faults/kinds", i, "expected_goodput", number(kind, "expected_goodput"),
            ovl_faults_goodput(mtbf, interval, cost, restart));
    if (!draw_faults(faults, interval, json_array_size(list), seed, ranks, &drawn))
        return;
    check_counts(c, kind, i, &drawn, epochs, steps);
    compare(c, "faults/kinds", i, "drawn_goodput", number(kind, "drawn_goodput"),
            epochs * steps /
                ((double)drawn.played + (double)drawn.checkpoints * cost + (double)drawn.failures * restart));
}

void ovl_checking_drawn(struct ovl_checking *c, const json_t *head, const json_t *line)
{
    const json_t *dataset = json_object_get(line, "dataset"), *orders = json_object_get(dataset, "orders"),
                 *faults = json_object_get(line, "faults"), *kinds = json_object_get(faults, "kinds"),
                 *epochs = json_object_get(line, "epochs");
    uint64_t seed;
    uint32_t ranks;
    if (!seed_of(head, &seed, &ranks))
        return;
    for (size_t i = 0; i < json_array_size(orders); i++)
        check_order(c, head, dataset, json_array_get(orders, i), i, seed, ranks);
    if (!faults)
        return;
    ovl_checking_compare(c, "faults", "/mtbf_steps", number(faults, "mtbf_steps"),
                         number(json_object_get(head, "options"), "mtbf"), small);
    ovl_checking_compare(c, "faults", "/step_seconds", number(faults, "step_seconds"),
                         number(json_array_get(epochs, 0), "median_seconds") / number(faults, "steps"), small);
    for (size_t i = 0; i < json_array_size(kinds); i++)
        check_failing(c, line, json_array_get(kinds, i), i, seed, ranks);
}

/* Another processor may round a drawn length up that this one does not: one token of each request at most. */
void ovl_checking_drawn_requests(struct ovl_checking *c, const json_t *head, const json_t *serving)
{
    const json_t *options = json_object_get(head, "options");
    const char *prompt = word(options, "prompt"), *output = word(options, "output"), *shared = word(options, "shared");
    double requests = number(options, "requests");
    size_t count = requests > 0 ? (size_t)fmin(requests, most_drawn) : OVL_SERVE_REQUESTS;
    struct ovl_request_trace t;
    struct ovl_shared_texts texts = {.texts = 0};
    struct ovl_lengths in, out;
    struct ovl_error err;
    if (*word(options, "trace") || (double)count >= most_drawn || !json_is_integer(json_object_get(options, "seed")) ||
        (*shared && ovl_shared_parse(&texts, shared, &err) != 0) ||
        ovl_lengths_parse(&in, "prompt", *prompt ? prompt : OVL_SERVE_PROMPT, 1, &err) != 0 ||
        ovl_lengths_parse(&out, "output", *output ? output : OVL_SERVE_OUTPUT, 0, &err) != 0)
        return;
    ovl_trace_draw(&t, count, 0, &in, &out, &texts, (uint64_t)json_integer_value(json_object_get(options, "seed")));
    double prompts = 0, outputs = 0;
    for (size_t r = 0; r < t.count; r++) {
        prompts += t.list[r].prompt;
        outputs += t.list[r].output;
    }
    ovl_trace_free(&t);
    const struct {
        const char *name;
        double drawn;
        bool same;
    } totals[] = {{"requests", (double)count, true},
                  {"prompt_tokens", prompts, in.kind == OVL_LENGTHS_SAME},
                  {"output_tokens", outputs, out.kind == OVL_LENGTHS_SAME}};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        double told = number(serving, totals[i].name);
        if (!(fabs(told - totals[i].drawn) <= (totals[i].same ? 0 : (double)count)))
            ovl_checking_problem(c, "/serving/%s: %.12g, and the options have %.12g", totals[i].name, told,
                                 totals[i].drawn);
    }
}
