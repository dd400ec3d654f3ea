/* The block that a rank has for itself: which one it is follows from the call as it does from the schedule, and where
 * cores are shared it is in its place as soon as the call has been posted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/client/client_own.h"
#include "offload/coll/schedule.h"
#include "tests/fake/play.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { MOST = 7, MOST_RANKS = 5 };

/* From the send buffer straight to the receive buffer; an algorithm that sorts blocks in between has none. */
static struct ovl_own_block copied_by(const struct ovl_schedule *s)
{
    struct ovl_own_block found = {0, 0, 0};
    for (size_t i = 0; i < s->steps; i++)
        if (s->step[i].kind == OVL_STEP_COPY && s->step[i].from.buffer == OVL_SEND_BUFFER &&
            s->step[i].to.buffer == OVL_RECV_BUFFER) {
            ck_assert_uint_eq(found.bytes, 0);
            found = (struct ovl_own_block){s->step[i].from.offset, s->step[i].to.offset, s->step[i].bytes};
        }
    return found;
}

static struct ovl_own_block of_schedule(const struct deal *d, const struct ovl_coll_args *a, int rank)
{
    int node[MOST_RANKS] = {0, 0, 1, 1, 2};
    struct ovl_placement placement;
    ck_assert_int_eq(ovl_placement_make(&placement, node, d->ranks), 0);
    struct ovl_coll_shape shape = {.operation = a->operation,
                                   .algorithm = a->algorithm,
                                   .rank = rank,
                                   .ranks = d->ranks,
                                   .root = a->root,
                                   .to = a->to,
                                   .from = a->from,
                                   .bytes = a->bytes,
                                   .recv_bytes = a->recv_bytes,
                                   .element = 4,
                                   .in_place = deal_in_place(d, rank),
                                   .send_counts = a->send_counts,
                                   .send_displs = a->send_displs,
                                   .recv_counts = a->recv_counts,
                                   .recv_displs = a->recv_displs,
                                   .placement = &placement,
                                   .tuning = &ovl_tuning_default};
    struct ovl_schedule *s = ovl_schedule_make(&shape);
    ck_assert_ptr_nonnull(s);
    struct ovl_own_block found = copied_by(s);
    ovl_schedule_free(s);
    ovl_placement_free(&placement);
    return found;
}

static void compare(const struct deal *d, int rank)
{
    int lists[4 * MOST_RANKS];
    struct ovl_team team = {.rank = rank, .ranks = d->ranks};
    deal_counts(d, rank, lists);
    struct ovl_coll_args a = deal_args(d, rank, lists);
    a.team = &team;
    struct ovl_own_block want = of_schedule(d, &a, rank), own = ovl_client_own_block(&a);
    if (want.bytes == 0 || ovl_operations[a.operation].reduces)
        return;
    ck_assert_msg(own.bytes == want.bytes && own.from == want.from && own.to == want.to,
                  "%s %s, rank %d of %d: %zu bytes from %zu to %zu, and the schedule copies %zu from %zu to %zu",
                  ovl_operations[a.operation].name, a.algorithm->name, rank, d->ranks, own.bytes, own.from, own.to,
                  want.bytes, want.from, want.to);
}

TEST(the_call_and_the_schedule_mean_the_same_block)
{
    for (const struct ovl_algorithm *a = ovl_algorithms; a->name; a++)
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
            for (size_t count = 0; count < MOST && ovl_algorithm_works(a, ranks); count++)
                for (int rank = 0; rank < ranks; rank++)
                    for (int in_place = 0; in_place < 2; in_place++)
                        compare(&(struct deal){a->operation, ranks, (int)count % ranks, count, in_place, a}, rank);
}

/* Whatever reduces has none, since all of it goes through the sum. */
TEST(reductions_have_no_own_block)
{
    struct ovl_team team = {.rank = 0, .ranks = 1};
    int one = 1;
    for (int o = OVL_NOTHING; o < OVL_OPERATIONS; o++) {
        struct ovl_coll_args a = {.operation = (enum ovl_operation)o, .team = &team, .bytes = 8, .recv_counts = &one};
        if (ovl_operations[o].reduces || o == OVL_IBCAST || o == OVL_IBARRIER || o == OVL_NOTHING)
            ck_assert_uint_eq(ovl_client_own_block(&a).bytes, 0);
    }
}

/* A look at what the worker writes later. It is woken after the look, but through the kernel, which no race checker
 * sees. */
__attribute__((no_sanitize("thread"), noinline)) static int32_t look(const int32_t *at)
{
    return *at;
}

/* A worker at rest sees nothing of the post. */
static const char *looks_at_once(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    const bool *shared = of;
    struct play p;
    struct deal d = {OVL_IALLTOALL, ranks, 0, 5000, false, NULL};
    size_t own = (size_t)rank * d.count;
    h->copies_own = *shared;
    TRY(play_open(&p, h, world, &d));
    if (ovl_client_park(h, &err) != 0)
        return fake_wrong("%s", err.text);
    fake_barrier();
    TRY(play_post(&p, h));
    bool copied = look(&p.recv[own]) == p.send[own] && look(&p.recv[own + d.count - 1]) == p.send[own + d.count - 1];
    bool others = look(&p.recv[(size_t)((rank + 1) % ranks) * d.count]) != (int32_t)0xeeeeeeee;
    fake_barrier(); /* the first worker to be woken wakes the other */
    if (others)
        return "the worker was not at rest";
    if (copied != *shared)
        return copied ? "a rank that has its core for itself copies what its worker would"
                      : "its own block is not in its place";
    if (ovl_client_unpark(h, &err) != 0)
        return fake_wrong("%s", err.text);
    TRY(play_end(&p, h));
    return play_close(&p, h);
}

LOOP_TEST(is_in_its_place_when_the_call_is_posted, 0, 4)
{
    bool shared = _i % 2;
    struct fake_plan p = fake_plan_of(TWO_NODES, _i < 2 ? &fake_path : &ovl_mem_path_cma);
    fake_expect_fine(&p, looks_at_once, &shared);
}

/* What this process cannot read is the worker's to name. */
TEST(memory_that_cannot_be_read_is_left_to_the_worker)
{
    struct ovl_team team = {.rank = 0, .ranks = 2};
    char memory[16384];
    struct ovl_coll_args a = {.operation = OVL_IALLTOALL, .team = &team, .recv = memory, .bytes = 8192};
    ck_assert(!ovl_client_copy_own(&a, false));
    a.send = memory;
    a.recv = (void *)64;
    ck_assert(!ovl_client_copy_own(&a, false));
}
