/* UTF-8 (RFC 3629): where its characters end, so that a text that does not fit is never cut inside of one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_UTF8_H
#define OVL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes the well-formed character at the start of `text` has; 0 at its end and where there is none. */
size_t ovl_utf8_character(const char *text);

/* Has XML 1.0 the well-formed character at the start of `text`? It lacks control characters of one byte but for tab and
   line ends, and U+FFFE and U+FFFF, and a file that holds one of them cannot be read at all. */
bool ovl_utf8_is_xml(const char *text);

/* The length of the longest start of `text` that has at most `most` bytes and does not end inside a character. */
size_t ovl_utf8_cut(const char *text, size_t most);

/* Prints as snprintf does, but leaves out the whole of a character that does not fit. Returns the length of what stands
   in `to`, which is less than `room`. `room` is 1 or more. */
size_t ovl_utf8_print(char *to, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
