/* fma: multiply-adds on values that stay in registers; takes core time and no memory bandwidth. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kernel.h"

/* One unit is a multiply-add of each of eight values, 16 flops: short (about 1 ns), because a unit must be at most 1 %
   of the work of a cell, and the smallest messages take a few hundred nanoseconds.

   A step makes two units on 16 values that do not depend on each other, in eight registers. A core begins two fused
   multiply-adds a cycle, and each takes four, so that eight at a time leave no room: what a sibling thread computes
   shows as time that this one loses. */
enum { PAIRS = 8 };

typedef double pair __attribute__((vector_size(16)));

struct values {
    pair x[PAIRS];
    uint64_t half; /* of a step is done: it is the other one's turn */
};

static void fma_prepare(void *scratch)
{
    struct values *v = scratch;
    for (int i = 0; i < PAIRS; i++)
        v->x[i] = (pair){1.0 + 2 * i, 2.0 + 2 * i};
    v->half = 0;
}

/* The values converge to c / (1 - m) = 2: no overflow and no denormal, however long the run. */
#define FIRST_HALF(f)  a0 = f(a0, m, c), a1 = f(a1, m, c), a2 = f(a2, m, c), a3 = f(a3, m, c)
#define SECOND_HALF(f) a4 = f(a4, m, c), a5 = f(a5, m, c), a6 = f(a6, m, c), a7 = f(a7, m, c)
#define DEFINE_RUN(name, attribute, multiply_add)                                                                      \
    attribute static void name(struct values *v, uint64_t units)                                                       \
    {                                                                                                                  \
        const pair m = {0.999999, 0.999999}, c = {2e-6, 2e-6};                                                         \
        pair a0 = v->x[0], a1 = v->x[1], a2 = v->x[2], a3 = v->x[3];                                                   \
        pair a4 = v->x[4], a5 = v->x[5], a6 = v->x[6], a7 = v->x[7];                                                   \
        if (units > 0 && v->half) {                                                                                    \
            SECOND_HALF(multiply_add);                                                                                 \
            units--, v->half = 0;                                                                                      \
        }                                                                                                              \
        for (uint64_t u = 0; u < units / 2; u++) {                                                                     \
            FIRST_HALF(multiply_add);                                                                                  \
            SECOND_HALF(multiply_add);                                                                                 \
        }                                                                                                              \
        if (units % 2 == 1) {                                                                                          \
            FIRST_HALF(multiply_add);                                                                                  \
            v->half = 1;                                                                                               \
        }                                                                                                              \
        v->x[0] = a0, v->x[1] = a1, v->x[2] = a2, v->x[3] = a3;                                                        \
        v->x[4] = a4, v->x[5] = a5, v->x[6] = a6, v->x[7] = a7;                                                        \
    }

#if defined __x86_64__
#include <immintrin.h>

#define IN_TWO(a, m, c) ((a) * (m) + (c))
DEFINE_RUN(run_in_two, , IN_TWO)
DEFINE_RUN(run_fused, __attribute__((target("fma"))), _mm_fmadd_pd)

static void fma_run(void *scratch, uint64_t units)
{
    (__builtin_cpu_supports("fma") ? run_fused : run_in_two)(scratch, units);
}
#else
#if defined __aarch64__
#include <arm_neon.h>
#define MULTIPLY_ADD(a, m, c) ((pair)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(m)))
#else
#define MULTIPLY_ADD(a, m, c) ((a) * (m) + (c))
#endif
DEFINE_RUN(run_pairs, , MULTIPLY_ADD)

static void fma_run(void *scratch, uint64_t units)
{
    run_pairs(scratch, units);
}
#endif

const struct ovl_kernel ovl_kernel_fma = {
    .name = "fma",
    .summary = "multiply-adds in registers, which fill the core; a unit is 16 flops",
    .flops_per_unit = 16,
    .scratch_bytes = sizeof(struct values),
    .prepare = fma_prepare,
    .run = fma_run,
};
