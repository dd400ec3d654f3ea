/* SHA-256 of bytes and of files, as text. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sha256.h"

#include <errno.h>

static const struct ovl_sha256_way *way_here(void)
{
    const struct ovl_sha256_way *library = ovl_sha256_library();
    return library ? library : &ovl_sha256_own;
}

static void end(const struct ovl_sha256_way *way, void *of, char text[OVL_SHA256_TEXT])
{
    unsigned char digest[32];
    way->end(of, digest);
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

void ovl_sha256_bytes(const void *data, size_t length, char text[OVL_SHA256_TEXT])
{
    const struct ovl_sha256_way *way = way_here();
    void *sha = way->begin();
    way->add(sha, data, length);
    end(way, sha, text);
}

int ovl_sha256_stream(FILE *in, char text[OVL_SHA256_TEXT])
{
    const struct ovl_sha256_way *way = way_here();
    void *sha = way->begin();
    char buffer[1 << 14];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
        way->add(sha, buffer, n);
    int failed = ferror(in) ? errno : 0;
    end(way, sha, text);
    errno = failed;
    return failed ? -1 : 0;
}
