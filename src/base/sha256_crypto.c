/* SHA-256 by OpenSSL's libcrypto. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/sha256.h"

#include <openssl/evp.h>

/* Stands for an EVP_MD_CTX. */
static EVP_MD_CTX *context(struct ovl_sha256 *sha)
{
    return (EVP_MD_CTX *)(void *)sha;
}

struct ovl_sha256 *ovl_sha256_new(void)
{
    EVP_MD_CTX *evp = ovl_check_alloc(EVP_MD_CTX_new());
    return ovl_check_alloc(EVP_DigestInit_ex(evp, EVP_sha256(), NULL) == 1 ? evp : NULL);
}

void ovl_sha256_add(struct ovl_sha256 *sha, const void *data, size_t length)
{
    EVP_DigestUpdate(context(sha), data, length);
}

void ovl_sha256_end(struct ovl_sha256 *sha, unsigned char digest[32])
{
    EVP_DigestFinal_ex(context(sha), digest, NULL);
    EVP_MD_CTX_free(context(sha));
}
