/* Threads that poll, and processes of others: by made-up /proc, and by this machine's own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "machine/rivals.h"
#include "machine/threads.h"
#include "tests/unit/folder.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

static struct ovl_threads from, to;

static void put_thread(int id, const char *times)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/task/%d/schedstat", id);
    folder_put(name, times);
}

TEST(threads_that_want_a_core_for_half_of_the_time)
{
    uint64_t mask[OVL_MACHINE_MASK_WORDS] = {0};
    ovl_threads_read(&from, folder, 10);
    ck_assert(isnan(from.waited) && from.count == 0);
    put_thread(10, "5000000000 1000000000 9\n");
    put_thread(11, "1000000000 0 9\n");
    put_thread(12, "0 0 1\n");
    put_thread(14, "0 0 1\n");
    put_thread(15, "0 0 1\n");
    ovl_threads_read(&from, folder, 10);
    ck_assert_double_eq_tol(from.waited, 1, 1e-9);
    ck_assert_uint_eq(from.count, 4);
    put_thread(10, "6000000000 2500000000 9\n");
    put_thread(11, "1500000000 500000000 9\n"); /* it shares a core */
    put_thread(12, "400000000 90000000 9\n");
    put_thread(14, "10000000 790000000 3\n");  /* it woke up, and waited long for a core */
    put_thread(15, "4000000 990000000 3\n");   /* it never slept */
    put_thread(13, "600000000 400000000 2\n"); /* a new one */
    ovl_threads_read(&to, folder, 10);
    ck_assert_double_eq_tol(to.waited - from.waited, 1.5, 1e-9);
    ck_assert_uint_eq(ovl_threads_busy(&from, &to, 1, mask), 3);
    ck_assert_uint_eq(ovl_threads_busy(&from, &to, 0.9, mask), 4);
    ck_assert_uint_eq(ovl_threads_busy(&from, &to, 2.1, mask), 0);
}

static atomic_bool stop;

static void *spin(void *nothing)
{
    while (!stop)
        ;
    return nothing;
}

static void nap(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&t, NULL);
}

/* Of this process, however many others want the cores: what waits for one wants it, too. */
TEST(a_thread_that_spins_is_seen)
{
    pthread_t thread;
    uint64_t mask[OVL_MACHINE_MASK_WORDS] = {0};
    ovl_threads_read(&from, "", gettid());
    if (isnan(from.waited))
        return; /* a kernel without schedstat */
    ck_assert_int_eq(pthread_create(&thread, NULL, spin, NULL), 0);
    size_t seen = 0;
    for (int64_t begin = ovl_clock_ns(); seen == 0 && ovl_clock_since(begin) < 20;) {
        ovl_threads_read(&from, "", gettid());
        int64_t span = ovl_clock_ns();
        nap(0.2);
        ovl_threads_read(&to, "", gettid());
        seen = ovl_threads_busy(&from, &to, ovl_clock_since(span), mask);
    }
    stop = true;
    pthread_join(thread, NULL);
    ck_assert_uint_eq(seen, 1);
    ck_assert(mask[0] | mask[1]);
}

/* user and system in ticks, of which a second has 100 everywhere. */
static void put_process(int id, int parent, unsigned flags, int user, int system, int processor)
{
    char name[64], text[256];
    ck_assert_int_eq(sysconf(_SC_CLK_TCK), 100);
    snprintf(name, sizeof name, "/proc/%d/stat", id);
    snprintf(
        text, sizeof text,
        "%d (a (bad) name) R %d 1 1 0 -1 %u 1 0 0 0 %d %d 5 5 20 0 1 0 77 3133440 394 18446744073709551615 1 1 0 0 "
        "0 0 0 0 0 0 0 0 17 %d 0 0 0 0 0 0\n",
        id, parent, flags, user, system, processor);
    folder_put(name, text);
}

TEST(processes_of_others_on_the_cores)
{
    const uint64_t mask[OVL_MACHINE_MASK_WORDS] = {1U << 1};
    const int ours[] = {20, 30};
    struct ovl_rivals before, after;
    put_process(1, 0, 0, 5, 5, 1);          /* idle */
    put_process(7, 1, 0, 10, 0, 1);         /* busy here */
    put_process(8, 1, 0, 10, 0, 0);         /* busy elsewhere */
    put_process(9, 1, 0, 10, 0, 1);         /* and gone from here at the end */
    put_process(20, 1, 0, 10, 0, 1);        /* ours, */
    put_process(21, 20, 0, 10, 0, 1);       /* and its child */
    put_process(50, 2, 0x208040, 10, 0, 1); /* the kernel's */
    folder_put("/proc/60/stat", "60 (cut");
    folder_put("/proc/self/stat", "not a number");
    ovl_rivals_read(&before, folder, ours, 2, mask);
    ck_assert_uint_eq(before.count, 4);
    put_process(7, 1, 0, 30, 30, 1);
    put_process(8, 1, 0, 60, 0, 0);
    put_process(9, 1, 0, 16, 0, 0);
    put_process(20, 1, 0, 90, 0, 1);
    put_process(21, 20, 0, 90, 0, 1);
    put_process(40, 1, 0, 1, 1, 1); /* began meanwhile */
    put_process(50, 2, 0x208040, 90, 0, 1);
    ovl_rivals_read(&after, folder, ours, 2, mask);
    ck_assert_double_eq(ovl_rivals_count(&before, &after, 1), 2);    /* 7 and 9 */
    ck_assert_double_eq(ovl_rivals_count(&before, &after, 0.39), 3); /* two ticks are 5 % */
    ck_assert_double_eq(ovl_rivals_count(&before, &after, 10), 1);
    ck_assert_double_eq(ovl_rivals_count(&after, &after, 1), 0);
    ck_assert(isnan(ovl_rivals_count(&after, &after, 0.1))); /* too short to tell */
    ovl_rivals_free(&before);
    ovl_rivals_free(&after);
    ovl_rivals_read(&before, "/nowhere", ours, 2, mask);
    ck_assert(before.count == 0 && isnan(ovl_rivals_count(&before, &before, 0.1)));
}

/* To whom it is no child, it is one. */
TEST(a_process_that_spins_is_seen)
{
    uint64_t mask[OVL_MACHINE_MASK_WORDS] = {0};
    const int nobody = 0, ours = getpid();
    struct ovl_rivals before, after, own;
    ovl_machine_mask(0, mask);
    pid_t child = fork();
    if (child == 0)
        for (alarm(30);;)
            ;
    double seen = 0;
    for (int64_t begin = ovl_clock_ns(); !(seen > 0) && ovl_clock_since(begin) < 20;) {
        ovl_rivals_read(&before, "", &nobody, 1, mask);
        nap(0.3);
        ovl_rivals_read(&after, "", &nobody, 1, mask);
        seen = ovl_rivals_count(&before, &after, 0.3);
        ovl_rivals_free(&before);
        ovl_rivals_read(&own, "", &ours, 1, mask);
        for (size_t i = 0; i < own.count; i++)
            ck_assert(own.list[i].id != child && own.list[i].id != ours);
        ovl_rivals_free(&own);
        ovl_rivals_free(&after);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert(seen >= 1);
}

AROUND(folder_make, folder_remove)
