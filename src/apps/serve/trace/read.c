/* Two forms of traces; whatever is wrong is told with line and column, counted from 1. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/serve/trace/trace.h"
#include "base/input_file.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char csv_head[] = "TIMESTAMP,ContextTokens,GeneratedTokens";

struct reader {
    struct ovl_request_trace *trace;
    struct timed { /* of each request */
        struct ovl_served_request request;
        double ms;
        size_t order;
        size_t ids, id_count; /* those of its blocks, in the order of the file */
    } * list;
    size_t count, room;
    uint64_t *ids;
    size_t id_count, id_room;
    int block; /* tokens that each of them stands for; 0: whatever it is */
    const char *name;
    int line;
    struct ovl_error *err;
};

static int fault(const struct reader *r, size_t column, const char *what)
{
    return ovl_error_set(r->err, OVL_WRONG_DATA, "%s: line %d, column %zu: %s", r->name, r->line, column, what);
}

static int add(struct reader *r, double ms, int prompt, int output)
{
    if (r->count == OVL_TRACE_REQUESTS_MOST)
        return fault(r, 1, "over 1048576 requests: is it the right file?");
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 1024;
        r->list = ovl_grow(r->list, r->room, sizeof *r->list);
    }
    r->list[r->count] = (struct timed){.request = {.prompt = prompt, .output = output}, .ms = ms, .order = r->count};
    r->count++;
    return 0;
}

/* Where a member stands in its line, from 1. */
static size_t column_of(const char *line, const char *member)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\"", member);
    const char *at = strstr(line, quoted);
    return at ? (size_t)(at - line) + 1 : strlen(line) + 1;
}

/* A whole number of tokens, from `least` on. */
static int tokens(const struct reader *r, const char *line, const json_t *o, const char *member, int least, int *out)
{
    const json_t *v = json_object_get(o, member);
    char what[96];
    snprintf(what, sizeof what, "give %s, a whole number from %d to %d", member, least, OVL_TRACE_TOKENS_MOST);
    if (!json_is_integer(v) || json_integer_value(v) < least || json_integer_value(v) > OVL_TRACE_TOKENS_MOST)
        return fault(r, column_of(line, member), what);
    *out = (int)json_integer_value(v);
    return 0;
}

/* Those of the next request. */
static int block_ids(struct reader *r, const char *line, const json_t *o)
{
    const json_t *list = json_object_get(o, "hash_ids"), *one;
    size_t i, from = r->id_count;
    json_array_foreach(list, i, one) {
        if (!json_is_integer(one))
            break;
        if (r->id_count == r->id_room) {
            r->id_room = r->id_room ? 2 * r->id_room : 1024;
            r->ids = ovl_grow(r->ids, r->id_room, sizeof *r->ids);
        }
        r->ids[r->id_count++] = (uint64_t)json_integer_value(one);
    }
    return !list || (json_is_array(list) && r->id_count - from == json_array_size(list))
               ? 0
               : fault(r, column_of(line, "hash_ids"), "give hash_ids, a list of whole numbers, or leave it out");
}

/* Of a part of a block at the end there may be one, as in Mooncake's traces, or none. */
static int ids_fit(const struct reader *r, const char *line, int prompt, size_t ids)
{
    char what[160];
    if (!r->block || ids == 0 || ids == (size_t)(prompt / r->block) || ids == (size_t)((prompt - 1) / r->block + 1))
        return 0;
    snprintf(what, sizeof what,
             "%zu hash_ids do not fit %d tokens in blocks of %d; give --kv-block as the trace has it, or mend the line",
             ids, prompt, r->block);
    return fault(r, column_of(line, "hash_ids"), what);
}

static int read_json(struct reader *r, const char *line)
{
    size_t from = r->id_count;
    json_error_t error;
    json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    int prompt, output;
    if (!o)
        return fault(r, (size_t)(error.column > 0 ? error.column : 1), error.text);
    const json_t *at = json_object_get(o, "timestamp");
    double ms = json_number_value(at);
    int rc = !json_is_object(o) ? fault(r, 1, "give an object with timestamp, input_length and output_length")
             : !json_is_number(at) || !(ms >= 0 && ms <= 1e15)
                 ? fault(r, column_of(line, "timestamp"), "give timestamp, a number of ms from 0 to 1e15")
                 : 0;
    if (rc == 0)
        rc = tokens(r, line, o, "input_length", 1, &prompt);
    if (rc == 0)
        rc = tokens(r, line, o, "output_length", 0, &output);
    if (rc == 0)
        rc = block_ids(r, line, o);
    if (rc == 0)
        rc = ids_fit(r, line, prompt, r->id_count - from);
    json_decref(o);
    if (rc != 0 || add(r, ms, prompt, output) != 0)
        return -1;
    r->list[r->count - 1].ids = from;
    r->list[r->count - 1].id_count = r->id_count - from;
    return 0;
}

/* So many digits at *at, which moves on. -1: there are other ones. */
static int digits(const char **at, int n)
{
    int value = 0;
    for (int i = 0; i < n; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return -1;
        value = 10 * value + (**at - '0');
    }
    return value;
}

static bool one(const char **at, char c)
{
    return **at == c && (*at)++;
}

/* Days since the first of March of year 0 (Hatcher, 1984). */
static double days(int year, int month, int day)
{
    int y = month > 2 ? year : year - 1, m = (month + 9) % 12;
    return 365.0 * y + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + day - 1;
}

/* "2023-11-16 18:15:46.6805900", behind which "+00:00" may stand. In ms; where it is none *at stays where that shows.
 */
static bool time_of(const char **at, double *ms)
{
    int part[6];
    static const char ends[] = "-- ::";
    double fraction = 0, place = 0.1;
    for (int i = 0; i < 6; i++) {
        part[i] = digits(at, i == 0 ? 4 : 2);
        if (part[i] < 0 || (i < 5 && !one(at, ends[i])))
            return false;
    }
    for (*at += **at == '.'; **at >= '0' && **at <= '9'; (*at)++, place /= 10)
        fraction += place * (**at - '0');
    if (**at == '+' && strncmp(*at, "+00:00", 6) == 0)
        *at += 6;
    *ms = 1e3 * (86400 * days(part[0], part[1], part[2]) + 3600 * part[3] + 60 * part[4] + part[5] + fraction);
    return part[1] >= 1 && part[1] <= 12 && part[2] >= 1 && part[2] <= 31 && part[3] < 24 && part[4] < 60 &&
           part[5] <= 60;
}

/* A whole number up to the most tokens; digits alone. */
static bool count_of(const char **at, int least, int *out)
{
    size_t n = strspn(*at, "0123456789");
    long value = n > 0 && n < 9 ? strtol(*at, NULL, 10) : -1;
    if (value < least || value > OVL_TRACE_TOKENS_MOST)
        return false;
    *out = (int)value;
    *at += n;
    return true;
}

static int read_csv(struct reader *r, const char *line)
{
    const char *at = line;
    double ms;
    int prompt, output;
    if (!time_of(&at, &ms) || !one(&at, ','))
        return fault(r, (size_t)(at - line) + 1, "give a time such as 2023-11-16 18:15:46.6805900, and a comma");
    if (!count_of(&at, 1, &prompt) || !one(&at, ','))
        return fault(r, (size_t)(at - line) + 1, "give ContextTokens, a whole number from 1 to 1048576, and a comma");
    if (!count_of(&at, 0, &output) || *at)
        return fault(r, (size_t)(at - line) + 1,
                     "give GeneratedTokens, a whole number from 0 to 1048576, and nothing behind it");
    return add(r, ms, prompt, output);
}

static int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    return x->ms != y->ms ? (x->ms > y->ms) - (x->ms < y->ms) : (x->order > y->order) - (x->order < y->order);
}

/* The numbers of all blocks, in the order of the requests. */
static void take_ids(const struct reader *r)
{
    size_t at = 0;
    if (r->id_count == 0)
        return;
    r->trace->ids = ovl_alloc(r->id_count, sizeof *r->ids);
    r->trace->ids_at = ovl_alloc(r->count + 1, sizeof *r->trace->ids_at);
    for (size_t i = 0; i < r->count; i++) {
        r->trace->ids_at[i] = at;
        memcpy(r->trace->ids + at, r->ids + r->list[i].ids, r->list[i].id_count * sizeof *r->ids);
        at += r->list[i].id_count;
    }
    r->trace->ids_at[r->count] = at;
}

/* Times become iterations. */
static int take(struct reader *r, double iteration_ms)
{
    if (r->count > 0)
        qsort(r->list, r->count, sizeof *r->list, by_time);
    double last = r->count ? (r->list[r->count - 1].ms - r->list[0].ms) / iteration_ms : 0;
    if (last > OVL_TRACE_ITERATIONS_MOST)
        return ovl_error_set(r->err, OVL_USAGE, "%s: %.0f iterations of --iteration-ms %g; give %.0f or more", r->name,
                             last, iteration_ms, ceil(last * iteration_ms / OVL_TRACE_ITERATIONS_MOST));
    r->trace->count = r->count;
    r->trace->list = ovl_alloc(r->count + 1, sizeof *r->trace->list);
    for (size_t i = 0; i < r->count; i++) {
        r->trace->list[i] = r->list[i].request;
        r->trace->list[i].arrival = (int64_t)((r->list[i].ms - r->list[0].ms) / iteration_ms);
    }
    take_ids(r);
    return 0;
}

int ovl_trace_parse(struct ovl_request_trace *t, char *text, const char *name, double iteration_ms, int block,
                    struct ovl_error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of byte order, as spreadsheets write it */
    struct reader r = {.trace = t, .name = name, .block = block, .err = err};
    text += strncmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
    bool csv = strncmp(text, csv_head, sizeof csv_head - 1) == 0;
    int rc = 0;
    *t = (struct ovl_request_trace){.count = 0};
    for (char *line = text, *rest; rc == 0 && line; line = rest) {
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        r.line++;
        size_t n = strlen(line);
        if (n > 0 && line[n - 1] == '\r')
            line[n - 1] = '\0';
        if (csv && r.line == 1 && strcmp(line, csv_head) != 0)
            rc = fault(&r, sizeof csv_head, "give nothing behind the names");
        else if (r.line == 1 && !csv && *line && !strchr(" \t{[", *line))
            rc = fault(&r, 1, "give a line of JSON, or begin with TIMESTAMP,ContextTokens,GeneratedTokens");
        else if (*line && !(csv && r.line == 1))
            rc = csv ? read_csv(&r, line) : read_json(&r, line);
    }
    rc = rc == 0 ? take(&r, iteration_ms) : -1;
    free(r.list);
    free(r.ids);
    return rc;
}

int ovl_trace_read(struct ovl_request_trace *t, const char *file, double iteration_ms, int block, struct ovl_error *err)
{
    char option[OVL_ERROR_TEXT];
    snprintf(option, sizeof option, "--trace %s", file);
    char *text = ovl_input_text(file, option, err);
    *t = (struct ovl_request_trace){.count = 0};
    if (!text)
        return -1;
    ovl_input_keep("trace", text);
    int rc = ovl_trace_parse(t, text, option, iteration_ms, block, err);
    free(text);
    return rc;
}
