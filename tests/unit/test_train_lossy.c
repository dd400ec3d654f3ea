/* Sums of compressed gradients, by pieces and as numbers of two bytes: what becomes of them stays within the bounds
   that are said, and what is beyond them is seen. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/gradients.h"
#include "apps/train/tiny/tiny.h"
#include "base/rng.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const ways[] = {"szx:0.01", "szx:0.9", "szx:40", "fp16", "bf16"};
enum { WAYS = sizeof ways / sizeof *ways, MOST = 1500, RANKS = 17 };

static struct ovl_gradients drawn; /* of no file */
static float from[RANKS][MOST], sum[MOST];
static unsigned char packed[RANKS][8 * MOST];

/* As all ranks play it by pieces. Returns the bytes of the pieces. */
static size_t add_by_pieces(const struct ovl_lossy *l, size_t n, int ranks)
{
    static double room[MOST];
    static unsigned char arrived[8 * MOST];
    int counts[RANKS], bytes[RANKS][RANKS], at[RANKS][RANKS], places[RANKS], sizes_here[RANKS], one, none;
    size_t all = 0;
    float *to = sum;
    for (int r = 0; r < ranks; r++)
        counts[r] = (int)(n / (size_t)ranks + ((size_t)r < n % (size_t)ranks));
    for (int r = 0; r < ranks; r++)
        all += ovl_lossy_pack(l, from[r], counts, ranks, &(struct ovl_lossy_pieces){packed[r], bytes[r], at[r]});
    for (int r = 0; r < ranks; to += counts[r++]) { /* what rank r adds up and sends to all */
        int end = 0;
        for (int s = 0; s < ranks; end += bytes[s++][r]) {
            memcpy(arrived + end, packed[s] + at[s][r], (size_t)bytes[s][r]);
            places[s] = end;
            sizes_here[s] = bytes[s][r];
        }
        ovl_lossy_add(l, &(struct ovl_lossy_pieces){arrived, sizes_here, places}, ranks, (size_t)counts[r], room, to);
        ovl_lossy_pack(l, to, &counts[r], 1, &(struct ovl_lossy_pieces){arrived, &one, &none});
        ovl_lossy_expand(l, arrived, one, to, (size_t)counts[r]);
        if (counts[r] > 0 && r == ranks - 1) { /* a damaged piece is none */
            float lost[MOST];
            ovl_lossy_expand(l, arrived, one - 1, lost, (size_t)counts[r]);
            ck_assert(isnan(lost[0]));
        }
    }
    return all;
}

/* Halves are added in an order that is drawn, in pairs, as a tree does, or one after the other, as a ring does. */
static size_t add_halves(const struct ovl_lossy *l, size_t n, int ranks, struct ovl_rng *rng)
{
    int left = ranks;
    for (int r = 0; r < ranks; r++)
        ovl_lossy_to_means(l, from[r], n, ranks, packed[r]);
    for (; left > 1; left--) {
        int to = rng ? (int)ovl_rng_below(rng, (uint32_t)left - 1) : left - 2;
        l->halves->sum(packed[to], packed[left - 1], n);
    }
    ovl_lossy_of_means(l, packed[0], n, ranks, sum);
    return n * l->halves->bytes * (size_t)ranks;
}

/* For 1 to 17 ranks and sizes that leave ranks without a piece: no sum is beyond its bound, compression saves
   something, and what is beyond it is seen. */
LOOP_TEST(compressed_sums_keep_their_bound, 0, WAYS)
{
    static const size_t sizes[] = {1, 13, 256, MOST};
    struct ovl_lossy l;
    struct ovl_rng rng = ovl_rng_seeded(5);
    ck_assert_int_eq(ovl_lossy_parse(ways[_i], &l, &err), 0);
    ck_assert(ovl_lossy_on(&l) && !l.compressor == (_i >= 3));
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int ranks = 1; ranks <= RANKS; ranks++) {
            size_t n = sizes[k];
            double largest = 0;
            for (int r = 0; r < ranks; r++)
                ovl_gradients_fill(&drawn, from[r], n, 0, 77, r);
            size_t all = l.halves ? add_halves(&l, n, ranks, ranks % 2 ? &rng : NULL) : add_by_pieces(&l, n, ranks);
            for (int rank = 0; rank < ranks; rank++)
                ck_assert_uint_eq(ovl_gradients_misses(&drawn, &l, sum, n, 77, rank, ranks, &largest), 0);
            ck_assert(n < MOST || all < (size_t)ranks * n * sizeof(float));
            ck_assert(n < MOST || largest > 0);
            size_t seen = 0;
            struct ovl_lossy_error e = ovl_lossy_error(&l, ranks);
            sum[n / 2] += (float)(2.2 * (e.absolute + e.relative * 20 * ranks) + 1e-3);
            for (int rank = 0; rank < ranks; rank++)
                seen += ovl_gradients_misses(&drawn, &l, sum, n, 77, rank, ranks, &largest);
            ck_assert_uint_ge(seen, 1); /* up to eight ranks by all, then by eight */
            ck_assert_uint_eq(seen, (size_t)(ranks < OVL_GRADIENTS_LOOKED ? ranks : OVL_GRADIENTS_LOOKED));
            sum[n / 2] = NAN;
            size_t missed = 0;
            for (int rank = 0; rank < ranks; rank++)
                missed += ovl_gradients_misses(&drawn, &l, sum, n, 77, rank, ranks, &largest);
            ck_assert_uint_eq(missed, seen);
        }
}

/* Zero-centred and peaked, other ones at each rank and with each key, and with fractions of all bits. */
TEST(drawn_gradients_are_those_of_laplace)
{
    enum { N = 100000 };
    static float x[N], y[N], part[N];
    double mean = 0, size = 0, both = 0, largest = 0;
    size_t small = 0, whole = 0;
    uint32_t last = 0;
    ovl_gradients_fill(&drawn, x, N, 0, 3, 0);
    ovl_gradients_fill(&drawn, y, N, 0, 3, 1);
    ovl_gradients_fill(&drawn, part, N - 1000, 1000, 3, 0);
    ck_assert_mem_eq(part, x + 1000, (N - 1000) * sizeof *x);
    for (size_t i = 0; i < N; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        mean += (double)x[i] / N;
        size += fabs((double)x[i]) / N;
        both += (double)x[i] * (double)y[i] / N;
        small += fabs((double)x[i]) < 0.1;
        whole += (bits & 0xfff) == 0;
        last |= bits;
        largest = fmax(largest, fabs((double)x[i]));
    }
    ck_assert(fabs(mean) < 0.03 && fabs(both) < 0.05); /* standard errors: 0.0045, 0.0063 */
    ck_assert_double_eq_tol(size, 1, 0.02);
    ck_assert_double_eq_tol((double)small / N, 1 - exp(-0.1), 0.01);
    ck_assert(largest > 8 && largest < 16.7);
    ck_assert(whole < N / 100 && (last & 0xffff) == 0xffff);
    ovl_gradients_fill(&drawn, y, N, 0, 4, 0);
    ck_assert(memcmp(x, y, sizeof x) != 0);
    for (size_t i = 0; i < N; i++) /* and no such file is beyond numbers of two bytes */
        ck_assert(fabs((double)x[i]) < 16.7);
}

static void write_file(char *name, const void *data, size_t bytes)
{
    strcpy(name, "gradients-XXXXXX");
    int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, data, bytes), (ssize_t)bytes);
    close(fd);
}

TEST(gradients_of_a_file)
{
    enum { N = 3000 };
    static float x[N], got[2 * N], other[N];
    struct ovl_gradients g;
    char name[32];
    for (int i = 0; i < N; i++)
        x[i] = (float)(i - 1000) / 7;
    write_file(name, x, sizeof x);
    ck_assert_int_eq(ovl_gradients_read(&g, name, &err), 0);
    ck_assert_uint_eq(g.count, N);
    ck_assert_double_eq(g.most, (double)x[N - 1]);
    ovl_gradients_fill(&g, got, 2 * N, 0, 9, 1);
    size_t at = (size_t)(got[0] * 7 + 1000.5f);
    for (size_t i = 0; i < 2 * N; i++)
        ck_assert(got[i] == x[(at + i) % N]);
    ovl_gradients_fill(&g, other, N, 17, 9, 1);
    ck_assert_mem_eq(other, got + 17, sizeof other);
    ovl_gradients_fill(&g, other, N, 0, 9, 2);
    ck_assert(other[0] != got[0]);
    ck_assert_int_eq(ovl_gradients_fit(&g, name, N, &err), 0);
    ck_assert_int_eq(ovl_gradients_fit(&g, name, N + 1, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ovl_gradients_free(&g);
    unlink(name);

    x[1234] = NAN;
    write_file(name, x, sizeof x);
    ck_assert_int_eq(ovl_gradients_read(&g, name, &err), -1);
    ck_assert(err.code == OVL_WRONG_DATA && strstr(err.text, "number 1234, at byte 4936, is none"));
    unlink(name);
    x[1234] = -INFINITY;
    write_file(name, x, sizeof x);
    ck_assert_int_eq(ovl_gradients_read(&g, name, &err), -1);
    ck_assert(err.code == OVL_WRONG_DATA && strstr(err.text, "number 1234, at byte 4936, is infinite"));
    unlink(name);
    write_file(name, x, 4001);
    ck_assert_int_eq(ovl_gradients_read(&g, name, &err), -1);
    ck_assert(err.code == OVL_WRONG_DATA && strstr(err.text, "ends inside number 1000, after 4001 bytes"));
    unlink(name);
    ck_assert_int_eq(ovl_gradients_read(&g, name, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    write_file(name, x, 0);
    ck_assert_int_eq(ovl_gradients_read(&g, name, &err), 0);
    ck_assert_int_eq(ovl_gradients_fit(&g, name, 1, &err), -1);
    ovl_gradients_free(&g);
    unlink(name);
}

/* What three ranks of --tiny do with compressed gradients: each sum within its bound, which sees what is beyond it, and
   the network learns. */
LOOP_TEST(compressed_gradients_still_learn, 0, 4)
{
    enum { TINY_RANKS = 3, STEPS = 50, N = OVL_TINY_NUMBERS };
    static const char *const how[] = {"szx:0.001", "szx:0.05", "fp16", "bf16"};
    static struct ovl_tiny rank, before;
    static float values[TINY_RANKS][N], sums[N];
    static double exact[N], sizes[N], all[N];
    static unsigned char halves[TINY_RANKS][8 * N];
    static int64_t fixed[N];
    double first = 0, last = 0, largest = 0;
    int count = N, bytes, at, missed = 0, seen = 0;
    struct ovl_lossy l;
    ck_assert_int_eq(ovl_lossy_parse(how[_i], &l, &err), 0);
    ovl_tiny_start(&rank);
    for (uint64_t step = 0; step < STEPS; step++) {
        int64_t loss = 0;
        memset(all, 0, sizeof all);
        memcpy(before.parameters, rank.parameters, sizeof rank.parameters);
        for (int r = 0; r < TINY_RANKS; r++) {
            ovl_tiny_gradients(&rank, step, r, TINY_RANKS);
            loss += rank.loss;
            ovl_tiny_floats(rank.gradients, N, values[r]);
            if (l.halves) {
                ovl_lossy_to_means(&l, values[r], N, TINY_RANKS, halves[r]);
                continue;
            }
            ovl_lossy_pack(&l, values[r], &count, 1, &(struct ovl_lossy_pieces){halves[r], &bytes, &at});
            ovl_lossy_expand(&l, halves[r], bytes, values[r], N);
            for (int i = 0; i < N; i++)
                all[i] += (double)values[r][i];
        }
        if (l.halves) {
            for (int r = 1; r < TINY_RANKS; r++)
                l.halves->sum(halves[0], halves[r], N);
            ovl_lossy_of_means(&l, halves[0], N, TINY_RANKS, sums);
        } else {
            for (int i = 0; i < N; i++)
                sums[i] = (float)all[i];
            ovl_lossy_pack(&l, sums, &count, 1, &(struct ovl_lossy_pieces){halves[0], &bytes, &at});
            ovl_lossy_expand(&l, halves[0], bytes, sums, N);
        }
        ovl_tiny_exact(&before, step, TINY_RANKS, exact, sizes);
        for (int i = 0; i < N; i++) {
            double most = ovl_lossy_error_of(&l, TINY_RANKS, sizes[i]);
            missed += !(fabs((double)sums[i] - exact[i]) <= most);
            seen += !(fabs((double)sums[i] + 2.1 * most + 1e-6 - exact[i]) <= most);
            largest = fmax(largest, sizes[i]);
        }
        ovl_tiny_fixed(sums, N, fixed);
        ovl_tiny_update(&rank, 0, N, fixed);
        last = ovl_tiny_mean(loss);
        first = step == 0 ? last : first;
    }
    ck_assert_int_eq(missed, 0);
    ck_assert_int_eq(seen, STEPS * N);
    ck_assert_double_lt(last, first / 2);
    ck_assert_double_lt(largest, OVL_TINY_LARGEST);
    values[0][0] = NAN;
    values[0][1] = INFINITY;
    ovl_tiny_fixed(values[0], 2, fixed);
    ck_assert(fixed[0] == 0 && fixed[1] == 0);
}

/* Means, of which no sum is larger: as large a number at any number of ranks. */
TEST(halves_have_no_limit_of_ranks)
{
    struct ovl_lossy l;
    float large[2] = {65504, -65504}, back[2];
    uint16_t means[2], all[2] = {0, 0};
    ck_assert_int_eq(ovl_lossy_parse("fp16", &l, &err), 0);
    for (int r = 0; r < 1000; r++) {
        ovl_lossy_to_means(&l, large, 2, 1000, means);
        l.halves->sum(all, means, 2);
    }
    ovl_lossy_of_means(&l, all, 2, 1000, back);
    ck_assert(isfinite(back[0]) && isfinite(back[1]));
    ck_assert(fabs((double)back[0] - 65504e3) <= ovl_lossy_error_of(&l, 1000, 65504e3));
}

TEST(words_for_compression)
{
    static const char *const wrong[] = {"szx", "szx:", "szx:0", "szx:-1", "szx:nan", "szx:1x", "szx:inf", "fp8", ""};
    struct ovl_lossy l;
    ck_assert_int_eq(ovl_lossy_parse("none", &l, &err), 0);
    ck_assert(!ovl_lossy_on(&l));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(ovl_lossy_parse(wrong[i], &l, &err) == -1, "%s", wrong[i]);
        ck_assert_int_eq(err.code, OVL_USAGE);
    }
    ck_assert_int_eq(ovl_lossy_parse("fp16", &l, &err), 0);
    ck_assert_int_eq(ovl_lossy_check_range(&l, 65504, "--gradients x", &err), 0);
    ck_assert_int_eq(ovl_lossy_check_range(&l, 65505, "--gradients x", &err), -1);
    ck_assert_int_eq(ovl_lossy_parse("bf16", &l, &err), 0);
    ck_assert_int_eq(ovl_lossy_check_range(&l, 1e38, "--gradients x", &err), 0);
}
