/* The option parser: each kind of argument, each kind of mistake, and the drivers' table. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/driver_options.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ovl_driver_options options;

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

static void check_sizes(size_t n, uint64_t least, uint64_t most)
{
    ck_assert_uint_eq(options.sizes.n, n);
    ck_assert_uint_eq(options.sizes.size[0], least);
    ck_assert_uint_eq(options.sizes.size[n - 1], most);
}

/* The option with that argument, as the record tells it. */
static void check_record(const char *argument, const char *wanted)
{
    char line[256];
    snprintf(line, sizeof line, "-m %s", argument);
    ck_assert_int_eq(parse(line), 0);
    json_t *all = ovl_options_json(ovl_driver_option_rows, &options);
    char *text = json_dumps(json_object_get(all, "message_size"), JSON_ENCODE_ANY | JSON_COMPACT);
    ck_assert_str_eq(text, wanted);
    free(text);
    json_decref(all);
}

/* ovl_null has a work of its own by default, which nobody gave it. */
TEST(self_tests_of_all_drivers)
{
    for (const struct ovl_benchmark *b = ovl_benchmarks; b->name; b++)
        ck_assert_int_eq(parse_for(b->name, "--self-test"), 0);
    ck_assert_int_eq(parse("--self-test --compute-us 20"), -1);
    ck_assert_int_eq(parse_for("null", "--self-test --compute-us 20"), -1);
}

TEST(defaults)
{
    ck_assert_int_eq(parse(""), 0);
    check_sizes(21, 1, 1 << 20);
    ck_assert_uint_eq(options.common.blocks[0], 30);
    ck_assert_uint_eq(options.common.blocks[1], 1000);
    ck_assert_uint_eq(options.common.warmup, 5);
    ck_assert_uint_eq(options.common.mem_limit, 512u << 20);
    ck_assert_str_eq(options.common.offload.modes, "host");
    ck_assert_str_eq(options.compute, "fma");
    ck_assert(isnan(options.compute_us));
    ck_assert(options.validate && !options.common.full && !options.common.quiet && !options.common.json);
    ck_assert_int_eq(parse_for("iallreduce", ""), 0);
    check_sizes(25, 4, 64u << 20);
}

TEST(sizes)
{
    ck_assert_int_eq(parse("-m 64K"), 0);
    check_sizes(17, 1, 65536);
    ck_assert_int_eq(parse("-m 64k:2M"), 0);
    check_sizes(6, 65536, 2 << 20);
    ck_assert_int_eq(parse("--message-size=8:8"), 0);
    check_sizes(1, 8, 8);
    ck_assert_int_eq(parse("-m 3K:24K"), 0);
    check_sizes(4, 3 << 10, 24 << 10);
    ck_assert_uint_eq(options.sizes.size[1], 6 << 10);
    ck_assert_int_eq(parse("--mem-limit 2G"), 0);
    ck_assert_uint_eq(options.common.mem_limit, 2ull << 30);
}

TEST(sizes_in_steps_and_lists)
{
    check_record("1K:8K", "[1024,8192]");
    check_record("8:8", "[8,8]");
    check_record("1K:30K:*3", "\"1K,3K,9K,27K\"");
    check_record("1K:4K:+1K", "\"1K,2K,3K,4K\"");
    check_record("1000:1100:+50", "\"1000,1050,1100\"");
    check_record("7K,1K,3K", "\"1K,3K,7K\"");          /* the smallest first */
    check_record("1K,2K:8K,3K", "\"1K,2K,3K,4K,8K\""); /* parts of any kind */
    check_record("4K,1K:4K,1K", "[1024,4096]");        /* each once */
    check_record("1K,2K,4K", "[1024,4096]");
    const char *wrong[] = {"1K,",      ",1K",    "1K,,2K",  "1K:3K",    "3K",          "1K:8K:3",
                           "1K:8K:*1", "1K:8K:", "1K:8K:*", "1K:8K:+0", "1K:8K:*3:*2", "1:1024G:+1",
                           "8K:1K:*2", "0,1K",   "1K:0:+1", "1K 2K",    "2048G",       "1,2048G"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[64];
        snprintf(line, sizeof line, "-m %s", wrong[i]);
        ck_assert_msg(parse(line) != 0, "-m %s is taken", wrong[i]);
    }
    ck_assert_int_eq(parse_for("iallreduce", "-m 12,20"), 0);
    ck_assert_int_ne(parse_for("iallreduce", "-m 12,18"), 0);
    ck_assert_int_ne(parse_for("iallreduce", "-m 2:8"), 0);
    ck_assert_int_ne(parse_for("ibarrier", "-m 1K,3K"), 0);
}

/* Sizes that begin at the default are fitted to what messages are made of; defaults of words are filled in. */
TEST(kinds_of_messages)
{
    ck_assert_int_eq(parse(""), 0);
    ck_assert_str_eq(options.type, "char");
    ck_assert(!options.op && !options.pairs && options.block == 0 && options.group_ranks == 0);
    ck_assert_int_eq(parse_for("iallreduce", "-T double --op max"), 0);
    check_sizes(24, 8, 64u << 20);
    ck_assert_str_eq(options.op, "max");
    ck_assert_int_eq(parse_for("iallreduce", "-T double -m 1K --op sum"), 0);
    check_sizes(8, 8, 1024);
    ck_assert_ptr_null(options.op);
    ck_assert_int_eq(parse_for("iallreduce", ""), 0);
    ck_assert_str_eq(options.type, "float");
    ck_assert_int_eq(parse_for("iallreduce", "--format omb"), 0);
    ck_assert_str_eq(options.type, "int8");
    ck_assert_int_eq(parse("-T int16 -D 4:6 -m 1K"), 0);
    check_sizes(8, 8, 1024);
    ck_assert(options.block == 4 && options.stride == 6);
    ck_assert_int_eq(parse_for("p2p", "--group 4:cyclic --multi"), 0);
    ck_assert_str_eq(options.pairs, "one-way");
    ck_assert(options.group_ranks == 4 && options.group_cyclic && options.multi);
    ck_assert_int_eq(parse("--group 3"), 0);
    ck_assert(options.group_ranks == 3 && !options.group_cyclic);
    const char *types[] = {"char", "int8", "int16", "int32", "int64", "float", "double"};
    const uint64_t bytes[] = {1, 1, 2, 4, 8, 4, 8};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        ck_assert_uint_eq(ovl_driver_type_bytes(types[i]), bytes[i]);
}

TEST(other_kinds)
{
    ck_assert_int_eq(parse("-i 50 -x 0 -t 16 --ci 0.5 --max-time 3.5 --seed 7 -f -q -c"), 0);
    ck_assert(options.common.blocks[0] == 50 && options.common.blocks[1] == 1000);
    ck_assert(options.common.warmup == 0 && options.tests == 16 && options.common.seed == 7);
    ck_assert(options.common.full && options.common.quiet && options.show_validation && options.validate);
    ck_assert_double_eq(options.common.ci, 0.5);
    ck_assert_double_eq(options.common.max_time, 3.5);
    ck_assert_int_eq(parse("-i 2000"), 0);
    ck_assert(options.common.blocks[0] == 2000 && options.common.blocks[1] == 2000);
    ck_assert_int_eq(parse("-i 10:10 --compute-ratio 0.5,1,2 --no-validation"), 0);
    ck_assert(options.common.blocks[0] == 10 && options.common.blocks[1] == 10 && !options.validate);
    ck_assert(options.ratios.n == 3 && options.ratios.value[0] == 0.5 && options.ratios.value[2] == 2);
    ck_assert_int_eq(parse("--mode host,dpu --compute sleep --compute-us 2000 --json r.jsonl --format omb --mode host"),
                     0);
    ck_assert_str_eq(options.common.offload.modes, "host");
    ck_assert_str_eq(options.common.json, "r.jsonl");
    ck_assert_double_eq(options.compute_us, 2000);
}

/* Every wrong call ends with the usage code and one line that names what is wrong; the usual ones are in the table
   tests/cli/bad-calls. */
TEST(wrong_calls)
{
    static const struct {
        const char *benchmark, *line, *word;
    } wrong[] = {
        {"iallreduce", "-m 6", "doubling from 4"},
        {"ialltoall", "-t 1e3", "whole number"},
        {"ialltoall", "--max-time 0", "from 0.01"},
        {"ialltoall", "--compute-ratio 0", "from 0.01"},
        {"ialltoall", "--compute-us 0", "from 0.01"},
        {"ialltoall", "--compute-us 5 --compute-ratio 1", "exclude each other"},
        {"null", "--compute-ratio 0.5,1", "no communication"},
        {"ibarrier", "-T int8", "leave out --type"},
        {"ibarrier", "-D 1:2", "leave out --vector"},
        {"iallreduce", "-T int", "char|int8|"},
        {"iallreduce", "-T double -m 4:64", "multiples of 8"},
        {"iallreduce", "--op xor", "sum|min|max|prod"},
        {"ialltoall", "-D 1:2 --mode host,dpu", "leave dpu out"},
        {"ialltoall", "-D 4:2", "the smaller first"},
        {"ialltoall", "-D 0:2", "BLOCK:STRIDE"},
        {"ialltoall", "-D 1:2x", "BLOCK:STRIDE"},
        {"ialltoall", "-D 1:-2", "BLOCK:STRIDE"},
        {"ialltoall", "-D 1:99999999", "BLOCK:STRIDE"},
        {"ialltoall", "-D 3:4", "multiples of 3"},
        {"ialltoall", "-D 3:4 -T double -m 1K,24K", "multiples of 24"},
        {"p2p", "--pairs star", "one-way|two-way|ring|neighbours"},
        {"ialltoall", "--group 0", "a number of ranks"},
        {"ialltoall", "--group two", "a number of ranks"},
        {"ialltoall", "--group 2:block", "a number of ranks"},
        {"ialltoall", "--group 99999999999999999999", "a number of ranks"},
        {"ialltoall", "--format omb-blocking --mode host,dpu", "--format omb-blocking has one row"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&err, 0, sizeof err);
        ck_assert_msg(parse_for(wrong[i].benchmark, wrong[i].line) == -1, "%s: not refused", wrong[i].line);
        ck_assert_msg(err.code == OVL_USAGE, "%s: code %d", wrong[i].line, err.code);
        ck_assert_msg(strstr(err.text, wrong[i].word) != NULL, "%s: says: %s", wrong[i].line, err.text);
        ck_assert_msg(strchr(err.text, '\n') == NULL, "%s: more than a line", wrong[i].line);
    }
}

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

TEST(odd_words_are_refused_in_one_line)
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
    ck_assert_ptr_nonnull(strstr(err.text, "x: give host|thread|dpu, or several with commas"));

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

TEST(help_names_every_option)
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
        if (r->kind == OVL_OPTION_FOREIGN)
            continue;
        char dashed[64];
        snprintf(dashed, sizeof dashed, "--%s", r->name);
        ck_assert_ptr_nonnull(strstr(text, dashed));
        snprintf(dashed, sizeof dashed, "Fl -%s", r->name);
        ck_assert_ptr_nonnull(strstr(mdoc, dashed));
        for (const struct ovl_option *other = ovl_driver_option_rows; other < r; other++)
            ck_assert((!*r->name || strcmp(other->name, r->name) != 0) && /* "": another table */
                      (!r->letter || other->letter != r->letter));
    }
    ck_assert_ptr_nonnull(json_object_get(all, "message_size"));
    ck_assert(json_is_true(json_object_get(all, "check_data")) || json_is_false(json_object_get(all, "check_data")));
    json_decref(all);
    free(text);
    free(mdoc);
}

/* A letter may stand alone, with its list right behind it, which is no other argument; the name has one. */
TEST(a_letter_that_stands_for_a_list)
{
    static const struct {
        const char *argv[4];
        size_t n;
        double last;
    } known[] = {{{"x", "-z", NULL}, 3, 99},
                 {{"x", "-z90", NULL}, 1, 90},
                 {{"x", "-qz75,99.9", NULL}, 2, 99.9},
                 {{"x", "--percentiles", "95", NULL}, 1, 95},
                 {{"x", "--percentiles=1,95.5", NULL}, 2, 95.5}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *argv[4];
        int argc = 0;
        for (; known[i].argv[argc]; argc++)
            argv[argc] = (char *)known[i].argv[argc];
        argv[argc] = NULL;
        struct ovl_driver_options o = ovl_driver_options_default(ovl_benchmark_find("ialltoall"));
        ck_assert_int_eq(ovl_driver_options_parse(ovl_benchmark_find("ialltoall"), argc, argv, &o, &err), 0);
        ck_assert_uint_eq(o.common.percentiles.n, known[i].n);
        ck_assert_double_eq(o.common.percentiles.value[known[i].n - 1], known[i].last);
    }
}

/* What is refused as another program's is no option of a driver, by letter or name, and is refused with its own words.
 */
TEST(foreign_options_are_none_of_our_own)
{
    for (const struct ovl_foreign_option *o = ovl_omb_options.options; o->instead; o++) {
        const struct ovl_benchmark *b = ovl_benchmark_find("ialltoall");
        for (int named = 0; named < 2; named++) {
            char word[64] = "-?", *argv[] = {(char *)"x", word, NULL};
            struct ovl_driver_options with = ovl_driver_options_default(b);
            word[1] = o->letter;
            if (named)
                snprintf(word, sizeof word, "--%s=1", o->name ? o->name : "");
            if (named ? !o->name : !o->letter)
                continue;
            ck_assert_int_eq(ovl_driver_options_parse(b, 2, argv, &with, &err), -1);
            ck_assert_msg(strstr(err.text, o->instead) && strstr(err.text, "OSU"), "%s: %s", word, err.text);
        }
    }
}

/* As getopt_long takes it. */
TEST(the_beginning_of_a_name)
{
    static const struct {
        const char *word, *meant;
    } tried[] = {{"work-from", "work-from"}, {"work-f", "work-from"},
                 {"mode", "mode"},           {"mod", NULL},
                 {"model", "model"},         {"x", NULL},
                 {"model-x", NULL}};
    static const struct ovl_option rows[] = {{'m', "mode", "M", "", OVL_OPTION_TEXT, 0, 0, 0, NULL, NULL},
                                             {0, "model", "M", "", OVL_OPTION_TEXT, 8, 0, 0, NULL, NULL},
                                             {0, "work-from", "F", "", OVL_OPTION_TEXT, 16, 0, 0, NULL, NULL},
                                             {.name = NULL}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        const char *meant = ovl_options_meant(rows, tried[i].word, strlen(tried[i].word));
        ck_assert_pstr_eq(meant, tried[i].meant);
    }
}

TEST(sizes_as_text)
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

/* Tables of 64 rows and more, of which the last option is read too; one that is too large is told, not written over. */
TEST(large_tables)
{
    enum { LARGE = 112 };
    static char names[LARGE + 1][8], program[] = "program", word[16];
    struct ovl_option rows[LARGE + 2] = {{0}};
    int values[LARGE + 1] = {0}, first;
    for (int i = 0; i <= LARGE; i++) {
        snprintf(names[i], sizeof names[i], "o%d", i);
        rows[i] = (struct ovl_option){
            .name = names[i], .help = "", .kind = OVL_OPTION_ON, .offset = (size_t)i * sizeof *values};
    }
    snprintf(word, sizeof word, "--o%d", LARGE - 1);
    char *argv[] = {program, word, NULL};
    ck_assert_int_eq(ovl_options_parse(rows, 2, argv, values, &first, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "more than 112 options"));
    rows[LARGE].name = NULL;
    ck_assert_int_eq(ovl_options_parse(rows, 2, argv, values, &first, &err), 0);
    ck_assert_int_eq(values[LARGE - 1], 1);
    ck_assert_int_eq(values[0], 0);
}
