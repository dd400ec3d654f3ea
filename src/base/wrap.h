/* Breaking texts into lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_WRAP_H
#define OVL_BASE_WRAP_H

#include <stddef.h>

/* How many bytes of the text fit a line of `width`, which is 4 or more: up to the last "; " where that fills half of
   it, else up to the last space, else the whole width, or less where that would cut a character. Spaces that follow are
   not counted. */
size_t ovl_wrap_length(const char *text, size_t width);

#endif
