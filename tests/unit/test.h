/* How a unit test is written: TEST(name) { ... } in test_SUITE.c is a test of that suite, in a process of its own, and
 * no list of tests must name it. LOOP_TEST runs for each _i from FROM to below TO, which may be calls of functions.
 * rounds() is how many of what is alike: few, and many with LONG=1.
 * AROUND has functions called before and after each test of the file; NULL for nothing. `err` takes what calls say. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_UNIT_TEST_H
#define OVL_TESTS_UNIT_TEST_H

#include "base/error.h"

#include <check.h>
#include <stdlib.h>

static _Thread_local struct ovl_error err __attribute__((unused));

/* Check writes down where a process is at each assertion that holds, for who dies later: a system call for each, of
   which some tests make millions. The first thousand of a thread will do. */
static inline void ovl_test_mark(const char *file, int line)
{
    static _Thread_local int marks;
    if (marks < 1000) {
        marks++;
        (_mark_point)(file, line);
    }
}
#define _mark_point(file, line) ovl_test_mark(file, line)

static inline int rounds(int few, int many)
{
    const char *all = getenv("LONG");
    return all && *all ? many : few;
}

void ovl_test_add(const char *file, int line, const char *name, void (*test)(int i), int from, int to);
void ovl_test_around(const char *file, void (*before)(void), void (*after)(void));

#define LOOP_TEST(name, from, to)                                                                                      \
    static void name(int _i);                                                                                          \
    __attribute__((constructor)) static void add_##name(void)                                                          \
    {                                                                                                                  \
        ovl_test_add(__FILE__, __LINE__, #name, name, from, to);                                                       \
    }                                                                                                                  \
    static void name(int _i __attribute__((unused)))
#define TEST(name) LOOP_TEST(name, 0, 1)
#define AROUND(before, after)                                                                                          \
    __attribute__((constructor)) static void around(void)                                                              \
    {                                                                                                                  \
        ovl_test_around(__FILE__, before, after);                                                                      \
    }

#endif
