/* Who serves whom: layouts of ranks and workers, from what each process says. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/roster.h"
#include "tests/unit/suites.h"

#include <stdio.h>
#include <string.h>

/* A job from a text: a letter per process, its node; capital where it was started as ovl_worker. */
static int make(struct ovl_roster *r, const char *text, int workers, enum ovl_map map, struct ovl_error *err)
{
    struct ovl_hello hellos[32] = {0};
    int n = (int)strlen(text);
    for (int p = 0; p < n; p++) {
        bool capital = text[p] >= 'A' && text[p] <= 'Z';
        char node = capital ? (char)(text[p] - 'A' + 'a') : text[p];
        hellos[p].worker_program = capital;
        hellos[p].workers = capital ? 0 : workers;
        hellos[p].node = (int)(strpbrk(text, (char[]){node, (char)(node - 'a' + 'A'), '\0'}) - text);
        hellos[p].machine = node == 'z' ? 2 : 1;
        hellos[p].cpus[0] = 0xf;
        snprintf(hellos[p].node_name, sizeof hellos[p].node_name, "%c", node);
    }
    return ovl_roster_make(r, hellos, n, map, err);
}

static const struct {
    const char *job;
    int workers;
    enum ovl_map map;
    const char *servers; /* of each process: the world rank of its worker, in hexadecimal; '-': it is one */
} layouts[] = {
    {"aaaa", 1, OVL_MAP_CYCLIC, "333-"},
    {"aabb", 1, OVL_MAP_CYCLIC, "1-3-"},
    {"abab", 1, OVL_MAP_CYCLIC, "23--"},   /* ranks in turn over the nodes */
    {"aaabb", 1, OVL_MAP_CYCLIC, "22-4-"}, /* uneven nodes */
    {"aaaaaa", 2, OVL_MAP_CYCLIC, "4545--"},
    {"aaaaaa", 2, OVL_MAP_BLOCK, "4455--"},
    {"aaaaaaa", 2, OVL_MAP_BLOCK, "55566--"},
    {"aaAaaA", 1, OVL_MAP_CYCLIC, "25-25-"}, /* programs of their own, whatever --workers says */
    {"Aaa", 1, OVL_MAP_CYCLIC, "-00"},
    {"aabbCD", 1, OVL_MAP_CYCLIC, "4455--"}, /* nodes of workers only: the first serves the first */
    {"aabbDCDC", 1, OVL_MAP_CYCLIC, "4657----"},
    {"aabAcC", 1, OVL_MAP_CYCLIC, NULL}, /* b has nobody */
    {"aaZ", 1, OVL_MAP_CYCLIC, NULL},    /* on another machine, whose memory no path reaches */
    {"ab", 1, OVL_MAP_CYCLIC, NULL},     /* no rank left */
    {"aab", 2, OVL_MAP_CYCLIC, NULL},
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts };

START_TEST(who_serves_whom)
{
    struct ovl_roster r;
    struct ovl_error err = {.text = ""};
    int rc = make(&r, layouts[_i].job, layouts[_i].workers, layouts[_i].map, &err), processes = 0;
    if (!layouts[_i].servers) {
        ck_assert_int_eq(rc, -1);
        ck_assert_ptr_nonnull(strstr(err.text, "node "));
        ovl_roster_free(&r);
        return;
    }
    ck_assert_msg(rc == 0, "%s", err.text);
    for (const char *s = layouts[_i].servers; *s; s++, processes++) {
        const struct ovl_member *m = &r.member[processes];
        ck_assert_int_eq(m->worker, *s == '-');
        ck_assert_int_eq(m->worker ? r.worker_at[m->number] : r.rank_at[m->number], processes);
        if (!m->worker) {
            ck_assert_int_eq(r.worker_at[m->server], *s - '0');
            ck_assert_int_eq(r.worker_node[m->server], m->node);
        }
        ck_assert_int_eq(m->crowded, r.processes > 4);
        ck_assert_int_eq(m->workers_here, r.workers);
    }
    ck_assert_int_eq(processes, r.processes);
    ck_assert_int_eq(r.ranks + r.workers, r.processes);
    ovl_roster_free(&r);
}
END_TEST

START_TEST(no_workers)
{
    struct ovl_roster r;
    struct ovl_error err;
    ck_assert_int_eq(make(&r, "aabb", 0, OVL_MAP_CYCLIC, &err), 0);
    ck_assert_int_eq(r.workers, 0);
    ck_assert_int_eq(r.ranks, 4);
    ck_assert_int_eq(r.nodes, 2);
    ovl_roster_free(&r);
}
END_TEST

Suite *suite_roster(void)
{
    Suite *s = suite_create("roster");
    TCase *t = tcase_create("roster");
    tcase_add_loop_test(t, who_serves_whom, 0, LAYOUTS);
    tcase_add_test(t, no_workers);
    suite_add_tcase(s, t);
    return s;
}
