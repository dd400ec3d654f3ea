/* Members of a cell that only ovl_train has: histograms, curves, bubbles, compression, epochs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/state.h"
#include "apps/train/strategy/grid.h"
#include "base/rng.h"
#include "kernels/kernel.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double samples_of(const struct ovl_train *t)
{
    return t->tiny ? OVL_TINY_SAMPLES : t->plan.strategy->samples(&t->plan.ask);
}

void ovl_train_describe(struct ovl_app_job *job, json_t *line)
{
    const struct ovl_train *t = (const struct ovl_train *)job;
    const struct ovl_kernel *kernel = ovl_kernel_find(t->options.kernel);
    if (kernel && kernel->blas)
        ovl_output_run_blas(line);
    json_object_set_new(line, "solves",
                        json_sprintf("a training step of %s, %s, batch %.0f, %.0f samples a step, %d operations%s%s",
                                     t->model.name, t->options.strategy, t->plan.ask.batch, samples_of(t),
                                     t->plan.own.events.ids, t->options.scale_bytes > 1 ? ", messages scaled down" : "",
                                     !t->choice.lossy                  ? ""
                                     : t->choice.compression_count > 1 ? ", lossy but where it is none"
                                                                       : ", lossy"));
}

/* How gradients are put together, where the strategy has a choice. */
static json_t *fusing(const struct ovl_train *t)
{
    const struct ovl_train_ask *ask = &t->plan.ask;
    if (t->plan.strategy == &ovl_strategy_horovod && ask->cycle > 0 && isfinite(ask->cycle)) /* in work */
        return json_sprintf("%.0f, cycle %g ms at %g Tflop/s", ask->fusion, t->options.cycle_ms,
                            t->options.device_rate);
    if (t->plan.strategy == &ovl_strategy_horovod)
        return json_sprintf("%.0f, cycle %s", ask->fusion, t->options.cycle);
    if (ask->list.count > 0) { /* other lists are other points */
        uint64_t key = 0;
        for (size_t i = 0; i < ask->list.count; i++)
            key = ovl_rng_mix(key ^ (uint64_t)ask->list.numbers[i]);
        return json_sprintf("%zu of a file, %016" PRIx64, ask->list.count, key);
    }
    return json_sprintf("%.0f, %.0f", ask->first_bucket, ask->bucket);
}

/* Operations by size class: at rank 0 calls and bytes, and of the slowest rank the seconds of its operations alone. */
static json_t *histogram(const struct ovl_train *t, const struct ovl_train_player *p)
{
    const struct ovl_events *e = &t->plan.own.events;
    json_t *all = json_array();
    double total_bytes = 0, total_seconds = 0;
    for (int c = 0; c < OVL_SIZE_CLASSES; c++) {
        double bytes = 0, bus = 0;
        int calls = 0;
        for (int id = 0; id < e->ids; id++) {
            struct ovl_event post = e->list[e->posted_at[id]];
            post.bytes = ovl_train_bytes(&t->plan, &post);
            if (ovl_size_class(post.bytes) != c)
                continue;
            calls++;
            bytes += post.bytes;
            bus += ovl_event_bus_bytes(&post);
        }
        if (calls == 0)
            continue;
        json_array_append_new(all, json_pack("{s:s, s:i, s:f, s:f, s:f}", "class", ovl_size_classes[c].name, "calls",
                                             calls, "bytes", bytes, "seconds", p->classes[c], "busbw",
                                             p->classes[c] > 0 ? bus / p->classes[c] : 0.0));
        total_bytes += bytes;
        total_seconds += p->classes[c];
    }
    json_array_append_new(all, json_pack("{s:s, s:i, s:f, s:f}", "class", "total", "calls", e->ids, "bytes",
                                         total_bytes, "seconds", total_seconds));
    return all;
}

void ovl_train_keep_block(struct ovl_app_job *job, size_t block)
{
    struct ovl_train *t = (struct ovl_train *)job;
    (void)block;
    for (int i = 0; i < job->schemes.count; i++) {
        struct ovl_train_player *p = &t->players[i];
        memcpy(p->exposed + p->kept++ % OVL_TRAIN_KEPT * p->run.marks, p->last, p->run.marks * sizeof *p->last);
    }
}

/* Of rank 0, an operation after the other. */
static json_t *curve(const struct ovl_train *t, const struct ovl_train_player *p)
{
    json_t *exposed = json_array(), *alone = json_array();
    size_t ids = (size_t)t->message_count, n = p->kept < OVL_TRAIN_KEPT ? p->kept : OVL_TRAIN_KEPT;
    for (size_t id = 0; id < ids; id++) {
        double values[OVL_TRAIN_KEPT];
        for (size_t k = 0; k < n; k++)
            values[k] = p->exposed[k * ids + id];
        json_array_append_new(exposed, n ? json_real(ovl_stats_median(values, n)) : json_null());
        json_array_append_new(alone, json_real(p->alone[id]));
    }
    json_t *all = json_pack("{s:o, s:o}", "exposed_comm_seconds", exposed, "comm_seconds", alone);
    json_t *losses = t->tiny ? json_array() : NULL;
    for (int k = 0; k < OVL_TRAIN_LOSSES && losses; k++)
        json_array_append_new(losses, isnan(p->losses[k]) ? json_null() : json_real(p->losses[k]));
    if (losses)
        json_object_set_new(all, "loss", losses);
    return all;
}

static json_t *finite_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* Of rank 0, all schemes together, by what this rank computed. Every rank gets the same sums. */
static json_t *compression(const struct ovl_train *t, double plain)
{
    const struct ovl_lossy_allreduces *s = &t->lossy_allreduces;
    const struct ovl_lossy_cost *cost = &s->cost;
    struct ovl_lossy_error most = ovl_lossy_error(&s->lossy, t->job.ranks);
    return json_pack("{s:b, s:o, s:f, s:f, s:f, s:f, s:f, s:o, s:o}", "lossy", 1, "ratio",
                     finite_or_null(ovl_lossy_ratio(cost)), "max_error", t->largest_error, "bound", most.absolute,
                     "bound_relative", most.relative, "compress_bytes_per_second", cost->raw_bytes / cost->pack_seconds,
                     "decompress_bytes_per_second", cost->expanded_bytes / cost->expand_seconds,
                     "break_even_bytes_per_second", finite_or_null(ovl_lossy_break_even(cost)), "plain_total_seconds",
                     finite_or_null(plain > 0 ? plain : NAN));
}

/* T, as it will be in the cell. */
static double total_of(const struct ovl_cell *c)
{
    return ovl_stats_summarise(c->samples.max[OVL_TOTAL], c->samples.blocks).median;
}

void ovl_train_fill_cell(const struct ovl_app_job *job, int scheme, struct ovl_cell *c)
{
    const struct ovl_train *t = (const struct ovl_train *)job;
    const struct ovl_train_player *p = &t->players[scheme];
    const struct ovl_train_options *o = &t->options;
    double units = 0;
    for (size_t i = 0; i < t->plan.own.events.count; i++)
        units += (double)t->units[i];
    snprintf(c->compute_kind, sizeof c->compute_kind, "%s", o->kernel);
    c->units = units;
    c->ratio = o->real || o->us > 0 || o->units > 0 ? NAN : o->ratio;
    c->compute_us = o->us > 0 ? o->us : NAN;
    c->step_samples = samples_of(t);
    c->problem = json_pack("{s:s, s:s, s:o, s:I, s:I}", "model", t->model.name, "strategy", o->strategy, "buckets",
                           fusing(t), "batch", (json_int_t)o->batch, "tests",
                           p->run.polls ? (json_int_t)o->common.test_lines : (json_int_t)0);
    if (o->scale_bytes != 1)
        json_object_set_new(c->problem, "scale_bytes", json_real(o->scale_bytes));
    const struct ovl_train_ask *ask = &t->plan.ask;
    char types[OVL_NUMBER_TYPES_TEXT];
    ovl_number_types_text(&t->model.types, types);
    if (strcmp(types, "f32") != 0 && !t->tiny)
        json_object_set_new(c->problem, "dtype", json_string(types));
    if (t->plan.strategy == &ovl_strategy_moe) {
        char text[OVL_MOE_TEXT];
        ovl_moe_text(&t->moe, text);
        json_object_set_new(c->problem, "moe", json_string(text));
        ovl_cell_set(c, "moe", ovl_train_tokens_json(t));
    }
    if (t->plan.strategy->bubble)
        json_object_set_new(c->problem, "pipeline",
                            json_sprintf("%dx%dx%d, %d microbatches", ask->tensor, ovl_grid_stages(ask),
                                         ask->interleave, ovl_grid_microbatches(ask)));
    if (o->real)
        json_object_set_new(c->problem, "scale_flops", json_real(o->scale_flops));
    if (ovl_lossy_on(&t->compression->lossy)) {
        json_object_set_new(c->problem, "compress", json_string(t->compression->name));
        ovl_cell_set(c, "compression", compression(t, *p->plain));
    } else
        *p->plain = total_of(c);
    if (p->epochs)
        ovl_cell_set(c, "epochs", json_incref(p->epochs));
    if (p->phases)
        ovl_cell_set(c, "phases", json_incref(p->phases));
    if (p->faults)
        ovl_cell_set(c, "faults", json_incref(p->faults));
    if (p->dataset)
        ovl_cell_set(c, "dataset", json_incref(p->dataset));
    if (p->lanes)
        ovl_cell_set(c, "timeline", json_incref(p->lanes));
    ovl_cell_set(c, "memory_bytes", json_real(t->plan.strategy->memory(&t->plan.ask)));
    if (t->plan.strategy->zero > 0)
        ovl_cell_set(c, "kept_bytes_per_parameter",
                     json_real(ovl_memory_kept(1, t->plan.ask.ranks, t->plan.strategy->zero - 1)));
    c->curve = curve(t, p);
    if (t->plan.strategy == &ovl_strategy_moe)
        ovl_train_tokens_curve(t, c->curve);
    ovl_cell_set(c, "histogram", histogram(t, p));
}
