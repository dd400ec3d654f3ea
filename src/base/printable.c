/* Control characters in texts that came from elsewhere. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/printable.h"
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
    char *all = malloc(ESCAPE * strlen(text) + 1), *to = all;
    for (size_t n; all && *text; text += n > 0 ? n : 1)
        if ((n = control(text)) > 0)
            to += sprintf(to, "\\u%04x", (unsigned char)text[n - 1]);
        else
            *to++ = *text;
    if (all)
        *to = '\0';
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

static int mend_text(json_t *json)
{
    if (is_plain(json_string_value(json)))
        return 0;
    char *text = ovl_printable_copy(json_string_value(json));
    int rc = text ? json_string_set(json, text) : -1;
    free(text);
    return rc;
}

static int mend_names(json_t *object)
{
    const char *name;
    json_t *value, *mended = NULL;
    bool plain = true;
    json_object_foreach(object, name, value)
        plain = plain && is_plain(name);
    if (plain)
        return 0;
    int rc = (mended = json_object()) ? 0 : -1;
    json_object_foreach(object, name, value) {
        char *text = ovl_printable_copy(name);
        if (!text || json_object_set(mended, text, value) != 0)
            rc = -1;
        free(text);
    }
    if (rc == 0)
        rc = json_object_clear(object) == 0 ? json_object_update(object, mended) : -1;
    json_decref(mended);
    return rc;
}

int ovl_printable(json_t *json)
{
    const char *name;
    json_t *value;
    size_t i;
    int rc = 0;
    if (json_is_string(json))
        return mend_text(json);
    if (json_is_object(json))
        rc = mend_names(json);
    json_object_foreach(json, name, value)
        rc = rc == 0 ? ovl_printable(value) : rc;
    json_array_foreach(json, i, value)
        rc = rc == 0 ? ovl_printable(value) : rc;
    return rc;
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
    char *copy = json ? NULL : strdup(text);
    if (copy) {
        ovl_printable_bytes(copy);
        json = json_string(copy);
    }
    free(copy);
    return json;
}
