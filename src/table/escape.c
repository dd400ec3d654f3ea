/* Escaping. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/escape.h"
#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

void ovl_escape(FILE *out, const char *text, const struct ovl_escape *list, const char *control)
{
    while (*text) {
        const struct ovl_escape *e = list;
        size_t n = ovl_utf8_character(text);
        while (e->of && strncmp(text, e->of, strlen(e->of)) != 0)
            e++;
        if (e->of)
            fputs(e->as, out);
        else if (n == 0)
            fputc('?', out);
        else if (control && iscntrl((unsigned char)*text))
            fputs(control, out);
        else
            fwrite(text, 1, n, out);
        text += n > 0 ? n : 1;
    }
}

void ovl_escape_xml(FILE *out, const char *text)
{
    static const struct ovl_escape list[] = {{"&", "&amp;"},   {"<", "&lt;"},         {">", "&gt;"},
                                             {"\"", "&quot;"}, {"\xef\xbf\xbe", "?"}, {"\xef\xbf\xbf", "?"},
                                             {"\x7f", "\x7f"}, {NULL, NULL}};
    ovl_escape(out, text, list, "?"); /* an attribute has no line ends */
}
