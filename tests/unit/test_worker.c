/* The engine from a rank's post to its wait, with ranks and workers as threads: data of every operation on several
 * layouts, many operations at once, late ranks, rest, and workers that are gone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/host_wait.h"
#include "tests/unit/fake_wire.h"
#include "tests/unit/play.h"
#include "tests/unit/suites.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRY(what)                                                                                                      \
    do {                                                                                                               \
        const char *try_text = (what);                                                                                 \
        if (try_text)                                                                                                  \
            return try_text;                                                                                           \
    } while (0)

/* Every operation at sizes on both sides of each limit: empty, eager, one chunk, several; and the proof. */
static const char *all_operations(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    const size_t *counts = of;
    (void)rank;
    for (int o = OVL_NOTHING; o < OVL_OPERATIONS; o++)
        for (const size_t *count = counts; *count != SIZE_MAX; count++)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct deal d = {(enum ovl_operation)o, ranks, (int)(*count % (size_t)ranks), *count, in_place};
                struct play p;
                uint64_t operations, bytes;
                struct ovl_error err;
                TRY(play_open(&p, h, world, &d));
                ovl_host_proof_begin(h);
                for (int again = 0; again < 2; again++) {
                    TRY(play_post(&p, h));
                    TRY(play_end(&p, h));
                }
                if (ovl_host_proof_end(h, &operations, &bytes, &err) != 0)
                    return fake_wrong("operation %d: %s", o, err.text);
                if (operations != 2 || bytes != 2 * p.call.payload)
                    return "the proof counts something else";
                TRY(play_close(&p, h));
            }
    return NULL;
}

static const size_t few_counts[] = {0, 1, 5, 1000, 5000, 70000, SIZE_MAX}, tiny_counts[] = {0, 3, 300, SIZE_MAX},
                    huge_counts[] = {600000, 1300000, SIZE_MAX};

struct layout {
    const char *name;
    int ranks, workers, node[8], server[8];
};

static const struct layout layouts[] = {
    {"one rank, one worker", 1, 1, {0}, {0}},
    {"two ranks, one worker", 2, 1, {0, 0}, {0, 0}},
    {"one node, two workers", 4, 2, {0, 0, 0, 0}, {0, 1, 0, 1}},
    {"two nodes of one", 2, 2, {0, 1}, {0, 1}},
    {"two nodes of two", 4, 2, {0, 0, 1, 1}, {0, 0, 1, 1}},
    {"uneven, ranks in turn", 5, 3, {0, 1, 2, 0, 1}, {0, 1, 2, 0, 1}},
    {"two nodes, two workers each", 6, 4, {0, 0, 0, 1, 1, 1}, {0, 1, 0, 2, 3, 2}},
    {"four nodes", 4, 4, {3, 2, 1, 0}, {0, 1, 2, 3}},
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static const struct ovl_tuning small_tuning = {.tree = 2048, .piece = 1500, .direct = 1024};

static struct fake_plan plan_of(const struct layout *l, const struct ovl_path *path)
{
    return (struct fake_plan){.ranks = l->ranks,
                              .workers = l->workers,
                              .node = l->node,
                              .server = l->server,
                              .path = path,
                              .idle = OVL_IDLE_SLEEP,
                              .tuning = small_tuning};
}

static void expect_fine(const char *layout, const char *text)
{
    ck_assert_msg(!text, "%s: %s", layout, text ? text : "");
}

START_TEST(operations_direct)
{
    struct fake_plan p = plan_of(&layouts[_i], &fake_path);
    expect_fine(layouts[_i].name, fake_run(&p, all_operations, (void *)few_counts));
}
END_TEST

START_TEST(operations_staged)
{
    struct fake_plan p = plan_of(&layouts[_i], &ovl_path_cma);
    expect_fine(layouts[_i].name, fake_run(&p, all_operations, (void *)few_counts));
}
END_TEST

START_TEST(operations_wired)
{
    struct fake_plan p = plan_of(&layouts[_i], &fake_wired_path);
    expect_fine(layouts[_i].name, fake_run(&p, all_operations, (void *)few_counts));
}
END_TEST

/* Registered anew for each post: what is not told in time is a wrong key. */
static const char *in_the_cold(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    h->cold = true;
    return all_operations(h, world, rank, ranks, of);
}

START_TEST(operations_cold)
{
    struct fake_plan p = plan_of(&layouts[2], &fake_wired_path);
    expect_fine("cold", fake_run(&p, in_the_cold, (void *)tiny_counts));
}
END_TEST

/* A wrong key is told over the board, a wire that is cut by the rank that waits at it. */
static const char *uses_a_wrong_key(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {OVL_IALLGATHER, ranks, 0, 50, false};
    (void)rank;
    TRY(play_open(&p, h, world, &d));
    if (of)
        fake_wire_cut(h->lines[0].wire);
    else {
        struct ovl_command c = {.kind = OVL_COMMAND_MAP, .root = 1, .bytes = 64, .send = (uintptr_t)p.send};
        struct ovl_ticket ticket;
        struct ovl_error err;
        int slot = ovl_link_slot(h, &h->lines[0], &err);
        memset(ovl_channel_slab(h->lines[0].segment, (unsigned)slot), 0, 64);
        ovl_wire_push(h->lines[0].wire, ovl_channel_slab(h->lines[0].segment, (unsigned)slot), 64);
        ovl_link_send(&h->lines[0], (unsigned)slot, &c, &ticket);
    }
    TRY(play_post(&p, h));
    return play_end(&p, h);
}

START_TEST(a_faulty_wire_is_named)
{
    static const char *const words[] = {"gave up: cannot reach the memory of rank 0: Permission denied",
                                        "worker 0 is cut off: it was cut"};
    struct fake_plan p = plan_of(&layouts[0], &fake_wired_path);
    const char *text = fake_run(&p, uses_a_wrong_key, _i ? &p : NULL);
    ck_assert_msg(text && strstr(text, words[_i]), "%s", text ? text : "no error");
}
END_TEST

/* More than the staging blocks and the window of chunks hold. */
START_TEST(operations_huge)
{
    struct fake_plan p = plan_of(&layouts[3], _i == 2 ? &fake_wired_path : _i ? &ovl_path_cma : &fake_path);
    p.tuning = ovl_tuning_default;
    expect_fine("huge", fake_run(&p, all_operations, (void *)huge_counts));
}
END_TEST

START_TEST(operations_idle_and_slow)
{
    struct fake_plan p = plan_of(&layouts[4], &fake_path);
    p.idle = (enum ovl_idle)_i;
    p.slowdown = 1 + 2 * _i;
    expect_fine("idle", fake_run(&p, all_operations, (void *)tiny_counts));
}
END_TEST

/* More operations than slots, waited for from the last to the first; sizes differ, so that they end out of order. */
static const char *many_at_once(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    enum { MANY = OVL_SLOTS };
    struct play *p = calloc(MANY, sizeof *p);
    (void)of, (void)rank;
    for (int i = 0; i < MANY; i++) {
        enum ovl_operation o = (enum ovl_operation)(OVL_IALLTOALL + i % (OVL_IBARRIER - OVL_IALLTOALL + 1));
        struct deal d = {o, ranks, i % ranks, (size_t)(i % 5 == 0 ? 20000 : 10 * i), i % 3 == 0};
        TRY(play_open(&p[i], h, world, &d));
    }
    for (int again = 0; again < 3; again++) {
        for (int i = 0; i < MANY; i++)
            TRY(play_post(&p[i], h));
        for (int i = MANY - 1; i >= 0; i--)
            TRY(play_end(&p[i], h));
    }
    /* The 65th finds no slot, and waits for one that completes. */
    for (int i = 0; i < MANY; i++)
        TRY(play_post(&p[i], h));
    struct play more;
    struct deal d = {OVL_IBCAST, ranks, 0, 10, false};
    TRY(play_open(&more, h, world, &d));
    TRY(play_post(&more, h));
    TRY(play_end(&more, h));
    TRY(play_close(&more, h));
    for (int i = MANY - 1; i >= 0; i--)
        TRY(play_end(&p[i], h));
    for (int i = 0; i < MANY; i++)
        TRY(play_close(&p[i], h));
    free(p);
    return NULL;
}

START_TEST(sixty_four_at_once)
{
    struct fake_plan p = plan_of(&layouts[_i ? 5 : 6], _i == 2 ? &ovl_path_cma : &fake_path);
    expect_fine(layouts[_i ? 5 : 6].name, fake_run(&p, many_at_once, NULL));
}
END_TEST

/* Teams that overlap: all ranks, and all in reverse order. Half of the ranks post to them in the opposite order, and
   wait in between for the one that the others posted last. */
static const char *opposite_orders(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    int members[16];
    struct ovl_team reverse;
    struct ovl_error err;
    struct play a, b;
    size_t count = *(size_t *)of;
    for (int r = 0; r < ranks; r++)
        members[r] = ranks - 1 - r;
    if (ovl_host_attach(h, &reverse, 77, ranks - 1 - rank, ranks, members, &err) != 0)
        return fake_wrong("%s", err.text);
    fake_barrier();
    struct deal d = {OVL_IALLTOALL, ranks, 0, count, false}, e = {OVL_IALLREDUCE, ranks, 0, count, false};
    TRY(play_open(&a, h, world, &d));
    TRY(play_open(&b, h, &reverse, &e));
    for (int again = 0; again < 20; again++) {
        struct play *one = rank % 2 ? &a : &b, *two = rank % 2 ? &b : &a;
        TRY(play_post(one, h));
        TRY(play_post(two, h));
        TRY(play_end(two, h));
        TRY(play_end(one, h));
    }
    /* Many on one team, which half of the ranks do not post before they have waited for the other one. */
    enum { MANY = 40 };
    struct play *many = calloc(MANY, sizeof *many);
    for (int i = 0; i < MANY; i++)
        TRY(play_open(&many[i], h, world, &d));
    for (int i = 0; i < MANY && rank % 2; i++)
        TRY(play_post(&many[i], h));
    TRY(play_post(&b, h));
    TRY(play_end(&b, h));
    for (int i = 0; i < MANY && rank % 2 == 0; i++)
        TRY(play_post(&many[i], h));
    for (int i = 0; i < MANY; i++) {
        TRY(play_end(&many[i], h));
        TRY(play_close(&many[i], h));
    }
    free(many);
    TRY(play_close(&a, h));
    TRY(play_close(&b, h));
    fake_barrier();
    return ovl_host_detach(h, &reverse, &err) == 0 ? NULL : fake_wrong("%s", err.text);
}

static size_t order_counts[] = {20, 3000, 30000};

START_TEST(teams_in_opposite_orders)
{
    struct fake_plan p = plan_of(&layouts[_i / 3 % 2 ? 7 : 6], _i >= 6 ? &ovl_path_cma : &fake_path);
    expect_fine("opposite", fake_run(&p, opposite_orders, &order_counts[_i % 3]));
}
END_TEST

/* One rank comes a tenth of a second after the others, who have posted by then; workers may only ask for 20 ms. */
static const char *late_rank(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    (void)of;
    for (int o = OVL_IALLTOALL; o < OVL_OPERATIONS; o++) {
        struct play p;
        struct deal d = {(enum ovl_operation)o, ranks, 0, 9000, false};
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

START_TEST(a_late_rank_is_no_failure)
{
    struct fake_plan p = plan_of(&layouts[6], _i ? &ovl_path_cma : &fake_path);
    p.late[2] = true;
    expect_fine("late", fake_run(&p, late_rank, NULL));
}
END_TEST

/* Nobody waits, so that only the post itself can ring for a worker that has nothing to do and sleeps. */
static const char *posts_now_and_then(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {OVL_IALLTOALL, ranks, 0, 50, false};
    (void)of, (void)rank;
    TRY(play_open(&p, h, world, &d));
    for (int i = 0; i < 60; i++) {
        usleep(5000);
        TRY(play_post(&p, h));
        while (!ovl_host_test(h, &p.ticket))
            usleep(100);
        TRY(play_end(&p, h));
    }
    return play_close(&p, h);
}

START_TEST(a_post_rings)
{
    struct fake_plan p = plan_of(&layouts[6], &fake_path);
    expect_fine("post", fake_run(&p, posts_now_and_then, NULL));
}
END_TEST

/* Rest and wake many times, with an operation after each: a lost wake-up hangs. */
static const char *rests(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct ovl_error err;
    struct play p;
    struct deal d = {OVL_IALLTOALL, ranks, 0, 50, false};
    const struct ovl_board *board = h->lines[h->own].board;
    (void)of, (void)rank;
    TRY(play_open(&p, h, world, &d));
    for (int i = 0; i < 200; i++) {
        if (ovl_host_rest(h, &err) != 0)
            return fake_wrong("%s", err.text);
        fake_barrier();
        if (i % 10 == 0) { /* at rest its loop stands still */
            uint64_t before = atomic_load(&board->beats);
            usleep(5000);
            if (atomic_load(&board->beats) > before + 2)
                return "a worker at rest runs on";
        }
        fake_barrier();
        if (ovl_host_rouse(h, &err) != 0)
            return fake_wrong("%s", err.text);
        TRY(play_post(&p, h));
        TRY(play_end(&p, h));
    }
    if (ovl_host_rest(h, &err) != 0)
        return fake_wrong("%s", err.text);
    return play_close(&p, h); /* what is asked of a worker at rest is done all the same */
}

START_TEST(rest_and_rouse)
{
    struct fake_plan p = plan_of(&layouts[6], _i ? &fake_wired_path : &fake_path);
    expect_fine("rest", fake_run(&p, rests, NULL));
}
END_TEST

/* Rank 0's worker lives, rank 1's never began. Its own rank cannot even attach; the other one names the silent one. */
static const char *posts_to_the_dead(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct play p;
    struct deal d = {OVL_IALLTOALL, ranks, 0, 50, false};
    (void)of, (void)rank;
    TRY(play_open(&p, h, world, &d));
    TRY(play_post(&p, h));
    return play_end(&p, h);
}

START_TEST(a_dead_worker_is_named)
{
    struct fake_plan p = plan_of(&layouts[3], &fake_path);
    p.timeout = 0.3;
    p.dead[1] = true;
    const char *text = fake_run(&p, posts_to_the_dead, NULL);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, "some worker does not answer worker 0")); /* rank 0 tells first */
}
END_TEST

static bool never(void *of, const struct ovl_ticket *ticket)
{
    (void)of, (void)ticket;
    return false;
}

static bool always(void *of, const struct ovl_ticket *ticket)
{
    (void)ticket;
    int *asked = of; /* the first round of looks finds nothing */
    return ++*asked > 100;
}

/* A process that ends is seen at once, long before the limit; what it did before its end counts. */
START_TEST(a_worker_that_ends_is_named)
{
    struct ovl_board board = {.fault = 0};
    ovl_board_init(&board);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    long fd = syscall(SYS_pidfd_open, child, 0);
    if (fd < 0)
        return; /* before Linux 5.3 the limit alone tells */
    struct ovl_host h = {.timeout = 1000};
    struct ovl_link line = {.board = &board, .process = (int)fd, .name = "worker 7"};
    struct ovl_error err = {.code = OVL_OK};
    int asked = 0;
    ck_assert_int_eq(ovl_host_await(&h, &line, never, NULL, NULL, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_str_eq(err.text, "worker 7 died: its process has ended");
    ck_assert_int_eq(ovl_host_await(&h, &line, always, &asked, NULL, &err), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    close((int)fd);
}
END_TEST

START_TEST(an_own_dead_worker_is_named)
{
    struct fake_plan p = plan_of(&layouts[0], &fake_path);
    p.timeout = 0.2;
    p.dead[0] = true;
    const char *text = fake_run(&p, posts_to_the_dead, NULL);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, "worker 0 shows no life"));
}
END_TEST

/* A worker that cannot go on says why, and the rank that waits hears it. */
static const char *asks_nonsense(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct ovl_team nowhere = {.number = 9, .rank = rank, .ranks = ranks};
    struct ovl_call call = {.operation = OVL_IBARRIER, .team = &nowhere};
    struct ovl_ticket ticket;
    struct ovl_error err;
    (void)world, (void)of;
    if (ovl_host_post(h, &call, &ticket, &err) != 0 || ovl_host_wait(h, &ticket, &err) == 0)
        return "no error";
    return fake_wrong("%s", err.text);
}

START_TEST(a_worker_that_gives_up_says_why)
{
    struct fake_plan p = plan_of(&layouts[0], &fake_path);
    const char *text = fake_run(&p, asks_nonsense, NULL);
    ck_assert_ptr_nonnull(strstr(text, "gave up: rank 0 posted operation"));
}
END_TEST

static const char *probes(struct ovl_host *h, struct ovl_team *world, int rank, int ranks, void *of)
{
    struct ovl_error err;
    (void)world, (void)rank, (void)ranks, (void)of;
    for (const struct ovl_path *const *p = ovl_paths; *p; p++)
        if (*p == h->path && ovl_host_probe(h, *p, &err) != 0)
            return fake_wrong("%s", err.text);
    h->lines[h->own].segment->pid = 0;
    return NULL;
}

START_TEST(every_path_is_probed)
{
    struct fake_plan p = plan_of(&layouts[2], ovl_paths[_i]);
    expect_fine(ovl_paths[_i]->name, fake_run(&p, probes, NULL));
    ck_assert_ptr_eq(ovl_path_find(ovl_paths[_i]->name), ovl_paths[_i]);
    for (int why = 0; why < 40; why++)
        ck_assert_ptr_nonnull(ovl_paths[_i]->advice(why));
}
END_TEST

START_TEST(no_room_is_an_error)
{
    struct ovl_shared s;
    struct ovl_error err = {.text = ""};
    ck_assert_int_eq(ovl_shared_create(&s, (size_t)1 << 50, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "has no room"));
    ck_assert_int_eq(ovl_shared_open(&s, "ovl-not-there", &err), -1);
    ck_assert_int_eq(ovl_shared_create(&s, 100, &err), 0);
    struct ovl_shared other;
    ck_assert_int_eq(ovl_shared_open(&other, s.name, &err), 0);
    ovl_shared_unlink(&s);
    strcpy(s.base, "seen");
    ck_assert_str_eq(other.base, "seen");
    ck_assert_int_eq(ovl_shared_open(&other, s.name, &err), -1);
    ovl_shared_close(&s);
}
END_TEST

Suite *suite_worker(void)
{
    Suite *s = suite_create("worker");
    TCase *t = tcase_create("worker");
    tcase_set_timeout(t, 30);
    tcase_add_loop_test(t, operations_direct, 0, LAYOUTS);
    tcase_add_loop_test(t, operations_staged, 0, LAYOUTS);
    tcase_add_loop_test(t, operations_wired, 0, LAYOUTS);
    tcase_add_test(t, operations_cold);
    tcase_add_loop_test(t, a_faulty_wire_is_named, 0, 2);
    tcase_add_loop_test(t, operations_huge, 0, 3);
    tcase_add_loop_test(t, operations_idle_and_slow, 0, 3);
    tcase_add_loop_test(t, sixty_four_at_once, 0, 3);
    tcase_add_loop_test(t, teams_in_opposite_orders, 0, 9);
    tcase_add_loop_test(t, a_late_rank_is_no_failure, 0, 2);
    tcase_add_loop_test(t, rest_and_rouse, 0, 2);
    tcase_add_test(t, a_post_rings);
    tcase_add_test(t, a_dead_worker_is_named);
    tcase_add_test(t, a_worker_that_ends_is_named);
    tcase_add_test(t, an_own_dead_worker_is_named);
    tcase_add_test(t, a_worker_that_gives_up_says_why);
    tcase_add_loop_test(t, every_path_is_probed, 0, 2);
    tcase_add_test(t, no_room_is_an_error);
    suite_add_tcase(s, t);
    return s;
}
