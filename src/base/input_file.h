/* Opening a file that somebody names, which may be anything; not writing over it later; and telling what was in it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_INPUT_FILE_H
#define OVL_BASE_INPUT_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

enum { OVL_INPUT_TEXT_MOST = 64 << 20 };

/* Opens it for reading, and notes that it is in use. Never waits: of what is no plain file (a named pipe, a socket, a
   device, or a link to one) only what is named as such, /dev/... or /proc/..., is opened, which a shell's <(...) is;
   the same is ENXIO. For all that is read and may be anything, whoever named it. NULL with errno. */
FILE *ovl_input_file_open(const char *path);

/* What errno says after it failed. */
const char *ovl_input_file_why(int number);

/* Notes that this process reads or writes the regular file behind the descriptor, by device and inode. Not for several
   threads at a time. */
void ovl_input_file_note(int fd);

/* Has the regular file under this name, or behind this descriptor, been noted? Then an output that replaced it would
   destroy an input, or another output. */
bool ovl_input_file_is_noted(const char *path);
bool ovl_input_file_is_noted_at(int fd);

/* Forgets them all, where one process does what several calls would. */
void ovl_input_file_forget(void);

/* Reads a line into *line, which has *room bytes, as getline does, but never more than `most` bytes of it: the rest is
   the next line. Returns how many, 0 at the end. The caller frees *line. */
size_t ovl_input_line(char **line, size_t *room, size_t most, FILE *in);

/* All of a text that people write, with a terminator; the caller frees it. NULL with *err filled: OVL_ENVIRONMENT where
   it cannot be read, OVL_WRONG_DATA where it holds a byte 0 or over OVL_INPUT_TEXT_MOST bytes, as devices and pipes do
   that never end. The line of the error begins with `name`: "--buckets FILE". */
char *ovl_input_text(const char *path, const char *name, struct ovl_error *err);

/* Keeps the text of a file that shapes the work, under the name of the option that names it, so that the record can
   tell what was in it; of an option the last one. */
void ovl_input_keep(const char *option, const char *text);
/* The same of a file that is no text, whose SHA-256 is kept. */
void ovl_input_keep_digest(const char *option, const char *sha256);

/* The i-th text that was kept, lent, and its option; NULL behind the last. */
const char *ovl_input_kept(size_t i, const char **option);
/* Is it a digest? */
bool ovl_input_kept_is_digest(size_t i);

#endif
