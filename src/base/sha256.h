/* SHA-256, by libcrypto where configure found it, else by code of our own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OVL_BASE_SHA256_H
#define OVL_BASE_SHA256_H

#include <stddef.h>
#include <stdio.h>

enum { OVL_SHA256_TEXT = 65 }; /* 64 hexadecimal digits and their end */

/* The digest of `length` bytes. */
void ovl_sha256_bytes(const void *data, size_t length, char text[OVL_SHA256_TEXT]);

/* The digest of all that `in` has from here on. -1, and errno, when it cannot be read. */
int ovl_sha256_stream(FILE *in, char text[OVL_SHA256_TEXT]);

/* How it is computed. What begins a digest gives its state, and what ends it frees that. Where there is no memory the
   process ends as by ovl_check_alloc. */
struct ovl_sha256_way {
    void *(*begin)(void);
    void (*add)(void *to, const void *data, size_t length);
    void (*end)(void *of, unsigned char digest[32]);
};

extern const struct ovl_sha256_way ovl_sha256_own;

/* By the library that configure found, in sha256_crypto.c or sha256_none.c; NULL where it cannot be loaded, or where
   the build is without: then our own code does it. */
const struct ovl_sha256_way *ovl_sha256_library(void);

#endif
