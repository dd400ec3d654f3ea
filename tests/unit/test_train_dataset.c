/* A data set in files: made, found, read and checked; each kind of damage is told with its place; what a reader brings
   is what its order says, and it counts what it reads. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/input/reader.h"
#include "tests/unit/folder.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { SAMPLES = 40, BYTES = 5000, STORED = 8192 };

static struct ovl_data_set set;

static void make_set(void)
{
    folder_make();
    set = (struct ovl_data_set){.folder = folder, .samples = SAMPLES, .bytes = BYTES, .seed = 11};
    ck_assert_int_eq(ovl_data_set_make(&set, &err), 0);
}

static void path_of(char path[160], const char *name)
{
    snprintf(path, 160, "%.120s/%s", folder, name);
}

TEST(what_was_made_is_found_and_right)
{
    struct ovl_data_set found = {.folder = folder};
    struct stat s;
    char path[160];
    ck_assert_int_eq(ovl_data_set_find(&found, &err), 1);
    ck_assert(found.samples == SAMPLES && found.bytes == BYTES && found.seed == 11 && found.stored == STORED);
    ck_assert_int_eq(ovl_data_set_check(&found, 0, SAMPLES, &err), 0);
    path_of(path, "records-000000.bin");
    ck_assert(stat(path, &s) == 0 && s.st_size == SAMPLES * STORED);
    found.seed++; /* another data set */
    ck_assert_int_eq(ovl_data_set_check(&found, 0, SAMPLES, &err), -1);
    struct ovl_data_set none = {.folder = "/none/there"};
    ck_assert_int_eq(ovl_data_set_find(&none, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
}

/* Several records a file, one, and a last file with fewer. */
TEST(records_of_all_sizes)
{
    static const uint64_t sizes[] = {1, 4096, 30 << 20, 65 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct ovl_data_set d = {.folder = folder, .samples = 3, .bytes = sizes[i], .seed = i};
        ck_assert_int_eq(ovl_data_set_make(&d, &err), 0);
        ck_assert_uint_eq(d.a_file, sizes[i] > 64 << 20 ? 1 : (64 << 20) / d.stored);
        ck_assert_msg(ovl_data_set_check(&d, 0, 3, &err) == 0, "%s", err.text);
    }
}

TEST(damage_is_told_with_its_place)
{
    char path[160], head[160];
    FILE *f;
    path_of(path, "records-000000.bin");
    path_of(head, "ovl-data-set");
    ck_assert_ptr_nonnull(f = fopen(path, "r+"));
    ck_assert(fseek(f, 3 * STORED + 1003, SEEK_SET) == 0 && fputc('X', f) != EOF && fclose(f) == 0);
    ck_assert_int_eq(ovl_data_set_check(&set, 0, 3, &err), 0);
    ck_assert_int_eq(ovl_data_set_check(&set, 3, SAMPLES, &err), -1);
    ck_assert_int_eq(err.code, OVL_WRONG_DATA);
    ck_assert_msg(strstr(err.text, "records-000000.bin: damaged at byte 25576;") != NULL, "%s", err.text);
    for (int cut = 0; cut < 3; cut++) { /* in a record, in a block, and before a record */
        ck_assert_int_eq(truncate(path, (const off_t[]){30 * STORED + 4096, 30 * STORED + 4097, 30 * STORED}[cut]), 0);
        ck_assert_int_eq(ovl_data_set_check(&set, 4, 30, &err), 0);
        ck_assert_int_eq(ovl_data_set_check(&set, 30, SAMPLES, &err), -1);
        ck_assert_int_eq(err.code, OVL_WRONG_DATA);
        ck_assert_msg(strstr(err.text, "ends too soon") != NULL, "%s", err.text);
    }
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(ovl_data_set_check(&set, 0, SAMPLES, &err), -1);
    ck_assert(err.code == OVL_WRONG_DATA && strstr(err.text, "is not there"));
    static const char *const heads[] = {"", "ovl-data-set-1 samples 0 bytes 5 seed 1\n",
                                        "ovl-data-set-1 samples 5 bytes 5 seed 1",
                                        "ovl-data-set-2 samples 5 bytes 5 seed 1\n"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        ck_assert_ptr_nonnull(f = fopen(head, "w"));
        ck_assert(fputs(heads[i], f) >= 0 && fclose(f) == 0);
        struct ovl_data_set d = {.folder = folder};
        ck_assert_int_eq(ovl_data_set_find(&d, &err), -1);
        ck_assert_int_eq(err.code, OVL_WRONG_DATA);
    }
    ck_assert_int_eq(unlink(head), 0);
    struct ovl_data_set d = {.folder = folder};
    ck_assert_int_eq(ovl_data_set_find(&d, &err), 0);
}

/* A look sees another record at once, and a word that it falls on. */
TEST(looks)
{
    uint64_t record[STORED / 8];
    int seen = 0;
    ovl_data_set_record(&set, 5, record);
    ck_assert(ovl_data_set_whole(&set, 5, record) && !ovl_data_set_whole(&set, 6, record));
    for (uint64_t draw = 0; draw < 2000; draw++) {
        ck_assert(ovl_data_set_spot(&set, 5, draw, record) && !ovl_data_set_spot(&set, 6, draw, record));
        record[draw % (STORED / 8)] ^= 1;
        seen += !ovl_data_set_spot(&set, 5, draw, record);
        record[draw % (STORED / 8)] ^= 1;
    }
    ck_assert(seen > 2 && seen < 60); /* 16 expected */
}

/* In a process of its own, whose files may not grow: one line, and nothing is left. */
TEST(a_full_disk_leaves_nothing)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit most = {1 << 20, 1 << 20};
        struct ovl_data_set d = {.folder = folder, .samples = 70, .bytes = 1 << 20, .seed = 1};
        char path[160];
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &most);
        path_of(path, "ovl-data-set");
        unlink(path);
        path_of(path, "records-000000.bin");
        unlink(path);
        _exit(ovl_data_set_make(&d, &err) == -1 && err.code == OVL_ENVIRONMENT &&
                      strstr(err.text, "cannot write it: File too large") && rmdir(folder) == 0
                  ? 0
                  : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    make_set();
}

LOOP_TEST(a_reader_brings_what_its_order_says, 0, OVL_ORDERS)
{
    struct ovl_order_ask ask = {.kind = (enum ovl_order_kind)_i,
                                .samples = SAMPLES,
                                .ranks = 1,
                                .batch = 6,
                                .epochs = 4,
                                .room = 13,
                                .seed = 5};
    struct ovl_order order;
    struct ovl_reader r;
    uint64_t hits = 0;
    ck_assert_int_eq(ovl_order_make(&order, &ask, 0, &err), 0);
    ck_assert_int_eq(ovl_reader_open(&r, &set, &order, ask.room, 0, &err), 0);
    for (uint64_t e = 0; e < order.epochs; e++) {
        ovl_reader_begin(&r);
        for (uint64_t k = 0; k < order.steps; k++) {
            const char *data = ovl_reader_wait(&r, k);
            ck_assert_ptr_nonnull(data);
            for (size_t i = 0; i < order.batch; i++)
                ck_assert(ovl_data_set_whole(&set, ovl_order_batch(&order, e, k)[i].sample, data + i * STORED));
            ovl_reader_release(&r, k);
        }
        hits += order.hits[e];
        uint64_t reads = (e + 1) * order.steps * order.batch - hits;
        ck_assert(r.hits == hits && r.reads == reads && r.bytes == reads * STORED);
    }
    ck_assert((hits > 0) == (_i != OVL_ORDER_RANDOM));
    ovl_reader_close(&r);
    ovl_order_free(&order);
}

/* It takes at least as long as the rate says; a file that goes is told. */
TEST(a_reader_that_is_held_back_and_one_that_fails)
{
    struct ovl_order_ask ask = {.samples = SAMPLES, .ranks = 1, .batch = 10, .epochs = 1, .seed = 5};
    struct ovl_order order;
    struct ovl_reader r;
    char path[160];
    ck_assert_int_eq(ovl_order_make(&order, &ask, 0, &err), 0);
    ck_assert_int_eq(ovl_reader_open(&r, &set, &order, 0, 10.0 * SAMPLES * STORED, &err), 0);
    ovl_reader_begin(&r);
    for (uint64_t k = 0; k < order.steps; k++) {
        ck_assert_ptr_nonnull(ovl_reader_wait(&r, k));
        ovl_reader_release(&r, k);
    }
    ck_assert(r.read_seconds >= 0.0999);
    ovl_reader_close(&r);
    path_of(path, "records-000000.bin");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(ovl_reader_open(&r, &set, &order, 0, 0, &err), 0);
    ovl_reader_begin(&r);
    ck_assert_ptr_null(ovl_reader_wait(&r, 0));
    ck_assert(ovl_reader_failed(&r, &err) && err.code == OVL_WRONG_DATA);
    ovl_reader_close(&r);
    ovl_order_free(&order);
}

AROUND(make_set, folder_remove)
