/* SHA-256 by libmd. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/sha256.h"

#include <sys/types.h>

#include <sha2.h>
#include <stdlib.h>

struct ovl_sha256 {
    SHA2_CTX context;
};

struct ovl_sha256 *ovl_sha256_new(void)
{
    struct ovl_sha256 *sha = ovl_check_alloc(malloc(sizeof *sha));
    SHA256Init(&sha->context);
    return sha;
}

void ovl_sha256_add(struct ovl_sha256 *sha, const void *data, size_t length)
{
    SHA256Update(&sha->context, data, length);
}

void ovl_sha256_end(struct ovl_sha256 *sha, unsigned char digest[32])
{
    SHA256Final(digest, &sha->context);
    free(sha);
}
