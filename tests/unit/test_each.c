/* Names of nodes as Slurm lists them, and who meets whom. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/test.h"
#include "tool/sweep/plan/each.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static char *listed(const char *text)
{
    json_t *names = json_array();
    const char *fault = ovl_each_hosts(names, text);
    char *all = ovl_text("%s", fault ? "?" : "");
    for (size_t i = 0; i < json_array_size(names) && !fault; i++) {
        char *more = ovl_text("%s%s%s", all, i > 0 ? " " : "", json_string_value(json_array_get(names, i)));
        free(all);
        all = more;
    }
    json_decref(names);
    return all;
}

static const struct {
    const char *text, *names;
} lists[] = {
    {"a", "a"},
    {"a,b.example.org,c-1", "a b.example.org c-1"},
    {"n[1-3]", "n1 n2 n3"},
    {"n[08-11,20],login", "n08 n09 n10 n11 n20 login"},
    {"r[1-2]n[3-4]-ib", "r1n3-ib r1n4-ib r2n3-ib r2n4-ib"},
    {"", ""},
    {"a,,b", "?"},
    {"n[1-", "?"},
    {"n[]", "?"},
    {"n[1-3]]", "?"},
    {"n[3-1]", "?"},
    {"n[1-9999]", "?"},
    {"n[1-999999999999]", "?"},
    {"n[1-60]m[1-60]", "?"},
    {"n[x]", "?"},
    {"n[1:3]", "?"},
    {"a b", "?"},
    {"-w", "?"},
    {",", "?"},
    {"a;rm", "?"},
};

LOOP_TEST(lists_of_nodes, 0, sizeof lists / sizeof *lists)
{
    char *names = listed(lists[_i].text);
    ck_assert_str_eq(names, lists[_i].names);
    free(names);
}

static json_t *places_of(const char *job, char wanted[OVL_EACH_WANTED])
{
    json_t *json = json_loads(job, 0, NULL);
    ck_assert_ptr_nonnull(json);
    json_t *places = ovl_each_places(json, NULL, wanted);
    json_decref(json);
    return places;
}

/* Each pair once, and in each round no node twice. */
TEST(pairs_meet_once_in_rounds)
{
    for (int n = 2; n <= 9; n++) {
        char wanted[OVL_EACH_WANTED], *job = ovl_text("{\"each\": \"pair\", \"hosts\": \"n[1-%d]\"}", n);
        json_t *places = places_of(job, wanted);
        bool met[10][10] = {{false}};
        ck_assert_uint_eq(json_array_size(places), (size_t)(n * (n - 1) / 2));
        for (size_t i = 0; i < json_array_size(places); i++) {
            int a = json_string_value(json_array_get(json_array_get(places, i), 0))[1] - '0';
            int b = json_string_value(json_array_get(json_array_get(places, i), 1))[1] - '0';
            ck_assert(a != b && !met[a][b] && !met[b][a]);
            met[a][b] = true;
        }
        bool busy[10] = {false};
        for (size_t i = 0; i < (size_t)(n / 2); i++) {
            int a = json_string_value(json_array_get(json_array_get(places, i), 0))[1] - '0';
            int b = json_string_value(json_array_get(json_array_get(places, i), 1))[1] - '0';
            ck_assert(!busy[a] && !busy[b]);
            busy[a] = busy[b] = true;
        }
        json_decref(places);
        free(job);
    }
}

TEST(rounds_and_the_allocation)
{
    char wanted[OVL_EACH_WANTED];
    json_t *places = places_of("{\"each\": \"pair\", \"hosts\": [\"n[1-7]\", \"login\"], \"rounds\": 2}", wanted);
    ck_assert_uint_eq(json_array_size(places), 8);
    json_decref(places);
    unsetenv("SLURM_JOB_NODELIST");
    ck_assert_ptr_null(places_of("{\"each\": \"node\"}", wanted));
    ck_assert_ptr_nonnull(strstr(wanted, "SLURM_JOB_NODELIST"));
    setenv("SLURM_JOB_NODELIST", "n[1-3]", 1);
    places = places_of("{\"each\": \"node\"}", wanted);
    ck_assert_uint_eq(json_array_size(places), 3);
    json_decref(places);
    ck_assert_ptr_null(places_of("{\"each\": \"node\", \"hosts\": \"a,b,a\"}", wanted));
    ck_assert_ptr_nonnull(strstr(wanted, "twice"));
    ck_assert_ptr_null(places_of("{\"each\": \"pair\", \"hosts\": \"a\"}", wanted));
}
