/* The command line of any program of ovl, read as that program reads it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_CLI_PROGRAM_H
#define OVL_CLI_PROGRAM_H

#include "cli/driver_options.h"

struct ovl_program_options {
    const struct ovl_option *rows;           /* of its options; NULL: it is no program of ovl */
    const struct ovl_benchmark *benchmark;   /* of a driver; NULL */
    const struct ovl_driver_options *driver; /* `values`, of a driver; NULL */
    const struct ovl_proxy *proxy;           /* of the others; NULL */
    void *values;                            /* what the rows fill */
    int argc;
    char **argv; /* whose texts `values` has */
};

/* Parses the words, texts from that one on, as the program of that name ("ovl_fft3d", or "fft3d" as records have it).
   false, and OVL_USAGE in *err, where it would refuse them; and where it is no program of ovl. Free *o in any case. */
bool ovl_program_options_parse(struct ovl_program_options *o, const char *program, const json_t *words, size_t first,
                               struct ovl_error *err);
void ovl_program_options_free(struct ovl_program_options *o);

/* Is it one of ovl's: a driver, a proxy, or ovl_noise? */
bool ovl_program_is_ours(const char *program);

/* Of its options; NULL where it is none of ovl's. */
const struct ovl_option *ovl_program_rows(const char *program);

/* Do both names, of programs or as records have them, name the same one? */
bool ovl_program_same(const char *one, const char *other);

/* What a run of them should take, in seconds, without its start: all that its options give to its cells. NAN where they
   do not say. */
double ovl_program_seconds(const struct ovl_program_options *o);

#endif
