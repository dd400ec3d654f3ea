/* Control characters in texts that came from elsewhere. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
#include "base/error.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE = 6 };

/* How many bytes the control character here has, 0 where there is none: C0, DEL, and C1, which UTF-8 begins with c2. */
static size_t control(const char *text)
{
    unsigned char c = (unsigned char)text[0], next = c ? (unsigned char)text[1] : 0;
    if (c == 0xc2 && next >= 0x80 && next < 0xa0)
        return 2;
    return c && (c < ' ' || c == 127);
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (control(text) > 0)
            return false;
    return true;
}

char *ovl_printable_copy(const char *text)
{
    char *all = ovl_alloc(ESCAPE * strlen(text) + 1, 1), *to = all;
    for (size_t n; *text; text += n > 0 ? n : 1)
        if ((n = control(text)) > 0)
            to += sprintf(to, "\\u%04x", (unsigned char)text[n - 1]);
        else
            *to++ = *text;
    return all;
}

void ovl_printable_put(FILE *out, const char *text)
{
    for (size_t n; *text; text += n > 0 ? n : 1)
        if ((n = control(text)) > 0)
            fprintf(out, "\\u%04x", (unsigned char)text[n - 1]);
        else
            fputc(*text, out);
}

static void mend_text(json_t *json)
{
    if (is_plain(json_string_value(json)))
        return;
    char *text = ovl_printable_copy(json_string_value(json));
    json_string_set(json, text);
    free(text);
}

static void mend_names(json_t *object)
{
    const char *name;
    json_t *value, *mended;
    bool plain = true;
    json_object_foreach(object, name, value)
        plain = plain && is_plain(name);
    if (plain)
        return;
    mended = json_object();
    json_object_foreach(object, name, value) {
        char *text = ovl_printable_copy(name);
        json_object_set(mended, text, value);
        free(text);
    }
    json_object_clear(object);
    json_object_update(object, mended);
    json_decref(mended);
}

void ovl_printable(json_t *json)
{
    const char *name;
    json_t *value;
    size_t i;
    if (json_is_string(json))
        mend_text(json);
    else if (json_is_object(json))
        mend_names(json);
    json_object_foreach(json, name, value)
        ovl_printable(value);
    json_array_foreach(json, i, value)
        ovl_printable(value);
}

void ovl_printable_bytes(char *text)
{
    while (*text) {
        size_t n = ovl_utf8_character(text), bad = control(text);
        for (size_t i = 0; i < bad || (n == 0 && i == 0); i++)
            text[i] = '?';
        text += bad > 0 ? bad : n > 0 ? n : 1;
    }
}

json_t *ovl_printable_json(const char *text)
{
    json_t *json = json_string(text);
    if (json)
        return json;
    char *copy = ovl_text("%s", text);
    ovl_printable_bytes(copy);
    json = json_string(copy);
    free(copy);
    return json;
}
