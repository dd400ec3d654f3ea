/* `ovl validate`: what a training tells of its epochs, against their own seconds. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "tool/validate/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 48 };

static double number(const json_t *of, const char *name)
{
    const json_t *value = json_object_get(of, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double mean(const json_t *list)
{
    double all = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        all += json_number_value(json_array_get(list, i));
    return all / (double)json_array_size(list);
}

/* Of the seconds of its epochs; *most is the longest. */
static double median(const json_t *of, double *most)
{
    const json_t *seconds = json_object_get(of, "seconds");
    size_t n = json_array_size(seconds);
    double *x = ovl_alloc(n + 1, sizeof *x);
    *most = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = json_number_value(json_array_get(seconds, i));
        *most = fmax(*most, x[i]);
    }
    double of_all = n > 0 ? ovl_stats_median(x, n) : NAN;
    free(x);
    return of_all;
}

/* The first of a list whose `name` is that word. */
static const json_t *kind_of(const json_t *list, const char *name, const char *word)
{
    const json_t *kind;
    size_t i;
    json_array_foreach(list, i, kind) {
        const char *own = json_string_value(json_object_get(kind, name));
        if (own && strcmp(own, word) == 0)
            return kind;
    }
    return NULL;
}

/* How much of the excess of epochs that rank 0 writes for is left. */
static void check_of_root(struct ovl_checking *c, const json_t *epochs, const json_t *kind, size_t i, double without)
{
    char part[PART];
    const json_t *of = json_object_get(kind, "of_root");
    double root = number(kind_of(epochs, "checkpoint", "root"), "median_seconds") - without;
    snprintf(part, sizeof part, "/%zu/of_root/value", i);
    if (of && root > 0)
        ovl_checking_compare(c, "epochs", part, number(of, "value"), (number(kind, "median_seconds") - without) / root,
                             1e-7); /* of differences */
}

/* Without checkpoints there are none, and no rank waits longer for them than an epoch takes. */
static void check_kind(struct ovl_checking *c, const json_t *options, const json_t *kind, size_t i, double without)
{
    double checkpoints = number(options, "checkpoints_per_epoch"), steps = number(options, "steps_per_epoch"),
           due = isnan(checkpoints) || isnan(steps) ? NAN : fmin(checkpoints, steps);
    static const char *const of_checkpoints[] = {"count", "bytes", "stall_seconds", "persist_seconds"};
    const char *name = json_string_value(json_object_get(kind, "checkpoint"));
    bool none = name && strcmp(name, "none") == 0;
    char part[PART];
    double most;
    snprintf(part, sizeof part, "/%zu/median_seconds", i);
    ovl_checking_compare(c, "epochs", part, number(kind, "median_seconds"), median(kind, &most), 0);
    if (json_object_get(kind, "excess")) {
        snprintf(part, sizeof part, "/%zu/excess/value", i);
        ovl_checking_compare(c, "epochs", part, number(json_object_get(kind, "excess"), "value"),
                             number(kind, "median_seconds") / without - 1, 1e-9);
    }
    for (size_t k = 0; k < 4; k++)
        if (none != (number(kind, of_checkpoints[k]) == 0))
            ovl_checking_problem(c, "/epochs/%zu/%s: %.12g of an epoch with%s checkpoints", i, of_checkpoints[k],
                                 number(kind, of_checkpoints[k]), none ? "out" : "");
    if (!none && isfinite(due) && number(kind, "count") != due)
        ovl_checking_problem(c, "/epochs/%zu/count: %.12g, and the options have %.12g", i, number(kind, "count"), due);
    if (number(kind, "stall_seconds") > most)
        ovl_checking_problem(c, "/epochs/%zu/stall_seconds: %.12g, but the longest epoch takes %.12g", i,
                             number(kind, "stall_seconds"), most);
}

static void check_design(struct ovl_checking *c, const json_t *phases, const json_t *design, size_t i, double none)
{
    char part[PART];
    double most, step = median(design, &most) / number(phases, "steps");
    const struct {
        const char *name;
        double stored, again;
    } values[] = {
        {"step_seconds", number(design, "step_seconds"), step},
        {"au", number(design, "au"), number(phases, "bare_seconds") / step},
        {"over_bound", number(design, "over_bound"), step / number(design, "bound_seconds")},
        {"improvement/value", number(json_object_get(design, "improvement"), "value"), 1 - step / none},
    };
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        snprintf(part, sizeof part, "/%zu/%s", i, values[k].name);
        ovl_checking_compare(c, "phases/designs", part, values[k].stored, values[k].again, 1e-9);
    }
}

static void check_order(struct ovl_checking *c, const json_t *dataset, const json_t *order, size_t i, double ranks)
{
    char part[PART];
    double most, seconds = median(order, &most), steps = number(order, "steps");
    const struct {
        const char *name;
        double stored, again;
    } values[] = {
        {"median_seconds", number(order, "median_seconds"), seconds},
        {"samples_per_second", number(order, "samples_per_second"), steps * number(dataset, "batch") * ranks / seconds},
        {"au", number(order, "au"), mean(json_object_get(order, "epoch_au"))},
    };
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        snprintf(part, sizeof part, "/%zu/%s", i, values[k].name);
        ovl_checking_compare(c, "dataset/orders", part, values[k].stored, values[k].again, 1e-9);
    }
    if (!(number(order, "hit_rate") >= 0 && number(order, "hit_rate") <= 1))
        ovl_checking_problem(c, "/dataset/orders/%zu/hit_rate: %.12g is no share", i, number(order, "hit_rate"));
}

/* Has the list one of each word that an option has, with as many epochs as were asked for, and no others? `none` is a
   word that is always there; NULL: there is none. */
static void check_asked(struct ovl_checking *c, const json_t *options, const char *option, const char *none,
                        const char *path, const json_t *list, const char *name)
{
    char *words =
             ovl_text("%s%s%s", none ? none : "", none ? "," : "", json_string_value(json_object_get(options, option))),
         *rest = NULL;
    double epochs = number(options, "epochs");
    size_t wanted = 0;
    const char *first = json_string_value(json_object_get(json_array_get(list, 0), name));
    if (none && first && strcmp(first, none) != 0)
        ovl_checking_problem(c, "/%s: the first is %.40s, and all others are held against %s", path, first, none);
    for (const char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        const json_t *kind = kind_of(list, name, word);
        size_t n = json_array_size(json_object_get(kind, "seconds")), k;
        const json_t *one;
        if (none && wanted > 0 && strcmp(word, none) == 0)
            continue;
        json_array_foreach(json_object_get(kind, "seconds"), k, one) {
            if (!(json_number_value(one) > 0))
                ovl_checking_problem(c, "/%s: an epoch of %.40s took %.6g s, or nothing is told", path, word,
                                     json_number_value(one));
        }
        wanted++;
        if (!kind)
            ovl_checking_problem(c, "/%s: nothing of %.40s, which the option %s has", path, word, option);
        else if (json_object_get(kind, "steps") && number(kind, "steps") != number(options, "steps_per_epoch") &&
                 !json_is_string(json_object_get(options, "dataset")))
            ovl_checking_problem(c, "/%s: %.40s has %.12g steps an epoch, and the options have %.12g", path, word,
                                 number(kind, "steps"), number(options, "steps_per_epoch"));
        else if ((double)n != epochs)
            ovl_checking_problem(c, "/%s: %zu epochs of %.40s, and the options have %.12g", path, n, word, epochs);
    }
    if (json_array_size(list) > wanted)
        ovl_checking_problem(c, "/%s: %zu of them, and the option %s has %zu", path, json_array_size(list), option,
                             wanted);
    free(words);
}

/* With --mtbf each way that writes has three intervals, unless a checkpoint of it took no time. */
static void check_faults(struct ovl_checking *c, const json_t *options, const json_t *epochs, const json_t *line)
{
    const json_t *kinds = json_object_get(json_object_get(line, "faults"), "kinds"), *kind, *way;
    size_t i, k;
    json_array_foreach(epochs, i, way) {
        const char *word = json_string_value(json_object_get(way, "checkpoint"));
        size_t intervals = 0;
        json_array_foreach(kinds, k, kind) {
            const char *own = json_string_value(json_object_get(kind, "checkpoint"));
            intervals += word && own && strcmp(own, word) == 0 &&
                         (double)json_array_size(json_object_get(kind, "seconds")) == number(options, "epochs");
        }
        if (number(way, "stall_seconds") > 0 && intervals != 3)
            ovl_checking_problem(c, "/faults/kinds: %zu of %.40s with all epochs, and --mtbf has 3", intervals,
                                 word ? word : "");
    }
}

/* A cell that has blocks came behind all epochs. */
static void check_options(struct ovl_checking *c, const json_t *head, const json_t *line)
{
    const json_t *options = json_object_get(head, "options");
    const char *checkpoint = json_string_value(json_object_get(options, "checkpoint"));
    if (checkpoint && strcmp(checkpoint, "none") != 0)
        check_asked(c, options, "checkpoint", "none", "epochs", json_object_get(line, "epochs"), "checkpoint");
    if (number(options, "mtbf") > 0)
        check_faults(c, options, json_object_get(line, "epochs"), line);
    if (json_is_string(json_object_get(options, "offload")))
        check_asked(c, options, "offload", "none", "phases/designs",
                    json_object_get(json_object_get(line, "phases"), "designs"), "offload");
    if (json_is_string(json_object_get(options, "dataset")))
        check_asked(c, options, "order", NULL, "dataset/orders",
                    json_object_get(json_object_get(line, "dataset"), "orders"), "order");
}

void ovl_checking_epochs(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *cell)
{
    double ranks = number(head, "ranks");
    const json_t *epochs = json_object_get(line, "epochs"), *phases = json_object_get(line, "phases"),
                 *designs = json_object_get(phases, "designs"), *dataset = json_object_get(line, "dataset"),
                 *orders = json_object_get(dataset, "orders");
    double most, none = median(json_array_get(designs, 0), &most) / number(phases, "steps");
    if (ovl_checking_is_ours(head) && cell->samples.blocks > 0 && strcmp(cell->benchmark, "train") == 0)
        check_options(c, head, line);
    for (size_t i = 0; i < json_array_size(epochs); i++) {
        double without = median(json_array_get(epochs, 0), &most);
        check_kind(c, json_object_get(head, "options"), json_array_get(epochs, i), i, without);
        check_of_root(c, epochs, json_array_get(epochs, i), i, without);
    }
    for (size_t i = 0; i < json_array_size(orders); i++)
        check_order(c, dataset, json_array_get(orders, i), i, ranks);
    for (size_t i = 0; i < json_array_size(designs); i++)
        check_design(c, phases, json_array_get(designs, i), i, none);
}
