/* ranks: 1 2 3 */
/* Compressed allreduces, several under way: their stages follow each other by tests alone, in which ranks look in
   orders of their own; and by posts, waits and blocking calls. Each sum is within its bound. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/lossy/gradients.h"
#include "apps/train/lossy/lossy_allreduce.h"
#include "apps/train/number_ops.h"
#include "base/rng.h"
#include "tests/mpi/mpi_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IDS = 5, LARGEST = 20000 };
static const size_t sizes[IDS] = {LARGEST, 1, 2, 130, 5000};

static const struct ovl_mode *host;
static int rank, ranks, tests, waits;
static struct ovl_gradients drawn;
static struct ovl_exchange whole[IDS];
static struct ovl_lossy_allreduces all;
static struct ovl_lossy_channels channels;
static void *room[IDS];

static void post(struct ovl_exchange *x)
{
    host->post(x);
}

/* A rank looks at its operations when it is drawn, and often finds that they have not ended, though they may have. */
static bool test(struct ovl_exchange *x)
{
    static struct ovl_rng rng;
    if (tests++ == 0)
        rng = ovl_rng_seeded((uint64_t)rank);
    return ovl_rng_below(&rng, 3) == 0 && host->test(x);
}

static void wait(struct ovl_exchange *x)
{
    waits++;
    host->wait(x);
}

static const struct ovl_mode lazy = {.name = "lazy", .post = post, .test = test, .wait = wait};

static void open_all(const char *how)
{
    struct ovl_error err;
    all = (struct ovl_lossy_allreduces){.count = IDS};
    EXPECT(ovl_lossy_parse(how, &all.lossy, &err) == 0);
    ovl_lossy_channels_open(&channels, IDS, MPI_COMM_WORLD);
    if (all.lossy.halves)
        ovl_number_mpi(all.lossy.halves, &all.type, &all.sum);
    all.list = calloc(IDS, sizeof *all.list);
    all.under_way = calloc(IDS, sizeof *all.under_way);
    for (int id = 0; id < IDS; id++) {
        struct ovl_exchange *x = &whole[id];
        *x = (struct ovl_exchange){.comm = MPI_COMM_WORLD,
                                   .rank = rank,
                                   .ranks = ranks,
                                   .in = ranks,
                                   .out = ranks,
                                   .count = (int)sizes[id],
                                   .element = sizeof(float),
                                   .size = sizes[id] * sizeof(float),
                                   .send = calloc(sizes[id], sizeof(float)),
                                   .recv = calloc(sizes[id], sizeof(float)),
                                   .request = MPI_REQUEST_NULL};
        room[id] = calloc(1, ovl_lossy_allreduce_bytes(&all.lossy, sizes[id], ranks) + 64);
        ovl_lossy_allreduce_open(&all, id, x, channels.list[id], room[id]);
    }
}

static void close_all(void)
{
    for (int id = 0; id < IDS; id++) {
        free(whole[id].send);
        free(whole[id].recv);
        free(room[id]);
    }
    ovl_lossy_allreduce_close(&all);
    ovl_lossy_channels_close(&channels);
    ovl_number_ops_free();
}

static void fill(int id, uint64_t key)
{
    memset(whole[id].recv, 0xee, whole[id].size);
    ovl_gradients_fill(&drawn, whole[id].send, sizes[id], 0, key + (uint64_t)id, rank);
}

static void expect_sums(int id, uint64_t key)
{
    double largest = 0;
    EXPECT(ovl_gradients_misses(&drawn, &all.lossy, whole[id].recv, sizes[id], key + (uint64_t)id, rank, ranks,
                                &largest) == 0);
}

/* Posted in one order; then each rank looks at one after the other, from another one on. */
static void by_tests(uint64_t key)
{
    int left = IDS;
    bool done[IDS] = {false};
    waits = 0;
    for (int id = 0; id < IDS; id++) {
        fill(id, key);
        ovl_lossy_allreduce_post(&all, id, &lazy);
    }
    for (int id = rank % IDS; left > 0; id = (id + 1 + rank) % IDS)
        for (int k = 0; k < IDS && left > 0; k++) {
            int one = (id + k) % IDS;
            if (!done[one] && ovl_lossy_allreduce_test(&all, one, &lazy)) {
                done[one] = true;
                left--;
            }
        }
    EXPECT(waits == 0 && all.waiting == 0);
    for (int id = 0; id < IDS; id++)
        expect_sums(id, key);
}

/* With progress between, as where work begins; a slot is used again at once. */
static void by_waits(uint64_t key)
{
    for (int again = 0; again < 3; again++)
        for (int id = 0; id < IDS; id++) {
            int before = (id + IDS - 2) % IDS;
            bool under_way = again > 0 || id >= 2;
            ovl_lossy_allreduces_progress(&all, &lazy);
            fill(id, key);
            ovl_lossy_allreduce_post(&all, id, &lazy);
            if (under_way) {
                ovl_lossy_allreduce_wait(&all, before, &lazy);
                expect_sums(before, key);
            }
        }
    for (int id = IDS - 2; id < IDS; id++) {
        ovl_lossy_allreduce_wait(&all, id, &lazy);
        expect_sums(id, key);
    }
    EXPECT(all.waiting == 0);
}

static void by_blocking_calls(uint64_t key)
{
    for (int id = 0; id < IDS; id++) {
        fill(id, key);
        ovl_lossy_allreduce_blocking(&all, id);
        expect_sums(id, key);
    }
}

/* What the calls sent to others, and what it would have been. */
static void expect_ratio(void)
{
    double ratio = ovl_lossy_ratio(&all.cost);
    if (ranks == 1)
        EXPECT(isnan(ratio));
    else if (all.lossy.halves)
        EXPECT(fabs(ratio - 2) < 1e-12);
    else
        EXPECT(ratio > 1.2);
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"szx:0.01", "szx:0.5", "fp16", "bf16"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    host = ovl_mode_find("host", 4, "mpi");
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        open_all(ways[w]);
        by_tests(1000);
        by_waits(2000);
        by_blocking_calls(3000);
        expect_ratio();
        close_all();
        mpi_test_end(ways[w]);
    }
    return mpi_test_finish();
}
