/* Checkpoints: what is read is what was written, whoever wrote it; what is damaged is told with its place; the newest
   whole one is found; a helper that ended is named. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/train/epochs/checkpoint_writer.h"
#include "tests/unit/folder.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { N = 700000 }; /* 2.7 blocks of 4-byte elements */

static uint32_t data[N], back[N];

static void make_folder(void)
{
    folder_make();
    for (uint32_t i = 0; i < N; i++)
        data[i] = i * 2654435761u;
}

static struct ovl_checkpoint whole(uint64_t step)
{
    return (struct ovl_checkpoint){.model = "m", .element = 4, .all = N, .count = N, .step = step, .parts = 1};
}

static void path_of(char path[160], uint64_t step)
{
    snprintf(path, 160, "%.120s/step-%012llu.0-of-1.ckpt", folder, (unsigned long long)step);
}

TEST(what_is_read_is_what_was_written)
{
    struct ovl_checkpoint c = whole(7);
    uint64_t step = 0;
    uint32_t parts = 0;
    ck_assert_int_eq(ovl_checkpoint_find(folder, &step, &parts, &err), 0);
    ck_assert_int_eq(ovl_checkpoint_write(folder, &c, data, &err), 0);
    ck_assert_int_eq(ovl_checkpoint_find(folder, &step, &parts, &err), 1);
    ck_assert(step == 7 && parts == 1);
    ck_assert_int_eq(ovl_checkpoint_read(folder, &c, back, &err), 0);
    ck_assert_mem_eq(data, back, sizeof data);
    strcpy(c.model, "n");
    ck_assert_int_eq(ovl_checkpoint_read(folder, &c, back, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_int_eq(ovl_checkpoint_find("/none/there", &step, &parts, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    c = whole(8);
    ck_assert_int_eq(ovl_checkpoint_write("/none/there", &c, data, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
}

/* A bit anywhere, a byte less, a byte more. */
TEST(damage_is_told_with_its_place)
{
    static const struct {
        long at;
        const char *says;
    } places[] = {{0, "bytes 0 to "},
                  {70, "bytes 0 to "},
                  {sizeof(struct ovl_checkpoint), "bytes 120 to 1048696"},
                  {sizeof(struct ovl_checkpoint) + 1048576 + 5, "bytes 1048696 to 2097272"},
                  {sizeof(struct ovl_checkpoint) + 4 * N - 1, "bytes 2097272 to 2800120"},
                  {sizeof(struct ovl_checkpoint) + 4 * N + 1, "bytes 120 to 1048696"}};
    struct ovl_checkpoint c = whole(7);
    char path[160];
    ck_assert_uint_eq(sizeof c, 120);
    path_of(path, 7);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        ck_assert_int_eq(ovl_checkpoint_write(folder, &c, data, &err), 0);
        FILE *f = fopen(path, "r+");
        fseek(f, places[i].at, SEEK_SET);
        int byte = fgetc(f);
        fseek(f, places[i].at, SEEK_SET);
        fputc(byte ^ 4, f);
        fclose(f);
        struct ovl_checkpoint read = whole(7);
        ck_assert_int_eq(ovl_checkpoint_read(folder, &read, back, &err), -1);
        ck_assert_int_eq(err.code, OVL_WRONG_DATA);
        ck_assert_msg(strstr(err.text, places[i].says) != NULL, "%zu: %s", i, err.text);
    }
    for (int more = -1; more <= 1; more += 2) {
        ck_assert_int_eq(ovl_checkpoint_write(folder, &c, data, &err), 0);
        ck_assert_int_eq(truncate(path, (long)sizeof c + 4 * N + 3 * 4 + more), 0);
        ck_assert_int_eq(ovl_checkpoint_read(folder, &c, back, &err), -1);
        ck_assert_int_eq(err.code, OVL_WRONG_DATA);
    }
}

/* Of each rank's own elements, by itself, a thread and a helper. A step of which a part is missing is none. */
LOOP_TEST(parts_make_a_whole, OVL_CHECKPOINT_SHARDED, OVL_CHECKPOINT_SHARDED_HELPER + 1)
{
    enum { RANKS = 3 };
    struct ovl_checkpoint_writer k[RANKS];
    struct ovl_helper h[RANKS];
    uint64_t step;
    uint32_t parts;
    for (int r = 0; r < RANKS; r++) {
        struct ovl_checkpoint own = whole(0);
        ovl_checkpoint_split(&own, (uint32_t)r, RANKS);
        uint32_t *mine = malloc(own.count * sizeof *mine);
        ck_assert_int_eq(ovl_helper_start(&h[r], sizeof data, false, &err), 0);
        k[r] = (struct ovl_checkpoint_writer){
            .folder = folder, .rank = r, .ranks = RANKS, .helper = &h[r], .whole = whole(0)};
        ovl_checkpoint_writer_begin(&k[r], (enum ovl_checkpoint_mode)_i);
        for (uint32_t s = 1; s <= 4; s++) {
            for (uint64_t i = 0; i < own.count; i++)
                mine[i] = s ^ data[own.first + i];
            ovl_checkpoint_writer_write(&k[r], s, mine, own.first);
            memset(mine, 0, own.count * sizeof *mine);
        }
        ovl_checkpoint_writer_close(&k[r]);
        ovl_helper_end(&h[r]);
        free(mine);
        ck_assert_msg(k[r].rc == 0 && k[r].count == 4, "%s", k[r].err.text);
        ck_assert((_i == OVL_CHECKPOINT_SHARDED) == (k[r].copy_seconds == 0));
        ck_assert(k[r].copy_seconds <= k[r].stall_seconds);
    }
    for (uint32_t r = 0; r < RANKS; r++) {
        struct ovl_checkpoint c = whole(4);
        c.part = r;
        c.parts = RANKS;
        ck_assert_int_eq(ovl_checkpoint_read(folder, &c, back, &err), 0);
    }
    size_t wrong = 0;
    for (size_t i = 0; i < N; i++)
        wrong += back[i] != (4 ^ data[i]);
    ck_assert_uint_eq(wrong, 0);
    ck_assert_int_eq(ovl_checkpoint_find(folder, &step, &parts, &err), 1);
    ck_assert(step == 4 && parts == RANKS);
    ovl_checkpoint_remove(folder, 4, 1, RANKS);
    ck_assert_int_eq(ovl_checkpoint_find(folder, &step, &parts, &err), 1);
    ck_assert(step == 3 && parts == RANKS); /* two are kept */
    ovl_checkpoint_remove(folder, 3, 2, RANKS);
    ck_assert_int_eq(ovl_checkpoint_find(folder, &step, &parts, &err), 0);
}

/* By the rank, a thread and a helper: the same bytes, of the step at which they were taken though they change at once.
 */
TEST(whoever_writes)
{
    struct ovl_helper h;
    ck_assert_int_eq(ovl_helper_start(&h, sizeof data, false, &err), 0);
    for (int mode = OVL_CHECKPOINT_ROOT; mode <= OVL_CHECKPOINT_HELPER; mode++) {
        struct ovl_checkpoint_writer k = {.folder = folder, .ranks = 1, .helper = &h, .whole = whole(0)};
        ovl_checkpoint_writer_begin(&k, (enum ovl_checkpoint_mode)mode);
        for (uint32_t s = 1; s <= 5; s++) {
            for (size_t i = 0; i < N; i++)
                data[i] = s + (uint32_t)i;
            ovl_checkpoint_writer_write(&k, s, data, 0);
            memset(data, 0, sizeof data);
        }
        ovl_checkpoint_writer_close(&k);
        ck_assert_msg(k.rc == 0 && k.count == 5, "%s", k.err.text);
        ck_assert(k.persist_seconds > 0 && k.stall_seconds > 0);
        ck_assert_double_eq(k.bytes, 5.0 * sizeof data);
        for (uint32_t s = 4; s <= 5; s++) {
            struct ovl_checkpoint c = whole(s);
            ck_assert_int_eq(ovl_checkpoint_read(folder, &c, back, &err), 0);
            size_t wrong = 0;
            for (size_t i = 0; i < N; i++)
                wrong += back[i] != s + (uint32_t)i;
            ck_assert_uint_eq(wrong, 0);
        }
        struct ovl_checkpoint gone = whole(3);
        ck_assert_int_eq(ovl_checkpoint_read(folder, &gone, back, &err), -1);
    }
    ovl_helper_end(&h);
}

TEST(a_dead_helper_is_named)
{
    struct ovl_helper h;
    char who[64];
    ck_assert_int_eq(ovl_helper_start(&h, sizeof data, false, &err), 0);
    struct ovl_checkpoint_writer k = {.folder = folder, .ranks = 1, .helper = &h, .whole = whole(0)};
    ovl_checkpoint_writer_begin(&k, OVL_CHECKPOINT_HELPER);
    ovl_checkpoint_writer_write(&k, 1, data, 0);
    ovl_checkpoint_writer_finish(&k);
    ck_assert_int_eq(k.rc, 0);
    kill(h.process, SIGKILL);
    ovl_checkpoint_writer_write(&k, 2, data, 0);
    ovl_checkpoint_writer_close(&k);
    ck_assert_int_eq(k.rc, -1);
    ck_assert_int_eq(k.err.code, OVL_ENVIRONMENT);
    snprintf(who, sizeof who, "the helper of rank 0 (process %ld)", (long)h.process);
    ck_assert_msg(strstr(k.err.text, who) != NULL, "%s", k.err.text);
    struct ovl_checkpoint c = whole(1);
    ck_assert_int_eq(ovl_checkpoint_read(folder, &c, back, &err), 0);
    ovl_helper_end(&h);
}

/* A mortal helper that is killed while it writes: its checkpoint is lost, nothing half-written stays, the next one is
   written by another process. And its rank's end ends both. */
TEST(a_helper_that_is_killed_has_a_successor)
{
    struct ovl_helper h;
    uint64_t step;
    uint32_t parts;
    ck_assert_int_eq(ovl_helper_start(&h, sizeof data, true, &err), 0);
    struct ovl_checkpoint_writer k = {.folder = folder, .ranks = 1, .helper = &h, .whole = whole(0)};
    ovl_checkpoint_writer_begin(&k, OVL_CHECKPOINT_HELPER);
    for (uint32_t s = 1; s <= 20; s++) {
        ovl_checkpoint_writer_write(&k, 2 * s, data, 0);
        ovl_checkpoint_writer_finish(&k);
        pid_t before = h.desk->process;
        if (s % 2) /* it does not begin; else it is in the midst of it, or has done it */
            kill(before, SIGSTOP);
        ovl_checkpoint_writer_write(&k, 2 * s + 1, data, 0);
        ck_assert_int_eq(ovl_checkpoint_writer_fail(&k, true), 0);
        ck_assert_int_ne(h.desk->process, before);
        ck_assert_int_eq(ovl_checkpoint_find(folder, &step, &parts, &err), 1);
        ck_assert(step == 2 * s || (step == 2 * s + 1 && s % 2 == 0));
    }
    ck_assert_msg(k.rc == 0, "%s", k.err.text);
    ovl_checkpoint_writer_forget(&k);
    ck_assert_int_eq(ovl_checkpoint_find(folder, &step, &parts, &err), 0);
    ovl_checkpoint_writer_close(&k);
    pid_t last = h.desk->process;
    ovl_helper_end(&h);
    char exe[64], to[8];
    snprintf(exe, sizeof exe, "/proc/%ld/exe", (long)last);
    for (int i = 0; i < 5000 && readlink(exe, to, sizeof to) >= 0; i++)
        usleep(1000);
    ck_assert_int_eq((int)readlink(exe, to, sizeof to), -1); /* it is gone, or nobody has asked how it ended */
    ck_assert_int_eq(rmdir(folder), 0);                      /* nothing is left */
    make_folder();
}

/* What is on disk when its helper is killed stays, also where nobody has asked for it yet. */
TEST(a_checkpoint_on_disk_outlives_its_helper)
{
    struct ovl_helper h;
    uint64_t step;
    uint32_t parts;
    ck_assert_int_eq(ovl_helper_start(&h, sizeof data, true, &err), 0);
    struct ovl_checkpoint_writer k = {.folder = folder, .ranks = 1, .helper = &h, .whole = whole(0)};
    ovl_checkpoint_writer_begin(&k, OVL_CHECKPOINT_HELPER);
    ovl_checkpoint_writer_write(&k, 1, data, 0);
    ovl_checkpoint_writer_write(&k, 2, data, 0);
    while (!ovl_helper_has_answered(&h))
        usleep(1000);
    ck_assert_int_eq(ovl_checkpoint_writer_fail(&k, true), 0);
    ck_assert_int_eq(ovl_checkpoint_find(folder, &step, &parts, &err), 1);
    ck_assert_uint_eq(step, 2);
    ck_assert_int_eq(k.count, 2);
    ovl_checkpoint_writer_forget(&k);
    ovl_checkpoint_writer_close(&k);
    ovl_helper_end(&h);
}

/* No file system has room for three times 2^62 bytes. */
TEST(a_folder_is_tried_before)
{
    ck_assert_int_eq(ovl_checkpoint_try(folder, 0, 1000, &err), 0);
    ck_assert_int_eq(ovl_checkpoint_try(folder, 0, 4611686018427387904.0, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_msg(strstr(err.text, "three checkpoints of 4611686018427387904 are wanted") != NULL, "%s", err.text);
    ck_assert_int_eq(ovl_checkpoint_try("/proc", 0, 1, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_int_eq(rmdir(folder), 0); /* nothing is left */
    make_folder();
}

/* In a process of its own, whose files may not grow: one line, and the one before is whole. */
TEST(a_full_disk_leaves_the_one_before)
{
    struct ovl_checkpoint c = whole(1);
    ck_assert_int_eq(ovl_checkpoint_write(folder, &c, data, &err), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit most = {1 << 20, 1 << 20};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &most);
        c.step = 2;
        _exit(ovl_checkpoint_write(folder, &c, data, &err) == -1 && err.code == OVL_ENVIRONMENT &&
                      strstr(err.text, "cannot write 2800000 bytes: File too large")
                  ? 0
                  : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    uint64_t step;
    uint32_t parts;
    ck_assert_int_eq(ovl_checkpoint_find(folder, &step, &parts, &err), 1);
    ck_assert(step == 1);
    ck_assert_int_eq(ovl_checkpoint_read(folder, &c, back, &err), 0);
    ck_assert_int_eq(rmdir(folder), -1); /* with nothing half-written: */
    ovl_checkpoint_remove(folder, 1, 0, 1);
    ck_assert_int_eq(rmdir(folder), 0);
    make_folder();
}

AROUND(make_folder, folder_remove)
