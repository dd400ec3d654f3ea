/* Files that the tool finds, reads and writes: whole or not at all, once each, in a folder of its own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/input_file.h"
#include "base/output_file.h"
#include "record/derived/writer.h"
#include "tests/fake/sample_cell.h"
#include "tests/unit/folder.h"
#include "tool/cells/inputs/inputs.h"
#include "tool/util/atomic_file.h"
#include "tool/util/command.h"
#include "tool/util/json_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

static void setup(void)
{
    ovl_input_file_forget(); /* another file may have got the inode of one that is gone */
    folder_make();
}

static const char *in(const char *name)
{
    static char path[4][4096];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof *path, "%s/%s", folder, name);
    return path[next];
}

static const char *text_of(const char *name)
{
    static char text[16384];
    FILE *file = fopen(in(name), "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static int entries(void)
{
    int n = -2; /* . and .. */
    DIR *all = opendir(folder);
    ck_assert_ptr_nonnull(all);
    while (readdir(all))
        n++;
    closedir(all);
    return n;
}

TEST(a_file_is_there_whole_or_not_at_all)
{
    struct ovl_atomic_file o;
    folder_put("a", "old");
    ck_assert_int_eq(ovl_atomic_file_open(&o, in("a"), &err), 0);
    fputs("new", o.file);
    fflush(o.file);
    ck_assert_str_eq(text_of("a"), "old");
    ovl_atomic_file_abandon(&o);
    ck_assert_str_eq(text_of("a"), "old");
    ck_assert_int_eq(entries(), 1);
    ck_assert_int_eq(ovl_atomic_file_open(&o, in("a"), &err), 0);
    fputs("new", o.file);
    ck_assert_int_eq(ovl_atomic_file_close(&o, &err), 0);
    ck_assert_str_eq(text_of("a"), "new");
    ck_assert_int_eq(entries(), 1);
}

/* In a container each process has the same number. */
TEST(what_a_killed_process_left_is_in_nobodys_way)
{
    struct ovl_atomic_file o, again;
    char hidden[64];
    snprintf(hidden, sizeof hidden, ".%ld-a", (long)getpid());
    folder_put("victim", "mine");
    ck_assert_int_eq(symlink("victim", in(hidden)), 0);
    ck_assert_int_eq(ovl_atomic_file_open(&o, in("a"), &err), 0); /* and never closed */
    ck_assert_int_eq(ovl_atomic_file_open(&again, in("a"), &err), 0);
    ck_assert_str_ne(o.hidden.text, again.hidden.text);
    fputs("new", again.file);
    ck_assert_int_eq(ovl_atomic_file_close(&again, &err), 0);
    ck_assert_str_eq(text_of("a"), "new");
    ck_assert_str_eq(text_of("victim"), "mine");
    ovl_atomic_file_abandon(&o);
}

TEST(an_error_names_the_hidden_file)
{
    struct ovl_atomic_file o;
    ck_assert_int_eq(ovl_atomic_file_open(&o, in("nowhere/a"), &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "nowhere/a: cannot write: "));
    ck_assert_ptr_nonnull(strstr(err.text, "nowhere/.ovl-"));
}

TEST(the_longest_name_has_room_for_a_hidden_one)
{
    struct ovl_atomic_file o;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    ck_assert_int_eq(ovl_atomic_file_open(&o, in(name), &err), 0);
    ck_assert_int_eq(ovl_atomic_file_close(&o, &err), 0);
    ck_assert_str_eq(text_of(name), "");
}

/* Never another file, whose name is the begin of it. */
TEST(a_path_that_is_too_long_is_none)
{
    const struct ovl_path path = ovl_path("%s/%0*d", folder, 2 * PATH_MAX, 0);
    ck_assert_int_eq(open(path.text, O_RDONLY), -1);
    ck_assert_int_eq(errno, ENAMETOOLONG);
}

TEST(an_input_is_not_replaced)
{
    struct ovl_atomic_file o;
    folder_put("a", "mine");
    ck_assert_int_eq(link(in("a"), in("hard")), 0);
    ck_assert_int_eq(symlink("a", in("soft")), 0);
    FILE *read = ovl_input_file_open(in("a"));
    ck_assert_ptr_nonnull(read);
    fclose(read);
    static const char *const names[] = {"a", "hard", "soft"};
    for (size_t i = 0; i < 3; i++) {
        err.code = OVL_OK;
        ck_assert_int_eq(ovl_atomic_file_open(&o, in(names[i]), &err), -1);
        ck_assert_int_eq(err.code, OVL_USAGE);
        ck_assert_str_eq(text_of(names[i]), "mine");
    }
    ck_assert_int_eq(entries(), 3);
}

/* A file behind a descriptor keeps what it had, and what is written after goes behind. */
TEST(a_descriptor_is_written_where_it_stands)
{
    struct ovl_atomic_file o;
    struct stat file;
    char name[64], link_of_ours[sizeof folder + 8];
    snprintf(link_of_ours, sizeof link_of_ours, "%s/link", folder);
    int fd = open(in("a"), O_RDWR | O_CREAT, 0666);
    ck_assert_int_eq(write(fd, "one ", 4), 4);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    ck_assert_int_eq(symlink(name, link_of_ours), 0);
    ck_assert_int_eq(ovl_output_file_descriptor(name), fd);
    ck_assert_int_eq(ovl_output_file_descriptor(link_of_ours), fd);
    ck_assert_int_eq(ovl_output_file_descriptor("/dev/null"), -1);
    ck_assert_int_eq(ovl_output_file_descriptor("/dev/stdout"), 1);
    ck_assert_int_eq(ovl_output_file_descriptor(in("a")), -1);
    ck_assert_int_eq(ovl_atomic_file_open(&o, link_of_ours, &err), 0);
    fputs("two ", o.file);
    ck_assert_int_eq(ovl_atomic_file_close(&o, &err), 0);
    ck_assert_int_eq(write(fd, "three", 5), 5);
    close(fd);
    ck_assert_str_eq(text_of("a"), "one two three");
    ck_assert(lstat(in("link"), &file) == 0 && S_ISLNK(file.st_mode));
}

TEST(a_link_is_replaced_and_not_written_through)
{
    struct ovl_atomic_file o;
    struct stat file;
    folder_put("victim", "mine");
    ck_assert_int_eq(symlink("victim", in("a")), 0);
    ck_assert_int_eq(ovl_atomic_file_open(&o, in("a"), &err), 0);
    fputs("new", o.file);
    ck_assert_int_eq(ovl_atomic_file_close(&o, &err), 0);
    ck_assert_str_eq(text_of("victim"), "mine");
    ck_assert_str_eq(text_of("a"), "new");
    ck_assert(lstat(in("a"), &file) == 0 && S_ISREG(file.st_mode));
}

TEST(a_name_too_long_is_no_other_name)
{
    struct ovl_atomic_file o;
    char path[4100];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    ck_assert_int_eq(ovl_atomic_file_open(&o, path, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
}

TEST(a_copy_is_whole_and_never_empty)
{
    folder_put("from", "some text");
    ck_assert_int_eq(ovl_atomic_file_copy(in("from"), in("to"), &err), 0);
    ck_assert_str_eq(text_of("to"), "some text");
    folder_put("from", "");
    ck_assert_int_eq(ovl_atomic_file_copy(in("from"), in("to"), &err), -1);
    ck_assert_str_eq(text_of("to"), "some text");
    ck_assert_int_eq(ovl_atomic_file_copy(in("none"), in("to"), &err), -1);
    ck_assert_int_eq(ovl_atomic_file_copy(in("to"), in("none/to"), &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_int_eq(entries(), 2);
}

TEST(a_scratch_folder_is_ours_alone)
{
    struct stat file;
    ck_assert_int_eq(stat(folder, &file), 0);
    ck_assert_int_eq(file.st_mode & 07777, 0700);
    setenv("TMPDIR", "/no/such/folder", 1);
    char other[2048];
    ck_assert_int_eq(ovl_scratch_make(other, "test", &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "TMPDIR"));
    unsetenv("TMPDIR");
}

/* A file of runs with one cell each. */
static void put_runs(const char *name, const char *const *ids)
{
    struct ovl_writer w;
    struct ovl_cell cell;
    ck_assert_int_eq(ovl_writer_open(&w, in(name), &err), 0);
    for (; *ids; ids++) {
        sample_cell(&cell, *ids, 8, 6);
        ck_assert_int_eq(ovl_writer_line(&w, sample_run_line(*ids), &err), 0);
        ck_assert_int_eq(ovl_writer_line(&w, ovl_cell_to_json(&cell), &err), 0);
        ck_assert_int_eq(ovl_writer_line(&w, sample_end_line(*ids, 1), &err), 0);
        ovl_cell_free(&cell);
    }
    ck_assert_int_eq(ovl_writer_close(&w, &err), 0);
}

TEST(a_copy_of_a_launch_is_no_launch)
{
    struct ovl_inputs s = {.path = NULL};
    struct ovl_record record = {.runs = NULL};
    size_t copies = 0;
    put_runs("1.jsonl", (const char *const[]){"a", "b", NULL});
    put_runs("2.jsonl", (const char *const[]){"b", "c", "a", "d", NULL});
    put_runs("3.jsonl", (const char *const[]){"d", "b", NULL});
    put_runs(".4.jsonl", (const char *const[]){"e", NULL});
    put_runs("5.json", (const char *const[]){"f", NULL});
    ck_assert_int_eq(ovl_inputs_add(&s, folder, &err), 0);
    ck_assert_uint_eq(s.count, 3);
    ck_assert_int_eq(ovl_inputs_read(&s, true, &record, &copies, &err), 0);
    ck_assert_uint_eq(copies, 4);
    ck_assert_uint_eq(record.run_count, 4);
    for (size_t r = 0; r < 4; r++) {
        ck_assert_str_eq(ovl_run_text(&record.runs[r], "run_id"), ((const char *const[]){"a", "b", "c", "d"})[r]);
        ck_assert_uint_eq(record.runs[r].cell_count, 1);
        ck_assert_str_eq(record.runs[r].cells[0].run_id, ovl_run_text(&record.runs[r], "run_id"));
    }
    ovl_record_free(&record);
    ovl_inputs_free(&s);
}

TEST(a_folder_without_records_is_told)
{
    struct ovl_inputs s = {.path = NULL};
    folder_put("a.txt", "x");
    ck_assert_int_eq(ovl_inputs_add(&s, folder, &err), -1);
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "no record file in this folder"));
    ovl_inputs_free(&s);
}

static const struct {
    const char *text, *pointer;
    size_t line;
} pointers[] = {
    {"{\"a\": 1}", "", 1},
    {"\n\n{\"a\": 1}", "", 3},
    {"{\n\"a\": 1,\n\"b\":\n2}", "/b", 4},
    {"{\n\"a\": [\n1,\n{\"c\": \"}]\",\n\"d\": 3}]}", "/a/1/d", 5},
    {"{\"a\": \"x\\\"\\\\\",\n\"b\": [ ],\n\"ab\": {}}", "/ab", 3},
    {"{\"a\":\n{\"b\":\n1}}", "/a/none/more", 2}, /* as far as it is there */
    {"[1,\n2,\n3]", "/2", 3},
    {"[1,\n2]", "/7", 1},
    {"7", "/a", 1},
};

LOOP_TEST(a_fault_names_its_line, 0, sizeof pointers / sizeof *pointers)
{
    ck_assert_uint_eq(ovl_json_file_line(pointers[_i].text, pointers[_i].pointer), pointers[_i].line);
}

static const struct {
    const char *text, *why;
    enum ovl_exit code;
} damaged[] = {
    {"", "f:1: no JSON", OVL_WRONG_DATA},
    {"{\"a\": 1,\n\"a\": 2}", "f:2: no JSON: duplicate object key", OVL_WRONG_DATA},
    {"{\"a\": 1}\n}", "f:2: no JSON", OVL_WRONG_DATA},
    {"{\"a\": \"\xff\"}", "f:1: no JSON: unable to decode byte 0xff", OVL_WRONG_DATA},
    {"{\"a\": \"\\u0000\"}", "f:1: no JSON", OVL_WRONG_DATA},
    {"{\"a\": 1e999}", "f:1: no JSON: real number overflow", OVL_WRONG_DATA},
};

LOOP_TEST(what_is_no_json_is_told, 0, sizeof damaged / sizeof *damaged)
{
    folder_put("f", damaged[_i].text);
    ck_assert_ptr_null(ovl_json_file_load(in("f"), NULL, &err));
    ck_assert_int_eq(err.code, damaged[_i].code);
    ck_assert_msg(strstr(err.text, damaged[_i].why), "%s", err.text);
}

TEST(what_cannot_be_read_is_told)
{
    FILE *out = fopen(in("f"), "w");
    fwrite("{}\0{}", 1, 5, out);
    fclose(out);
    ck_assert_ptr_null(ovl_json_file_load(in("f"), NULL, &err));
    ck_assert_int_eq(err.code, OVL_WRONG_DATA);
    ck_assert_ptr_null(ovl_json_file_load(folder, NULL, &err));
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
    ck_assert_ptr_null(ovl_json_file_load(in("none"), NULL, &err));
    ck_assert_int_eq(err.code, OVL_ENVIRONMENT);
}

/* FIPS 180-4's example, and that the order of names does not matter. */
TEST(digests)
{
    char text[65], other[65];
    folder_put("f", "abc");
    ck_assert_int_eq(ovl_json_file_sha256(in("f"), text, &err), 0);
    ck_assert_str_eq(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    json_t *a = json_pack("{s:i, s:[f]}", "a", 1, "b", 0.5), *b = json_pack("{s:[f], s:i}", "b", 0.5, "a", 1);
    ovl_json_sha256(a, text);
    ovl_json_sha256(b, other);
    ck_assert_str_eq(text, other);
    json_decref(a);
    json_decref(b);
}

/* What spreadsheets would run, and what a comma would make two fields. */
TEST(csv_fields)
{
    struct ovl_writer w;
    struct ovl_cell cell;
    char program[] = "export", to[] = "--to=csv", o[] = "-o", from[4096], csv[4096];
    put_runs("=cmd.jsonl", (const char *const[]){"-1", NULL});
    ck_assert_int_eq(ovl_writer_open(&w, in("=cmd.jsonl"), &err), 0);
    sample_cell(&cell, "@sum", -8, 6);
    strcpy(cell.status, "ok,\"1\"");
    strcpy(cell.mode, "+host");
    ck_assert_int_eq(ovl_writer_line(&w, sample_run_line("@sum"), &err), 0);
    ck_assert_int_eq(ovl_writer_line(&w, ovl_cell_to_json(&cell), &err), 0);
    ck_assert_int_eq(ovl_writer_close(&w, &err), 0);
    ovl_cell_free(&cell);
    snprintf(csv, sizeof csv, "%s", in("a.csv"));
    ck_assert_int_eq(chdir(folder), 0);
    snprintf(from, sizeof from, "=cmd.jsonl");
    char *argv[] = {program, to, o, csv, from, NULL};
    ck_assert_int_eq(ovl_command_export.run(5, argv, &err), 0);
    const char *text = text_of("a.csv");
    ck_assert_ptr_nonnull(strstr(text, "\n'@sum,,\"ok,\"\"1\"\"\",6,'=cmd.jsonl,ialltoall,2,"));
    ck_assert_ptr_nonnull(strstr(text, ",-8,'+host,mpi,")); /* a number stays one */
    ck_assert_ptr_nonnull(strstr(text, "\n'-1,,ok,6,'=cmd.jsonl,ialltoall,2,"));
}

static void refused(const char *path, enum ovl_exit code, const char *words)
{
    ck_assert_ptr_null(ovl_input_text(path, "--file x", &err));
    ck_assert_int_eq(err.code, code);
    ck_assert_int_eq(strncmp(err.text, "--file x: ", 10), 0);
    ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
}

/* Whatever is named as a text: devices and pipes that never end, or never begin, too. */
TEST(a_text_is_bounded)
{
    refused(in("none"), OVL_ENVIRONMENT, "cannot read: No such file");
    refused(folder, OVL_ENVIRONMENT, "cannot read: Is a directory");
    refused("/dev/zero", OVL_WRONG_DATA, "byte 0");
    refused("/dev/full", OVL_WRONG_DATA, "byte 0");
    ck_assert_int_eq(mkfifo(in("pipe"), 0600), 0);
    refused(in("pipe"), OVL_ENVIRONMENT, "cannot read: no plain file");
    ck_assert_int_eq(symlink("/dev/zero", in("link")), 0);
    refused(in("link"), OVL_ENVIRONMENT, "cannot read: no plain file");
    FILE *lines = popen("yes ''", "r");
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(lines));
    refused(path, OVL_WRONG_DATA, "over 64 MiB");
    pclose(lines);
    for (int size = 0; size < 20000; size = 2 * size + 4095) {
        FILE *out = fopen(in("text"), "w");
        for (int i = 0; i < size; i++)
            putc('a' + i % 26, out);
        ck_assert_int_eq(fclose(out), 0);
        char *text = ovl_input_text(size ? in("text") : "/dev/null", "--file x", &err);
        ck_assert_ptr_nonnull(text);
        ck_assert_uint_eq(strlen(text), (size_t)size);
        for (int i = 0; i < size; i++)
            ck_assert_int_eq(text[i], 'a' + i % 26);
        free(text);
    }
}

AROUND(setup, folder_remove)
