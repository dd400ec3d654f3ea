/* Another clock as a line over one's own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/start/clock_model.h"

#include <math.h>

static const int64_t points_apart = 10000000; /* ns */

/* Times are taken relative to the model's origin, so that doubles hold them to far under 1 ns. */
static double since(const struct ovl_clock_model *model, int64_t own)
{
    return (double)(own - model->at);
}

int64_t ovl_clock_model_other(const struct ovl_clock_model *model, int64_t own)
{
    if (model->points == 0)
        return own;
    return own + model->base + llround(model->offset + model->rate * since(model, own));
}

int64_t ovl_clock_model_own(const struct ovl_clock_model *model, int64_t other)
{
    if (model->points == 0)
        return other;
    double apart = (double)(other - model->base - model->at); /* own - at + offset + rate (own - at) */
    return model->at + llround((apart - model->offset) / (1 + model->rate));
}

static size_t held(const struct ovl_clock_model *model)
{
    return model->points < OVL_CLOCK_POINTS ? model->points : OVL_CLOCK_POINTS;
}

int64_t ovl_clock_model_quickest(const struct ovl_clock_model *model)
{
    int64_t quickest = INT64_MAX;
    for (size_t i = 0; i < held(model); i++)
        if (model->point[i].round_trip < quickest)
            quickest = model->point[i].round_trip;
    return quickest;
}

/* How much a point counts. What its round trip took longer than the quickest may all lie on one way; and no point is
   better than some tens of ns or a twentieth of the trip. */
static double weight(const struct ovl_clock_point *p, int64_t quickest)
{
    double error = 20 + 0.05 * (double)quickest + (double)(p->round_trip - quickest) / 2;
    return 1 / (error * error);
}

/* Weighted least squares about the mean, with the newest point as the origin. */
static void fit(struct ovl_clock_model *model, const struct ovl_clock_point *newest)
{
    int64_t quickest = ovl_clock_model_quickest(model);
    double sum = 0, mean_t = 0, mean_x = 0, tt = 0, tx = 0;
    model->at = newest->at;
    model->base = newest->offset;
    for (size_t i = 0; i < held(model); i++) {
        const struct ovl_clock_point *p = &model->point[i];
        double w = weight(p, quickest);
        sum += w;
        mean_t += w * since(model, p->at);
        mean_x += w * (double)(p->offset - model->base);
    }
    mean_t /= sum;
    mean_x /= sum;
    for (size_t i = 0; i < held(model); i++) {
        const struct ovl_clock_point *p = &model->point[i];
        double w = weight(p, quickest), t = since(model, p->at) - mean_t;
        tt += w * t * t;
        tx += w * t * ((double)(p->offset - model->base) - mean_x);
    }
    model->rate = tt > 0 ? tx / tt : 0;
    model->offset = mean_x - model->rate * mean_t;
}

double ovl_clock_model_add(struct ovl_clock_model *model, const struct ovl_clock_point *point)
{
    int64_t predicted = ovl_clock_model_other(model, point->at);
    double missed = model->points ? fabs((double)(point->at + point->offset - predicted)) : 0;
    struct ovl_clock_point *last = &model->point[(model->points + OVL_CLOCK_POINTS - 1) % OVL_CLOCK_POINTS];
    if (model->points == 0 || point->at - last->at >= points_apart)
        model->point[model->points++ % OVL_CLOCK_POINTS] = *point;
    else if (point->round_trip < last->round_trip)
        *last = *point;
    fit(model, point);
    return missed;
}
