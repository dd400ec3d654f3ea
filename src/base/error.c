/* Filling a struct ovl_error. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int inside_utf8(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* What is too long loses its middle: the end says how to mend it. */
static void shorten(char text[OVL_ERROR_TEXT], const char *whole, size_t length)
{
    static const char gap[] = " ... ";
    size_t head = OVL_ERROR_TEXT / 4, tail = length - (OVL_ERROR_TEXT - 1 - head - strlen(gap));
    while (head > 0 && inside_utf8(whole[head]))
        head--;
    while (inside_utf8(whole[tail]))
        tail++;
    snprintf(text, OVL_ERROR_TEXT, "%.*s%s%s", (int)head, whole, gap, whole + tail);
}

int ovl_error_set(struct ovl_error *err, enum ovl_exit code, const char *format, ...)
{
    va_list args, again;
    char *whole = NULL;
    va_start(args, format);
    va_copy(again, args);
    err->code = code;
    int length = vsnprintf(err->text, sizeof err->text, format, args);
    if (length >= (int)sizeof err->text && vasprintf(&whole, format, again) >= 0) {
        shorten(err->text, whole, (size_t)length);
        free(whole);
    }
    va_end(again);
    va_end(args);
    /* What was typed or read may hold line ends, and codes that move a terminal's cursor. */
    for (char *c = err->text; *c; c++) {
        bool c1 = (unsigned char)c[0] == 0xc2 && (unsigned char)c[1] >= 0x80 && (unsigned char)c[1] < 0xa0;
        if ((unsigned char)*c < ' ' || *c == 127 || c1)
            *c = '?';
        if (c1) /* U+0080 to U+009F are two bytes */
            *++c = '?';
    }
    return -1;
}

void *ovl_check_alloc(void *memory)
{
    if (memory)
        return memory;
    fprintf(stderr, "ovl: no memory is left; free some, or start fewer processes\n");
    exit(OVL_ENVIRONMENT);
}

void *ovl_alloc(size_t count, size_t size)
{
    return ovl_check_alloc(calloc(count ? count : 1, size ? size : 1));
}

void *ovl_grow(void *list, size_t count, size_t size)
{
    return ovl_check_alloc(reallocarray(list, count ? count : 1, size));
}

void *ovl_grow_one(void *list, size_t count, size_t size)
{
    return count & (count - 1) ? list : ovl_grow(list, count ? 2 * count : 1, size);
}

char *ovl_text(const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    return ovl_check_alloc(text);
}
