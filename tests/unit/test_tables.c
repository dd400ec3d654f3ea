/* The tables, walked: kernels do what their rows say, benchmarks and formats are complete. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "cli/catalog.h"
#include "machine/caches.h"
#include "machine/clock_cost.h"
#include "machine/topology.h"
#include "machine/work.h"
#include "table/table.h"
#include "tests/unit/folder.h"
#include "version.h"

#include <math.h>

static void *scratch_of(const struct ovl_kernel *k)
{
    void *scratch = aligned_alloc(64, (k->scratch_bytes + 127) / 64 * 64);
    ck_assert_ptr_nonnull(scratch);
    memset(scratch, 0, k->scratch_bytes);
    k->prepare(scratch);
    return scratch;
}

/* N units at once, and N units in pieces, leave the very same state: a unit is a unit however it is asked for. */
TEST(kernels_count_units)
{
    for (const struct ovl_kernel *const *at = ovl_kernels; *at; at++) {
        const struct ovl_kernel *k = *at;
        ck_assert_ptr_nonnull(k->name);
        ck_assert_ptr_nonnull(k->summary);
        ck_assert_ptr_eq(ovl_kernel_find(k->name), k);
        if (k->absent)
            continue;
        ck_assert(k->prepare && k->run);
        enum { UNITS = 300, PIECE = 7 };
        char *whole = scratch_of(k), *pieces = scratch_of(k);
        k->run(whole, UNITS);
        for (int done = 0; done < UNITS; done += PIECE)
            k->run(pieces, UNITS - done < PIECE ? UNITS - done : PIECE);
        k->run(pieces, 0);
        ck_assert_msg(memcmp(whole, pieces, k->scratch_bytes) == 0, "%s: pieces differ from the whole", k->name);
        if (k->scratch_bytes > 0) {
            char *untouched = scratch_of(k);
            ck_assert_msg(memcmp(whole, untouched, k->scratch_bytes) != 0, "%s: no trace of its work", k->name);
            free(untouched);
        }
        free(whole);
        free(pieces);
    }
    ck_assert_ptr_null(ovl_kernel_find("none"));
}

TEST(kernel_values_stay_normal)
{
    double *x = scratch_of(&ovl_kernel_fma);
    ovl_kernel_fma.run(x, 50000000);
    for (int i = 0; i < 16; i++)
        ck_assert_double_eq_tol(x[i], 2, 0.01); /* the fixed point: no overflow, no denormal */
    free(x);
}

/* A unit is 16 flops: a multiply-add of eight values, those of whose turn it is. */
TEST(kernel_does_as_many_flops_as_it_says)
{
    for (uint64_t units = 0; units < 8; units++) {
        double *before = scratch_of(&ovl_kernel_fma), *x = scratch_of(&ovl_kernel_fma);
        ovl_kernel_fma.run(x, units);
        for (int i = 0; i < 16; i++) {
            double expected = before[i];
            for (uint64_t n = 0; n < (units + (i < 8)) / 2; n++)
                expected = expected * 0.999999 + 2e-6;
            ck_assert_double_eq_tol(x[i], expected, 1e-14);
        }
        free(before);
        free(x);
    }
    ck_assert_double_eq(ovl_kernel_fma.flops_per_unit, 16);
}

TEST(sleep_sleeps)
{
    double begin = 1e-9 * (double)ovl_clock_ns(), cpu = ovl_clock_thread_cpu();
    ovl_kernel_sleep.run(NULL, 20000);
    ck_assert_double_ge(1e-9 * (double)ovl_clock_ns() - begin, 0.02);
    ck_assert_double_le(ovl_clock_thread_cpu() - cpu, 0.015);
}

TEST(work_refuses_what_is_too_short)
{
    struct ovl_work work;
    ck_assert_int_eq(ovl_work_open(&work, "fma", &err), 0);
    work.rate = 1e9;
    ck_assert_uint_eq(ovl_work_units(&work, 1e-3), 1000000);
    ck_assert_uint_eq(ovl_work_units(&work, 100e-9), 100);
    ck_assert_uint_eq(ovl_work_units(&work, 99e-9), 0);
    ck_assert_uint_eq(ovl_work_units(&work, 0), 0);
    double rate, nonlinearity;
    ovl_work_calibrate(&work, &rate, &nonlinearity);
    ck_assert_double_gt(rate, 1e6);
    ck_assert_double_ge(nonlinearity, 0);
    ovl_work_close(&work);

    ck_assert_int_eq(ovl_work_open(&work, "sleep", &err), 0);
    ck_assert_uint_eq(ovl_work_units(&work, 1e-3), 1000);
    ck_assert_uint_eq(ovl_work_units(&work, 0.9e-3), 0);
    ovl_work_calibrate(&work, &rate, &nonlinearity);
    ck_assert_double_eq(rate, 1e6);
    ovl_work_close(&work);

    ck_assert_int_eq(ovl_work_open(&work, "none", &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
}

TEST(benchmarks_are_complete)
{
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++) {
        ck_assert_ptr_eq(ovl_benchmark_find(b->name), b); /* so names are different */
        ck_assert(b->program && b->call && b->blocking && b->title && b->summary);
        ck_assert_int_eq(strncmp(b->program, "ovl_", 4), 0);
        ck_assert_uint_le(b->size_min, b->size_max);
        ck_assert(!b->reduces || b->size_min >= 4);
    }
    ck_assert_ptr_null(ovl_benchmark_find("none"));
}

TEST(formats_are_complete)
{
    static const char *const names[] = {"table", "omb"};
    for (size_t i = 0; i < 2; i++) {
        const struct ovl_format *f = ovl_format_find(names[i]);
        ck_assert(f && f->head && f->row && f->foot);
    }
    ck_assert_ptr_null(ovl_format_find("csv"));
}

TEST(machine_is_known)
{
    struct ovl_topology t;
    setenv("UCX_OVL_TEST", "yes", 1);
    ck_assert_int_eq(ovl_topology_load(&t, &err), 0);
    ck_assert(*t.host && *t.cpu && *t.kernel && *t.binding);
    ck_assert_int_ge(t.cores, 1);
    ck_assert(t.numa >= 1 || (t.numa == -1 && strcmp(OVL_WITH_HWLOC, "none") == 0));
    ck_assert_uint_ne(t.machine, 0);
    ck_assert_int_le(t.core_of[0], 0);
    json_t *environment = ovl_topology_environment();
    ck_assert_str_eq(json_string_value(json_object_get(environment, "UCX_OVL_TEST")), "yes");
    ck_assert_ptr_null(json_object_get(environment, "PATH"));
    json_decref(environment);
    double read = ovl_clock_read_cost();
    ck_assert(read > 0 && read < 1e6);
}

static void put_cache(int index, const char *level, const char *type, const char *size)
{
    const char *const files[][2] = {{"level", level}, {"type", type}, {"size", size}};
    char name[64], line[64];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "index%d/%s", index, files[i][0]);
        snprintf(line, sizeof line, "%s\n", files[i][1]);
        folder_put(name, line);
    }
}

TEST(caches_and_build_in_the_head_of_a_full_table)
{
    char text[400] = "";
    folder_make();
    json_t *caches = ovl_caches_json(folder);
    ck_assert_uint_eq(json_array_size(caches), 0);
    json_decref(caches);
    put_cache(0, "1", "Data", "48K");
    put_cache(1, "1", "Instruction", "32K");
    put_cache(2, "2", "Unified", "2048K");
    put_cache(3, "3", "Unified", "a lot");
    caches = ovl_caches_json(folder);
    folder_remove();

    struct ovl_run run = {.head = json_pack("{s:[{s:o, s:f}], s:{s:s, s:s}}", "hosts", "caches", caches, "load", 0.5,
                                            "build", "compiler", "gcc 12.2.0", "flags", "-O2 -g")};
    FILE *out = fmemopen(text, sizeof text, "w");
    ovl_table_build(out, &run);
    json_object_clear(run.head);
    ovl_table_build(out, &run); /* of a record that tells nothing of it */
    fclose(out);
    ck_assert_str_eq(text, "# build     gcc 12.2.0, -O2 -g; L1 data 48K; L2 unified 2M; load 0.50\n");
    json_decref(run.head);
}
