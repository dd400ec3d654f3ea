/* The words of a cell's status, and who carries a claim. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "record/derived/noisy.h"
#include "record/derived/settle.h"
#include "record/status.h"
#include "table/table.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_cell cell;
static double ci = 50;

enum { CELLS = 100 };

static void make(size_t blocks)
{
    sample_cell(&cell, "a", 1024, blocks);
}

static void teardown(void)
{
    ci = 50;
    ovl_cell_free(&cell);
}

static const char *settled(const char *found)
{
    strcpy(cell.status, found);
    *cell.reason = '\0';
    json_t *head = json_pack("{s:{s:f, s:[i, i]}}", "options", "ci", ci, "iterations", 30, 1000);
    const struct ovl_run run = {.head = head};
    ovl_cell_settle(&cell, &run);
    json_decref(head);
    return cell.status;
}

/* T grows from block to block. */
static void drift(void)
{
    for (size_t b = 0; b < cell.samples.blocks; b++)
        cell.samples.max[OVL_TOTAL][b] = 14e-6 * (1 + 1e-3 * (double)b);
    ovl_cell_derive(&cell);
}

TEST(fifteen_valid_blocks_are_not_few)
{
    make(15);
    ck_assert_str_eq(settled("ok"), "ok");
    ck_assert_str_eq(cell.reason, "");
    cell.samples.max[OVL_TOTAL][3] = cell.samples.mean[OVL_TOTAL][3] = NAN; /* fifteen blocks, fourteen of them valid */
    ovl_cell_derive(&cell);
    ck_assert_str_eq(settled("ok"), "few");
    ck_assert_ptr_nonnull(strstr(cell.reason, "14 valid blocks"));
}

/* All samples of a kind as late as that, but every n-th, which is in time. */
static void late(enum ovl_quantity q, double seconds, size_t in_time_every)
{
    for (size_t b = 0; b < cell.samples.blocks; b++)
        cell.samples.max[q][b] = in_time_every && b % in_time_every == 0 ? 1e-8 : seconds;
    ovl_cell_derive(&cell);
}

/* C is 10 us: 0.2 us are allowed, and 0.1 us between C, B and T. */
TEST(ranks_that_start_apart_make_no_cell)
{
    static const enum ovl_quantity all[] = {OVL_COMM_LATE, OVL_BLOCKING_LATE, OVL_TOTAL_LATE};
    static const char *const others[] = {"ok", "ci_not_reached"};
    make(40);
    for (size_t i = 0; i < 3; i++)
        late(all[i], 0.19e-6, 0);
    ck_assert_str_eq(settled("ok"), "ok");
    for (size_t i = 0; i < 3; i++)
        late(all[i], 0.22e-6, 0);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_str_eq(settled(others[i]), "invalid");
        ck_assert_ptr_nonnull(strstr(cell.reason, "ranks start apart"));
        ck_assert_ptr_nonnull(strstr(cell.reason, "steadily"));
    }
    for (size_t i = 0; i < 3; i++)
        late(all[i], 3e-3, 0);
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "shares its core"));
    strcpy(cell.late_host, "n3");
    for (size_t i = 0; i < 3; i++)
        late(all[i], 3e-3, 4); /* most samples, by a time slice */
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "loses its core"));
    ck_assert_ptr_nonnull(strstr(cell.reason, "n3"));
    for (size_t i = 0; i < 3; i++)
        late(all[i], 3e-3, 1);
    ck_assert_str_eq(settled("ok"), "ok");
    late(OVL_COMPUTE_LATE, 3e-3, 0); /* nobody waits for anybody in W */
    ck_assert_str_eq(settled("ok"), "ok");
    late(OVL_TOTAL_LATE, 0.15e-6, 0);
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "in comm and by"));
}

/* Its samples begin when it does, and nobody waits for it. */
TEST(one_rank_starts_apart_from_nobody)
{
    make(40);
    cell.ranks = 1;
    late(OVL_TOTAL_LATE, 5e-6, 0);
    ck_assert_str_eq(settled("ok"), "ok");
    cell.ranks = 2;
    ck_assert_str_eq(settled("ok"), "invalid");
}

/* A solution of 68 ms on a grid without a broadcast: C is 10 us, far below the noise of T. Its starts are apart when T
   notices. */
TEST(without_communication_starts_are_held_against_the_total)
{
    make(40);
    cell.problem = json_pack("{s:i}", "n", 800);
    for (size_t b = 0; b < cell.samples.blocks; b++) {
        cell.samples.max[OVL_TOTAL][b] = cell.samples.mean[OVL_TOTAL][b] = 68e-3 + (double)(b * 7 % 11) * 1e-4;
        cell.samples.max[OVL_COMPUTE][b] = cell.samples.mean[OVL_COMPUTE][b] = 68e-3 + (double)(b * 5 % 11) * 1e-4;
        cell.samples.max[OVL_INNER][b] = cell.samples.mean[OVL_INNER][b] = 67e-3;
    }
    late(OVL_COMM_LATE, 1.5e-6, 0);
    late(OVL_TOTAL_LATE, 2e-6, 0);
    ck_assert(isnan(cell.derived[OVL_HIDDEN].value));
    ck_assert_str_eq(settled("ok"), "ok");
    late(OVL_TOTAL_LATE, 1e-4, 0); /* 0.1 % of T are 68 us */
    ck_assert_str_eq(settled("ci_not_reached"), "invalid");
    late(OVL_TOTAL_LATE, 2e-6, 0);
    json_decref(cell.problem); /* a driver's cell has no such excuse */
    cell.problem = NULL;
    ovl_cell_derive(&cell);
    ck_assert_str_eq(settled("ci_not_reached"), "invalid");
}

/* A clock that goes back in the wait makes T shorter than the work in it, and parts of T negative. */
TEST(a_clock_that_went_back_makes_no_cell)
{
    make(40);
    for (size_t b = 0; b < 40; b++)
        cell.samples.max[OVL_TOTAL][b] = 0.5 * cell.samples.max[OVL_COMPUTE][b];
    ovl_cell_derive(&cell);
    ck_assert(!ovl_cell_claims(&cell));
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "shorter than its core worked in it"));
    cell.cpu_thread_seconds = NAN; /* not known */
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "shorter than the work in it"));
    ovl_cell_free(&cell);
    make(40);
    cell.samples.max[OVL_WAIT][7] = -1e-9;
    ovl_cell_derive(&cell);
    ck_assert_str_eq(settled("ci_not_reached"), "invalid");
    ck_assert_str_eq(cell.reason, "a time is below 0: a clock went back");
}

/* What is quicker beside the communication than alone was disturbed alone; in mode blocking nothing can be hidden. */
TEST(work_that_was_disturbed_alone_makes_no_cell)
{
    make(40);
    for (size_t b = 0; b < 40; b++)
        cell.samples.max[OVL_INNER][b] = cell.samples.mean[OVL_INNER][b] = 0.8 * cell.samples.max[OVL_COMPUTE][b];
    ovl_cell_derive(&cell);
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "the work alone was disturbed"));
    strcpy(cell.mode, "blocking");
    ck_assert_str_eq(settled("ok"), "ok");
    ovl_cell_free(&cell);
    make(40); /* by little of W, and much of a short C; nothing is hidden of what one rank has */
    for (size_t b = 0; b < 40; b++) {
        cell.samples.max[OVL_COMM][b] = cell.samples.mean[OVL_COMM][b] = 0.3 * cell.samples.max[OVL_COMM][b];
        cell.samples.max[OVL_INNER][b] = cell.samples.mean[OVL_INNER][b] = 0.95 * cell.samples.max[OVL_COMPUTE][b];
    }
    ovl_cell_derive(&cell);
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "the work alone was disturbed"));
    cell.ranks = 1;
    ck_assert_str_eq(settled("ok"), "ok");
}

TEST(a_quarter_must_be_left)
{
    make(40);
    for (size_t b = 0; b < 30; b++)
        cell.samples.max[OVL_COMM][b] = NAN;
    ovl_cell_derive(&cell);
    ck_assert_str_eq(settled("ok"), "few");
    cell.samples.max[OVL_COMM][30] = NAN;
    ovl_cell_derive(&cell);
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "9 of 40"));
}

/* 0.03 C are 0.3 us. */
TEST(clocks_must_be_followed)
{
    make(40);
    cell.clock_residual = 0.29e-6;
    ck_assert_str_eq(settled("ok"), "ok");
    cell.clock_residual = 0.35e-6;
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "clocks"));
    for (int q = OVL_COMM_LATE; q <= OVL_TOTAL_LATE; q++) /* after bare barriers it is all that speaks */
        late((enum ovl_quantity)q, NAN, 0);
    ck_assert_str_eq(settled("ok"), "invalid");
    cell.clock_residual = NAN;
    ck_assert_str_eq(settled("ok"), "ok");
}

TEST(a_trend_is_drifting)
{
    make(40);
    ck_assert_str_eq(settled("ok"), "ok");
    drift();
    ck_assert_double_gt(cell.autocorrelation, 0.9);
    ck_assert_str_eq(settled("ok"), "drifting");
    ck_assert_ptr_nonnull(strstr(cell.reason, "autocorrelation is 0.9"));
}

TEST(the_gravest_mark_is_the_status)
{
    make(14);
    drift();
    ck_assert_str_eq(settled("ok"), "few"); /* and drifting, of which so few blocks say little */
    ck_assert_uint_eq(cell.marks % (2U << OVL_MARK_WIDE), 1U << OVL_MARK_FEW | 1U << OVL_MARK_DRIFTING);
    ci = 1e-3;
    ck_assert_str_eq(settled("ci_not_reached"), "few");
    ck_assert_uint_eq(cell.marks % (2U << OVL_MARK_WIDE),
                      1U << OVL_MARK_FEW | 1U << OVL_MARK_DRIFTING | 1U << OVL_MARK_WIDE);
    ck_assert_ptr_nonnull(strstr(cell.reason, "14 valid blocks (--max-time)"));
    ck_assert_str_eq(settled("invalid"), "invalid");
    ck_assert(cell.marks & 1U << OVL_MARK_INVALID);
}

/* What another mode in the same blocks needs is no matter of this one. */
TEST(wide_is_a_cell_s_own_interval)
{
    make(40);
    ci = 1e-3;
    ck_assert_str_eq(settled("ok"), "ci_not_reached");
    ck_assert_str_eq(cell.reason, "interval wider than --ci 0.001 after 40 blocks (--max-time)");
    ci = 50;
    ck_assert_str_eq(settled("ci_not_reached"), "ok");
    ck_assert_str_eq(cell.reason, "");
}

/* Fifteen valid T, and no block in which W and C count, too. */
TEST(blocks_are_kept_where_all_three_count)
{
    make(40);
    for (size_t b = 0; b < 40; b++)
        cell.samples.max[b % 2 ? OVL_COMPUTE : OVL_COMM][b] = NAN;
    ovl_cell_derive(&cell);
    ck_assert_double_eq(cell.blocks_kept, 0);
    ck_assert_str_eq(settled("ok"), "few");
}

TEST(samples_without_spread_do_not_drift)
{
    make(30);
    for (size_t b = 0; b < 30; b++)
        cell.samples.max[OVL_TOTAL][b] = 14e-6;
    ovl_cell_derive(&cell);
    ck_assert(isnan(cell.autocorrelation));
    ck_assert_str_eq(settled("ok"), "ok");
}

TEST(claims)
{
    static const char *const words[] = {"ok", "ci_not_reached", "few", "drifting"};
    make(15);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        strcpy(cell.status, words[i]);
        ck_assert(ovl_cell_claims(&cell));
    }
    cell.steal_fraction = 0.5;
    ck_assert(ovl_cell_claims(&cell));
    cell.unshaped = 1;
    ck_assert(!ovl_cell_claims(&cell));
    cell.unshaped = -1;
    strcpy(cell.placement, OVL_EMULATED);
    ck_assert(!ovl_cell_claims(&cell));
    ck_assert_str_eq(ovl_run_no_claim(&(struct ovl_run){.end = NULL}, &cell), "emulated");
    strcpy(cell.status, "invalid");
    ck_assert_str_eq(ovl_run_no_claim(&(struct ovl_run){.end = NULL}, &cell), "invalid");
    strcpy(cell.status, "ok");
    strcpy(cell.placement, "host-core");
    cell.validated = 0;
    ck_assert(!ovl_cell_claims(&cell));
    cell.validated = -1;
    ck_assert(ovl_cell_claims(&cell));
    cell.validated = 1;
    cell.check_limit = 1e-13;
    cell.check_value = 1e-14;
    ck_assert(ovl_cell_claims(&cell));
    cell.check_value = 1000;
    ck_assert(!ovl_cell_claims(&cell));
    cell.check_value = NAN;
    ck_assert(!ovl_cell_claims(&cell));
    cell.check_limit = NAN;
    strcpy(cell.status, "invalid");
    ck_assert(!ovl_cell_claims(&cell));
}

static void set(enum ovl_quantity q, size_t block, double seconds)
{
    cell.samples.max[q][block] = cell.samples.mean[q][block] = seconds;
}

/* T rises from 0.92 to 0.96 of W, so that its blocks depend on each other: by the wide interval that follows it may be
   0.95 of it, by one of independent blocks it may not. */
TEST(a_claim_is_held_against_the_intervals_of_the_record)
{
    make(31);
    for (size_t b = 0; b < 31; b++) {
        for (int q = OVL_INIT; q < OVL_INNER; q++)
            set(q, b, 1e-9);
        set(OVL_INNER, b, 8.25e-6);
        set(OVL_BLOCKING, b, 8e-6);
        set(OVL_COMM, b, 8e-6);
        set(OVL_COMPUTE, b, 9e-6);
        set(OVL_TOTAL, b, 9e-6 * (0.92 + 0.04 * (double)b / 30));
    }
    cell.cpu_thread_seconds = 1e-5;
    ovl_cell_derive(&cell);
    ck_assert_msg(strcmp(settled("ok"), "invalid") != 0, "%s", cell.reason);
    ck_assert(ovl_cell_claims_again(&cell));
}

static const char *shown(void)
{
    static char text[OVL_STATUS_TEXT];
    cell.marks = OVL_MARKS_UNKNOWN; /* by its values */
    ovl_status_text(&cell, text);
    return text;
}

/* All that hold, the gravest first; an interval says nothing of an invalid cell; several cells are counted. */
TEST(all_marks_are_told)
{
    struct ovl_marks_seen seen = {.cells = {0}};
    char text[OVL_STATUS_TEXT];
    make(15);
    strcpy(cell.status, "few");
    cell.marks = 1U << OVL_MARK_FEW | 1U << OVL_MARK_WIDE | 1U << OVL_MARK_NOISY | 1U << OVL_MARK_EMULATED;
    ovl_status_text(&cell, text);
    ck_assert_str_eq(text, "few, wide, noisy");
    ovl_marks_see(&seen, &cell);
    cell.marks &= ~(1U << OVL_MARK_NOISY);
    ovl_marks_see(&seen, &cell);
    ovl_marks_text(&seen, text);
    ck_assert_str_eq(text, "2 few, 2 wide, 1 noisy");
    strcpy(cell.status, "ci_not_reached");
    cell.marks = 1U << OVL_MARK_WIDE;
    ovl_status_text(&cell, text);
    ck_assert_str_eq(text, "wide");
    strcpy(cell.status, "invalid");
    cell.marks = (1U << OVL_MARKS) - 1;
    ovl_status_text(&cell, text);
    ck_assert_str_eq(text, "invalid, uneven, noisy, own W, W/C, later first token");
    cell.unshaped = 1;
    ovl_status_text(&cell, text);
    ck_assert_str_eq(text, "unshaped");
    cell.validated = 0;
    ovl_status_text(&cell, text);
    ck_assert_str_eq(text, "invalid, wrong, noisy, own W, W/C, later first token");
    cell.validated = 1;
    cell.unshaped = 0;
    strcpy(cell.status, "ok");
    cell.marks = 0;
    seen = (struct ovl_marks_seen){.cells = {0}};
    ovl_marks_see(&seen, &cell);
    ovl_marks_text(&seen, text);
    ck_assert_str_eq(text, "");
}

/* Is each word of a text, with ", " between them, among those that are explained? */
static bool all_explained(char *text)
{
    for (char *word = text, *next; word; word = next) {
        next = strstr(word, ", ");
        if (next)
            *next = '\0', next += 2;
        const struct ovl_status_word *w = ovl_status_words;
        while (w->word && strcmp(w->word, word) != 0)
            w++;
        if (!w->word || !*w->about)
            return false;
    }
    return true;
}

TEST(every_word_of_a_status_is_explained)
{
    static const char *const statuses[] = {"ok", "ci_not_reached", "few", "drifting", "invalid"};
    char text[OVL_STATUS_TEXT];
    make(15);
    strcpy(cell.placement, OVL_EMULATED);
    cell.marks = (1U << OVL_MARKS) - 1;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        strcpy(cell.status, statuses[i]);
        for (cell.validated = 0; cell.validated < 2; cell.validated++) {
            ovl_status_text(&cell, text);
            ck_assert_msg(all_explained(text), "%s", text);
        }
    }
    cell.validated = cell.unshaped = 1;
    ovl_status_text(&cell, text);
    ck_assert(all_explained(text));
}

TEST(noise_is_marked_beside_the_status)
{
    make(15);
    cell.ratio = NAN;                /* the work was not asked for as a multiple */
    ck_assert_str_eq(shown(), "ok"); /* not known */
    cell.steal_fraction = 0.01;
    ck_assert(!ovl_cell_noisy(&cell));
    cell.steal_fraction = 0.011;
    ck_assert(ovl_cell_noisy(&cell));
    ck_assert_str_eq(shown(), "ok, noisy");
    strcpy(cell.status, "few");
    ck_assert_str_eq(shown(), "few, noisy");
    strcpy(cell.status, "drifting"); /* the longest of all */
    cell.derived[OVL_HIDDEN].value = 0.5;
    cell.derived[OVL_HIDDEN_RANK_MEAN].value = 0.9;
    cell.ratio = 100;
    ck_assert_str_eq(shown(), "drifting, uneven, noisy, W/C");
    strcpy(cell.status, "ci_not_reached");
    cell.validated = 0;
    ck_assert_str_eq(shown(), "wide, wrong, noisy, W/C");
}

/* Waiting for a core is noise where it is not the job's own ranks and threads that wait for each other. */
TEST(processes_of_others_and_quotas_are_noise)
{
    make(15);
    cell.ratio = NAN;
    cell.disturbance.waited = 0.5; /* alone it says nothing of whose the core was */
    ck_assert_str_eq(shown(), "ok");
    cell.disturbance.spare_cores = 0;
    ck_assert_str_eq(shown(), "ok, noisy");
    ck_assert_int_eq(ovl_cell_noise(&cell), OVL_RIVALLED);
    cell.disturbance.waited = 0.01;
    ck_assert_str_eq(shown(), "ok");
    cell.disturbance.waited = 0.5;
    cell.disturbance.spare_cores = -1;
    ck_assert_str_eq(shown(), "ok");
    ck_assert(ovl_cell_marks(&cell) & 1U << OVL_MARK_OVERSUBSCRIBED);
    cell.disturbance.others = 1;
    ck_assert_str_eq(shown(), "ok, noisy");
    cell.disturbance = (struct ovl_disturbance){.waited = NAN, .others = 2, .spare_cores = 0};
    ck_assert_str_eq(shown(), "ok"); /* they may run on other cores of those that ranks may use */
    cell.disturbance.throttled = 1;
    ck_assert_str_eq(shown(), "ok, noisy");
    ck_assert_str_eq(ovl_cell_noise_text(ovl_cell_noise(&cell)), "a CPU quota stopped the ranks");
}

/* Of workers alone, and from over 3 % on. */
TEST(a_later_first_token_is_told)
{
    make(40);
    cell.ratio = NAN;
    for (int i = 0; i < 3; i++) {
        ovl_cell_set(&cell, "serving", json_pack("{s:f}", "ttft_by_blocking", i == 1 ? 1.031 : 1.03));
        strcpy(cell.mode, i == 2 ? "host" : "dpu");
        ck_assert_str_eq(settled("ok"), "ok");
        ck_assert_str_eq(shown(), i == 1 ? "ok, later first token" : "ok");
        ck_assert_int_eq((ovl_cell_marks(&cell) & 1U << OVL_MARK_LATER_FIRST) != 0, i == 1);
    }
    ovl_cell_set(&cell, "serving", json_pack("{s:n}", "ttft_by_blocking"));
    strcpy(cell.mode, "dpu");
    ck_assert_str_eq(settled("ok"), "ok");
    ck_assert_uint_eq(ovl_cell_marks(&cell) & 1U << OVL_MARK_LATER_FIRST, 0);
}

/* Progress threads of the library, one of each of two ranks: on four cores such a cell is as good as any; on two the
   starts are late, and the reason says whose threads they are, and what helps. */
TEST(threads_of_the_library_with_cores_of_their_own)
{
    make(40);
    cell.ratio = NAN;
    cell.disturbance = (struct ovl_disturbance){.busy_threads = 2, .spare_cores = 0};
    ck_assert_str_eq(settled("ok"), "ok");
    ck_assert_uint_eq(cell.marks & (1U << OVL_MARK_OVERSUBSCRIBED | 1U << OVL_MARK_NOISY), 0);
    ck_assert(ovl_cell_claims(&cell));
    late(OVL_TOTAL_LATE, 3e-3, 4); /* late for another cause: the threads have their cores */
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_null(strstr(cell.reason, "threads"));
    cell.disturbance.spare_cores = -2;
    strcpy(cell.late_host, "a-node-whose-name-is-as-long-as-names-of-nodes-may-be");
    ck_assert_str_eq(settled("ok"), "invalid");
    ck_assert_ptr_nonnull(strstr(cell.reason, "busy threads of the ranks lack cores (mpiexec -bind-to core:2)"));
    ck_assert(cell.marks & 1U << OVL_MARK_OVERSUBSCRIBED);
    ck_assert(!ovl_cell_claims(&cell));
}

TEST(fields_go_through_the_record)
{
    struct ovl_cell again;
    make(20);
    cell.steal_fraction = 0.125;
    cell.disturbance = (struct ovl_disturbance){0.25, 7, 2, -1, 3, 5, 0.5};
    cell.marks = (1U << OVL_MARKS) - 1;
    json_t *line = ovl_cell_to_json(&cell);
    ck_assert_int_eq(ovl_cell_from_json(line, true, &again, &err), 0);
    ck_assert_double_eq(again.steal_fraction, 0.125);
    ck_assert_mem_eq(&again.disturbance, &cell.disturbance, sizeof cell.disturbance);
    ck_assert_uint_eq(again.marks, cell.marks);
    ck_assert_double_eq(again.blocks_kept, 20);
    ck_assert_double_eq(again.autocorrelation, cell.autocorrelation);
    ck_assert(!isnan(cell.autocorrelation));
    ovl_cell_free(&again);
    json_object_del(line, "steal_fraction"); /* an older record */
    json_object_del(line, "disturbance");
    json_object_del(line, "autocorrelation");
    json_object_del(line, "marks");
    ck_assert_int_eq(ovl_cell_from_json(line, true, &again, &err), 0);
    ck_assert(isnan(again.steal_fraction) && isnan(again.autocorrelation));
    ck_assert(isnan(again.disturbance.waited) && isnan(again.disturbance.spare_cores) && !ovl_cell_noisy(&again));
    ck_assert_uint_eq(again.marks, OVL_MARKS_UNKNOWN);
    ovl_cell_free(&again);
    json_decref(line);
}

static double unit(struct ovl_rng *rng)
{
    return ovl_rng_below(rng, 1U << 30) / (double)(1U << 30);
}

/* A cell of random samples, spreads and gaps, some with a trend. */
static void make_random(struct ovl_rng *rng)
{
    static const enum ovl_quantity timed[] = {OVL_COMM, OVL_COMPUTE, OVL_BLOCKING, OVL_TOTAL, OVL_INNER};
    make(6 + (size_t)(40 * unit(rng)));
    double spread = 0.2 * unit(rng), gaps = 0.6 * unit(rng) * unit(rng), trend = 0.01 * unit(rng);
    for (size_t b = 0; b < cell.samples.blocks; b++)
        for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
            double *x = &cell.samples.max[timed[i]][b];
            *x *= (1 + spread * (unit(rng) - 0.5)) * (1 + trend * (double)b);
            cell.samples.mean[timed[i]][b] = *x = unit(rng) < gaps ? NAN : *x;
        }
    ovl_cell_round(&cell);
    ovl_cell_derive(&cell);
}

/* What a program says of a cell, and what is made of it from the file. */
TEST(a_trip_through_the_record_changes_no_status)
{
    struct ovl_rng rng = ovl_rng_seeded(7);
    size_t seen[OVL_MARKS] = {0};
    for (int i = 0; i < CELLS; i++) {
        struct ovl_cell again;
        make_random(&rng);
        ci = 10 * unit(&rng);
        settled("ok");
        json_t *written = ovl_cell_to_json(&cell);
        char *text = json_dumps(written, 0);
        json_t *line = json_loads(text, 0, NULL);
        json_decref(written);
        ck_assert_int_eq(ovl_cell_from_json(line, true, &again, &err), 0);
        ck_assert_str_eq(again.status, cell.status);
        ck_assert_uint_eq(again.marks, cell.marks);
        for (int m = 0; m < OVL_MARKS; m++)
            seen[m] += cell.marks >> m & 1;
        char status[24], reason[256];
        unsigned marks = cell.marks;
        strcpy(status, cell.status);
        strcpy(reason, cell.reason);
        ovl_cell_free(&cell);
        cell = again;
        ovl_cell_derive(&cell);
        ck_assert_str_eq(settled("ok"), status);
        ck_assert_str_eq(cell.reason, reason);
        ck_assert_uint_eq(cell.marks, marks);
        ovl_cell_free(&cell);
        free(text);
        json_decref(line);
    }
    for (int m = OVL_MARK_INVALID; m <= OVL_MARK_WIDE; m++)
        ck_assert_uint_gt(seen[m], 0);
    make(6); /* for teardown */
}

AROUND(NULL, teardown)
