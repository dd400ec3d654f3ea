/* `ovl validate`: what an application checks of its answer, and what serving tells of its requests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/derived/check_limit.h"
#include "tool/validate/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each time is the median over blocks of one of their order, which has the same order; and no request takes longer than
   all of them do in the longest block. */
static void check_spread(struct ovl_checking *c, const json_t *serving, const char *name, double longest)
{
    const json_t *spread = json_object_get(serving, name), *steps = json_object_get(spread, "steps"), *one;
    const char *const percents[] = {"p50", "p90", "p99"}; /* null where there are too few requests */
    const double rounding = 1 + 1e-9;
    const size_t from[] = {9, 17, 18}; /* steps, of which each is 5 %, between which these are */
    double before = 0;
    size_t i;
    for (i = 0; i < 3; i++) {
        one = json_object_get(spread, percents[i]);
        if (json_is_null(one))
            continue;
        if (!json_is_number(one) || json_number_value(one) < before)
            ovl_checking_problem(c, "/serving/%s/%s: %.6g, below %.6g, or no number", name, percents[i],
                                 json_number_value(one), before);
        before = json_number_value(one);
        const json_t *low = json_array_get(steps, from[i]), *high = json_array_get(steps, from[i] + 2);
        if (json_is_number(low) && json_is_number(high) &&
            !(json_number_value(low) <= before * rounding && before <= json_number_value(high) * rounding))
            ovl_checking_problem(c, "/serving/%s/%s: %.6g, and the steps have %.6g to %.6g there", name, percents[i],
                                 before, json_number_value(low), json_number_value(high));
    }
    double percent = before, least = 0;
    json_array_foreach(steps, i, one) {
        if (json_is_null(one))
            continue;
        if (!json_is_number(one) || json_number_value(one) < least)
            ovl_checking_problem(c, "/serving/%s/steps: %.6g, below %.6g, or no number", name, json_number_value(one),
                                 least);
        least = json_number_value(one);
    }
    one = json_object_get(spread, "mean");
    double mean = json_is_number(one) ? json_number_value(one) : NAN,
           first = json_number_value(json_array_get(steps, 0));
    if (mean * rounding < first ||
        (json_array_size(steps) > 0 && (mean > least * rounding || percent > least * rounding)))
        ovl_checking_problem(c, "/serving/%s: a mean or a percentile, of %.6g and %.6g, that is not from %.6g to %.6g",
                             name, mean, percent, first, least);
    if (fmax(least, percent) > longest * rounding)
        ovl_checking_problem(c, "/serving/%s: %.6g s, and all requests took %.6g s at most", name, fmax(least, percent),
                             longest);
}

static void check_rate(struct ovl_checking *c, const json_t *serving, const struct ovl_cell *cell)
{
    const json_t *rate = json_object_get(serving, "output_tokens_per_second");
    if (json_is_number(rate))
        ovl_checking_compare(
            c, "serving", "/output_tokens_per_second", json_number_value(rate),
            json_number_value(json_object_get(serving, "output_tokens")) / cell->summary[OVL_TOTAL].median, 0);
}

/* Of what is looked for some is found, and of what is kept some gives way: what a tier has of each. */
static void check_tier(struct ovl_checking *c, const json_t *serving, const struct ovl_cell *cell)
{
    static const char *const pairs[][2] = {{"found", "blocks"}, {"gave_way", "kept"}};
    const json_t *tier = json_object_get(serving, "tier");
    if ((strcmp(ovl_cell_problem_text(cell, "strategy"), "tier") == 0) != json_is_object(tier))
        ovl_checking_problem(c, "/serving/tier: %s", tier ? "no strategy but tier has it" : "not told");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && tier; i++) {
        double less = json_number_value(json_object_get(tier, pairs[i][0]));
        double more = json_number_value(json_object_get(tier, pairs[i][1]));
        if (!(less >= 0 && less <= more))
            ovl_checking_problem(c, "/serving/tier/%s: %.12g, of %.12g", pairs[i][0], less, more);
    }
}

/* With the option alone requests are pushed out, each once or more; and no rank ever has more than its memory. */
static void check_preempted(struct ovl_checking *c, const json_t *serving, const struct ovl_cell *cell)
{
    const json_t *of = json_object_get(serving, "preempted");
    const char *how = ovl_cell_problem_text(cell, "preempt"),
               *memory = strrchr(ovl_cell_problem_text(cell, "batching"), ',');
    double requests = json_number_value(json_object_get(of, "requests")), limit;
    double times = json_number_value(json_object_get(of, "times"));
    double again = json_number_value(json_object_get(of, "tokens_read_again"));
    double moved = json_number_value(json_object_get(of, "moved_bytes"));
    double most = json_number_value(json_object_get(serving, "kv_most_bytes"));
    if ((*how != 0) != json_is_object(of))
        ovl_checking_problem(c, "/serving/preempted: %s", of ? "the problem has no preempt" : "not told");
    if (!json_is_object(of))
        return;
    if (!(requests >= 0 && requests <= times && requests <= json_number_value(json_object_get(serving, "requests"))))
        ovl_checking_problem(c, "/serving/preempted/requests: %.12g, of %.12g, pushed out %.12g times", requests,
                             json_number_value(json_object_get(serving, "requests")), times);
    if (again < 0 || moved < 0 || (strcmp(how, "swap") != 0 && moved > 0) || (times == 0 && again + moved > 0))
        ovl_checking_problem(c, "/serving/preempted: %.12g tokens read again and %.12g bytes moved, by %s, %.12g times",
                             again, moved, how, times);
    if (memory && sscanf(memory, ", %lf bytes", &limit) == 1 && most > limit)
        ovl_checking_problem(c, "/serving/kv_most_bytes: %.12g, and a rank has memory for %.12g", most, limit);
}

/* What is sent as other numbers tells which, how much smaller that is, and that no number is off by more than it may
   be. */
static void check_compression(struct ovl_checking *c, const json_t *serving, const struct ovl_cell *cell)
{
    const json_t *of = json_object_get(serving, "compression");
    const char *sent = strstr(ovl_cell_problem_text(cell, "layout"), " sent as "), *numbers = "";
    double error = json_number_value(json_object_get(of, "error_by_bound"));
    if ((sent != NULL) != json_is_object(of))
        ovl_checking_problem(c, "/serving/compression: %s", of ? "nothing is sent as other numbers" : "not told");
    if (!sent || !json_is_object(of))
        return;
    numbers = json_is_string(json_object_get(of, "numbers")) ? json_string_value(json_object_get(of, "numbers")) : "";
    double ratio = json_number_value(json_object_get(of, "ratio")), is = strcmp(numbers, "i8") == 0 ? 32.0 / 17 : 2;
    if (!*numbers || strncmp(sent + strlen(" sent as "), numbers, strlen(numbers)) != 0)
        ovl_checking_problem(c, "/serving/compression/numbers: %.20s, and the layout has%.20s", numbers, sent);
    if (fabs(ratio - is) > 1e-9)
        ovl_checking_problem(c, "/serving/compression/ratio: %.9g, and it is %.9g of %.20s", ratio, is, numbers);
    if (!(error >= 0 && error <= 1) && cell->validated > 0) /* 0: nothing was sent */
        ovl_checking_problem(c, "/serving/compression/error_by_bound: %.6g, of an answer that is right", error);
}

/* Is each step of a spread, times `share`, no more than that of another? */
static void check_order(struct ovl_checking *c, const json_t *serving, const char *less, double share, const char *more)
{
    const json_t *low = json_object_get(json_object_get(serving, less), "steps"),
                 *high = json_object_get(json_object_get(serving, more), "steps"), *one;
    size_t i;
    json_array_foreach(low, i, one) {
        const json_t *other = json_array_get(high, i);
        if (json_is_number(one) && json_is_number(other) &&
            share * json_number_value(one) > json_number_value(other) * (1 + 1e-9)) {
            ovl_checking_problem(c, "/serving/%s/steps: %.6g, and of %s %.6g", more, json_number_value(other), less,
                                 json_number_value(one));
            return;
        }
    }
}

/* No request waits longer without its queue than with it, nor much less than its work and bytes take: so it is of each
   step, too. */
static void check_queue(struct ovl_checking *c, const json_t *serving)
{
    const double noise = 0.5; /* what disturbed the bound's own work may be so much of it (derived/possible.c) */
    static const char *const spreads[] = {"ttft_seconds", "ttft_unqueued_seconds", "tpot_seconds"};
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        const json_t *steps = json_object_get(json_object_get(serving, spreads[i]), "steps"), *one;
        size_t k, told = 0;
        json_array_foreach(steps, k, one) {
            told += json_is_number(one);
        }
        if (json_array_size(steps) != 21 || (told > 0 && told < 21))
            ovl_checking_problem(c, "/serving/%s/steps: %zu, and there is one each 5 %%", spreads[i], told);
    }
    check_order(c, serving, "ttft_unqueued_seconds", 1, "ttft_seconds");
    check_order(c, serving, "ttft_bound_seconds", noise, "ttft_unqueued_seconds");
}

/* What it counts is there, and is what the options ask for. */
static void check_counts(struct ovl_checking *c, const json_t *head, const json_t *serving, const struct ovl_cell *cell)
{
    static const char *const counts[] = {"requests", "iterations", "kv_token_bytes"};
    const json_t *options = json_object_get(head, "options"), *slo = json_object_get(options, "slo");
    double asked = atof(ovl_cell_problem_text(cell, "requests")), limit[2];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!(json_number_value(json_object_get(serving, counts[i])) > 0))
            ovl_checking_problem(c, "/serving/%s: %.12g", counts[i],
                                 json_number_value(json_object_get(serving, counts[i])));
    if (json_number_value(json_object_get(serving, "requests")) != asked)
        ovl_checking_problem(c, "/serving/requests: %.12g, and the problem has %.12g",
                             json_number_value(json_object_get(serving, "requests")), asked);
    if (!json_is_string(slo) || sscanf(json_string_value(slo), "%lf:%lf", &limit[0], &limit[1]) != 2)
        return;
    ovl_checking_compare(c, "serving", "/slo_ttft_seconds",
                         json_number_value(json_object_get(serving, "slo_ttft_seconds")), 1e-3 * limit[0], 0);
    ovl_checking_compare(c, "serving", "/slo_tpot_seconds",
                         json_number_value(json_object_get(serving, "slo_tpot_seconds")), 1e-3 * limit[1], 0);
    const json_t *least = json_array_get(json_object_get(json_object_get(serving, "ttft_seconds"), "steps"), 0);
    if (json_number_value(least) > 1e-3 * limit[0] * (1 + 1e-9) &&
        json_number_value(json_object_get(serving, "goodput")) > 0)
        ovl_checking_problem(c, "/serving/goodput: %.6g, and no request's first token came in time",
                             json_number_value(json_object_get(serving, "goodput")));
    if (!(json_number_value(json_object_get(serving, "goodput")) <= 1))
        ovl_checking_problem(c, "/serving/goodput: %.6g, and it is a share of the requests",
                             json_number_value(json_object_get(serving, "goodput")));
}

void ovl_checking_first_token(struct ovl_checking *c, const struct ovl_cell *cell, const struct ovl_cell *blocking)
{
    const json_t *serving = json_object_get(cell->extra, "serving"),
                 *stored = json_object_get(serving, "ttft_by_blocking"),
                 *own = json_object_get(json_object_get(serving, "ttft_seconds"), "p50"),
                 *of = json_object_get(json_object_get(json_object_get(blocking->extra, "serving"), "ttft_seconds"),
                                       "p50");
    if (json_is_number(own) && json_is_number(of))
        ovl_checking_compare(c, "serving", "/ttft_by_blocking",
                             json_is_number(stored) ? json_number_value(stored) : NAN,
                             json_number_value(own) / json_number_value(of), 0);
}

/* Nothing that serving counts or times is less than nothing. */
static void check_numbers(struct ovl_checking *c, const json_t *serving)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)serving, name, value)
        if (json_number_value(value) < 0)
            ovl_checking_problem(c, "/serving/%.40s: %.6g", name, json_number_value(value));
}

/* Gradients that are compressed tell by how much they are off: no more than their way allows, of numbers no larger than
   those of 16 bits. */
static void check_gradients(struct ovl_checking *c, const json_t *line, const struct ovl_cell *cell)
{
    const double largest = 65504;
    const json_t *of = json_object_get(line, "compression");
    const char *how = ovl_cell_problem_text(cell, "compress");
    bool halves = strcmp(how, "fp16") == 0 || strcmp(how, "bf16") == 0;
    double error = json_number_value(json_object_get(of, "max_error")),
           ratio = json_number_value(json_object_get(of, "ratio")),
           most = json_number_value(json_object_get(of, "bound")) +
                  json_number_value(json_object_get(of, "bound_relative")) * largest;
    if ((*how && strcmp(how, "none") != 0) != json_is_object(of))
        ovl_checking_problem(c, "/compression: %s", json_is_object(of) ? "nothing is compressed" : "not told");
    if (!json_is_object(of))
        return;
    if (strncmp(how, "szx:", 4) == 0 &&
        !(json_number_value(json_object_get(of, "bound")) <= (cell->ranks + 1) * atof(how + 4) * (1 + 1e-3)))
        ovl_checking_problem(c, "/compression/bound: %.6g, of %.20s on %.0f ranks",
                             json_number_value(json_object_get(of, "bound")), how, cell->ranks);
    if (!(json_number_value(json_object_get(of, "bound_relative")) <= cell->ranks / 16))
        ovl_checking_problem(c, "/compression/bound_relative: %.6g, of %.0f ranks",
                             json_number_value(json_object_get(of, "bound_relative")), cell->ranks);
    if (!(error >= 0 && error <= most) && cell->validated > 0)
        ovl_checking_problem(c, "/compression/max_error: %.6g of %.6g at most, of an answer that is right", error,
                             most);
    if (cell->ranks > 1 && (halves ? fabs(ratio - 2) > 1e-9 : ratio < 0)) /* alone it sends nothing */
        ovl_checking_problem(c, "/compression/ratio: %.9g, of %.20s", ratio, how);
}

/* The last entry of a step's histogram is the sum of the others, and each of its operations has its place in the
   curve. A sum over nodes takes the bytes of all gradients over each link, whoever carries them. */
static void check_histogram(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *cell)
{
    static const char *const sums[] = {"calls", "bytes", "seconds"};
    const json_t *all = json_object_get(line, "histogram"), *total = json_array_get(all, json_array_size(all) - 1);
    double calls = json_number_value(json_object_get(total, "calls")),
           bytes = json_number_value(json_object_get(total, "bytes"));
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
        double sum = 0, told = json_number_value(json_object_get(total, sums[k]));
        for (size_t i = 0; i + 1 < json_array_size(all); i++)
            sum += json_number_value(json_object_get(json_array_get(all, i), sums[k]));
        if (!(fabs(told - sum) <= 1e-6 * sum))
            ovl_checking_problem(c, "/histogram: %s of %.12g in all, and %.12g in its classes", sums[k], told, sum);
    }
    if (calls != (double)json_array_size(json_object_get(cell->curve, "comm_seconds")))
        ovl_checking_problem(c, "/histogram: %.12g calls, and the curve has %zu", calls,
                             json_array_size(json_object_get(cell->curve, "comm_seconds")));
    if (strcmp(ovl_cell_problem_text(cell, "strategy"), "ddp") == 0 && !json_object_get(line, "compression") &&
        json_number_value(json_object_get(head, "nodes")) > 1 && cell->wire_bytes < bytes)
        ovl_checking_problem(c, "/wire_bytes: %.12g, and the gradients have %.12g", cell->wire_bytes, bytes);
}

/* A mixture of experts is the problem's: "2 of 8, all tokens, skew 0, f8 and bf16 a rank". */
static void check_moe(struct ovl_checking *c, const json_t *line, const struct ovl_cell *cell)
{
    const json_t *moe = json_object_get(line, "moe"),
                 *sent[2] = {json_object_get(moe, "dispatch"), json_object_get(moe, "combine")};
    const char *text = ovl_cell_problem_text(cell, "moe"), *skew = strstr(text, ", skew ");
    char type[2][16];
    double top, all, mean = json_number_value(json_object_get(moe, "imbalance"));
    if (!json_is_object(moe) || sscanf(text, "%lf of %lf,", &top, &all) != 2)
        return;
    if (json_number_value(json_object_get(moe, "top_k")) != top ||
        json_number_value(json_object_get(moe, "experts")) != all)
        ovl_checking_problem(c, "/moe: top_k and experts are others than the problem's, \"%.60s\"", text);
    if (strstr(text, ", all tokens") && json_number_value(json_object_get(moe, "dropped")) != 0)
        ovl_checking_problem(c, "/moe/dropped: %.12g, of a problem that keeps all tokens",
                             json_number_value(json_object_get(moe, "dropped")));
    if (!(mean >= 1 - 1e-9 && mean <= json_number_value(json_object_get(moe, "largest_imbalance")) * (1 + 1e-9)))
        ovl_checking_problem(c, "/moe/imbalance: %.9g, that is not from 1 to the largest", mean);
    if (!skew || sscanf(skew, ", skew %*[^,], %15s and %15s", type[0], type[1]) != 2)
        return;
    for (int i = 0; i < 2; i++) {
        const char *told = json_string_value(json_object_get(sent[i], "type"));
        if (!told || strcmp(told, type[i]) != 0)
            ovl_checking_problem(c, "/moe: type \"%.20s\", and the problem has \"%.15s\"", told ? told : "", type[i]);
    }
}

void ovl_checking_answer(struct ovl_checking *c, const json_t *head, const json_t *line, const struct ovl_cell *cell)
{
    static const char *const spreads[] = {"ttft_seconds", "ttft_unqueued_seconds", "tpot_seconds"};
    const struct ovl_summary *total = &cell->summary[OVL_TOTAL];
    const json_t *serving = json_object_get(line, "serving");
    double limit = ovl_cell_check_limit(cell), most = 2 * (double)total->n > cell->blocks ? total->max : INFINITY;
    if (!isnan(cell->check_limit) && fabs(cell->check_limit - limit) > 1e-9 * limit)
        ovl_checking_problem(c, "/check/limit: %.12g, and it is %.12g for this problem", cell->check_limit, limit);
    if (strcmp(cell->benchmark, "train") == 0 && ovl_checking_is_ours(head)) {
        check_histogram(c, head, line, cell);
        check_gradients(c, line, cell);
        check_moe(c, line, cell);
    }
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads && json_is_object(serving); i++)
        check_spread(c, serving, spreads[i], most);
    if (json_is_object(serving)) {
        if (json_is_object(json_object_get(serving, "ttft_bound_seconds"))) /* none before 2.10.0 */
            check_spread(c, serving, "ttft_bound_seconds", INFINITY); /* of the work alone, which may take longer */
        check_numbers(c, serving);
        if (ovl_checking_schema(head) >= 7) /* no steps before */
            check_queue(c, serving);
        check_counts(c, head, serving, cell);
        ovl_checking_drawn_requests(c, head, serving);
        check_rate(c, serving, cell);
        check_tier(c, serving, cell);
        check_preempted(c, serving, cell);
        check_compression(c, serving, cell);
    }
}
