/* A cell with made-up samples, for tests of what becomes of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_TESTS_FAKE_SAMPLE_CELL_H
#define OVL_TESTS_FAKE_SAMPLE_CELL_H

#include "record/cell.h"

/* Rounded and derived, with some invalid samples. The caller frees it. */
void sample_cell(struct ovl_cell *cell, const char *run_id, double size, size_t blocks);

/* The `run` and `end` lines that go with it (new references). */
json_t *sample_run_line(const char *run_id);
json_t *sample_end_line(const char *run_id, int cells);

#endif
