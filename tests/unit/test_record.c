/* Record files: appended, killed in the middle, read back, damaged. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/input_file.h"
#include "record/derived/writer.h"
#include "record/record.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/test.h"
#include "version.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static struct ovl_record record;

static void setup(void)
{
    strcpy(path, "/tmp/ovl-test-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ovl_input_file_forget(); /* another file may have got the inode of one that is gone */
    record = (struct ovl_record){.runs = NULL};
}

static void teardown(void)
{
    ovl_record_free(&record);
    unlink(path);
}

static void write_run(const char *id, int cells, bool end)
{
    struct ovl_writer w;
    ck_assert_int_eq(ovl_writer_open(&w, path, &err), 0);
    ck_assert_int_eq(ovl_writer_line(&w, sample_run_line(id), &err), 0);
    for (int i = 0; i < cells; i++) {
        struct ovl_cell cell;
        sample_cell(&cell, id, 1 << i, 10);
        ck_assert_int_eq(ovl_writer_line(&w, ovl_cell_to_json(&cell), &err), 0);
        ovl_cell_free(&cell);
    }
    if (end)
        ck_assert_int_eq(ovl_writer_line(&w, sample_end_line(id, cells), &err), 0);
    ck_assert_int_eq(ovl_writer_close(&w, &err), 0);
}

static void append(const char *text)
{
    FILE *out = fopen(path, "a");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

TEST(runs_are_appended_and_read)
{
    write_run("a", 3, true);
    write_run("b", 2, true);
    ck_assert_int_eq(ovl_record_read(&record, path, &err), 0);
    ck_assert_uint_eq(record.run_count, 2);
    ck_assert_uint_eq(record.runs[0].cell_count, 3);
    ck_assert_uint_eq(record.runs[1].cell_count, 2);
    ck_assert_str_eq(ovl_run_text(&record.runs[1], "run_id"), "b");
    ck_assert_str_eq(ovl_run_text(&record.runs[1], "none"), "");
    ck_assert_ptr_nonnull(record.runs[0].end);
    ck_assert_double_eq(record.runs[0].cells[2].size_bytes, 4);
}

TEST(killed_jobs_keep_their_cells)
{
    write_run("a", 2, false);
    append("{\"record\":\"cell\",\"run_id\":\"a\",\"bench");
    ck_assert_int_eq(ovl_record_read(&record, path, &err), 0);
    ck_assert_uint_eq(record.runs[0].cell_count, 2);
    ck_assert_ptr_null(record.runs[0].end);
    ovl_record_free(&record);

    write_run("b", 1, true); /* the next job into the same file does not glue itself to the half line */
    ck_assert_int_eq(ovl_record_read(&record, path, &err), 0);
    ck_assert_uint_eq(record.run_count, 2);
    ck_assert_uint_eq(record.runs[0].cell_count, 2);
    ck_assert_uint_eq(record.runs[1].cell_count, 1);
    ovl_record_free(&record);

    /* Nor does what belongs to no run spoil the file. */
    append("{\"record\":\"cell\",\"run_id\":\"b\",\"bench\n"
           "{\"record\":\"launch\",\"comparison\":\"c\",\"side\":\"with\",\"ended\":\"2026-01-01T00:00:00Z\","
           "\"pair\":1,\"command\":[\"x\"],\"wall_seconds\":1.0,\"metric\":null,\"more_is_better\":false,\"values\":{}}"
           "\n");
    ck_assert_msg(ovl_record_read(&record, path, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(json_array_size(record.offloads), 1);
}

TEST(damage_is_named)
{
    static const struct {
        const char *text, *word;
    } wrong[] = {
        {"{\"record\":\"cell\",\"run_id\":\"a\",\n{\"record\":\"end\",\"run_id\":\"a\"}\n", ":3: not a record line"},
        {"hello\n", ":3: not a record line"},
        {"[]\n", ":3: not a record line"},
        {"{\"run\":1}\n", "no field record"},
        {"{\"record\":\"cell\",\"run_id\":\"zz\"}\n", "run_id"},
        {"{\"record\":\"cell\",\"run_id\":\"a\"}\n", "blocks"},
        {"{\"record\":\"cell\",\"run_id\":\"a\",\"blocks\":1}\n", "benchmark"},
        {"{\"record\":\"run\",\"schema\":\"1.0.0\",\"run_id\":\"c\",\"benchmark\":\"x\"}\n", "ovl 0.1"},
        {"{\"record\":\"run\",\"schema\":\"3.0.0\",\"run_id\":\"c\",\"benchmark\":\"x\"}\n", "schema"},
        {"{\"record\":\"run\",\"schema\":\"2.7.1\",\"run_id\":\"a\",\"benchmark\":\"x\"}\n", "twice"},
        {"{\"record\":\"run\",\"schema\":\"2.0.0\"}\n", "run_id"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(truncate(path, 0), 0);
        ovl_input_file_forget(); /* as another process does it */
        write_run("a", 1, false);
        append(wrong[i].text);
        ck_assert_msg(ovl_record_read(&record, path, &err) == -1, "not refused: %s", wrong[i].text);
        ck_assert_int_eq(err.code, OVL_WRONG_DATA);
        ck_assert_msg(strstr(err.text, wrong[i].word) && strstr(err.text, path), "%s: says %s", wrong[i].text,
                      err.text);
        ovl_record_free(&record);
    }
}

TEST(a_brief_reading_leaves_the_samples)
{
    struct ovl_record brief = {.runs = NULL};
    write_run("a", 2, true);
    append("{\"record\":\"cell\",\"run_id\":\"a\",\"samples\":{\"comm_seconds\":{\"max\":[1,2"); /* killed here */
    ck_assert_int_eq(ovl_record_read(&record, path, &err), 0);
    ck_assert_int_eq(ovl_record_read_brief(&brief, path, &err), 0);
    ck_assert_uint_eq(brief.runs[0].cell_count, 2);
    for (size_t c = 0; c < 2; c++) {
        const struct ovl_cell *whole = &record.runs[0].cells[c], *cell = &brief.runs[0].cells[c];
        ck_assert_uint_gt(whole->samples.blocks, 0);
        ck_assert_uint_eq(cell->samples.blocks, 0);
        for (int q = 0; q < OVL_QUANTITIES; q++)
            ck_assert_mem_eq(&cell->summary[q], &whole->summary[q], sizeof whole->summary[q]);
        ck_assert_mem_eq(cell->derived, whole->derived, sizeof whole->derived);
        ck_assert_str_eq(cell->block_group, whole->block_group);
    }
    ovl_record_free(&brief);
}

TEST(files_that_are_none)
{
    ck_assert_int_eq(ovl_record_read(&record, "/no/such/file", &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_int_eq(ovl_record_read(&record, "/tmp", &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_int_eq(ovl_record_read(&record, path, &err), -1); /* empty */
    ck_assert_int_eq(err.code, OVL_WRONG_DATA);
    struct ovl_writer w;
    ck_assert_int_eq(ovl_writer_open(&w, path, &err), -1); /* and in use here */
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_int_eq(ovl_writer_open(&w, "/no/such/file", &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_int_eq(ovl_writer_open(&w, "/dev/full", &err), 0);
    ck_assert_int_eq(ovl_writer_line(&w, sample_end_line("a", 1), &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "/dev/full"));
    ck_assert_int_eq(ovl_writer_close(&w, &err), 0);
    ck_assert_int_eq(ovl_writer_open(&w, NULL, &err), 0); /* nowhere */
    ck_assert_int_eq(ovl_writer_line(&w, sample_end_line("a", 1), &err), 0);
}

/* A job that was killed in its first line left the start of one. */
/* A record is held to what its version tells, also after the next release. */
TEST(versions_are_known_up_to_this_one)
{
    static const char *const known[] = {"0.2.0", "0.2.9", OVL_VERSION}, *const others[] = {
                                                                            "0.1.9", "0.999.0", "99.0.0", "",
                                                                            "0.2",   "0.2.0x",  "0.-1.0", "-1.3.0"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(ovl_version_is_known(known[i]), "%s", known[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(!ovl_version_is_known(others[i]), "%s", others[i]);
}

TEST(only_records_grow)
{
    static const struct {
        const char *text;
        bool grows;
    } files[] = {
        {"", true},
        {"\n \r\n", true},
        {"{\"rec", true},
        {"{\"record\":\"ru", true},
        {"{\"benchmark\":\"x\",\"record\":\"run\"}\n", true},
        {"\n{\"record\":\"offload\"}\n", true},
        {"{\"name\":\"a model\"}\n", false},
        {"{\n \"record\":\"run\"}\n", false},
        {"[{\"record\":\"run\"}]\n", false},
        {"{\"record\" : 7}\n", false},
        {"size,overlap\n", false},
        {"\x7f"
         "ELF",
         false},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct ovl_writer w;
        ck_assert_int_eq(truncate(path, 0), 0);
        append(files[i].text);
        int rc = ovl_writer_open(&w, path, &err);
        ck_assert_msg((rc == 0) == files[i].grows, "%s", files[i].text);
        if (rc == 0)
            ck_assert_int_eq(ovl_writer_close(&w, &err), 0);
        else
            ck_assert_int_eq(err.code, OVL_USAGE);
    }
}

/* --json /dev/stdout >FILE: what was printed before and after stays. */
TEST(a_record_goes_to_a_descriptor_where_it_stands)
{
    struct ovl_writer w;
    char name[64];
    struct stat file;
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    ck_assert_int_eq(write(fd, "# head\n", 7), 7);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    ck_assert_int_eq(ovl_writer_open(&w, name, &err), 0);
    ck_assert_int_eq(ovl_writer_line(&w, json_pack("{s:s}", "record", "end"), &err), 0);
    ck_assert_int_eq(ovl_writer_close(&w, &err), 0);
    ck_assert_int_eq(write(fd, "# foot\n", 7), 7);
    ck_assert_int_eq(fstat(fd, &file), 0);
    ck_assert_int_eq(file.st_size, 7 + 17 + 7);
    close(fd);
}

AROUND(setup, teardown)
