/* Lossy compression of float32 arrays, as of gradients. Pure computation: no MPI, no allocation, no I/O, no globals.
   The bytes are the same on any machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_KERNELS_COMPRESS_H
#define OVL_KERNELS_COMPRESS_H

#include <stddef.h>

struct ovl_compressor {
    const char *name;
    const char *summary;          /* one line; says how large the error of a value may be */
    size_t (*most)(size_t count); /* bytes that `count` values may need */
    /* No finite value is off by more than `bound` > 0, and what is not finite comes back as it was. Returns the bytes
       written. */
    size_t (*compress)(const float *values, size_t count, float bound, unsigned char *to);
    /* 0; -1 where these are not the bytes of so many values. Reads no byte behind `bytes`, and writes no value behind
       `count`, whatever they hold. */
    int (*expand)(const unsigned char *from, size_t bytes, float *values, size_t count);
    /* The same where the bytes may go on. Returns how many were read, 0 where they are not those of so many values.
       Values that were compressed at once may be expanded in parts of `part` each; parts that were compressed one
       behind the other have the bytes of the whole. */
    size_t (*expand_part)(const unsigned char *from, size_t bytes, float *values, size_t count);
    size_t part;
};

extern const struct ovl_compressor ovl_compressor_szx;

#endif
