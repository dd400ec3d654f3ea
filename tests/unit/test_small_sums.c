/* Workers add numbers of two bytes and of one: each byte of reductions of several layouts, by every algorithm. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/coll/algorithm.h"
#include "tests/fake/ep.h"
#include "tests/fake/play.h"
#include "tests/fake/small_numbers.h"
#include "tests/unit/test.h"

/* One reduction of n numbers, where each rank gets as many. */
static const char *reduce(struct ovl_client_ctx *h, const struct ovl_team *world, const struct small_format *f,
                          enum ovl_operation operation, const struct ovl_algorithm *algorithm, size_t n)
{
    bool parts = operation == OVL_IREDUCE_SCATTER_BLOCK, gets = operation != OVL_IREDUCE || world->rank == 0;
    size_t each = ovl_dtype_bytes(f->dtype), all = parts ? n * (size_t)world->ranks : n;
    size_t first = parts ? n * (size_t)world->rank : 0, wrong = 0;
    struct ovl_request request;
    void *send = ovl_client_alloc(h, all * each + 1, &err), *recv = ovl_client_alloc(h, n * each + 1, &err);
    if (!send || !recv)
        return fake_wrong("%s", err.text);
    memset(recv, 0xee, n * each + 1);
    for (size_t i = 0; i < all; i++)
        small_put(f, send, i, small_nearest(f, small_whole(f, world->rank, world->ranks, i)));
    struct ovl_coll_args call = {.operation = operation,
                                 .algorithm = algorithm,
                                 .team = world,
                                 .send = send,
                                 .recv = recv,
                                 .bytes = n * each,
                                 .payload = gets ? n * each : 0,
                                 .dtype = f->dtype,
                                 .redop = OVL_SUM};
    if (ovl_client_check(&call, &err) != 0 || ovl_client_post(h, &call, &request, &err) != 0 ||
        ovl_client_wait(h, &request, &err) != 0)
        return fake_wrong("%s", err.text);
    for (size_t i = 0; i < n && gets; i++)
        wrong += small_get(f, recv, i) != small_nearest(f, small_whole_sum(f, world->ranks, first + i));
    wrong += ((unsigned char *)recv)[n * each] != 0xee;
    if (wrong)
        return fake_wrong("%s of %zu %s by %s: %zu wrong", ovl_operations[operation].name, n, f->name,
                          algorithm ? algorithm->name : "the table", wrong);
    return ovl_client_free(h, send, &err) == 0 && ovl_client_free(h, recv, &err) == 0 ? NULL
                                                                                      : fake_wrong("%s", err.text);
}

static const char *sums(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    static const enum ovl_operation operations[] = {OVL_IALLREDUCE, OVL_IREDUCE, OVL_IREDUCE_SCATTER_BLOCK};
    static const size_t counts[] = {1, 63, 1001, 70001};
    const size_t *turn = of;
    (void)rank;
    for (size_t f = 0; f < SMALL_FORMATS; f++)
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                if ((f + o + c / 2 + *turn) % 2 && rounds(1, 0))
                    continue;
                TRY(reduce(h, world, &small_formats[f], operations[o], NULL, counts[c]));
                for (const struct ovl_algorithm *a = ovl_algorithms; a->name && c % 2; a++)
                    if (a->operation == operations[o] && ovl_algorithm_works(a, ranks))
                        TRY(reduce(h, world, &small_formats[f], operations[o], a, counts[c] / 7));
            }
    return NULL;
}

/* Without LONG two of the layouts have half of them each, and the other two the other half. */
LOOP_TEST(sums_byte_by_byte, 0, 4)
{
    size_t turn = (size_t)_i % 2;
    static const int layouts[] = {FOUR_ON_TWO, TWO_NODES_OF_TWO, UNEVEN, FOUR_NODES};
    const struct ovl_mem_path *const paths[] = {&fake_path, &ovl_mem_path_cma, &fake_remote_path, &fake_path};
    struct fake_plan p = fake_plan_of(layouts[_i], paths[_i]);
    fake_expect_fine(&p, sums, &turn);
}
