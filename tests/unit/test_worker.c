/* Ranks and workers as threads, where not all goes well or at once: late ranks, workers that sleep, rest, are cut off,
 * gone or at a loss. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/rng.h"
#include "offload/client/client_wait.h"
#include "offload/worker/state.h"
#include "tests/fake/ep.h"
#include "tests/fake/play.h"
#include "tests/unit/test.h"

#include <unistd.h>

/* A wrong key is told over the status page, an endpoint that is cut by the rank that waits at it. */
static const char *uses_a_wrong_key(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {OVL_IALLGATHER, ranks, 0, 50, false, NULL};
    (void)rank;
    TRY(play_open(&p, h, world, &d));
    if (of)
        fake_ep_cut(h->conns[0].ep);
    else {
        struct ovl_command c = {.kind = OVL_COMMAND_MAP, .root = 1, .bytes = 64, .send = (uintptr_t)p.send};
        struct ovl_request request;
        if (ovl_conn_send(h, &h->conns[0], &c, "", 1, &request, &err) != 0)
            return fake_wrong("%s", err.text);
    }
    TRY(play_post(&p, h));
    return play_end(&p, h);
}

LOOP_TEST(a_faulty_endpoint_is_named, 0, 2)
{
    static const char *const words[] = {"gave up: cannot reach the memory of rank 0: Permission denied",
                                        "worker 0 is cut off: it was cut"};
    struct fake_plan p = fake_plan_of(ONE_ALONE, &fake_remote_path);
    const char *text = fake_run(&p, uses_a_wrong_key, _i ? &p : NULL);
    ck_assert_msg(text && strstr(text, words[_i]), "%s", text ? text : "no error");
}

/* One rank comes a tenth of a second after the others, who have posted by then; workers may only ask for 20 ms.
   Without LONG every second operation by either path. */
static const char *late_rank(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    const int *first = of;
    for (int o = OVL_IALLTOALL + *first; o < OVL_OPERATIONS; o += rounds(2, 1)) {
        struct play p;
        struct deal d = {(enum ovl_operation)o, ranks, 0, 9000, false, NULL};
        TRY(play_open(&p, h, world, &d));
        fake_barrier();
        if (rank == 1)
            usleep(100000);
        TRY(play_post(&p, h));
        TRY(play_end(&p, h));
        TRY(play_close(&p, h));
    }
    return NULL;
}

LOOP_TEST(a_late_rank_is_no_failure, 0, 2)
{
    struct fake_plan p = fake_plan_of(TWO_WORKERS_EACH, _i ? &ovl_mem_path_cma : &fake_path);
    p.late[2] = true;
    int first = rounds(_i, 0);
    fake_expect_fine(&p, late_rank, &first);
}

/* Nobody waits, so that only the post itself can ring for a worker that has nothing to do and sleeps. */
static const char *posts_now_and_then(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {OVL_IALLTOALL, ranks, 0, 50, false, NULL};
    (void)of, (void)rank;
    TRY(play_open(&p, h, world, &d));
    for (int i = 0; i < 60; i++) {
        usleep(5000);
        TRY(play_post(&p, h));
        while (!ovl_client_test(h, &p.request))
            usleep(100);
        TRY(play_end(&p, h));
    }
    return play_close(&p, h);
}

TEST(a_post_rings)
{
    struct fake_plan p = fake_plan_of(TWO_WORKERS_EACH, &fake_path);
    fake_expect_fine(&p, posts_now_and_then, NULL);
}

static bool listens(const struct ovl_worker_conn *l)
{
    enum { LOOKS = 10000 }; /* of 1 ms */
    for (int looks = 0; looks < LOOKS; looks++, usleep(1000))
        if (atomic_load(&l->status->state) == OVL_WORKER_LISTENS)
            return true;
    return false;
}

/* Has the bell been rung since the last call? Epoll has told its worker all the same. */
static bool was_rung(const struct ovl_worker_conn *l)
{
    uint64_t rings;
    return read(l->bell, &rings, sizeof rings) == sizeof rings;
}

/* Two ranks of two workers by TCP, which listen to all their sources. While rank 0 sleeps in a wait of another
   operation, as a thread of it may, its worker has something under way, and each post must ring, but where the worker
   happens to be awake just then. */
static const char *posts_beside_a_wait(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    enum { PLAYS = 9 }; /* the first makes the worker wait for the other */
    struct ovl_worker_conn *l = &h->conns[h->own];
    struct play p[PLAYS];
    struct deal d = {OVL_IALLTOALL, ranks, 0, 9000, false, NULL};
    int rings = 0;
    (void)of;
    for (int i = 0; i < PLAYS; i++)
        TRY(play_open(&p[i], h, world, &d));
    atomic_store(&l->cmdq->rank_sleeping, rank == 0);
    for (int i = 0; i < PLAYS && rank == 0; i++) {
        if (!listens(l))
            return "a worker that reaches others by TCP does not listen";
        was_rung(l);
        TRY(play_post(&p[i], h));
        rings += was_rung(l);
    }
    fake_barrier();
    for (int i = 0; i < PLAYS && rank != 0; i++)
        TRY(play_post(&p[i], h));
    for (int i = 0; i < PLAYS; i++) {
        TRY(play_end(&p[i], h));
        TRY(play_close(&p[i], h));
    }
    return rank > 0 || rings > PLAYS / 2 ? NULL : fake_wrong("%d of %d posts ring", rings, PLAYS);
}

TEST(a_worker_listens_to_all_its_sources)
{
    struct fake_plan p = fake_plan_of(TWO_NODES, &fake_path);
    p.tcp = true;
    fake_expect_fine(&p, posts_beside_a_wait, NULL);
}

/* Waits until the worker sleeps till it is rung for; false: it does not. */
static bool sleeps_long(const struct ovl_client_ctx *h)
{
    enum { LOOKS = 10000 }; /* of 1 ms */
    for (int i = 0; i < LOOKS; i++, usleep(1000))
        if (atomic_load(&h->conns[h->own].status->state) == OVL_WORKER_SLEEP_LONG)
            return true;
    return false;
}

/* One that looks for work all the time ceases to when there is none; what comes then is done all the same. */
static const char *leaves_it_alone(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {OVL_IALLTOALL, ranks, 0, 50, false, NULL};
    (void)of, (void)rank;
    TRY(play_open(&p, h, world, &d));
    for (int i = 0; i < 5; i++) {
        if (!sleeps_long(h))
            return "a worker that has nothing to do looks for work for ever";
        fake_barrier();
        TRY(play_post(&p, h));
        TRY(play_end(&p, h));
        fake_barrier();
    }
    return play_close(&p, h);
}

LOOP_TEST(who_has_a_core_sleeps_too, 0, 2)
{
    struct fake_plan p = fake_plan_of(TWO_WORKERS_EACH, &fake_path);
    p.idle = _i ? OVL_IDLE_YIELD : OVL_IDLE_SPIN;
    fake_expect_fine(&p, leaves_it_alone, NULL);
}

/* Is a command in the ring of which the worker, in its sleep, knows nothing? It may be about to see it. */
static bool is_forgotten(const struct ovl_client_ctx *h, const struct play *p)
{
    enum { MOST_NS = 300000000 }; /* it sleeps for up to 500 ms */
    const struct ovl_worker_status *status = h->conns[h->own].status;
    uint64_t before = atomic_load(&status->heartbeat);
    for (int64_t end = ovl_clock_ns() + MOST_NS; ovl_clock_ns() < end; usleep(500))
        if (atomic_load(&status->state) != OVL_WORKER_SLEEP_LONG || atomic_load(&status->heartbeat) != before ||
            ovl_conn_test(&h->conns[h->own], p->request.slot, p->request.sequence))
            return false;
    return true;
}

/* Posts about the time at which the worker begins to sleep, and every second time within some microseconds of it: there
   is less than one between its last look and the state that says it sleeps. */
static const char *posts_as_it_goes_to_sleep(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks,
                                             void *of)
{
    enum { NEAR_NS = 10000, FAR_NS = 400000 };
    const int *posts = of;
    struct ovl_rng rng = ovl_rng_seeded(11 + (uint64_t)rank);
    struct play p;
    struct deal d = {OVL_IALLREDUCE, ranks, 0, 5, false, NULL};
    TRY(play_open(&p, h, world, &d));
    for (int i = 0; i < *posts; i++) {
        int64_t ended = i ? p.ended_ns : ovl_clock_ns(), width = i % 2 ? NEAR_NS : FAR_NS,
                until = ended + OVL_WORKER_SPIN_NS - width / 4 + (int64_t)ovl_rng_below(&rng, (uint64_t)width);
        while (ovl_clock_ns() < until)
            if (until - ovl_clock_ns() > 1000000)
                usleep(500);
        TRY(play_post(&p, h));
        if (is_forgotten(h, &p))
            return fake_wrong("post %d did not wake the worker", i);
        TRY(play_end(&p, h));
    }
    return play_close(&p, h);
}

LOOP_TEST(no_post_is_forgotten, 0, 2)
{
    int posts = rounds(100, 1500);
    struct fake_plan p = fake_plan_of(_i ? TWO_ON_ONE : ONE_ALONE, &fake_path);
    p.idle = OVL_IDLE_SPIN;
    fake_expect_fine(&p, posts_as_it_goes_to_sleep, &posts);
}

/* Rest and wake many times, with an operation after each: a lost wake-up hangs. */
static const char *rests(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {OVL_IALLTOALL, ranks, 0, 50, false, NULL};
    const struct ovl_worker_status *status = h->conns[h->own].status;
    (void)of, (void)rank;
    TRY(play_open(&p, h, world, &d));
    for (int i = 0; i < rounds(80, 200); i++) {
        if (ovl_client_park(h, &err) != 0)
            return fake_wrong("%s", err.text);
        fake_barrier();
        if (i % 10 == 0) { /* at rest its loop stands still */
            uint64_t before = atomic_load(&status->heartbeat);
            usleep(5000);
            if (atomic_load(&status->heartbeat) > before + 2)
                return "a worker at rest runs on";
        }
        fake_barrier();
        if (ovl_client_unpark(h, &err) != 0)
            return fake_wrong("%s", err.text);
        TRY(play_post(&p, h));
        TRY(play_end(&p, h));
    }
    if (ovl_client_park(h, &err) != 0)
        return fake_wrong("%s", err.text);
    return play_close(&p, h); /* what is asked of a worker at rest is done all the same */
}

LOOP_TEST(rest_and_rouse, 0, 2)
{
    struct fake_plan p = fake_plan_of(TWO_WORKERS_EACH, _i ? &fake_remote_path : &fake_path);
    fake_expect_fine(&p, rests, NULL);
}

/* Another rank wakes the worker before this one has looked whether it sleeps. */
static const char *rests_unseen(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    (void)world, (void)ranks, (void)of;
    for (int i = 0; i < 10; i++) {
        if (rank > 0)
            ovl_client_allow_park(h);
        else if (ovl_client_park(h, &err) != 0 || ovl_client_unpark(h, &err) != 0)
            return fake_wrong("%s", err.text);
        fake_barrier();
        if (rank > 0 && (ovl_client_park(h, &err) != 0 || ovl_client_unpark(h, &err) != 0))
            return fake_wrong("%s", err.text);
        fake_barrier();
    }
    return NULL;
}

LOOP_TEST(rest_is_seen_after_the_end_of_it, 0, 2)
{
    struct fake_plan p = fake_plan_of(TWO_ON_ONE, _i ? &fake_remote_path : &fake_path);
    fake_expect_fine(&p, rests_unseen, NULL);
}

/* A worker that has long had nothing to do sleeps until it is rung for: what lets it rest must ring too. */
static const char *rests_late(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    (void)world, (void)rank, (void)ranks, (void)of;
    for (int i = 0; i < 60; i++) {
        usleep(5000);
        if (ovl_client_park(h, &err) != 0)
            return fake_wrong("%s", err.text);
        fake_barrier();
        if (ovl_client_unpark(h, &err) != 0)
            return fake_wrong("%s", err.text);
        fake_barrier();
    }
    return NULL;
}

TEST(leave_to_rest_rings)
{
    struct fake_plan p = fake_plan_of(TWO_WORKERS_EACH, &fake_path);
    fake_expect_fine(&p, rests_late, NULL);
}

/* Rank 0's worker lives, rank 1's never began. Its own rank cannot even attach; the other one names the silent one. */
static const char *posts_to_the_dead(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {OVL_IALLTOALL, ranks, 0, 50, false, NULL};
    (void)of, (void)rank;
    TRY(play_open(&p, h, world, &d));
    TRY(play_post(&p, h));
    return play_end(&p, h);
}

TEST(a_dead_worker_is_named)
{
    struct fake_plan p = fake_plan_of(TWO_NODES, &fake_path);
    p.timeout = 0.3;
    p.dead[1] = true;
    const char *text = fake_run(&p, posts_to_the_dead, NULL);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, "some worker does not answer worker 0")); /* rank 0 tells first */
}

TEST(an_own_dead_worker_is_named)
{
    struct fake_plan p = fake_plan_of(ONE_ALONE, &fake_path);
    p.timeout = 0.2;
    p.dead[0] = true;
    const char *text = fake_run(&p, posts_to_the_dead, NULL);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, "worker 0 shows no life"));
}

/* A worker that cannot go on says why, and the rank that waits hears it. */
static const char *asks_nonsense(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct ovl_team nowhere = {.number = 9, .rank = rank, .ranks = ranks};
    struct ovl_coll_args call = {.operation = OVL_IBARRIER, .team = &nowhere};
    struct ovl_request request;
    (void)world, (void)of;
    if (ovl_client_post(h, &call, &request, &err) != 0 || ovl_client_wait(h, &request, &err) == 0)
        return "no error";
    return fake_wrong("%s", err.text);
}

TEST(a_worker_that_gives_up_says_why)
{
    struct fake_plan p = fake_plan_of(ONE_ALONE, &fake_path);
    const char *text = fake_run(&p, asks_nonsense, NULL);
    ck_assert_ptr_nonnull(strstr(text, "gave up: rank 0 posted operation"));
}

static const char *probes(struct ovl_client_ctx *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    (void)world, (void)rank, (void)ranks, (void)of;
    for (const struct ovl_mem_path *const *p = ovl_mem_paths; *p; p++)
        if (*p == h->path && ovl_client_probe(h, *p, &err) != 0)
            return fake_wrong("%s", err.text);
    return NULL;
}

LOOP_TEST(every_path_is_probed, 0, 2)
{
    struct fake_plan p = fake_plan_of(FOUR_ON_TWO, ovl_mem_paths[_i]);
    fake_expect_fine(&p, probes, NULL);
    for (int why = 0; why < 40; why++)
        ck_assert_ptr_nonnull(ovl_mem_paths[_i]->hint(why));
}
