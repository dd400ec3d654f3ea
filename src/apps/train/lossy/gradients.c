/* Numbers follow from key, rank and place, so that any rank can make any other's and check all sums. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/gradients.h"
#include "apps/train/values/data.h"
#include "base/input_file.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "kernels/float_bits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 256, FILE_MOST = 1 << 27 /* numbers, of half a GiB */ };

/* Reads on to the end. */
static int read_all(struct ovl_gradients *g, FILE *in, const char *file, size_t *bytes, struct ovl_error *err)
{
    size_t room = 1 << 16, got = 1;
    for (*bytes = 0; got > 0; *bytes += got) {
        if (*bytes == room && room == (size_t)FILE_MOST * sizeof *g->file)
            return ovl_error_set(err, OVL_WRONG_DATA, "--gradients %s: over %d numbers: is it the right file?", file,
                                 FILE_MOST);
        room = *bytes == room || !g->file ? 2 * room : room;
        g->file = ovl_check_alloc(realloc(g->file, room));
        got = fread((char *)g->file + *bytes, 1, room - *bytes, in);
    }
    return ferror(in) ? ovl_error_set(err, OVL_ENVIRONMENT, "--gradients %s: cannot read: %s", file, strerror(errno))
                      : 0;
}

static int look_at(struct ovl_gradients *g, const char *file, size_t bytes, struct ovl_error *err)
{
    char sha256[OVL_SHA256_TEXT];
    g->count = bytes / sizeof *g->file;
    if (bytes % sizeof *g->file)
        return ovl_error_set(err, OVL_WRONG_DATA, "--gradients %s: ends inside number %zu, after %zu bytes", file,
                             g->count, bytes);
    for (size_t i = 0; i < g->count; i++) {
        if (!isfinite(g->file[i]))
            return ovl_error_set(err, OVL_WRONG_DATA, "--gradients %s: number %zu, at byte %zu, is %s", file, i,
                                 i * sizeof *g->file, isnan(g->file[i]) ? "none" : "infinite");
        g->most = fmax(g->most, fabs((double)g->file[i]));
    }
    ovl_sha256_bytes(g->file, bytes, sha256);
    ovl_input_keep_digest("gradients", sha256);
    return 0;
}

int ovl_gradients_read(struct ovl_gradients *g, const char *file, struct ovl_error *err)
{
    size_t bytes;
    FILE *in = ovl_input_file_open(file);
    *g = (struct ovl_gradients){.count = 0};
    if (!in)
        return ovl_error_set(err, OVL_ENVIRONMENT, "--gradients %s: cannot read: %s", file, ovl_input_file_why(errno));
    int rc = read_all(g, in, file, &bytes, err);
    fclose(in);
    if (rc == 0)
        rc = look_at(g, file, bytes, err);
    if (rc != 0)
        ovl_gradients_free(g);
    return rc;
}

void ovl_gradients_free(struct ovl_gradients *g)
{
    free(g->file);
    *g = (struct ovl_gradients){.count = 0};
}

int ovl_gradients_fit(const struct ovl_gradients *g, const char *file, size_t largest, struct ovl_error *err)
{
    if (!g->file || (g->count >= largest && g->count > 0))
        return 0;
    return ovl_error_set(err, OVL_USAGE,
                         "--gradients %s: has %zu numbers, and the largest message %zu; give a larger file, or "
                         "--scale-bytes",
                         file, g->count, largest);
}

/* The last steps of MurmurHash3 (A. Appleby, public domain): each bit of the outcome hangs on each of x. */
static inline uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

/* -ln(u) of a number u drawn in steps of 2^-24, with a sign. The logarithm of its mantissa is a polynomial, good to
   1e-4, that is the same on any machine. */
static inline float drawn_gradient(uint32_t word)
{
    const float ln2 = 0.69314718f;
    uint32_t bits = ovl_float_bits((float)(int32_t)(word >> 8 | 1));
    float m = ovl_float_of((bits & 0x7fffff) | 0x3f800000), exponent = (float)(int32_t)(bits >> 23) - 127;
    float ln_m = -1.7417939f + m * (2.8212026f + m * (-1.4699568f + m * (0.44717955f - m * 0.056570851f)));
    return ovl_float_of(ovl_float_bits((24 - exponent) * ln2 - ln_m) ^ (word << 31));
}

void ovl_gradients_fill(const struct ovl_gradients *g, float *to, size_t n, size_t first, uint64_t key, int rank)
{
    const uint32_t odd = 0x9e3779b1, drawn = ovl_train_data_drawn(key, rank);
    if (!g->file) {
        for (size_t i = 0; i < n; i++)
            to[i] = drawn_gradient(mixed((uint32_t)(first + i) * odd + drawn));
        return;
    }
    size_t at = (ovl_rng_mix(key ^ ovl_rng_mix((uint64_t)rank + 1)) + first) % g->count;
    for (size_t i = 0, now; i < n; i += now, at = 0) {
        now = n - i < g->count - at ? n - i : g->count - at;
        memcpy(to + i, g->file + at, now * sizeof *to);
    }
}

/* Does the rank look at that round of sums? */
static bool looks(size_t round, uint64_t key, int rank, int ranks)
{
    return ranks <= OVL_GRADIENTS_LOOKED ||
           (round + (key >> 40) + (uint64_t)rank) % (uint64_t)ranks < OVL_GRADIENTS_LOOKED;
}

size_t ovl_gradients_misses(const struct ovl_gradients *g, const struct ovl_lossy *l, const float *got, size_t n,
                            uint64_t key, int rank, int ranks, double *largest)
{
    size_t missed = 0;
    for (size_t first = 0; first < n; first += ROUND) {
        double sums[ROUND] = {0}, sizes[ROUND] = {0};
        float one[ROUND];
        size_t now = n - first < ROUND ? n - first : ROUND;
        if (!looks(first / ROUND, key, rank, ranks))
            continue;
        for (int r = 0; r < ranks; r++) {
            ovl_gradients_fill(g, one, now, first, key, r);
            for (size_t k = 0; k < now; k++) {
                sums[k] += (double)one[k];
                sizes[k] += fabs((double)one[k]);
            }
        }
        for (size_t k = 0; k < now; k++) {
            double off = fabs((double)got[first + k] - sums[k]);
            missed += !(off <= ovl_lossy_error_of(l, ranks, sizes[k]));
            *largest = off > *largest ? off : *largest;
        }
    }
    return missed;
}
