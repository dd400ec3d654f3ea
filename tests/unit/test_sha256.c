/* SHA-256, by the library of this build, and by our own code: the examples of FIPS 180-4, and the sizes at which
 * padding changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sha256.h"
#include "tests/unit/test.h"
#include "version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    int times;
    const char *digest;
} rows[] = {
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    {"a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
    {"a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    {"a", 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
};

static char *repeat(const char *text, int times)
{
    size_t n = strlen(text);
    char *all = malloc(n * (size_t)times + 1);
    for (int i = 0; i < times; i++)
        memcpy(all + (size_t)i * n, text, n + 1);
    return all;
}

LOOP_TEST(digests_are_the_standards, 0, sizeof rows / sizeof *rows)
{
    char *all = repeat(rows[_i].text, rows[_i].times), text[OVL_SHA256_TEXT];
    ovl_sha256_bytes(all, strlen(all), text);
    ck_assert_str_eq(text, rows[_i].digest);
    unsigned char own[32];
    void *sha = ovl_sha256_own.begin();
    ovl_sha256_own.add(sha, all, strlen(all));
    ovl_sha256_own.end(sha, own);
    for (int i = 0; i < 32; i++) {
        char byte[3];
        snprintf(byte, sizeof byte, "%02x", own[i]);
        ck_assert_mem_eq(byte, rows[_i].digest + 2 * i, 2);
    }
    FILE *file = tmpfile();
    fputs(all, file);
    rewind(file);
    ck_assert_int_eq(ovl_sha256_stream(file, text), 0);
    ck_assert_str_eq(text, rows[_i].digest);
    fclose(file);
    free(all);
}

TEST(what_cannot_be_read_has_none)
{
    char text[OVL_SHA256_TEXT];
    FILE *folder = fopen("/", "r");
    ck_assert_int_eq(ovl_sha256_stream(folder, text), -1);
    ck_assert_int_eq(errno, EISDIR);
    fclose(folder);
}

TEST(the_library_of_the_build_can_be_loaded)
{
    ck_assert_int_eq(ovl_sha256_library() != NULL, strcmp(OVL_WITH_SHA256, "crypto") == 0);
}
