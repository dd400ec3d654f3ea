/* A cell and its JSON form: the way there and back, and damaged lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/checksum.h"
#include "record/derived/field_schema.h"
#include "record/field.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/test.h"
#include "tool/util/schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_cell cell, back;

static json_t *through_text(const struct ovl_cell *c)
{
    json_t *json = ovl_cell_to_json(c);
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(json);
    json = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(json);
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_null(strstr(text, "inf"));
    free(text);
    return json;
}

static void assert_same(double a, double b)
{
    ck_assert((isnan(a) && isnan(b)) || a == b);
}

TEST(there_and_back)
{
    sample_cell(&cell, "r", 1024, 50);
    json_t *json = through_text(&cell);
    ck_assert_int_eq(ovl_cell_from_json(json, true, &back, &err), 0);
    ck_assert_str_eq(back.benchmark, "ialltoall");
    ck_assert_str_eq(back.path, "");
    assert_same(back.size_bytes, 1024);
    assert_same(back.compute_us, NAN);
    assert_same(back.bootstrap_seed, cell.bootstrap_seed);
    ck_assert_uint_eq(back.samples.blocks, 50);
    for (int q = 0; q < OVL_QUANTITIES; q++)
        for (size_t b = 0; b < 50; b++) {
            assert_same(back.samples.max[q][b], cell.samples.max[q][b]);
            assert_same(back.samples.mean[q][b], cell.samples.mean[q][b]);
        }

    /* What the reader derives from the samples is what the writer derived, to the last digit. */
    struct ovl_estimate hidden = cell.derived[OVL_HIDDEN];
    ck_assert(!isnan(hidden.value) && !isnan(hidden.ci_low));
    ovl_cell_derive(&back);
    for (int d = 0; d < OVL_DERIVED; d++) {
        assert_same(back.derived[d].value, cell.derived[d].value);
        assert_same(back.derived[d].ci_low, cell.derived[d].ci_low);
        assert_same(back.derived[d].ci_high, cell.derived[d].ci_high);
    }
    assert_same(back.omb_percent, cell.omb_percent);
    json_decref(json);
    ovl_cell_free(&cell);
    ovl_cell_free(&back);
}

/* What communication costs a rank may come out below nothing. */
TEST(own_exposed_time_may_be_negative)
{
    sample_cell(&cell, "r", 1024, 8);
    for (size_t b = 0; b < 8; b++)
        cell.samples.max[OVL_OWN_EXPOSED][b] = cell.samples.mean[OVL_OWN_EXPOSED][b] = -1e-6;
    ovl_cell_derive(&cell);
    json_t *json = through_text(&cell), *table = ovl_field_schema();
    struct ovl_schema *schema = ovl_schema_make(table, &err);
    ck_assert_uint_eq(ovl_schema_check(schema, json, NULL, NULL), 0);
    json_array_set_new(json_object_get(json_object_get(json_object_get(json, "samples"), "total_seconds"), "max"), 0,
                       json_real(-1e-6));
    ck_assert_uint_eq(ovl_schema_check(schema, json, NULL, NULL), 1);
    ovl_schema_free(schema);
    json_decref(table);
    json_decref(json);
    ovl_cell_free(&cell);
}

/* A cell of which no sample of T counts has no time exposed, and is a right line all the same. */
TEST(what_there_is_no_value_of_is_not_written)
{
    char before[9], after[9];
    sample_cell(&cell, "r", 1024, 8);
    for (int q = OVL_OWN_EXPOSED; q < OVL_QUANTITIES; q++)
        for (size_t b = 0; b < 8; b++)
            cell.samples.max[q][b] = cell.samples.mean[q][b] = NAN;
    ovl_cell_derive(&cell);
    json_t *json = through_text(&cell), *table = ovl_field_schema();
    struct ovl_schema *schema = ovl_schema_make(table, &err);
    const json_t *samples = json_object_get(json, "samples");
    ck_assert_uint_eq(json_object_size(samples), OVL_INNER + 1);
    ck_assert_ptr_null(json_object_get(samples, "own_exposed_seconds"));
    ck_assert_uint_eq(ovl_schema_check(schema, json, NULL, NULL), 0);
    ck_assert_int_eq(ovl_cell_from_json(json, true, &back, &err), 0);
    ovl_cell_checksum(&cell, before);
    ovl_cell_checksum(&back, after);
    ck_assert_str_eq(before, after);
    ovl_schema_free(schema);
    json_decref(table);
    json_decref(json);
    ovl_cell_free(&cell);
    ovl_cell_free(&back);
}

/* Every digit of the samples, changed alone: what is then read has another checksum, or cannot be read. */
TEST(a_changed_digit_changes_the_checksum)
{
    size_t changed = 0;
    char stored[9], again[9];
    sample_cell(&cell, "r", 1024, 8);
    json_t *json = ovl_cell_to_json(&cell);
    ck_assert_str_eq(json_string_value(json_object_get(json, "samples_crc32")),
                     (ovl_cell_checksum(&cell, stored), stored));
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(json);
    for (char *digit = strstr(text, "\"samples\":{"); *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            continue;
        char before = *digit;
        *digit = before == '9' ? '0' : (char)(before + 1);
        json = json_loads(text, 0, NULL);
        if (json && ovl_cell_from_json(json, true, &back, &err) == 0) {
            ovl_cell_checksum(&back, again);
            ck_assert_msg(strcmp(stored, again) != 0, "digit %td: not found", digit - text);
            ovl_cell_free(&back);
        }
        json_decref(json);
        *digit = before;
        changed++;
    }
    ck_assert_uint_gt(changed, 8 * 14 * 5);
    free(text);
    ovl_cell_free(&cell);
}

TEST(checksum_is_the_usual_one)
{
    ck_assert_uint_eq(ovl_checksum_crc32(0, "123456789", 9), 0xcbf43926);
    ck_assert_uint_eq(ovl_checksum_crc32(ovl_checksum_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
    ck_assert_uint_eq(ovl_checksum_crc32(0, "", 0), 0);
}

TEST(empty_cell_has_nulls_only)
{
    sample_cell(&cell, "r", NAN, 0);
    json_t *json = through_text(&cell);
    ck_assert(json_is_null(json_object_get(json, "size_bytes")));
    ck_assert(json_is_null(json_object_get(json_object_get(json, "hidden_fraction"), "value")));
    ck_assert_int_eq(ovl_cell_from_json(json, true, &back, &err), 0);
    ck_assert(isnan(back.size_bytes) && isnan(back.derived[OVL_HIDDEN].value));
    json_decref(json);
    ovl_cell_free(&cell);
    ovl_cell_free(&back);
}

/* Takes one field away, or makes it of another kind: refused, with its name. */
TEST(damaged_lines_are_refused)
{
    static const char *const fields[] = {"run_id", "benchmark",     "mode",           "ranks",          "compute",
                                         "engine", "blocks",        "status",         "comm_seconds",   "samples",
                                         "skew",   "total_seconds", "cpu_seconds",    "bootstrap_seed", "validated",
                                         "rotate", "size_bytes",    "hidden_fraction"};
    sample_cell(&cell, "r", 8, 6);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (int way = 0; way < 2; way++) {
            json_t *json = ovl_cell_to_json(&cell);
            if (way == 0)
                json_object_del(json, fields[i]);
            else
                json_object_set_new(json, fields[i], json_pack("[s]", "x"));
            ck_assert_msg(ovl_cell_from_json(json, true, &back, &err) == -1, "%s: not refused", fields[i]);
            ck_assert_int_eq(err.code, OVL_WRONG_DATA);
            ck_assert_msg(strstr(err.text, fields[i]) != NULL, "%s: says %s", fields[i], err.text);
            json_decref(json);
        }
    json_t *json = ovl_cell_to_json(&cell);
    json_object_set_new(json, "blocks", json_integer(90000000));
    ck_assert_int_eq(ovl_cell_from_json(json, true, &back, &err), -1);
    json_decref(json);
    ovl_cell_free(&cell);
}

static const struct {
    json_int_t blocks, invalid;
    size_t valid;
} counts[] = {
    {8, 0, 8},         {8, 3, 5},          {8, 8, 0},         {8, 9, 0},
    {-8, -9, 0},       {8, -1, 0},         {INT64_MIN, 1, 0}, /* the difference is no 64-bit number */
    {8, INT64_MIN, 0}, {INT64_MAX, -1, 0},
};

/* Without the samples the line's own counts are taken; a number of blocks that cannot be is refused. */
LOOP_TEST(counts_that_cannot_be, 0, sizeof counts / sizeof *counts)
{
    sample_cell(&cell, "r", 8, 10);
    json_t *json = through_text(&cell);
    json_object_set_new(json, "blocks", json_integer(counts[_i].blocks));
    json_object_set_new(json_object_get(json, "invalid_samples"), "total_seconds", json_integer(counts[_i].invalid));
    bool sound = counts[_i].blocks >= 0 && counts[_i].blocks <= 100000000;
    ck_assert_int_eq(ovl_cell_from_json(json, false, &back, &err), sound ? 0 : -1);
    if (sound)
        ck_assert_uint_eq(back.summary[OVL_TOTAL].n, counts[_i].valid);
    else
        ck_assert_ptr_nonnull(strstr(err.text, "blocks: "));
    json_decref(json);
    ovl_cell_free(&cell);
}

/* Of a driver units of all ranks, of an application its one problem; where T is longest, least is done. */
TEST(what_a_core_gets_done)
{
    struct ovl_cell c;
    sample_cell(&c, "x", 1024, 30);
    ck_assert(isnan(c.work_per_core.value)); /* nobody said how many cores */
    c.cores = 3;
    ovl_cell_derive(&c);
    const struct ovl_summary *t = &c.summary[OVL_TOTAL];
    ck_assert_double_eq_tol(c.work_per_core.value * t->median * 3, 8000, 1e-6);
    ck_assert_double_eq_tol(c.work_per_core.ci_low * t->ci_high * 3, 8000, 1e-6);
    ck_assert_double_eq_tol(c.work_per_core.ci_high * t->ci_low * 3, 8000, 1e-6);
    ck_assert_double_eq_tol(ovl_cell_work_of(NULL, &c), c.work_per_core.value, 1e-9 * c.work_per_core.value);
    c.problem = json_pack("{s:s}", "grid", "8x8x8");
    ovl_cell_derive(&c);
    ck_assert_double_eq_tol(c.work_per_core.value * t->median * 3, 1, 1e-9);
    ovl_cell_free(&c);
}
