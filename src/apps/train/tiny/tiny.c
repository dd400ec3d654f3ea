/* Activations are in double precision by operations that all machines do alike; gradients are rounded to 2^-32 once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/tiny/tiny.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int width[OVL_TINY_LAYERS + 1] = {12, 24, 24, 4};
static const double fixed = 0x1p32, rate = 0.25;

static size_t weights(int layer)
{
    return (size_t)width[layer] * (size_t)width[layer + 1];
}

static size_t first_of(int layer)
{
    size_t first = 0;
    for (int l = 0; l < layer; l++)
        first += weights(l) + (size_t)width[l + 1];
    return first;
}

void ovl_tiny_model(struct ovl_model *m)
{
    *m = (struct ovl_model){
        .name = "tiny", .types = ovl_number_types_all(&ovl_numbers[OVL_I64]), .sample_bytes = 12 * sizeof(double)};
    m->layers = ovl_check_alloc(calloc(OVL_TINY_LAYERS, sizeof *m->layers));
    m->tensors = ovl_check_alloc(calloc(2 * (size_t)OVL_TINY_LAYERS, sizeof *m->tensors));
    m->layer_count = OVL_TINY_LAYERS;
    m->units = OVL_TINY_LAYERS;
    for (int l = 0; l < OVL_TINY_LAYERS; l++) {
        m->layers[l] = (struct ovl_layer){.macs = (double)weights(l),
                                          .activation_bytes = sizeof(double) * (double)width[l + 1],
                                          .numbers = (double)weights(l) + width[l + 1],
                                          .first = m->tensor_count,
                                          .tensors = 2,
                                          .unit = l};
        m->tensors[m->tensor_count++] = weights(l);
        m->tensors[m->tensor_count++] = (uint64_t)width[l + 1];
        m->numbers += m->layers[l].numbers;
        m->macs += m->layers[l].macs;
    }
}

/* From -1 to 1, of a hash. */
static double drawn(uint64_t what, uint64_t i)
{
    return (double)(ovl_rng_mix(ovl_rng_mix(what) ^ i) >> 11) * 0x1p-52 - 1;
}

static double soft(double x) /* smooth, from -1 to 1 */
{
    return x / (1 + fabs(x));
}

static void start(double *parameters, uint64_t seed)
{
    for (int l = 0; l < OVL_TINY_LAYERS; l++)
        for (size_t i = 0; i < weights(l) + (size_t)width[l + 1]; i++)
            parameters[first_of(l) + i] = drawn(seed, first_of(l) + i) / sqrt(width[l]) * (i < weights(l) ? 1.7 : 0.1);
}

/* One layer for one sample; the last one is linear. */
static void layer_forward(const double *parameters, int layer, const double *in, double *out)
{
    const double *w = parameters + first_of(layer), *bias = w + weights(layer);
    for (int o = 0; o < width[layer + 1]; o++) {
        double sum = bias[o];
        for (int i = 0; i < width[layer]; i++)
            sum += w[o * width[layer] + i] * in[i];
        out[o] = layer + 1 < OVL_TINY_LAYERS ? soft(sum) : sum;
    }
}

void ovl_tiny_start(struct ovl_tiny *t)
{
    start(t->parameters, 1);
}

void ovl_tiny_start_elsewhere(struct ovl_tiny *t, uint64_t number)
{
    start(t->parameters, ovl_rng_mix(number));
}

void ovl_tiny_load_samples(struct ovl_tiny *t, uint64_t step, int rank, int ranks)
{
    double teacher[OVL_TINY_NUMBERS], one[OVL_TINY_WIDEST], other[OVL_TINY_WIDEST];
    start(teacher, 2);
    t->samples = 0;
    t->loss = 0;
    memset(t->gradients, 0, sizeof t->gradients);
    for (int s = rank; s < OVL_TINY_SAMPLES; s += ranks) {
        double *x = t->outputs[t->samples][0];
        for (int i = 0; i < width[0]; i++)
            x[i] = drawn(3 + step * OVL_TINY_SAMPLES + (uint64_t)s, (uint64_t)i);
        layer_forward(teacher, 0, x, one);
        layer_forward(teacher, 1, one, other);
        layer_forward(teacher, 2, other, t->wanted[t->samples++]);
    }
}

void ovl_tiny_forward(struct ovl_tiny *t, int layer)
{
    for (int s = 0; s < t->samples; s++) {
        layer_forward(t->parameters, layer, t->outputs[s][layer], t->outputs[s][layer + 1]);
        double loss = 0;
        for (int o = 0; o < width[OVL_TINY_LAYERS] && layer + 1 == OVL_TINY_LAYERS; o++) {
            double e = t->errors[s][o] = t->outputs[s][layer + 1][o] - t->wanted[s][o];
            loss += e * e / 2;
        }
        t->loss += llround(loss * fixed);
    }
}

void ovl_tiny_backward(struct ovl_tiny *t, int layer)
{
    const double *w = t->parameters + first_of(layer);
    int64_t *g = t->gradients + first_of(layer), *bias = g + weights(layer);
    for (int s = 0; s < t->samples; s++) {
        double before[OVL_TINY_WIDEST] = {0}, *e = t->errors[s];
        const double *in = t->outputs[s][layer];
        for (int o = 0; o < width[layer + 1]; o++) {
            bias[o] += llround(e[o] * fixed);
            for (int i = 0; i < width[layer]; i++) {
                g[o * width[layer] + i] += llround(e[o] * in[i] * fixed);
                before[i] += e[o] * w[o * width[layer] + i];
            }
        }
        for (int i = 0; i < width[layer]; i++) { /* through what is soft: 1 / (1 + |x|)^2 = (1 - |y|)^2 */
            double slope = 1 - fabs(in[i]);
            e[i] = before[i] * slope * slope;
        }
    }
}

void ovl_tiny_update(struct ovl_tiny *t, size_t first, size_t n, const int64_t *sums)
{
    for (size_t i = 0; i < n; i++)
        t->parameters[first + i] -= rate * ((double)sums[i] / fixed / OVL_TINY_SAMPLES);
}

void ovl_tiny_gradients(struct ovl_tiny *t, uint64_t step, int rank, int ranks)
{
    ovl_tiny_load_samples(t, step, rank, ranks);
    for (int l = 0; l < OVL_TINY_LAYERS; l++)
        ovl_tiny_forward(t, l);
    for (int l = OVL_TINY_LAYERS; l-- > 0;)
        ovl_tiny_backward(t, l);
}

void ovl_tiny_exact(struct ovl_tiny *t, uint64_t step, int ranks, double sums[OVL_TINY_NUMBERS],
                    double sizes[OVL_TINY_NUMBERS])
{
    for (int i = 0; i < OVL_TINY_NUMBERS; i++)
        sums[i] = sizes[i] = 0;
    for (int r = 0; r < ranks && r < OVL_TINY_SAMPLES; r++) { /* further ranks have no samples */
        ovl_tiny_gradients(t, step, r, ranks);
        for (int i = 0; i < OVL_TINY_NUMBERS; i++) {
            sums[i] += (double)t->gradients[i] / fixed;
            sizes[i] += fabs((double)t->gradients[i] / fixed);
        }
    }
}

void ovl_tiny_floats(const int64_t *from, size_t n, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)((double)from[i] / fixed);
}

void ovl_tiny_fixed(const float *from, size_t n, int64_t *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = fabsf(from[i]) < 0x1p30f ? llround((double)from[i] * fixed) : 0;
}

void ovl_tiny_serial(struct ovl_tiny *t, uint64_t step)
{
    ovl_tiny_gradients(t, step, 0, 1);
    ovl_tiny_update(t, 0, OVL_TINY_NUMBERS, t->gradients);
}

double ovl_tiny_mean(int64_t loss)
{
    return (double)loss / fixed / OVL_TINY_SAMPLES;
}
