/* SHA-256 by OpenSSL's libcrypto, which is loaded when it is first asked for: most commands never do, and its start
   takes longer than theirs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"
#include "base/sha256.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#ifdef OPENSSL_SHLIB_VERSION
#define LIBRARY "libcrypto.so." TEXT(OPENSSL_SHLIB_VERSION)
#else /* 1.1 */
#define LIBRARY "libcrypto.so." SHLIB_VERSION_NUMBER
#endif

/* Functions of the library that was compiled against. */
static struct {
    __typeof__(EVP_MD_CTX_new) *create;
    __typeof__(EVP_MD_CTX_free) *release;
    __typeof__(EVP_sha256) *kind;
    __typeof__(EVP_DigestInit_ex) *begin;
    __typeof__(EVP_DigestUpdate) *add;
    __typeof__(EVP_DigestFinal_ex) *end;
} evp;

static bool there;

static bool take(void *library, const char *symbol, void *function_pointer)
{
    void *at = dlsym(library, symbol);
    memcpy(function_pointer, &at, sizeof at);
    return at;
}

static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    there = library && take(library, "EVP_MD_CTX_new", &evp.create) && take(library, "EVP_MD_CTX_free", &evp.release) &&
            take(library, "EVP_sha256", &evp.kind) && take(library, "EVP_DigestInit_ex", &evp.begin) &&
            take(library, "EVP_DigestUpdate", &evp.add) && take(library, "EVP_DigestFinal_ex", &evp.end);
}

static void *begin(void)
{
    EVP_MD_CTX *context = ovl_check_alloc(evp.create());
    return ovl_check_alloc(evp.begin(context, evp.kind(), NULL) == 1 ? context : NULL);
}

static void add(void *to, const void *data, size_t length)
{
    evp.add(to, data, length);
}

static void end(void *of, unsigned char digest[32])
{
    evp.end(of, digest, NULL);
    evp.release(of);
}

const struct ovl_sha256_way *ovl_sha256_library(void)
{
    static const struct ovl_sha256_way way = {begin, add, end};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return there ? &way : NULL;
}
