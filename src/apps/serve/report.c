/* Members of a cell that only ovl_serve has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/state.h"
#include "apps/serve/strategy/course.h"
#include "bench/output.h"
#include "kernels/kernel.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

void ovl_serve_describe(struct ovl_app_job *job, json_t *line)
{
    const struct ovl_serve *s = (const struct ovl_serve *)job;
    const struct ovl_kernel *kernel = ovl_kernel_find(s->options.kernel);
    char requests[OVL_SERVE_TEXT];
    if (kernel && kernel->blas)
        ovl_output_run_blas(line);
    ovl_serve_requests_text(&s->options, &s->trace, requests);
    json_object_set_new(line, "solves",
                        json_sprintf("requests (%s) by %s, %s%s; times are those of all of them", requests,
                                     s->model.name, s->options.strategy,
                                     s->options.scale_bytes > 1 ? ", messages scaled down" : ""));
}

static json_t *finite_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* The median over blocks of a member of struct ovl_serve_told, of those that have it. */
static double median_of(const struct ovl_serve_player *p, size_t offset)
{
    double *list = ovl_alloc(p->told_count + 1, sizeof *list);
    for (size_t i = 0; i < p->told_count; i++)
        list[i] = *(const double *)((const char *)&p->told[i] + offset);
    double value = ovl_stats_median_of_finite(list, p->told_count);
    free(list);
    return value;
}

static json_t *median(const struct ovl_serve_player *p, size_t offset)
{
    return finite_or_null(median_of(p, offset));
}

/* Of a struct ovl_serve_spread. */
static json_t *spread(const struct ovl_serve_player *p, size_t offset)
{
    size_t percent = offset + offsetof(struct ovl_serve_spread, percent);
    json_t *steps = json_array();
    for (size_t i = 0; i <= OVL_SERVE_STEPS; i++)
        json_array_append_new(steps, median(p, offset + offsetof(struct ovl_serve_spread, step) + i * sizeof(double)));
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "p50", median(p, percent), "p90", median(p, percent + sizeof(double)),
                     "p99", median(p, percent + 2 * sizeof(double)), "mean",
                     median(p, offset + offsetof(struct ovl_serve_spread, mean)), "steps", steps);
}

/* Of T, which is not derived yet. */
static double median_total(const struct ovl_cell *c)
{
    return ovl_stats_summarise_series(c->samples.max[OVL_TOTAL], c->samples.blocks).median;
}

static json_t *tier(const struct ovl_serve *s)
{
    const struct ovl_serve_tiered *t = &s->tiered;
    const struct ovl_serve_ask *ask = &s->plan.ask;
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f}", "block_tokens", ask->block, "blocks", t->blocks, "found",
                     t->found, "kept", t->kept, "gave_way", t->gave_way, "most_bytes",
                     t->most * ovl_serve_block_bytes(ask));
}

static json_t *preempted(const struct ovl_serve *s)
{
    const struct ovl_batcher_told *t = &s->pushed;
    return json_pack("{s:I, s:I, s:I, s:f}", "requests", (json_int_t)t->requests, "times", (json_int_t)t->times,
                     "tokens_read_again", (json_int_t)t->again, "moved_bytes",
                     2 * (double)t->moved * /* there and back */
                         ovl_serve_sent_bytes(&s->plan.ask, s->choice.row->token_bytes(&s->plan.ask)));
}

/* Bytes of a kind that this rank sends to others and to itself, at the scale of the plan. */
static double token_bytes(const struct ovl_serve *s, bool returns)
{
    const struct ovl_events *e = &s->plan.own.events.events;
    double bytes = 0;
    for (int id = 0; id < e->ids; id++)
        if (e->list[e->posted_at[id]].returns == returns)
            bytes += OVL_SERVE_WORD * ovl_serve_numbers(&s->plan, &e->list[e->posted_at[id]]);
    return bytes;
}

static json_t *experts(const struct ovl_serve *s)
{
    const struct ovl_served_mixture *x = &s->model.mixture;
    const struct ovl_moe *m = &s->plan.ask.moe;
    struct ovl_moe_told told = ovl_moe_tell(s->plan.own.events.events.routes);
    return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:{s:s, s:f}, s:{s:s, s:f}}", "experts", x->experts, "top_k",
                     x->top, "experts_of_a_rank", x->experts / s->job.ranks, "choices", told.chosen, "imbalance",
                     told.imbalance, "largest_imbalance", told.largest, "dispatch", "type", m->dispatch.name, "bytes",
                     token_bytes(s, false), "combine", "type", m->combine.name, "bytes", token_bytes(s, true));
}

static json_t *serving(const struct ovl_serve *s, const struct ovl_serve_player *p, const struct ovl_cell *c)
{
    const struct ovl_serve_events *e = &s->plan.own.events;
    const size_t half = offsetof(struct ovl_serve_told, first) + offsetof(struct ovl_serve_spread, percent);
    double written = 0, read = 0;
    for (size_t r = 0; r < s->trace.count; r++) {
        written += s->trace.list[r].output;
        read += s->trace.list[r].prompt;
    }
    json_t *all = json_pack("{s:I, s:f, s:f, s:i, s:f, s:o, s:o, s:o, s:o}", "requests", (json_int_t)s->trace.count,
                            "prompt_tokens", read, "output_tokens", written, "iterations", s->iterations,
                            "kv_token_bytes", s->choice.row->token_bytes(&s->plan.ask), "ttft_seconds",
                            spread(p, offsetof(struct ovl_serve_told, first)), "ttft_unqueued_seconds",
                            spread(p, offsetof(struct ovl_serve_told, begun)), "ttft_bound_seconds",
                            spread(p, offsetof(struct ovl_serve_told, least)), "tpot_seconds",
                            spread(p, offsetof(struct ovl_serve_told, further)));
    json_object_set_new(all, "operations", json_integer(e->events.ids));
    json_object_set_new(all, "kv_most_bytes", json_real((double)s->kv_most * s->choice.row->token_bytes(&s->plan.ask)));
    json_object_set_new(all, "decode_slowed", median(p, offsetof(struct ovl_serve_told, slowed)));
    if (s->job.schemes.blocking >= 0)
        json_object_set_new(all, "ttft_by_blocking",
                            finite_or_null(median_of(p, half) / median_of(&s->players[s->job.schemes.blocking], half)));
    if (s->us > 0) /* the work is that of the device that is meant */
        json_object_set_new(all, "output_tokens_per_second", finite_or_null(written / median_total(c)));
    if (s->choice.row == &ovl_serve_tier)
        json_object_set_new(all, "tier", tier(s));
    if (s->choice.packing)
        json_object_set_new(all, "compression",
                            json_pack("{s:s, s:f, s:o}", "numbers", s->options.compress, "ratio",
                                      s->plan.ask.kv_bytes / s->plan.ask.packed_bytes, "error_by_bound",
                                      finite_or_null(p->packed_error)));
    if (s->plan.ask.preempt)
        json_object_set_new(all, "preempted", preempted(s));
    if (s->choice.row == &ovl_serve_ep)
        json_object_set_new(all, "experts", experts(s));
    if (s->tiny) /* whoever wrote them */
        json_object_set_new(all, "tokens", json_sprintf("%016" PRIx64, p->written));
    if (s->options.slo[0] > 0) {
        json_object_set_new(all, "slo_ttft_seconds", json_real(s->options.slo[0]));
        json_object_set_new(all, "slo_tpot_seconds", json_real(s->options.slo[1]));
        json_object_set_new(all, "goodput", median(p, offsetof(struct ovl_serve_told, met)));
    }
    return all;
}

static json_t *curve(const struct ovl_serve *s, const struct ovl_serve_player *p)
{
    json_t *exposed = json_array();
    size_t all = (size_t)s->iterations, n = p->kept < OVL_SERVE_KEPT ? p->kept : OVL_SERVE_KEPT;
    for (size_t i = 0; i < all; i++) {
        double values[OVL_SERVE_KEPT];
        for (size_t k = 0; k < n; k++)
            values[k] = p->kept_exposed[k * all + i];
        json_array_append_new(exposed, n ? json_real(ovl_stats_median(values, n)) : json_null());
    }
    return json_pack("{s:o}", "exposed_comm_seconds", exposed);
}

void ovl_serve_fill_cell(const struct ovl_app_job *job, int scheme, struct ovl_cell *c)
{
    const struct ovl_serve *s = (const struct ovl_serve *)job;
    const struct ovl_serve_player *p = &s->players[scheme];
    const struct ovl_serve_options *o = &s->options;
    char requests[OVL_SERVE_TEXT], batching[OVL_SERVE_TEXT], layout[OVL_SERVE_TEXT];
    double units = 0;
    for (size_t i = 0; i < s->plan.own.events.events.count; i++)
        units += (double)s->units[i];
    snprintf(c->compute_kind, sizeof c->compute_kind, "%s", o->kernel);
    c->units = units;
    c->ratio = s->us > 0 || o->units > 0 ? NAN : o->ratio;
    c->compute_us = o->us; /* NaN where it follows from the flops of the problem */
    ovl_serve_requests_text(o, &s->trace, requests);
    ovl_serve_batching_text(o->batching, (double)o->slots, (double)o->chunk, (double)o->kv_memory, batching);
    ovl_serve_ranks_text(o, s->job.ranks, layout);
    c->problem = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "model", s->model.name, "strategy", o->strategy,
                           "requests", requests, "batching", batching, "layout", layout, "tests",
                           p->run.polls ? (json_int_t)o->common.test_lines : (json_int_t)0);
    if (o->preempt)
        json_object_set_new(c->problem, "preempt", json_string(o->preempt));
    if (!isnan(o->network.flops))
        json_object_set_new(c->problem, "flops", json_real(o->network.flops));
    if (o->scale_bytes != 1)
        json_object_set_new(c->problem, "scale_bytes", json_real(o->scale_bytes));
    c->curve = curve(s, p);
    ovl_cell_set(c, "serving", serving(s, p, c));
    if (p->lanes)
        ovl_cell_set(c, "timeline", json_incref(p->lanes));
}
