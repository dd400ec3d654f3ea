/* The option parser: each kind of argument, each kind of mistake, and the drivers' table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/driver_options.h"
#include "tests/unit/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_driver_options options;
static struct ovl_error err;

/* Parses a command line split at its spaces, for that benchmark. */
static int parse_for(const char *benchmark, const char *line)
{
    static char copy[512], program[] = "ovl_x";
    char *argv[32] = {program};
    int argc = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    const struct ovl_benchmark *b = ovl_benchmark_find(benchmark);
    options = ovl_driver_options_default(b);
    return ovl_driver_options_parse(b, argc, argv, &options, &err);
}

static int parse(const char *line)
{
    return parse_for("ialltoall", line);
}

START_TEST(defaults)
{
    ck_assert_int_eq(parse(""), 0);
    ck_assert_uint_eq(options.size[0], 1);
    ck_assert_uint_eq(options.size[1], 1 << 20);
    ck_assert_uint_eq(options.blocks[0], 30);
    ck_assert_uint_eq(options.blocks[1], 1000);
    ck_assert_uint_eq(options.warmup, 5);
    ck_assert_uint_eq(options.mem_limit, 512u << 20);
    ck_assert_str_eq(options.offload.modes, "host");
    ck_assert_str_eq(options.compute, "fma");
    ck_assert(isnan(options.compute_us));
    ck_assert(options.validate && !options.full && !options.quiet && !options.json);
    ck_assert_int_eq(parse_for("iallreduce", ""), 0);
    ck_assert_uint_eq(options.size[0], 4);
    ck_assert_uint_eq(options.size[1], 64u << 20);
}
END_TEST

START_TEST(sizes)
{
    ck_assert_int_eq(parse("-m 64K"), 0);
    ck_assert(options.size[0] == 1 && options.size[1] == 65536);
    ck_assert_int_eq(parse("-m 64k:2M"), 0);
    ck_assert(options.size[0] == 65536 && options.size[1] == 2 << 20);
    ck_assert_int_eq(parse("--message-size=8:8"), 0);
    ck_assert(options.size[0] == 8 && options.size[1] == 8);
    ck_assert_int_eq(parse("--mem-limit 2G"), 0);
    ck_assert_uint_eq(options.mem_limit, 2ull << 30);
}
END_TEST

START_TEST(other_kinds)
{
    ck_assert_int_eq(parse("-i 50 -x 0 -t 16 --ci 0.5 --max-time 3.5 --seed 7 -f -q -c"), 0);
    ck_assert(options.blocks[0] == 50 && options.blocks[1] == 1000);
    ck_assert(options.warmup == 0 && options.tests == 16 && options.seed == 7);
    ck_assert(options.full && options.quiet && options.show_validation && options.validate);
    ck_assert_double_eq(options.ci, 0.5);
    ck_assert_double_eq(options.max_time, 3.5);
    ck_assert_int_eq(parse("-i 2000"), 0);
    ck_assert(options.blocks[0] == 2000 && options.blocks[1] == 2000);
    ck_assert_int_eq(parse("-i 10:10 --compute-ratio 0.5,1,2 --no-validation"), 0);
    ck_assert(options.blocks[0] == 10 && options.blocks[1] == 10 && !options.validate);
    ck_assert(options.ratios.n == 3 && options.ratios.value[0] == 0.5 && options.ratios.value[2] == 2);
    ck_assert_int_eq(parse("--mode host,dpu --compute sleep --compute-us 2000 --json r.jsonl --format omb --mode host"),
                     0);
    ck_assert_str_eq(options.offload.modes, "host");
    ck_assert_str_eq(options.json, "r.jsonl");
    ck_assert_double_eq(options.compute_us, 2000);
}
END_TEST

/* Every wrong call ends with the usage code and one line that names what is wrong. */
START_TEST(wrong_calls)
{
    static const struct {
        const char *benchmark, *line, *word;
    } wrong[] = {
        {"ialltoall", "--frobnicate", "--frobnicate"},
        {"ialltoall", "--quite", "is --quiet meant?"},
        {"ialltoall", "-z", "-z"},
        {"ialltoall", "-m", "--message-size needs an argument"},
        {"ialltoall", "--seed", "--seed needs an argument"},
        {"ialltoall", "--full=3", "--full takes no argument"},
        {"ialltoall", "-m 3", "powers of two"},
        {"ialltoall", "-m 0", "powers of two"},
        {"ialltoall", "-m 0:4", "powers of two"},
        {"ialltoall", "-m 1M:1K", "the smaller first"},
        {"ialltoall", "-m 1T", "K, M or G"},
        {"ialltoall", "-m 1KB", "K, M or G"},
        {"ialltoall", "-m -4", "powers of two"},
        {"ialltoall", "-m 99999999999999999999", "powers of two"},
        {"ialltoall", "-m 16777216T:1", "powers of two"},
        {"ialltoall", "-m 34359738368G", "powers of two"},
        {"ialltoall", "-m 2048G", "up to 1024G"},
        {"ialltoall", "-m 4611686018427387904:4611686018427387904", "up to 1024G"},
        {"ialltoall", "-i 5", "from 6 to"},
        {"ialltoall", "-i 40:30", "the smaller first"},
        {"ialltoall", "-i ten", "whole numbers"},
        {"ialltoall", "-i 10:", "whole numbers"},
        {"ialltoall", "-x -1", "whole number"},
        {"ialltoall", "-x 1.5", "whole number"},
        {"ialltoall", "-t 1e3", "whole number"},
        {"ialltoall", "--seed 9999999999999999999999", "whole number"},
        {"ialltoall", "--ci 0", "from 0.01"},
        {"ialltoall", "--ci nan", "a number"},
        {"ialltoall", "--ci 0x10", "a number"},
        {"ialltoall", "--ci 2%", "a number"},
        {"ialltoall", "--max-time inf", "a number"},
        {"ialltoall", "--max-time 0", "from 0.01"},
        {"ialltoall", "-M 0", "number of bytes"},
        {"ialltoall", "-M lots", "number of bytes"},
        {"ialltoall", "--mode gpu", "host|dpu"},
        {"ialltoall", "--mode host,", "host|dpu"},
        {"ialltoall", "--mode host,host", "stands twice"},
        {"ialltoall", "--compute stress", "fma|triad|dgemm|sleep"},
        {"ialltoall", "--compute fma,triad", "fma|triad|dgemm|sleep"},
        {"ialltoall", "--compute-ratio 0", "from 0.01"},
        {"ialltoall", "--compute-ratio 1,,2", "numbers"},
        {"ialltoall", "--compute-ratio 1,2,1", "stands twice"},
        {"ialltoall", "--compute-ratio 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "at most 16"},
        {"ialltoall", "--compute-us 0", "from 0.01"},
        {"ialltoall", "--compute-us 5 --compute-ratio 1,2", "exclude each other"},
        {"ialltoall", "--compute-us 5 --compute-ratio 1", "exclude each other"},
        {"null", "--compute-ratio 0.5,1", "no communication"},
        {"ialltoall", "--format csv", "table|omb"},
        {"ialltoall", "--format omb --compute-ratio 1,2", "one --compute-ratio"},
        {"ialltoall", "--format omb --mode host,dpu", "one --mode"},
        {"ialltoall", "-c --no-validation", "exclude each other"},
        {"ialltoall", "1024", "stray argument 1024"},
        {"ialltoall", "-m 1K extra", "stray argument extra"},
        {"iallreduce", "-m 1:4", "at least 4"},
        {"ireduce_scatter", "-m 2", "MIN of at least 4"},
        {"ibarrier", "-m 1:1", "has no message"},
        {"null", "-m 8", "has no message"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&err, 0, sizeof err);
        ck_assert_msg(parse_for(wrong[i].benchmark, wrong[i].line) == -1, "%s: not refused", wrong[i].line);
        ck_assert_msg(err.code == OVL_USAGE, "%s: code %d", wrong[i].line, err.code);
        ck_assert_msg(strstr(err.text, wrong[i].word) != NULL, "%s: says: %s", wrong[i].line, err.text);
        ck_assert_msg(strchr(err.text, '\n') == NULL, "%s: more than a line", wrong[i].line);
    }
}
END_TEST

/* Words in allocations of their own, at the end of which a parser that looks too far is caught. */
static void parse_words(const char *one, const char *two)
{
    char *argv[] = {strdup("ovl_x"), strdup(one), strdup(two), NULL}, *words[3];
    memcpy(words, argv, sizeof words); /* getopt changes their order */
    const struct ovl_benchmark *b = ovl_benchmark_find("ialltoall");
    options = ovl_driver_options_default(b);
    ck_assert_int_eq(ovl_driver_options_parse(b, 3, argv, &options, &err), -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    for (int i = 0; i < 3; i++)
        free(words[i]);
}

START_TEST(odd_words_are_refused_in_one_line)
{
    char word[70000];
    parse_words("s", "-\x01y");
    ck_assert_ptr_nonnull(strstr(err.text, "unknown option -?;"));
    parse_words("a\nb", "--frob");
    ck_assert_ptr_nonnull(strstr(err.text, "unknown option --frob;"));
    parse_words("-q", "a\nb\x1b[2J\x7f");
    ck_assert_ptr_nonnull(strstr(err.text, "stray argument a?b?[2J?;"));

    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    parse_words("--mode", word);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
    ck_assert_int_eq(strncmp(err.text, "--mode xxxx", 11), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "x ... x"));
    ck_assert_ptr_nonnull(strstr(err.text, "x: give host|dpu, or several with commas"));

    for (size_t i = 0; i + 1 < sizeof word; i += 2)
        memcpy(word + i, "\xc3\xa9", 2);
    word[sizeof word - 2] = '\0';
    parse_words("-q", word);
    for (const unsigned char *c = (const unsigned char *)err.text; *c; c++)
        if (*c == 0xc3)
            ck_assert(*++c == 0xa9);
        else
            ck_assert(*c < 0x80);
    json_t *text = json_string(err.text); /* still UTF-8, as a record wants it */
    ck_assert_ptr_nonnull(text);
    json_decref(text);
}
END_TEST

START_TEST(help_names_every_option)
{
    char *text = NULL, *mdoc = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    ovl_options_help(ovl_driver_option_rows, out);
    fclose(out);
    out = open_memstream(&mdoc, &length);
    ovl_options_mdoc(ovl_driver_option_rows, out);
    fclose(out);
    json_t *all = ovl_options_json(ovl_driver_option_rows, &options);
    for (const struct ovl_option *r = ovl_driver_option_rows; r->name; r++) {
        char dashed[64];
        snprintf(dashed, sizeof dashed, "--%s", r->name);
        ck_assert_ptr_nonnull(strstr(text, dashed));
        snprintf(dashed, sizeof dashed, "Fl -%s", r->name);
        ck_assert_ptr_nonnull(strstr(mdoc, dashed));
        for (const struct ovl_option *other = ovl_driver_option_rows; other < r; other++)
            ck_assert(strcmp(other->name, r->name) != 0 && (!r->letter || other->letter != r->letter));
    }
    ck_assert_ptr_nonnull(json_object_get(all, "message_size"));
    ck_assert(json_is_true(json_object_get(all, "check_data")) || json_is_false(json_object_get(all, "check_data")));
    json_decref(all);
    free(text);
    free(mdoc);
}
END_TEST

START_TEST(sizes_as_text)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } known[] = {{0, "0"},       {1, "1"},       {1000, "1000"},  {1024, "1K"},
                 {1536, "1536"}, {65536, "64K"}, {1 << 20, "1M"}, {3u << 30, "3G"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[24];
        uint64_t back;
        ovl_options_size_text(known[i].bytes, text);
        ck_assert_str_eq(text, known[i].text);
        ck_assert_int_eq(ovl_options_size(text, &back), 0);
        ck_assert_uint_eq(back, known[i].bytes);
    }
}
END_TEST

Suite *suite_options(void)
{
    Suite *suite = suite_create("options");
    TCase *t = tcase_create("options");
    tcase_add_test(t, defaults);
    tcase_add_test(t, sizes);
    tcase_add_test(t, other_kinds);
    tcase_add_test(t, wrong_calls);
    tcase_add_test(t, odd_words_are_refused_in_one_line);
    tcase_add_test(t, help_names_every_option);
    tcase_add_test(t, sizes_as_text);
    suite_add_tcase(suite, t);
    return suite;
}
