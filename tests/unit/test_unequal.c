/* Ranks and workers as threads, where the ranks' counts do not match: nobody gets data that nobody sent, and what
 * differs is said. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/play.h"
#include "tests/unit/test.h"

#include <unistd.h>

static const struct unequal {
    int layout;
    bool tcp;
    enum ovl_operation operation;
    size_t count[2]; /* numbers of 4 bytes: of rank 0, and of the others */
    const char *words;
} unequal[] = {
    {TWO_ON_ONE, false, OVL_IBCAST, {25000, 50000}, "rank 0 calls ibcast of 100000 bytes in all, rank 1 of 200000"},
    {TWO_ON_ONE, false, OVL_IBCAST, {50000, 25000}, "rank 0 calls ibcast of 200000 bytes in all, rank 1 of 100000"},
    {TWO_ON_ONE, false, OVL_IALLTOALLV, {400, 300}, "ialltoallv: rank "},
    {FOUR_ON_TWO, false, OVL_IBCAST, {25000, 50000}, "rank 0 calls ibcast of 100000 bytes in all, rank "},
    {FOUR_ON_TWO, false, OVL_IGATHER, {50000, 25000}, "calls igather of 100000 bytes of each rank, rank 0 of 200000"},
    {FOUR_ON_TWO, false, OVL_IALLTOALLV, {40000, 30000}, "ialltoallv: rank "},
    {TWO_NODES, false, OVL_IBCAST, {25000, 50000}, "rank 0 calls ibcast of 100000 bytes in all, rank 1 of 200000"},
    {TWO_NODES, true, OVL_IBCAST, {25000, 50000}, "rank 0 calls ibcast of 100000 bytes in all, rank 1 of 200000"},
    {TWO_NODES, true, OVL_IBCAST, {50000, 25000}, "rank 0 calls ibcast of 200000 bytes in all, rank 1 of 100000"},
    /* Pieces that are alike on both sides: only their number differs. */
    {TWO_NODES, true, OVL_IBCAST, {3750, 7500}, "rank 0 calls ibcast of 15000 bytes in all, rank 1 of 30000"},
    {TWO_NODES, true, OVL_IBCAST, {7500, 3750}, "rank 0 calls ibcast of 30000 bytes in all, rank 1 of 15000"},
    {TWO_NODES, false, OVL_IBCAST, {10, 20}, "rank 0 calls ibcast of 40 bytes in all, rank 1 of 80"},
    {TWO_NODES, true, OVL_IBCAST, {20, 10}, "rank 0 calls ibcast of 80 bytes in all, rank 1 of 40"},
    {TWO_NODES, true, OVL_IALLREDUCE, {25000, 50000}, "bytes in all, rank "},
    {TWO_NODES, false, OVL_IALLTOALLV, {40000, 30000}, "ialltoallv: rank "},
    {TWO_NODES, true, OVL_IALLTOALLV, {30000, 40000}, "ialltoallv: rank "},
    {UNEVEN, true, OVL_IGATHERV, {30000, 40000}, "igatherv: rank "},
    {TWO_NODES_OF_TWO, true, OVL_IALLGATHER, {25000, 50000}, "iallgather of "},
    {UNEVEN, true, OVL_IALLTOALL, {5000, 2500}, "bytes to each rank, rank "},
};

enum { CASES = sizeof unequal / sizeof *unequal, LATE = 3 };

static atomic_bool over; /* a rank has heard that the job must end */

static struct job {
    const struct unequal *what;
    int late; /* that rank posts when the others' workers have begun: its peer may have been granted a receive early */
    const char *text[8];
} job;

static const char *ends_or_not(struct ovl_client_ctx *h, struct play *p)
{
    struct ovl_client_watch watch = {.waited = 0};
    while (!ovl_client_test(h, &p->request) && !atomic_load(&over)) {
        if (ovl_client_check_worker(h, &watch, &err) != 0) {
            atomic_store(&over, true);
            return fake_wrong("%s", err.text);
        }
        usleep(1000);
    }
    return NULL;
}

static const char *brings_its_own_count(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {job.what->operation, ranks, 0, job.what->count[rank > 0], false, NULL};
    (void)of;
    TRY(play_open(&p, h, world, &d));
    fake_barrier();
    if (rank == job.late)
        usleep(50000);
    TRY(play_post(&p, h));
    job.text[rank] = ends_or_not(h, &p);
    fake_barrier();
    return "as it should be";
}

LOOP_TEST(what_differs_is_said, 0, CASES *LATE)
{
    const struct unequal *u = &unequal[_i / LATE];
    struct fake_plan p = fake_plan_of(u->layout, &fake_path);
    p.tcp = u->tcp;
    job = (struct job){.what = u, .late = _i % LATE};
    atomic_store(&over, false);
    const char *text = fake_run(&p, brings_its_own_count, NULL), *said = NULL;
    ck_assert_str_eq(text, "as it should be");
    for (int r = 0; r < p.ranks && !said; r++)
        said = job.text[r];
    ck_assert_msg(said, "nobody noticed");
    ck_assert_msg(strstr(said, " gave up: ") && strstr(said, u->words) && strstr(said, "MPI_ERR_TRUNCATE"), "%s", said);
}

/* Rank 0 receives what its root never sends. */
static const char *waits_for_who_has_left(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks,
                                          void *of)
{
    struct play p;
    struct deal d = {OVL_IBCAST, ranks, 1, 25000, false, NULL};
    (void)of;
    if (rank > 0)
        return ovl_client_leave(h, &err) == 0 ? NULL : fake_wrong("%s", err.text);
    TRY(play_open(&p, h, world, &d));
    TRY(play_post(&p, h));
    return play_end(&p, h);
}

TEST(who_has_said_goodbye_is_not_dead)
{
    struct fake_plan p = fake_plan_of(TWO_NODES, &fake_path);
    p.tcp = true;
    p.timeout = 1;
    const char *text = fake_run(&p, waits_for_who_has_left, NULL);
    ck_assert_msg(text && strstr(text, "gave up: rank 0 waits in ibcast for rank 1, which has ended all its"), "%s",
                  text ? text : "no error");
}
