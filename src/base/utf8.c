/* The borders of characters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t ovl_utf8_character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t n = c[0] == 0     ? 0
               : c[0] < 0x80 ? 1
               : c[0] < 0xc2 ? 0
               : c[0] < 0xe0 ? 2
               : c[0] < 0xf0 ? 3
               : c[0] < 0xf5 ? 4
                             : 0;
    unsigned char least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    if (n > 1 && (c[1] < least || c[1] > most))
        return 0;
    for (size_t i = 2; i < n; i++)
        if (c[i] < 0x80 || c[i] > 0xbf)
            return 0;
    return n;
}

bool ovl_utf8_is_xml(const char *text)
{
    bool control = (unsigned char)*text < ' ' && !strchr("\t\n\r", *text); /* 0 is in there, and no character */
    return ovl_utf8_character(text) > 0 && !control && strncmp(text, "\xef\xbf\xbe", 3) != 0 &&
           strncmp(text, "\xef\xbf\xbf", 3) != 0;
}

/* The length of the first n bytes without a character of which they have only the start. */
static size_t without_part(const char *text, size_t n)
{
    size_t back = 1;
    while (back < n && back < 4 && ((unsigned char)text[n - back] & 0xc0) == 0x80)
        back++;
    unsigned char first = n > 0 ? (unsigned char)text[n - back] : 0;
    size_t wants = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return wants > back ? n - back : n;
}

size_t ovl_utf8_cut(const char *text, size_t most)
{
    size_t n = strnlen(text, most + 1);
    return n > most ? without_part(text, most) : n;
}

size_t ovl_utf8_print(char *to, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(to, room, format, args);
    va_end(args);
    size_t n = length > 0 ? (size_t)length : 0;
    n = n < room ? n : without_part(to, room - 1);
    to[n] = '\0';
    return n;
}
