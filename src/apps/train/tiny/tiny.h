/* A small network that really learns: three layers, a teacher's answers to learn, and gradients in fixed point, so that
   their sum over samples and ranks is exact in any order. Whoever sums them, the parameters after a step are the same
   to the last bit. Pure: no MPI, and no function of libm, whose last bits differ between machines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_APPS_TRAIN_TINY_TINY_H
#define OVL_APPS_TRAIN_TINY_TINY_H

#include "apps/train/strategy/model.h"

enum {
    OVL_TINY_LAYERS = 3,
    OVL_TINY_WIDEST = 24,
    OVL_TINY_NUMBERS = 13 * 24 + 25 * 24 + 25 * 4, /* 12 inputs, 24, 24, 4 outputs; a bias each */
    OVL_TINY_SAMPLES = 24,                         /* of a step of all ranks, whatever their number */
    OVL_TINY_LARGEST = 256,                        /* no sum of gradients comes to it */
};

struct ovl_tiny {
    double parameters[OVL_TINY_NUMBERS]; /* layer by layer: its weights, row by row, then its biases */
    int64_t gradients[OVL_TINY_NUMBERS]; /* sums over this rank's samples, times 2^32 */
    int64_t loss;                        /* sum over this rank's samples, times 2^32 */
    int samples;
    double outputs[OVL_TINY_SAMPLES][OVL_TINY_LAYERS + 1][OVL_TINY_WIDEST]; /* [0]: the input */
    double wanted[OVL_TINY_SAMPLES][OVL_TINY_WIDEST];
    double errors[OVL_TINY_SAMPLES][OVL_TINY_WIDEST]; /* at the output of the layer that goes backwards next */
};

/* Its layers and tensors, as a file would have them; numbers of 8 bytes. As ovl_model_load. */
void ovl_tiny_model(struct ovl_model *model);

/* The parameters before any training. */
void ovl_tiny_start(struct ovl_tiny *t);
/* Parameters of that number, each of which has others. */
void ovl_tiny_start_elsewhere(struct ovl_tiny *t, uint64_t number);
/* Takes up a rank's samples of a step: every ranks-th one. */
void ovl_tiny_load_samples(struct ovl_tiny *t, uint64_t step, int rank, int ranks);
/* A layer forwards, the last one with the loss; and backwards, the last one first, which adds to its gradients. */
void ovl_tiny_forward(struct ovl_tiny *t, int layer);
void ovl_tiny_backward(struct ovl_tiny *t, int layer);
/* All of it: the sums of a rank's samples at the present parameters. */
void ovl_tiny_gradients(struct ovl_tiny *t, uint64_t step, int rank, int ranks);
/* The exact sums over all ranks, and those of their sizes, which are none below 0. Changes the gradients. */
void ovl_tiny_exact(struct ovl_tiny *t, uint64_t step, int ranks, double sums[OVL_TINY_NUMBERS],
                    double sizes[OVL_TINY_NUMBERS]);
/* Updates `n` parameters from `first` on by the sums of all ranks' gradients. */
void ovl_tiny_update(struct ovl_tiny *t, size_t first, size_t n, const int64_t *sums);

/* Gradients as numbers of single precision, and back: where one is none, or beyond 2^30, 0 comes back. */
void ovl_tiny_floats(const int64_t *from, size_t n, float *to);
void ovl_tiny_fixed(const float *from, size_t n, int64_t *to);

/* A whole step by one process, without any plan: what all others must come to. */
void ovl_tiny_serial(struct ovl_tiny *t, uint64_t step);

/* The mean loss of a sample, of a sum over all samples. */
double ovl_tiny_mean(int64_t loss);

#endif
