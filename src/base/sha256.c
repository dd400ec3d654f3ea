/* SHA-256 of bytes and of files, as text. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sha256.h"

#include <errno.h>

static void end(struct ovl_sha256 *sha, char text[OVL_SHA256_TEXT])
{
    unsigned char digest[32];
    ovl_sha256_end(sha, digest);
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

void ovl_sha256_bytes(const void *data, size_t length, char text[OVL_SHA256_TEXT])
{
    struct ovl_sha256 *sha = ovl_sha256_new();
    ovl_sha256_add(sha, data, length);
    end(sha, text);
}

int ovl_sha256_stream(FILE *in, char text[OVL_SHA256_TEXT])
{
    struct ovl_sha256 *sha = ovl_sha256_new();
    char buffer[1 << 14];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
        ovl_sha256_add(sha, buffer, n);
    int failed = ferror(in) ? errno : 0;
    end(sha, text);
    errno = failed;
    return failed ? -1 : 0;
}
