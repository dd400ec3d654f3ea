/* Breaking texts into lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/wrap.h"
#include "base/utf8.h"

#include <string.h>

size_t ovl_wrap_length(const char *text, size_t width)
{
    size_t n = strlen(text), space = 0;
    if (n <= width)
        return n;
    for (n = width; n > width / 2; n--) {
        if (text[n] == ' ' && text[n - 1] == ';')
            return n;
        if (text[n] == ' ' && space == 0)
            space = n;
    }
    return space > 0 ? space : ovl_utf8_cut(text, width);
}
