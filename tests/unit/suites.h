/* The suites: of each test_NAME.c the one suite_NAME(), which make finds by the files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_UNIT_SUITES_H
#define OVL_TESTS_UNIT_SUITES_H

#include <check.h>

#define SUITE(name) Suite *suite_##name(void);
#include "suites.list"
#undef SUITE

#endif
