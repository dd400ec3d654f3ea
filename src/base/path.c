/* Names of files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/path.h"

#include <stdarg.h>
#include <stdio.h>

struct ovl_path ovl_path(const char *format, ...)
{
    struct ovl_path path;
    va_list values;
    va_start(values, format);
    vsnprintf(path.text, sizeof path.text, format, values);
    va_end(values);
    return path;
}
