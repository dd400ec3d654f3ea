/* SHA-256 by nettle. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/sha256.h"

#include <nettle/sha2.h>
#include <stdlib.h>

struct ovl_sha256 {
    struct sha256_ctx context;
};

struct ovl_sha256 *ovl_sha256_new(void)
{
    struct ovl_sha256 *sha = ovl_check_alloc(malloc(sizeof *sha));
    sha256_init(&sha->context);
    return sha;
}

void ovl_sha256_add(struct ovl_sha256 *sha, const void *data, size_t length)
{
    sha256_update(&sha->context, length, data);
}

void ovl_sha256_end(struct ovl_sha256 *sha, unsigned char digest[32])
{
    sha256_digest(&sha->context, SHA256_DIGEST_SIZE, digest);
    free(sha);
}
