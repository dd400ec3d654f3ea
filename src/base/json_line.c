/* A reader that gives up where JSON is not plain: jansson then says what is wrong, or reads it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_line.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DEPTH = 32, NAME = 128, EXACT = 22, DIGITS = 18 };

struct reader {
    const char *at, *end;
    int depth;
};

/* The next byte; 0, which is no JSON, at the end. */
static char next(const struct reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static char next_solid(struct reader *r)
{
    while (next(r) == ' ' || next(r) == '\t' || next(r) == '\n' || next(r) == '\r')
        r->at++;
    return next(r);
}

static bool take(struct reader *r, char wanted)
{
    bool is = next(r) == wanted;
    r->at += is;
    return is;
}

/* The text between quotes, of plain ASCII; NULL: it is another one. */
static const char *plain_text(struct reader *r, size_t *length)
{
    const char *from = r->at + 1;
    if (!take(r, '"'))
        return NULL;
    while (next(r) >= ' ' && next(r) < 0x7f && next(r) != '"' && next(r) != '\\')
        r->at++;
    *length = (size_t)(r->at - from);
    return take(r, '"') ? from : NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Adds decimal digits to *value, which holds *digits of them, leading zeros not counted. How many bytes they are. */
static size_t add_digits(struct reader *r, uint64_t *value, int *digits)
{
    const char *from = r->at;
    for (; is_digit(next(r)); r->at++) {
        *digits += *value > 0 || *r->at != '0';
        if (*digits <= DIGITS)
            *value = 10 * *value + (uint64_t)(*r->at - '0');
    }
    return (size_t)(r->at - from);
}

static json_t *number(struct reader *r)
{
    static const double tens[EXACT + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *from = r->at;
    uint64_t value = 0, power = 0;
    int kept = 0, kept_power = 0;
    bool minus = take(r, '-'), real = false, zero = next(r) == '0';
    size_t whole = add_digits(r, &value, &kept), behind = 0;
    if (whole == 0 || (zero && whole > 1))
        return NULL;
    if (take(r, '.')) {
        real = true;
        behind = add_digits(r, &value, &kept);
        if (behind == 0)
            return NULL;
    }
    bool small = false;
    if (next(r) == 'e' || next(r) == 'E') {
        r->at++;
        real = true;
        small = next(r) == '-';
        if (small || next(r) == '+')
            r->at++;
        if (add_digits(r, &power, &kept_power) == 0)
            return NULL;
    }
    if (!real && kept <= DIGITS)
        return json_integer(minus ? -(json_int_t)value : (json_int_t)value);
    if (kept > DIGITS || value > 1ULL << 53 || kept_power > 3 || behind > 100)
        return json_loadb(from, (size_t)(r->at - from), JSON_DECODE_ANY, NULL);
    int ten = (small ? -(int)power : (int)power) - (int)behind;
    if (ten < -EXACT || ten > EXACT)
        return json_loadb(from, (size_t)(r->at - from), JSON_DECODE_ANY, NULL);
    double x = ten < 0 ? (double)value / tens[-ten] : (double)value * tens[ten];
    return json_real(minus ? -x : x);
}

static json_t *word(struct reader *r, const char *wanted, json_t *value)
{
    size_t n = strlen(wanted);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, wanted, n) != 0)
        return NULL;
    r->at += n;
    return value; /* one that needs no reference */
}

static json_t *value(struct reader *r);

/* The values of an array, behind its bracket. */
static bool fill_array(struct reader *r, json_t *array)
{
    if (next_solid(r) == ']')
        return take(r, ']');
    do
        if (json_array_append_new(array, value(r)) != 0)
            return false;
    while (next_solid(r) == ',' && take(r, ','));
    return take(r, ']');
}

static bool fill_object(struct reader *r, json_t *object)
{
    if (next_solid(r) == '}')
        return take(r, '}');
    do {
        char name[NAME];
        size_t length, before = json_object_size(object);
        next_solid(r);
        const char *from = plain_text(r, &length);
        if (!from || length >= sizeof name || next_solid(r) != ':')
            return false;
        r->at++;
        memcpy(name, from, length);
        name[length] = '\0';
        if (json_object_set_new_nocheck(object, name, value(r)) != 0 || json_object_size(object) == before)
            return false; /* the same size: the name was there before */
    } while (next_solid(r) == ',' && take(r, ','));
    return take(r, '}');
}

static json_t *list(struct reader *r, json_t *all, bool (*fill)(struct reader *r, json_t *all))
{
    r->at++;
    if (++r->depth <= DEPTH && fill(r, all)) {
        r->depth--;
        return all;
    }
    json_decref(all);
    return NULL;
}

static json_t *value(struct reader *r)
{
    const char *from;
    size_t length;
    switch (next_solid(r)) {
    case '{':
        return list(r, json_object(), fill_object);
    case '[':
        return list(r, json_array(), fill_array);
    case '"':
        from = plain_text(r, &length);
        return from ? json_stringn_nocheck(from, length) : NULL;
    case 't':
        return word(r, "true", json_true());
    case 'f':
        return word(r, "false", json_false());
    case 'n':
        return word(r, "null", json_null());
    default:
        return number(r);
    }
}

json_t *ovl_json_line(const char *text, size_t length, json_error_t *why)
{
    struct reader r = {.at = text, .end = text + length};
    json_t *line = next_solid(&r) == '{' ? value(&r) : NULL;
    if (line && next_solid(&r) == '\0' && r.at == r.end)
        return line;
    json_decref(line);
    return json_loadb(text, length, JSON_REJECT_DUPLICATES, why);
}
