/* Breaking texts into lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_WRAP_H
#define OVL_BASE_WRAP_H

#include <stddef.h>

/* How many characters of the text fit a line: up to the last "; " where that fills half of it, else up to the last
   space, else the whole width. Spaces that follow are not counted. */
size_t ovl_wrap_length(const char *text, size_t width);

#endif
