/* Traces of ovl_serve: drawn ones follow their distributions, files of both forms are read, damaged ones are refused
   with the place. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/trace/trace.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct ovl_lengths lengths(const char *text)
{
    struct ovl_lengths l;
    ck_assert_msg(ovl_lengths_parse(&l, "--prompt", text, 0, &err) == 0, "%s", err.text);
    return l;
}

static const struct ovl_shared_texts nothing;

static struct ovl_request_trace draw(size_t n, double rate, const char *prompt, const char *output, uint64_t seed)
{
    struct ovl_request_trace t;
    struct ovl_lengths p = lengths(prompt), o = lengths(output);
    ovl_trace_draw(&t, n, rate, &p, &o, &nothing, seed);
    ck_assert_uint_eq(t.count, n);
    return t;
}

TEST(drawn_requests_follow_their_distributions)
{
    enum { N = 20000 };
    struct ovl_request_trace t = draw(N, 0.25, "lognormal:200:1", "geometric:40", 5);
    double output = 0, log_prompt = 0, square = 0;
    for (size_t r = 0; r < N; r++) {
        ck_assert(t.list[r].prompt >= 1 && t.list[r].output >= 1);
        ck_assert(r == 0 || t.list[r].arrival >= t.list[r - 1].arrival);
        output += t.list[r].output;
        log_prompt += log(t.list[r].prompt);
        square += pow(log(t.list[r].prompt / 200.0), 2);
    }
    ck_assert_double_eq_tol(output / N, 40, 2);
    ck_assert_double_eq_tol(log_prompt / N, log(200), 0.05);
    ck_assert_double_eq_tol(sqrt(square / N), 1, 0.05);
    ck_assert_double_eq_tol((double)t.list[N - 1].arrival, N / 0.25, 0.05 * N / 0.25);
    ovl_trace_free(&t);
}

TEST(draws_are_the_same_again_and_others_for_another_seed)
{
    struct ovl_request_trace a = draw(100, 1, "geometric:90", "geometric:9", 1),
                             b = draw(50, 1, "geometric:90", "geometric:9", 1),
                             c = draw(100, 1, "geometric:90", "geometric:9", 2);
    ck_assert_mem_eq(a.list, b.list, 50 * sizeof *a.list);
    ck_assert(memcmp(a.list, c.list, 100 * sizeof *a.list) != 0);
    ovl_trace_free(&a);
    ovl_trace_free(&b);
    ovl_trace_free(&c);
    struct ovl_request_trace all = draw(9, 0, "7", "0", 3);
    for (size_t r = 0; r < 9; r++)
        ck_assert(all.list[r].arrival == 0 && all.list[r].prompt == 7 && all.list[r].output == 0);
    ovl_trace_free(&all);
    ovl_trace_free(&all);
    struct ovl_request_trace none = draw(0, 1, "1", "1", 1);
    ck_assert_uint_eq(none.count, 0);
    ovl_trace_free(&none);
}

TEST(distributions_that_are_none_are_refused)
{
    static const char *const bad[] = {"",
                                      "x",
                                      "-1",
                                      "1.5",
                                      "1048577",
                                      "geometric",
                                      "geometric:",
                                      "geometric:0",
                                      "geometric:3:4",
                                      "lognormal:3",
                                      "lognormal:3:",
                                      "lognormal:3:5",
                                      "lognormal:nan:1",
                                      "7,8",
                                      "0x10",
                                      "1e3"};
    struct ovl_lengths l;
    double rate;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(ovl_lengths_parse(&l, "--output", bad[i], 0, &err) == -1, "%s", bad[i]);
        ck_assert_int_eq(err.code, OVL_USAGE);
    }
    ck_assert_int_eq(ovl_lengths_parse(&l, "--prompt", "0", 1, &err), -1);
    ck_assert_str_eq(err.text, "--prompt 0: give a whole number of 1 to 1048576 tokens");
    static const char *const never[] = {"", "poisson", "poisson:", "poisson:0", "poisson:-1", "poisson:inf", "some"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        ck_assert_msg(ovl_arrivals_parse(&rate, never[i], &err) == -1, "%s", never[i]);
    ck_assert_int_eq(ovl_arrivals_parse(&rate, "poisson:0.5", &err), 0);
    ck_assert_double_eq(rate, 0.5);
    ck_assert_int_eq(ovl_arrivals_parse(&rate, "all", &err), 0);
    ck_assert_double_eq(rate, 0);
}

static int parse_blocks(struct ovl_request_trace *t, const char *text, double iteration_ms, int block)
{
    char copy[2048];
    snprintf(copy, sizeof copy, "%s", text);
    return ovl_trace_parse(t, copy, "--trace x", iteration_ms, block, &err);
}

static int parse(struct ovl_request_trace *t, const char *text, double iteration_ms)
{
    return parse_blocks(t, text, iteration_ms, 0);
}

static void holds(const struct ovl_request_trace *t, size_t r, int64_t arrival, int prompt, int output)
{
    ck_assert(r < t->count);
    ck_assert_msg(t->list[r].arrival == arrival && t->list[r].prompt == prompt && t->list[r].output == output,
                  "%zu: %lld %d %d", r, (long long)t->list[r].arrival, t->list[r].prompt, t->list[r].output);
}

TEST(mooncake_lines_are_read)
{
    struct ovl_request_trace t;
    ck_assert_int_eq(
        parse(&t,
              "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": [46, 47]}\n"
              "\n"
              "{\"timestamp\": 27982.5, \"input_length\": 1, \"output_length\": 0}\r\n"
              "{\"timestamp\": 27582, \"input_length\": 3, \"output_length\": 4}",
              50),
        0);
    ck_assert_uint_eq(t.count, 3);
    holds(&t, 0, 0, 6955, 52);
    holds(&t, 1, 2, 3, 4); /* in order of time */
    holds(&t, 2, 10, 1, 0);
    ovl_trace_free(&t);
    ck_assert_int_eq(parse(&t, "", 50), 0);
    ck_assert_uint_eq(t.count, 0);
    ovl_trace_free(&t);
}

/* Which blocks of two requests are the same: all that begin with the same numbers. */
static void same_blocks(const struct ovl_request_trace *t, size_t a, size_t b, int blocks, const char *same)
{
    for (int k = 0; k < blocks; k++)
        ck_assert_msg((ovl_trace_block(t, a, k, 4) == ovl_trace_block(t, b, k, 4)) == (same[k] == 'y'),
                      "block %d of %zu and %zu", k, a, b);
}

TEST(blocks_of_prompts_are_those_that_a_file_names)
{
    struct ovl_request_trace t;
    ck_assert_int_eq(
        parse(&t,
              "{\"timestamp\": 9, \"input_length\": 12, \"output_length\": 1, \"hash_ids\": [46, 47, 50]}\n"
              "{\"timestamp\": 2, \"input_length\": 11, \"output_length\": 1, \"hash_ids\": [46, 48, 50]}\n"
              "{\"timestamp\": 3, \"input_length\": 9, \"output_length\": 1, \"hash_ids\": [46, 48]}\n"
              "{\"timestamp\": 4, \"input_length\": 9, \"output_length\": 1}",
              1),
        0);
    same_blocks(&t, 0, 1, 3, "yyn"); /* in order of time; what a file does not name is nobody else's */
    same_blocks(&t, 0, 3, 3, "yny");
    same_blocks(&t, 1, 2, 3, "nnn");
    same_blocks(&t, 2, 2, 3, "yyy");
    ovl_trace_free(&t);
}

/* Of a line of Mooncake's trace, whose blocks have 512 tokens, the last of them less. */
TEST(blocks_of_another_length_than_those_of_the_file_are_refused)
{
    static const char line[] = "{\"timestamp\": 0, \"input_length\": 2287, \"output_length\": 316, \"hash_ids\": "
                               "[0, 42, 43, 44, 45]}";
    struct ovl_request_trace t;
    ck_assert_int_eq(parse_blocks(&t, line, 1, 512), 0);
    ovl_trace_free(&t);
    ck_assert_int_eq(parse_blocks(&t, line, 1, 400), 0); /* or that part has none */
    ovl_trace_free(&t);
    ck_assert_int_eq(parse_blocks(&t, line, 1, 256), -1);
    ck_assert_int_eq(err.code, OVL_WRONG_DATA);
    ck_assert_str_eq(err.text, "--trace x: line 1, column 62: 5 hash_ids do not fit 2287 tokens in blocks of 256; give "
                               "--kv-block as the trace has it, or mend the line");
    ck_assert_int_eq(parse_blocks(&t, line, 1, 1024), -1);
}

TEST(drawn_prompts_begin_with_one_of_some_texts)
{
    struct ovl_shared_texts shared;
    struct ovl_lengths prompt = lengths("3"), output = lengths("1");
    struct ovl_request_trace t;
    int alike = 0;
    ck_assert_int_eq(ovl_shared_parse(&shared, "2:9", &err), 0);
    ovl_trace_draw(&t, 100, 0, &prompt, &output, &shared, 7);
    for (size_t r = 1; r < 100; r++) {
        bool same = ovl_trace_block(&t, 0, 0, 4) == ovl_trace_block(&t, r, 0, 4);
        ck_assert_int_eq(t.list[r].prompt, 12);
        same_blocks(&t, 0, r, 3, same ? "yyn" : "nnn"); /* two whole blocks of 9 tokens; the third has own ones */
        alike += same;
    }
    ck_assert(alike > 25 && alike < 75);
    ovl_trace_free(&t);
    static const char *const bad[] = {"", "4", "4:", ":5", "0:5", "4:0", "1.5:5", "4:5:6", "4:1048576", "a:b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(ovl_shared_parse(&shared, bad[i], &err) == -1, "%s", bad[i]);
        ck_assert_int_eq(err.code, OVL_USAGE);
    }
}

TEST(azure_lines_are_read)
{
    struct ovl_request_trace t;
    ck_assert_int_eq(parse(&t,
                           "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                           "2023-11-16 23:59:59.5000000,374,44\r\n"
                           "2023-11-17 00:00:00.5100000,396,109\r\n",
                           100),
                     0);
    ck_assert_uint_eq(t.count, 2);
    holds(&t, 0, 0, 374, 44);
    holds(&t, 1, 10, 396, 109);
    ovl_trace_free(&t);
    /* Over a leap day, and the form of 2024. */
    ck_assert_int_eq(parse(&t,
                           "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                           "2024-02-28 12:00:00.25+00:00,1,1\n"
                           "2024-03-01 12:00:00.25+00:00,2,2",
                           1000),
                     0);
    holds(&t, 1, 2 * 86400, 2, 2);
    ovl_trace_free(&t);
}

TEST(damaged_lines_are_refused_with_their_place)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"{\"timestamp\": 1, \"input_length\": 5, \"output_length\": 5}\n{\"timestamp\": 2, \"input_length\": 5,",
         "--trace x: line 2, column 35: "},
        {"{\"timestamp\": 1, \"input_length\": 0, \"output_length\": 5}",
         "--trace x: line 1, column 18: give input_length, a whole number from 1 to 1048576"},
        {"{\"timestamp\": 1, \"input_length\": 2, \"output_length\": -1}", "line 1, column 37: give output_length"},
        {"{\"timestamp\": 1, \"input_length\": 2}", "line 1, column 36: give output_length"},
        {"{\"timestamp\": \"1\", \"input_length\": 2, \"output_length\": 1}", "line 1, column 2: give timestamp"},
        {"{\"timestamp\": 1, \"input_length\": 2, \"output_length\": 1, \"hash_ids\": [1, \"2\"]}",
         "line 1, column 57: give hash_ids"},
        {"{\"timestamp\": 1, \"input_length\": 2, \"output_length\": 1, \"hash_ids\": 1}",
         "line 1, column 57: give hash_ids"},
        {"[1, 2, 3]", "line 1, column 1: give an object"},
        {"arrived,prompt,output\n1,2,3\n", "line 1, column 1: give a line of JSON, or begin with TIMESTAMP,Con"},
        {"\xef\xbb\xbfTIMESTAMP,ContextTokens,GeneratedTokens\n1,2,3\n", "line 2, column 2: give a time"},
        {"\n\nnonsense", "line 3, column "},
        {"TIMESTAMP,ContextTokens,GeneratedTokens,More\n", "line 1, column 40: give nothing behind the names"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6,374\n",
         "line 2, column 26: give ContextTokens"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6,0,1\n",
         "line 2, column 23: give ContextTokens"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6,1,1,1\n", "line 2, column 26: give Generated"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6,1,999999999\n", "line 2, column 25: give Gen"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16T18:15:46,1,1\n", "line 2, column 11: give a time"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-13-16 18:15:46,1,1\n", "line 2, column 20: give a time"},
    };
    struct ovl_request_trace t;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(parse(&t, bad[i].text, 50) == -1, "%s", bad[i].text);
        ck_assert_int_eq(err.code, OVL_WRONG_DATA);
        ck_assert_msg(strstr(err.text, bad[i].says) != NULL, "%s: %s", bad[i].text, err.text);
    }
    ck_assert_int_eq(parse(&t,
                           "{\"timestamp\": 0, \"input_length\": 1, \"output_length\": 1}\n"
                           "{\"timestamp\": 1e12, \"input_length\": 1, \"output_length\": 1}",
                           1),
                     -1);
    ck_assert_int_eq(err.code, OVL_USAGE);
    ck_assert_str_eq(err.text, "--trace x: 1000000000000 iterations of --iteration-ms 1; give 10000 or more");
}
