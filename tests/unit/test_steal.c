/* Time that other guests of the hypervisor took, from the text of /proc/stat. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/steal.h"
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

static struct ovl_steal_ticks read_text(const char *text, uint64_t mask)
{
    uint64_t masks[OVL_MACHINE_MASK_WORDS] = {mask};
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    ck_assert_ptr_nonnull(in);
    struct ovl_steal_ticks got = ovl_steal_read(in, masks);
    fclose(in);
    return got;
}

static const char stat[] = "cpu  60 0 30 1000 4 0 6 20 0 0\n"
                           "cpu0 10 1 20 400 2 3 4 5 7 1\n"
                           "cpu1 20 0 10 300 0 0 0 70 0 0\n"
                           "cpu12 1 1 1 1 1 1 1 1 0 0\n"
                           "intr 99 1 2 3\ncpu3 9 9 9 9 9 9 9 9 9 9\n";

TEST(processors_of_the_mask_are_summed)
{
    struct ovl_steal_ticks t = read_text(stat, 1);
    ck_assert_double_eq(t.stolen, 5);
    ck_assert_double_eq(t.all, 10 + 1 + 20 + 400 + 2 + 3 + 4 + 5); /* guest time is in user time already */
    t = read_text(stat, 3);
    ck_assert_double_eq(t.stolen, 75);
    ck_assert_double_eq(t.all, 445 + 400);
    t = read_text(stat, 1 << 12 | 1 << 3); /* nothing behind the processors is one */
    ck_assert_double_eq(t.all, 8);
}

TEST(what_is_not_told_is_not_known)
{
    ck_assert(isnan(read_text(stat, 1 << 5).stolen));             /* no such processor */
    ck_assert(isnan(read_text("cpu0 10 1 20 400\n", 1).stolen));  /* a kernel of long ago */
    ck_assert(isnan(read_text("cpu0 ten one\ncpu1 1\n", 1).all)); /* no numbers */
    ck_assert(isnan(read_text("not /proc/stat\n", 1).all));
    ck_assert(isnan(ovl_steal_share((struct ovl_steal_ticks){NAN, NAN}, (struct ovl_steal_ticks){1, 1000})));
}

TEST(share_of_what_passed)
{
    struct ovl_steal_ticks from = {50, 1000};
    ck_assert_double_eq_tol(ovl_steal_share(from, (struct ovl_steal_ticks){55, 1200}), 0.025, 1e-12);
    ck_assert_double_eq(ovl_steal_share(from, (struct ovl_steal_ticks){50, 1100}), 0);
    ck_assert(isnan(ovl_steal_share(from, (struct ovl_steal_ticks){51, 1099}))); /* one tick would be over 1 % */
    ck_assert(isnan(ovl_steal_share(from, (struct ovl_steal_ticks){20, 1200}))); /* a processor went away */
}

/* Spans of this machine itself: a short one is judged with what went before. */
TEST(short_spans_go_on)
{
    struct ovl_steal s;
    ovl_steal_open(&s);
    ovl_steal_begin(&s);
    if (isnan(s.from.all)) /* no /proc here */
        return;
    struct ovl_steal_ticks before = s.from;
    s.from.all -= 50;
    ovl_steal_begin(&s);
    ck_assert_double_eq(s.from.all, before.all - 50);
    s.from.all -= 200;
    ovl_steal_begin(&s);
    ck_assert_double_ge(s.from.all, before.all);
    s.from.all -= 1000;
    double share = ovl_steal_end(&s);
    ck_assert(share >= 0 && share <= 1);
}
