/* What went wrong, in one line that says how to mend it, and the exit code that goes with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_ERROR_H
#define OVL_BASE_ERROR_H

#include <stddef.h>

/* The exit codes of every program of the suite. */
enum ovl_exit {
    OVL_OK = 0,
    OVL_MISSED = 1,       /* threshold missed or regression */
    OVL_INCONCLUSIVE = 2, /* inconclusive, or an invalid cell */
    OVL_USAGE = 3,
    OVL_WRONG_DATA = 4,  /* validation, residual, damaged record */
    OVL_ENVIRONMENT = 5, /* no worker, path not permitted, file not writable */
};

enum { OVL_ERROR_TEXT = 512 };

struct ovl_error {
    enum ovl_exit code;
    char text[OVL_ERROR_TEXT]; /* one line, no newline at its end */
};

/* Fills *err and returns -1, so that a function can `return ovl_error_set(...)`. Control characters become '?', and
   what does not fit loses its middle. The arguments may not lie in *err. */
int ovl_error_set(struct ovl_error *err, enum ovl_exit code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns `memory`. Where it is NULL the process says so and ends with OVL_ENVIRONMENT (src/README has the rule). */
void *ovl_check_alloc(void *memory);

/* None of these returns NULL, and the caller frees what they return. ovl_alloc: `count` members, at least one, zeroed.
   ovl_grow: the list with room for `count` members, of which new ones are not zeroed. ovl_grow_one: with room for one
   more than `count`, by doubling now and then; a list is grown by the one or by the other. ovl_text: as printf. */
void *ovl_alloc(size_t count, size_t size);
void *ovl_grow(void *list, size_t count, size_t size);
void *ovl_grow_one(void *list, size_t count, size_t size);
char *ovl_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
